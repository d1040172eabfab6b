"""Kolm-Pollak functions, which look at differences where power means look at ratios."""
