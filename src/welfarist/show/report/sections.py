"""The parts of a report after the answer: power, doctrines, caveats, data, method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from welfarist.base.version import __version__
from welfarist.base.wording import listed
from welfarist.decisions.labels import numbered
from welfarist.families.additive.family import AdditiveFamily
from welfarist.families.additive.own import OwnCurvesFamily
from welfarist.inference.clusters import about_few, number_of_clusters
from welfarist.noise.choices import LAPSE, LOGISTIC, RHO
from welfarist.results.record import FitResult
from welfarist.show import plots
from welfarist.show.plots.power_axis import reached_doctrines
from welfarist.show.plots.power_figures import is_seen
from welfarist.show.report import words
from welfarist.show.report.answer import verdict_of
from welfarist.show.report.facts import Facts
from welfarist.show.report.markup import NOTHING, Html, bullets, formula, paragraph, section, table
from welfarist.show.report.menus import from_menus
from welfarist.show.report.pictures import WIDE, drawn
from welfarist.show.report.plain_words import plain
from welfarist.show.symbols import in_symbols

# What a report calls a flip probability.
_SLIP = "chance of a slip rho"
# A share of errors that is proven up to this is proven.
_PROVEN = 1e-12

_WORTH = (
    "What one more unit counts for at each level of utility, beside the mean over the scale "
    "(dashed). Where the line falls, a unit counts more for somebody who has less; the marks at "
    "the bottom are utilities of the data."
)
_WORTH_OF_EACH = (
    "What one more unit counts for of each person, at each level of what this person has, beside "
    "the mean over all of it (dashed): a line that is twice as high is a unit that is worth twice "
    "as much."
)


def power(facts: Facts) -> Html:
    """How well each power explains the decisions."""
    result, profile = facts.result, facts.profile
    family, shape = result.family, result.family.shape
    p = words.power(result.p, family=family)
    parts = [paragraph(_about_shape(result))]
    if profile is not None:
        within = profile.interval
        by = f"the {facts.percent} interval by {profile.interval_by}"
        p, low, high = (words.power(end, within, family) for end in (result.p, *within))
        if profile.pieces:
            ends = [[words.power(end, within, family) for end in piece] for piece in profile.pieces]
            several = listed([f"from {start} to {end}" for start, end in ends])
            parts.append(
                paragraph(
                    f"So few decisions do not tell all values of {shape.name} apart: those "
                    f"{several} explain them, and none between."
                )
            )
        parts.append(
            drawn(
                lambda axes: plots.profile(profile, axes),
                WIDE,
                f"Likelihood against the {shape.words}. It is highest at {p}; {by} goes from {low} "
                f"to {high}.",
                f"How well each {shape.name} explains the decisions, compared with the best. The "
                f"shaded stretch is {by}.",
            )
        )
    elif result.exact is not None and result.exact.steps is not None:
        parts.append(
            drawn(
                lambda axes: plots.loss(result, axes),
                WIDE,
                f"Share of errors against the power p, a step function; lowest around {p}.",
                "The share of decisions that the rule gets wrong for each p, with the learned "
                "weights. " + _lowest_in_words(result),
            )
        )
    if isinstance(family, AdditiveFamily | OwnCurvesFamily) and facts.utilities is not None:
        parts.append(
            drawn(
                lambda axes: plots.unit_worth(result, axes),
                WIDE,
                "What one more unit counts for at each level of utility, as a line.",
                _WORTH_OF_EACH if isinstance(family, OwnCurvesFamily) else _WORTH,
            )
        )
    if facts.sure.power is None and "p" not in result.given and result.exact is None:
        missing = f"There is no interval of {shape.name}: {facts.sure.why_missing}"
        parts.append(paragraph(missing, "soft"))
    heading = "How much inequality matters" if family.has_aversion else f"What {shape.name} says"
    return section(heading, *parts)


def _lowest_in_words(result: FitResult) -> str:
    """Where errors are fewest, as the figure shows it."""
    assert result.exact is not None
    seen = [is_seen(stretch) for stretch in result.exact.intervals]
    if all(seen):
        return "The thick stretch is lowest."
    return "A diamond is a stretch that is lowest and too short to be seen as one."


def _about_shape(result: FitResult) -> str:
    """What the family's parameter says."""
    family, name = result.family, result.family.shape.name
    said = [family.says or f"The {family.shape.words} tells the rules of this family apart."]
    if not family.says:
        said += [
            words.sentence(f"at {name} = {in_symbols(named.p)}, {named.name}, {named.meaning}")
            for named in reached_doctrines(family)
            if named.meaning
        ]
    if family.has_aversion:
        aversion = words.power(1.0 - result.p)
        said.append(f"Economists call 1 - {name} inequality aversion; here it is {aversion}.")
    return " ".join(said)


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
    said = f"tests by {result.covariance} standard errors"
    return said + ("; at infinite p by likelihood ratio" if result.family.ratios else "")


