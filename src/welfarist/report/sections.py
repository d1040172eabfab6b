"""The parts of a report after the answer: power, doctrines, caveats, data, method."""

from __future__ import annotations

from welfarist import __version__, plots
from welfarist.decisions import Comparisons
from welfarist.fit import FitResult
from welfarist.report import words
from welfarist.report.answer import verdict_of
from welfarist.report.facts import Facts
from welfarist.report.markup import NOTHING, Html, bullets, formula, paragraph, section, table
from welfarist.report.pictures import drawn
from welfarist.wording import listed

# A share of errors that is proven up to this is proven.
_PROVEN = 1e-12


def power(facts: Facts) -> Html:
    """How well each power explains the decisions."""
    result, profile = facts.result, facts.profile
    p = words.power(result.p)
    parts = [
        paragraph(
            "The power p says how much inequality matters: at p = 1 a gain counts the same "
            "whoever gets it, below 1 it counts more for the badly off, and at minus infinity only "
            "the worst off count. Economists call 1 - p inequality aversion; here it is "
            f"{words.power(1.0 - result.p)}."
        )
    ]
    if profile is not None:
        within = profile.interval
        by = f"the {facts.percent} interval by {profile.interval_by}"
        p, low, high = (words.power(end, within) for end in (result.p, *within))
        parts.append(
            drawn(
                lambda axes: plots.profile(profile, axes),
                (7.2, 4.2),
                f"Likelihood against the power p. It is highest at {p}; {by} goes from {low} to "
                f"{high}.",
                "How well each p explains the decisions, compared with the best. The shaded "
                f"stretch is {by}.",
            )
        )
    elif result.exact is not None and result.exact.steps is not None:
        parts.append(
            drawn(
                lambda axes: plots.loss(result, axes),
                (7.2, 4.2),
                f"Share of errors against the power p, a step function; lowest around {p}.",
                "The share of decisions that the rule gets wrong for each p, with the learned "
                "weights. The thick stretch is lowest.",
            )
        )
    if facts.sure.power is None and "p" not in result.given and result.exact is None:
        parts.append(paragraph(f"There is no interval of p: {facts.sure.why_missing}", "soft"))
    return section("How much inequality matters", *parts)


def doctrines(facts: Facts) -> Html:
    """Tests of the doctrines, in plain words."""
    result = facts.result
    if not facts.tests:
        return NOTHING
    if all(tested.test is None for tested in facts.tests):
        reason = facts.tests[0].reason
        if result.exact is not None:
            reason = "tests need a model of how the decision maker errs; here errors were counted."
        return section("Could it be a simpler rule?", paragraph(f"Not tested: {reason}"))
    rows = []
    for tested in facts.tests:
        verdict, reason = verdict_of(facts, tested)
        rows.append([tested.name, tested.null, verdict, reason])
    return section(
        "Could it be a simpler rule?",
        paragraph(
            "Each line asks whether these decisions could come from somebody who follows a "
            "simpler rule and errs now and then. A small p-value says that such decisions would "
            f"then be rare: below {words.REJECTED:g} the rule is called rejected."
        ),
        table(
            words.sentence(_kind_of_tests(result))[:-1],
            ["rule", "it says", "verdict", "why"],
            rows,
            (0, 1, 2, 3),
        ),
        paragraph(_independent(result), "soft"),
    )


def _kind_of_tests(result: FitResult) -> str:
    if result.covariance == "fisher":
        return "tests by likelihood ratio"
    return f"tests by {result.covariance} standard errors; at infinite p by likelihood ratio"


def _independent(result: FitResult) -> str:
    decided = result.decided
    if result.covariance == "clustered":
        return "Standard errors allow for decisions of the same person that depend on each other."
    if isinstance(decided, Comparisons) and decided.by is not None:
        return (
            "The tests take decisions as independent, though several came from the same people: "
            "take p-values near the limits with a grain of salt."
        )
    return "The tests take decisions as independent of each other."


def caveats(facts: Facts) -> Html:
    """What a reader of the numbers must know."""
    messages = [words.sentence(caveat.message) for caveat in facts.result.caveats]
    if facts.misfit is not None and facts.misfit.clear:
        messages.insert(0, f"{facts.misfit.verdict} Take the numbers as a rough description.")
    if not messages:
        messages = ["The fit gave no warnings."]
    always = (
        "p and the weights describe the decisions under the assumption that there is one rule of "
        "this family behind them, and that the utilities are measured on a scale whose zero means "
        "nothing at all."
    )
    return section("Caveats", bullets([*messages, always]))


