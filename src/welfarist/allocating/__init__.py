"""Shares of a budget: which projects a learned welfare would fund, whole or in part."""
