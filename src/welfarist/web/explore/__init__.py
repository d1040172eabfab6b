"""Sliders: what would be decided under another rule."""
