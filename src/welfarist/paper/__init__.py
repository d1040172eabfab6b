"""The algorithms of the paper, as published."""
