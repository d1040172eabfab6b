"""Messages of the package in the words of the command line.

The learners speak of their Python arguments; whoever types commands knows options. This is the
one place that translates, so that no message has to be written twice.
"""

from __future__ import annotations

import re

from welfarist.app.usage import RequestError

# What is typed without a name of an option.
_ARGUMENTS = {"actions": "ACTIONS"}
# Arguments of the learners whose option has another name.
_RENAMED = {"n_starts": "--starts", "random_state": "--seed"}
_SAME_NAME = (
    "by", "covariance", "groups", "level", "max_iter", "method", "noise", "p", "prior", "rho",
    "scale", "solver", "tau_max", "tol", "weights",
)  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SAME_NAME} | _RENAMED

# What is said in Python in other ways, before single arguments are looked at.
_PHRASES = (
    (
        "Give Comparisons(…, by=…), or by=… to Comparisons.from_arrays, and fit to that.",
        "Say which column it is: --by COLUMN",
    ),
    ("Comparisons(…, by=…), or by=… to Comparisons.from_arrays, and fit to that", "--by COLUMN"),
    ("Comparisons(…, by=…)", "--by COLUMN"),
    ("result_.exact.intervals has them all", "--json lists them all, as powers"),
    ("result_.exact has the set", "--json has the set, as powers,"),
    (", or a Grid or TwoStage", ""),
    ('"exact" or an Exact with', '"exact" with'),
    ("see rho_", "see the answer"),
)

_NAMES = "|".join(sorted(OPTIONS, key=len, reverse=True))
_ASSIGNED = re.compile(rf"""(?<![\w'"-])({_NAMES})=(?:"([^"]*)"|(True)|(False)|…)""")
# A call that asks for one interval in another way.
_CALLED = re.compile(r"""interval\("[^"]*", (method="[^"]*")\)""")
# A bare word is an argument only if it is no word of English.
_BARE = re.compile(r"""(?<![\w'"-])(tau_max|n_starts|max_iter|random_state)(?![\w'"])""")
_MUST = re.compile(rf"^({_NAMES}) must\b")


def option(name: str) -> str:
    """Return how something that can be asked for is typed.

    Examples
    --------
    >>> option("first_label")
    '--first-label'
    """
    return _ARGUMENTS.get(name, f"--{name.replace('_', '-')}")


def message_of(problem: Exception) -> str:
    """Return what is wrong, with what can be asked for as it is typed."""
    return problem.said(option) if isinstance(problem, RequestError) else str(problem)


def in_options(message: str) -> str:
    """Return a message with options in place of the arguments it names.

    Examples
    --------
    >>> in_options('tau reached its cap: raise tau_max, or use noise="none".')
    'tau reached its cap: raise --tau-max, or use --noise none.'
    >>> in_options('Use interval("weight of self", method="profile"), which may take seconds.')
    'Use --method profile, which may take seconds.'
    """
    for phrase, words in _PHRASES:
        message = message.replace(phrase, words)
    message = _CALLED.sub(r"\1", message)
    message = _ASSIGNED.sub(_as_option, message)
    message = _BARE.sub(lambda found: OPTIONS[found[1]], message)
    return _MUST.sub(lambda found: f"{OPTIONS[found[1]]} must", message)


def _as_option(found: re.Match[str]) -> str:
    option, value = OPTIONS[found[1]], found[2]
    if value is not None:
        return f"{option} '{value}'" if " " in value else f"{option} {value}"
    if found[4]:
        return f"no {option}"
    return option
