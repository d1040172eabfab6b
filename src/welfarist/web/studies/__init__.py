"""Setting up studies: from a table to open links."""
