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
_RENAMED = {
    "n_jobs": "--jobs",
    "n_nodes": "--nodes",
    "n_starts": "--starts",
    "random_state": "--seed",
    "engine": "--dask",
}
_SAME_NAME = (
    "absent", "by", "covariance", "effort", "family", "folds", "groups", "ignore", "jobs", "level",
    "margin", "max_iter", "method", "menu_size", "noise", "nu", "outside", "p", "places", "prior",
    "resume", "rho", "scale", "shift", "size_effect", "small_sample", "solver", "stakeholders",
    "tau", "tau_by_stage", "tau_max", "tol", "weights",
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
    ("Give Choices(…, by=…), and fit to that.", "Say which column it is: --by COLUMN"),
    ("Choices(…, outside=True)", "--outside"),
    (
        "mark who is absent by NaN and say Choices(…, absent=True)",
        "leave their cells empty and say --absent",
    ),
    ("(choices=…)", "(--choices FILE)"),
    ("Make one with Sketch.of(...).save(path).", "Make one with welfarist sketch."),
    ("ame the columns of the actions: actions=[...]", "ame the columns of the actions: --columns"),
    ("name the columns: actions=[...]", "name the columns: --columns"),
    (
        "Between two actions ComparisonClassifier has the others.",
        "Pairs of actions (--comparisons FILE) have the others.",
    ),
    ("result_.exact.intervals has them all", "--json lists them all, as powers"),
    ("result_.exact has the set", "--json has the set, as powers,"),
    (", or a Grid or TwoStage", ""),
    ("anchor must be the", "--anchor must be the"),
    ('let pooling="hierarchical" draw them towards all', "leave out --alone"),
    (
        "Pass the best guess, people.utilities, to take it as exact:",
        "Write the best guess as a table (welfarist utilities --table FILE) to take it as exact:",
    ),
    (", with People.load(…).to_frame(),", " (welfarist utilities --table FILE)"),
    ('"exact" or an Exact with', '"exact" with'),
    ("same must name a column of", "--test-same must name a column of"),
    ("raise the number of nodes", "raise --nodes"),
    ("Fit one rule with a ComparisonClassifier.", "Leave out --each and --types."),
    ("Fit one rule with a ChoiceLearner.", "Leave out --each and --types."),
    ("individuals() has them all", "--individuals FILE has them all"),
    ("see rho_", "see the answer"),
    ("or leave those actions out", "or take those actions out of the table and say --drop-unknown"),
    ("Fit with prior=None", "Leave out --prior"),
    ("folds=None", "--folds 0"),
    ('Use interval("p"), whose ends may be infinite.', "Its interval may have infinite ends."),
    ('unit="clusters" needs', "a bootstrap by who decided needs"),
    (' Use unit="decisions".', " Leave out the column of who decided."),
    ("models are written by save_model, or welfarist", "models are written by welfarist"),
    ("n must be at most", "--decisions must be at most"),
    (" The bound alone is bounds.excess_risk(…).", ""),
    ("u_min and u_max must hold", "the smallest and the largest utility must hold"),
    (
        'If this is a script, the call must stand under if __name__ == "__main__": (new processes '
        "read the script again); otherwise memory may be short.",
        "Memory may be short.",
    ),
)

_NAMES = "|".join(sorted(OPTIONS, key=len, reverse=True))
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_ASSIGNED = re.compile(
    rf"""(?<![\w'"-])({_NAMES})=(?:"([^"]*)"|({_NUMBER})|(True)|(False|None)|…)"""
)
# A call that asks for something in another way: the way is what can be typed.
_CALLED = re.compile(
    rf"""\b(?:bootstrap|interval|summary|test)\((?:[^=()]*, |".*?", )?((?:{_NAMES})="[^"]*")\)"""
)
_DRAWN = re.compile(r"Draw more: bootstrap\(resamples=\d+\)\.")
# The second of two values that can be given.
_OR_VALUE = re.compile(r"""(--[a-z-]+ \w+) or "(\w+)\"""")
_SIZES = {"u_min": "the smallest utility", "u_max": "the largest utility"}
# A bare word is an argument only if it is no word of English.
_BARE = re.compile(
    r"""(?<![\w'"-])(tau_max|tau_by_stage|size_effect|n_starts|n_nodes|n_jobs|max_iter|random_state|u_min|u_max)(?![\w'"])"""
)
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
    message = _DRAWN.sub("Choose a smaller --level.", message)
    message = _CALLED.sub(r"\1", message)
    message = _ASSIGNED.sub(_as_option, message)
    message = _OR_VALUE.sub(r"\1 or \2", message)
    message = _BARE.sub(lambda found: (OPTIONS | _SIZES)[found[1]], message)
    return _MUST.sub(lambda found: f"{OPTIONS[found[1]]} must", message)


def _as_option(found: re.Match[str]) -> str:
    option, value = OPTIONS[found[1]], found[2] or found[3]
    if value is not None:
        return f"{option} '{value}'" if " " in value else f"{option} {value}"
    if found[5]:
        return f"no {option}"
    return option
