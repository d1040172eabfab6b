"""The same rules with noise that acts on differences in welfare, and not on ratios."""
