"""Commands for whoever looks after the pages."""
