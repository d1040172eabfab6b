"""Why an interview is at its end, in words for whoever answered."""

from __future__ import annotations

# What the reasons of an interview hold, and what it means to people.
_WORDS = (
    (" bits", "one more answer would hardly tell anything new"),
    ("known with probability", "your answers tell well enough which one is best"),
    ("no question left", "all questions that there are were answered"),
    ("the most there should be", "these were all the questions that were planned"),
)


def in_plain_words(reason: str) -> str:
    """Return why there is nothing more to ask, without bits and probabilities.

    Examples
    --------
    >>> in_plain_words("another answer is expected to tell 0.20 bits, which is little")
    'one more answer would hardly tell anything new'
    """
    return next((words for part, words in _WORDS if part in reason), reason)
