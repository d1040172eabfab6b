"""Millions of people in a few numbers: exact sums by bin, from which power means follow.

:class:`welfarist.Sketch` takes the place of a table of utilities whose people do not fit into
memory, or who are too many to visit at every step of a fit.
"""
