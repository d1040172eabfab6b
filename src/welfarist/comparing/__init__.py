"""Rules and learners side by side."""
