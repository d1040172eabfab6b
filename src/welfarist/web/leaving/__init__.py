"""What goes out, what comes in, and what is deleted."""
