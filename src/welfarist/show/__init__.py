"""What people look at: figures and the report."""
