"""Likelihoods of decisions about people whose utilities are estimates."""
