"""Ways of minimising a loss, one per module."""
