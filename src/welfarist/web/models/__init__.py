"""What is stored: studies, invites, respondents, answers, who did what, and counts of tries."""

from welfarist.web.models.answers import Answer, Choice, Ended
from welfarist.web.models.audit import AuditEntry
from welfarist.web.models.invites import Invite, Respondent
from welfarist.web.models.studies import Designed, State, Study
from welfarist.web.models.tries import Tries

__all__ = [
    "Answer",
    "AuditEntry",
    "Choice",
    "Designed",
    "Ended",
    "Invite",
    "Respondent",
    "State",
    "Study",
    "Tries",
]
