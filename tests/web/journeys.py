"""What tests of several pages do first: somebody answers, and names are hostile."""

from __future__ import annotations

import numpy as np

from welfarist import WelfareFunction
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.taking import take_answer

HOSTILE = '<script>alert("x")</script>'


def answer_all(respondent, power=0.0, most=99, slips=()):
    """Answer as somebody with a power does, but for slips, by the number of the question."""
    said = []
    while len(said) < most and (question := next_question(respondent)) is not None:
        table = np.array([[one.first, one.second] for one in question.people]).T
        one, other = WelfareFunction(power)(table)
        better = one > other
        choice = "first" if better != (question.number in slips) else "second"
        take_answer(respondent, question.number, question.key, choice, 800)
        said.append(choice)
    return said


def make_hostile(study, respondent=None):
    """Put a script into every name that somebody can give."""
    for described in (*study.actions, *study.stakeholders):
        described["label"] = HOSTILE
        described["description"] = HOSTILE
    study.title = study.description = HOSTILE
    study.save()
    if respondent is not None:
        respondent.name = HOSTILE
        respondent.save()


def assert_harmless(response):
    page = response.content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    for forbidden in ("<style", " style=", " onclick", "http://", "https://", "<script>"):
        assert forbidden not in page
