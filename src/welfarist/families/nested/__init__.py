"""Means of means: one power within groups of people, another between them."""
