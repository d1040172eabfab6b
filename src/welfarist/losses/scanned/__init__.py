"""Losses of decisions that stay in their files: a share in memory, and rounds over everything."""
