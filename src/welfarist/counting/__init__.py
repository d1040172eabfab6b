"""The fewest wrong decisions, exactly: crossings, steps of the 0-1 loss, sets of rules, bounds."""
