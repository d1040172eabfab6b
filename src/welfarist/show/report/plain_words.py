"""Messages of the package without the names of its arguments and methods.

Whoever reads a report decides about hospitals, and has never seen a line of code. What a message
advises is put in words where there are words for it; what would still speak of code is left out.
"""

from __future__ import annotations

import re

# Advice to whoever fits, as advice to whoever asks them.
_PHRASES = (
    ("raise max_iter or n_starts", "let the search take more steps, or start from more places"),
    ("Raise max_iter or n_starts", "Let the search take more steps, or start from more places"),
    ("Raise tau_max", "Allow a larger tau"),
    ('Use solver="newton", which goes', "There is a search that goes"),
    (
        'covariance="bootstrap" draws whole decision makers instead',
        "Drawing whole decision makers again and again would show how much",
    ),
    ("tau_by_stage=True gives each its own", "Each could have a temperature of its own"),
    ("otherwise raise tau_max", "otherwise allow a larger tau"),
    (', though noise="none" says that there are none', ", though it was said that there are none"),
    (
        'Use noise="flip" or noise="logistic" to learn how often they err.',
        "Allow for errors, to learn how often there are any.",
    ),
    ("; result_.exact.intervals has them all", ""),
    (': noise="none" finds their whole set', ""),
    (
        'noise="none" finds the set of all rules that explain them',
        "there is a way to find the set of all rules that explain them",
    ),
    (
        'noise="none" finds a rule with the fewest errors',
        "there is a way to find a rule with the fewest errors",
    ),
    (
        "If scores are on another scale, set scale=True.",
        "Scores may be on another scale than utilities.",
    ),
    (", or set scale=True", ", or let their scale be learned"),
    (' (noise="lapse" allows for slips)', " (slips may be the reason)"),
    ("resamples=199 finds one by simulation", "Simulation would find one"),
    ("Fit again with a larger max_iter", "Let the search take more steps"),
    ("Fit again with a larger n_starts", "Let the search start from more places"),
    ("Allow more steps (max_iter)", "Allow more steps"),
    ("Fit with prior=None.", "Without a prior there are some."),
    ('use with_covariance("fisher").test(…), the likelihood', "there is the likelihood"),
    ('; test(…, covariance="clustered") does not', ""),
    ('covariance="clustered" needs', "standard errors clustered by who decided need"),
    ('Use covariance="robust", which takes', "Robust standard errors take"),
    ('unit="clusters" needs', "a bootstrap over decision makers needs"),
)
# What only somebody who writes code can make something of. People may be called anything, such as
# low_income: of names with underscores these are the package's own.
_NAMES = (
    "max_iter", "n_starts", "n_jobs", "tau_max", "random_state", "sample_weight", "with_covariance",
    "without_data", "from_arrays", "to_dict", "result_", "rho_", "u_min", "u_max", "time_limit",
)  # fmt: skip
_CALLS = "bootstrap|calibration|fit|interval|misfit|residuals|summary|surprises|test"
_CODE = re.compile(
    rf"""\b[a-z_]+=(?:["\[\d…-]|True|False|None)|\b(?:{"|".join(_NAMES)})(?!\w)"""
    rf"""|\b(?:{_CALLS})\(|\bwf\.|\bComparisons\b|\bChoices[(.]|(?<!\S)--[a-z]"""
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# Where a sentence may end before what it advises.
_PAUSE = re.compile(r"; |: ")
# Other standard errors than those of the likelihood, by their names.
_ERRORS = re.compile(r'\bfound covariance="([^"]*)"')


def plain(message: str) -> str:
    """Return a message in words that need no code.

    Examples
    --------
    >>> plain("tau reached its cap, 100: larger would fit better. Raise tau_max.")
    'tau reached its cap, 100: larger would fit better. Allow a larger tau.'
    >>> plain('No interval: Wald does not apply. Use interval("p", method="profile"), in seconds.')
    'No interval: Wald does not apply.'
    """
    for phrase, words in _PHRASES:
        message = message.replace(phrase, words)
    message = _ERRORS.sub(r"found \1 standard errors", message)
    found = [_without_code(sentence) for sentence in _SENTENCE.split(message)]
    return " ".join(sentence for sentence in found if sentence)


def _without_code(sentence: str) -> str:
    """A sentence up to the pause before its code; empty if there is none."""
    code = _CODE.search(sentence)
    if code is None:
        return sentence
    pauses = [pause.start() for pause in _PAUSE.finditer(sentence, 0, code.start())]
    return f"{sentence[: pauses[-1]]}." if pauses else ""
