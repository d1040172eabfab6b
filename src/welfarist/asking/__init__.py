"""Which question to put next, and what is believed of a rule after the answers."""

from welfarist.asking.study import Study, study

__all__ = ["Study", "study"]
