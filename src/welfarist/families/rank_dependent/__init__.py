"""Means in which a weight belongs to a place, from the worst to the best off."""
