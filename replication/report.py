"""replication.md: each figure beside the paper's claims about it, and how they are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replication import methods
from replication.claims import FAILS, HOLDS, NOT_ASKED, PARTLY, Claim, count
from replication.experiment import Experiment, Row
from replication.settings import Settings

OPENING = """# The paper's experiments, run again

`make replicate` runs everything below and writes this page, the figures and the data behind them
(a CSV file of the same name beside each figure). Finished cells are kept, so that an interrupted
run goes on where it stopped. The same seeds give the same digits. `welfarist replicate --d`,
`--tau`, `--nu` and `--repetitions` run other settings than the paper's. These and quick runs write
below `build/`; started outside a clone, a run writes where it was started (or `--to FOLDER`).

[PSPS24] is Pardeshi, Shapira, Procaccia and Singh, "Learning Social Welfare Functions",
NeurIPS 2024. Its food-rescue data are not public: the charity here is simulated from public facts
(`welfarist.simulate.food_rescue`), so that curves can be compared in shape, not in numbers. Curves
are those of `solver="newton"`, which finds the optimum of the paper's own objective; its methods,
Algorithm 1 (`solver="grid"`) and the two-stage search (`solver="two_stage"`), are run beside it in
a few settings of each figure, because they take minutes.
"""

JUDGING = """## How claims are judged

A claim is asked in cases: one for each curve, setting or pair of levels that it is about, and no
level is left out unless the claim says which and why. It **holds** if its criterion is met in every
case, **partly** if in at least half of them, and **does not hold** otherwise. A curve falls if its
mean over repetitions falls from end to end by more than two standard errors *and* between no two
neighbours rises by more than two; differences are taken within repetitions where these share their
worlds. A claim that does not hold is one that these runs do not show: its cases say whether they
show the contrary. With few repetitions only large effects show. Criteria stand in the code of each
figure (`replication/`) and were fixed before this run.
"""

Found = Mapping[str, Sequence[Row]]


def claims_of(experiments: Sequence[Experiment], found: Found) -> dict[str, list[Claim]]:
    """The claims about each experiment, by its name; those across several if all were run."""
    everything: dict[str, list[Claim]] = {}
    for experiment in experiments:
        claims = experiment.check(found[experiment.name])
        if experiment.across is not None and len(experiments) > 1:
            claims.extend(experiment.across(found))
        everything[experiment.name] = claims
    return everything


def page(
    experiments: Sequence[Experiment],
    found: Found,
    claims: Mapping[str, Sequence[Claim]],
    settings: Settings,
) -> str:
    """The page in Markdown."""
    together = [claim for name in claims for claim in claims[name]]
    parts = [OPENING, *_asked_for(settings), f"{counted(together)}\n"]
    parts.append(_overview(experiments, claims))
    parts.append(JUDGING)
    parts += [_section(e, found[e.name], claims[e.name]) for e in experiments]
    return "\n".join(parts)


def counted(claims: Sequence[Claim]) -> str:
    """How many claims hold, in a sentence."""
    by = count(claims)
    asked = len(claims) - by[NOT_ASKED]
    text = f"{asked} claims: {by[HOLDS]} hold, {by[PARTLY]} partly, {by[FAILS]} do not"
    return f"{text} ({by[NOT_ASKED]} not asked)." if by[NOT_ASKED] else f"{text}."


def to_dict(
    experiments: Sequence[Experiment], claims: Mapping[str, Sequence[Claim]]
) -> dict[str, Any]:
    """What a program reads of the claims."""
    together = [claim for name in claims for claim in claims[name]]
    return {
        "count": dict(count(together)),
        "experiments": [
            {
                "name": experiment.name,
                "title": experiment.title,
                "claims": [claim.to_dict() for claim in claims[experiment.name]],
            }
            for experiment in experiments
        ],
    }


def _asked_for(settings: Settings) -> list[str]:
    parts = []
    if settings.quick:
        parts.append(
            "This is a quick run: fewer settings and repetitions, so that some claims cannot "
            "show.\n"
        )
    if settings.own:
        told = {
            "d": settings.d, "τ*": settings.tau, "ν": settings.nu,
            "repetitions": settings.repetitions,
            "repetitions of the paper's methods": settings.method_repetitions,
        }  # fmt: skip
        listed = "; ".join(
            f"{name} = " + (", ".join(f"{v:g}" for v in x) if isinstance(x, tuple) else f"{x:g}")
            for name, x in told.items()
            if x is not None
        )
        parts.append(f"This run has settings of its own: {listed}.\n")
    return parts


def _overview(experiments: Sequence[Experiment], claims: Mapping[str, Sequence[Claim]]) -> str:
    lines = ["| figure | the paper says | verdict | cases met |", "| --- | --- | --- | --- |"]
    for experiment in experiments:
        lines += [
            f"| {experiment.title} | {claim.text} | {_shown(claim)} | {claim.met} of "
            f"{len(claim.cases)} |"
            for claim in claims[experiment.name]
        ]
    return "\n".join([*lines, ""])


def _shown(claim: Claim) -> str:
    return claim.verdict if claim.verdict == HOLDS else f"**{claim.verdict}**"


def _section(experiment: Experiment, rows: Sequence[Row], claims: Sequence[Claim]) -> str:
    lines = [f"## {experiment.title}\n", f"{experiment.setting}\n"]
    said = methods.described(rows, experiment.by) if experiment.by else ""
    if said:
        lines.append(f"{said}\n")
    lines.append(f"![{experiment.title}](replication/{experiment.name}.png)\n")
    return "\n".join([*lines, *map(_claim, claims)])


def _cases(claim: Claim) -> str:
    return f"{claim.met} of {len(claim.cases)} case{'' if len(claim.cases) == 1 else 's'}"


def _claim(claim: Claim) -> str:
    lines = [
        f"**{claim.text}** *{claim.verdict.capitalize()}*: {_cases(claim)}.\n",
        f"- criterion: {claim.criterion}",
        f"- repetitions: {claim.repetitions or 'none, nothing is random'}",
        f"- left out: {claim.left_out}",
    ]
    for word, met in (("met", True), ("not met", False)):
        cases = [case for case in claim.cases if case.met is met]
        if cases:
            lines.append(f"- {word}: " + " · ".join(f"{c.name}: {c.found}" for c in cases))
    if claim.note:
        lines.append(f"- note: {claim.note}")
    return "\n".join([*lines, ""])
