"""Everything that goes out, comes in, or is deleted."""