def data_and_method(facts: Facts) -> Html:
    """What the numbers come from, and how."""
    result = facts.result
    rows = [["decisions", f"{result.decisions:,g}"], ["people", str(len(result.weights))]]
    if facts.utilities is not None:
        rows.append(["actions", f"{len(facts.utilities):,}"])
    kind, how = _model(facts)
    rows.append(["kind of decisions", kind])
    optional = (("temperature tau", result.tau), ("chance of a slip rho", result.rho))
    rows.extend(
        [name, f"{value:.4g}"]
        for name, value in (*optional, ("scale", result.scale))
        if value is not None
    )
    rows.append(["mean loss" if result.exact is None else "share of errors", f"{result.loss:.4g}"])
    proof = result.certificate if result.exact is not None else None
    if proof is not None:
        optimal = proof.gap <= _PROVEN
        fewest = words.percent(proof.lower_bound)
        said = "no rule makes fewer" if optimal else f"no rule makes fewer than {fewest}"
        rows.append(["proven about errors", said])
    if result.given:
        rows.append(["given, not learned", listed(list(result.given))])
    if result.first_label is not None:
        rows.append(["label of the first action", result.first_label])
    return section(
        "Data and method",
        table("What was fitted", (), rows, (0, 1)),
        formula(
            "The welfare of an action is the weighted power mean of the utilities it gives, "
            f"{_mean(result.p)}. {how}"
        ),
        paragraph(
            ("The search ended: " if result.converged else "The search did not end well: ")
            + words.lower(words.sentence(result.reason))
        ),
    )


def _mean(p: float) -> str:
    """The formula, in which ^ is followed by what is raised."""
    if p == float("-inf"):
        return "which at p = \N{MINUS SIGN}∞ is the smallest of those that count"
    if p == float("inf"):
        return "which at p = ∞ is the largest of those that count"
    return "M = (sum of w u^p)^(1/p), at p = 0 the product of all u^w"


_METHODS = {
    "profile": "hold every value that a likelihood-ratio test does not reject",
    "wald": "are the estimate plus and minus standard errors",
    "bootstrap": "are what most of many fits to decisions drawn again give",
}
_ERRORS = {
    "robust": " that are right even if the decision maker errs in another way",
    "clustered": " that are right even if decisions of the same person depend on each other",
    "bootstrap": " from many fits to decisions drawn again",
}


def _intervals(facts: Facts) -> str:
    """How the intervals were made, in a sentence; empty if there are none."""
    errors = _ERRORS.get(facts.result.covariance, "")
    parts = [_METHODS[how] + (errors if how == "wald" else "") for how in facts.sure.methods]
    if not parts:
        return ""
    return f"{'Intervals' if len(parts) == 1 else 'Some intervals'} {'; others '.join(parts)}."


def _model(facts: Facts) -> tuple[str, str]:
    """The kind of decisions and how the rule was found, in words."""
    result, intervals = facts.result, _intervals(facts)
    if result.exact is not None:
        errs = "slips whatever the case" if result.rho is not None else "does not err"
        return (
            f"comparisons by somebody who {errs}",
            "The rule with the fewest errors was searched for exactly, with a proof of how few "
            "are possible where there is one.",
        )
    if result.tau is None:
        return (
            "scores",
            "The rule with the smallest squared errors was found by Newton's method from several "
            f"starts. {intervals}",
        )
    errs = "errs more often the closer a case is" + (
        ", and sometimes slips" if result.rho is not None else ""
    )
    return (
        f"comparisons by somebody who {errs}",
        "The rule of maximum likelihood was found by Newton's method from several starts. "
        + intervals,
    )


def citation() -> Html:
    """How to cite the software and the paper."""
    return section("How to cite", bullets([SOFTWARE, PAPER]))


SOFTWARE = (
    "The welfarist authors. welfarist: learn which welfare function a decision maker follows. "
    f"Version {__version__}."
)
PAPER = (
    "Kanad Shrikar Pardeshi, Itai Shapira, Ariel D. Procaccia and Aarti Singh. Learning Social "
    "Welfare Functions. Advances in Neural Information Processing Systems 37 (NeurIPS 2024)."
)