def _independent(result: FitResult) -> str:
    decided = result.decided
    if result.covariance == "clustered":
        return "Standard errors allow for decisions of the same person that depend on each other."
    if decided is not None and decided.by is not None:
        return (
            "The tests take decisions as independent, though several came from the same people: "
            "take p-values near the limits with a grain of salt."
        )
    return "The tests take decisions as independent of each other."


def caveats(facts: Facts) -> Html:
    """What a reader of the numbers must know."""
    family = facts.result.family
    name = family.shape.name
    messages = [words.sentence(plain(caveat.message), name) for caveat in facts.result.caveats]
    if facts.result.likelihood is not None:
        few = about_few(facts.result.likelihood, facts.result.covariance)
        messages += [words.sentence(few, name)] if few else []
    if facts.misfit is not None and facts.misfit.clear:
        messages.insert(0, f"{facts.misfit.verdict} Take the numbers as a rough description.")
    if not messages:
        messages = ["The fit gave no warnings."]
    messages += _may_differ(facts.result)
    scale = "the utilities are measured on a scale on which zero is to have nothing at all"
    if not family.ratios:
        scale = "the utilities of all people are measured on the same scale"
    if facts.result.shift:
        messages.append(
            f"{facts.result.shift:g} was added to every utility before the rule was learned, and "
            "is part of whatever is said of percentages of them: another number leads to another "
            f"{name}."
        )
        scale = f"{scale} once that was added"
    always = (
        f"{name} and the weights describe the decisions under the assumption that there is one "
        f"rule of this family behind them, and that {scale}."
    )
    return section("Caveats", bullets([*messages, always]))


def _may_differ(result: FitResult) -> list[str]:
    """That several people decided, who need not follow one rule."""
    people = _people_who_decided(result)
    if people is None or people < 2 or result.decisions <= people:
        return []
    return [
        f"{people:,} people decided, and may follow different rules: this report describes all of "
        "them by one. Types of people, or everybody's own rule, can be learned from the same "
        "decisions."
    ]


