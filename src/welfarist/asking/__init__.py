"""Which question to put next, and what is believed of a rule after the answers."""
