"""Utilities learned from what stakeholders answered."""
