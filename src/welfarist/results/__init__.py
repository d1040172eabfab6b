"""What was learned: the record, its summary, its caveats, and models in files."""