def data_and_method(facts: Facts, data: Sequence[list[str]] = (), reading: Html = NOTHING) -> Html:
    """What the numbers come from, and how.

    `data` are rows about where they come from, `reading` says what happened when they were read.
    """
    result = facts.result
    heads, many = facts.heads, str(len(result.weights))
    people = [["people", many]]
    if heads is not None:
        people = [["people", f"{heads.sum():,.12g}"], ["groups, in a sketch", many]]
    rows = [*data, ["decisions", f"{result.decisions:,g}"], *people]
    if result.members is not None:
        rows.append(["groups of people who share a weight", str(len(result.members))])
    if facts.utilities is not None:
        rows.append(["actions", f"{len(facts.utilities):,}"])
    clusters = _people_who_decided(result)
    if clusters is not None:
        rows.append(["people who decided", f"{clusters:,}"])
    if result.shift:
        rows.append(["added to every utility", f"{result.shift:g}"])
    kind, how = _model(facts)
    rows.append(["kind of decisions", kind])
    parameters = {parameter.name: parameter for parameter in result.noise_parameters}
    rows.extend(
        [_SLIP if parameter == RHO else parameter.words, f"{result.extras[name]:.4g}"]
        for name, parameter in parameters.items()
    )
    if from_menus(result) and result.rho is not None:  # half of two by chance is right as well
        rows.append(["choices made by chance, 2 rho", words.percent(2.0 * result.rho)])
    rows.append(["mean loss" if result.exact is None else "share of errors", f"{result.loss:.4g}"])
    said = _proven(result)
    if said:
        rows.append(["proven about errors", said])
    if result.given:
        shape = result.family.shape.name
        given = [shape if name == "p" else name for name in result.given]
        rows.append(["given, not learned", listed(given)])
    if result.first_label is not None:
        rows.append(["label of the first action", result.first_label])
    return section(
        "Data and method",
        table("What was fitted", (), rows, (0, 1)),
        reading,
        formula(f"The welfare of an action is {result.family.explain(result.p)}. {how}"),
        _unit_of_tau(result),
        paragraph(
            ("The search ended: " if result.converged else "The search did not end well: ")
            + words.lower(words.sentence(result.reason))
        ),
    )


def _unit_of_tau(result: FitResult) -> Html:
    """What a temperature means that has a unit."""
    said = "" if result.tau is None else result.family.noise_in_words(result.tau)
    return paragraph(f"{said}.") if said else NOTHING


def _people_who_decided(result: FitResult) -> int | None:
    """How many people decided; None if nobody said."""
    if result.likelihood is not None:
        return number_of_clusters(result.likelihood)
    by = getattr(result.decided, "by", None)
    return None if by is None else len(np.unique(numbered(by)))


def _is_proven(result: FitResult) -> bool:
    """Whether no rule makes fewer errors."""
    assert result.exact is not None
    proof = result.certificate
    return result.exact.explanations is not None or (proof is not None and proof.gap <= _PROVEN)


def _proven(result: FitResult) -> str:
    """What is proven about errors that were counted; empty if nothing is."""
    proof = result.certificate if result.exact is not None else None
    if proof is None:
        return ""
    if _is_proven(result):
        return "no rule makes fewer"
    if proof.lower_bound <= 0:
        return "nothing: some rule may make fewer, or none"
    return f"no rule makes fewer than {words.percent(proof.lower_bound)}"


_METHODS = {
    "profile": "hold every value that a likelihood-ratio test does not reject",
    "wald": "are the estimate plus and minus standard errors",
    "bootstrap": "are what most of many fits to decisions drawn again give",
    "posterior": "come from how sharply the decisions and the prior together peak at the estimates",
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
        found = "The rule with the fewest errors was found exactly."
        if not _is_proven(result):
            found = (
                "The rule with the fewest errors was searched for; that no other has fewer is not "
                "proven."
            )
        return f"{_done(result)} by somebody who {errs}", found
    scored = result.kind == "scores"
    best = "rule with the smallest squared errors" if scored else "rule of maximum likelihood"
    if result.likelihood is not None and result.likelihood.prior is not None:
        best = "rule that is most probable, given the decisions and a prior on the weights,"
    if result.small_sample:
        best = (
            "rule of maximum penalised likelihood, which keeps few decisions from looking surer "
            "than they are,"
        )
    return (
        "scores" if scored else f"{_done(result)} by somebody who {_errs(result)}",
        f"The {best} was found by Newton's method from several starts. {intervals}",
    )


def _done(result: FitResult) -> str:
    """What was decided, in a word or a few."""
    return str(result.decided.in_words) if from_menus(result) else result.kind


def _errs(result: FitResult) -> str:
    """How somebody errs; of a noise model of one's own only its name is known."""
    noise = result.noise
    if noise not in (None, LOGISTIC, LAPSE):
        return f"errs as the noise model {noise.name or type(noise).__name__} says"
    slips = ", and sometimes slips" if result.rho is not None else ""
    return f"errs more often the closer a case is{slips}"


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
