"""docs/replication.md: each figure beside the paper's claims about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from replication import charity_comparisons
from replication.experiment import Claim, Experiment, Row

OPENING = """# The paper's experiments, run again

`make replicate` runs everything below and writes this page, the figures and the data behind them
(a CSV file of the same name beside each figure). Finished cells are kept in `build/`, so that an
interrupted run goes on where it stopped. The same seeds give the same digits.

[PSPS24] is Pardeshi, Shapira, Procaccia and Singh, "Learning Social Welfare Functions",
NeurIPS 2024. Its food-rescue data are not public: the charity here is simulated from public facts
(`welfarist.simulate.food_rescue`), so that curves can be compared in shape, not in numbers. Fits
are those of `solver="newton"`, which finds the optimum of the paper's own objective.
"""


def write(
    experiments: Sequence[Experiment],
    found: Mapping[str, Sequence[Row]],
    path: Path,
    *,
    quick: bool,
) -> None:
    """Write the page."""
    parts = [OPENING]
    if quick:
        parts.append(
            "This is a quick run: fewer settings and repetitions, so that some claims cannot "
            "show.\n"
        )
    everything: list[Claim] = []
    sections = []
    for experiment in experiments:
        claims = experiment.check(found[experiment.name])
        if experiment is charity_comparisons.POSITIVE:
            claims.append(_variation(found))
        everything.extend(claims)
        sections.append(_section(experiment, claims))
    held = sum(claim.holds for claim in everything)
    parts.append(f"{held} of {len(everything)} claims hold.\n")
    path.write_text("\n".join(parts + sections), encoding="utf-8")


def _section(experiment: Experiment, claims: Sequence[Claim]) -> str:
    lines = [
        f"## {experiment.title}\n",
        f"{experiment.setting}\n",
        f"![{experiment.title}](replication/{experiment.name}.png)\n",
        "| the paper says | measured | holds | note |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {claim.text} | {claim.measured} | {'yes' if claim.holds else '**no**'} | {claim.why} |"
        for claim in claims
    ]
    return "\n".join([*lines, ""])


def _variation(found: Mapping[str, Sequence[Row]]) -> Claim:
    """The claim that spans both signs of p*."""
    negative, positive = (
        charity_comparisons.variation(found[e.name])
        for e in (charity_comparisons.NEGATIVE, charity_comparisons.POSITIVE)
    )
    clear = [t for t in negative if t >= 10]
    return Claim(
        "Learned p varies more for p* = -1.62 than for p* = 1.62.",
        "interquartile range of asinh(p) at the largest n: "
        + ", ".join(f"{negative[t]:.3f} against {positive[t]:.3f} (τ* = {t:g})" for t in negative),
        all(negative[t] > positive[t] for t in clear),
        "Judged where p can be learned at all, τ* = 10 and 100: more at 10, less at 100. Over "
        "other ways of mapping the stakeholders' models to utilities neither sign of p* won as a "
        "rule; the paper's own utilities may be such that it does.",
    )
