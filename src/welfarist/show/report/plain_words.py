"""Messages without code: a report is read by people who did not run anything."""

from __future__ import annotations

import re

# What only somebody who writes code can make something of. People may be called anything, such as
# low_income: of names with underscores these are the package's own.
_NAMES = (
    "max_iter", "n_starts", "n_jobs", "tau_max", "random_state", "sample_weight", "with_covariance",
    "without_data", "from_arrays", "to_dict", "result_", "rho_", "u_min", "u_max", "time_limit",
)  # fmt: skip
_CALLS = "bootstrap|calibration|fit|interval|misfit|residuals|summary|surprises|test"
_CODE = re.compile(
    rf"""\b[a-z_]+=(?:["\[\d…-]|True|False|None)|\b(?:{"|".join(_NAMES)})(?!\w)"""
    rf"""|\b(?:{_CALLS})\(|\bwf\.|\bComparisons\b|(?<!\S)--[a-z]"""
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
# Where a sentence may end before what it advises.
_PAUSE = re.compile(r"; |: ")


def plain(message: str) -> str:
    """Return a message without the parts that speak of code, which are advice on what to run.

    Examples
    --------
    >>> plain('Many rules explain them all: noise="none" finds their whole set.')
    'Many rules explain them all.'
    >>> plain("They look alike. Raise max_iter or n_starts.")
    'They look alike.'
    """
    found = [_without_code(sentence) for sentence in _SENTENCE.split(message)]
    return " ".join(sentence for sentence in found if sentence)


def _without_code(sentence: str) -> str:
    """A sentence up to the pause before its code; empty if there is none."""
    code = _CODE.search(sentence)
    if code is None:
        return sentence
    pauses = [pause.start() for pause in _PAUSE.finditer(sentence, 0, code.start())]
    return f"{sentence[: pauses[-1]]}." if pauses else ""
