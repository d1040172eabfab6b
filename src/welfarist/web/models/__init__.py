"""What is stored: studies, invites, respondents, questions and answers, and who did what."""

from welfarist.web.models.answers import Answer, Choice, Ended
from welfarist.web.models.audit import AuditEntry
from welfarist.web.models.invites import Invite, Respondent
from welfarist.web.models.studies import Designed, State, Study

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
]
