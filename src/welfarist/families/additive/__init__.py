"""Weighted sums of a curve of what people have, without a formula for the curve."""
