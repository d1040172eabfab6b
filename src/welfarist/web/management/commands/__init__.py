"""One module a command, as Django finds them."""
