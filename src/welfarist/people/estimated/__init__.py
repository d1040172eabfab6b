"""Utilities that are estimates: with standard errors, draws or factors, shrunken and shared."""
