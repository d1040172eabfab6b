"""Several decision makers: types of them, and everybody's own rule."""
