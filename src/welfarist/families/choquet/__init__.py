"""2-additive Choquet integrals: who complements whom, and who stands in for whom."""
