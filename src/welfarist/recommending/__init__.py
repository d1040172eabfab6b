"""From a learned rule to the next decision: what to take, how sure, why, and what would turn it."""
