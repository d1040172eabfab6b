"""Which question to put next, and what is believed of a rule after the answers."""

from welfarist.asking.needed import QuestionsNeeded, questions_needed
from welfarist.asking.study import Study, study

__all__ = ["questions_needed", "QuestionsNeeded", "Study", "study"]
