"""The page that says how far intervals from few decisions can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

# What is promised from so many decisions for each learned number on: how often intervals hold, and
# how often true nulls are rejected.
ENOUGH = 6.0
COVERAGE = (0.91, 0.985)
REJECTION = (0.02, 0.08)
_WEIGHT = "weight of person 0"
# From so many data sets on single cells are judged; of fewer chance puts most outside.
_ENOUGH_SETS = 150
_IN_BOLD = "; in bold what misses the criterion"
_SINGLY = "It is applied to every cell."
_TOGETHER = (
    "It was meant for every cell, of which these are too few data sets: what follows applies it to "
    "all temperatures and powers together, for each number of decisions and people, which was "
    "decided when the run turned out short and its first data sets had been seen. Single cells "
    "remain to be shown."
)


@dataclass(frozen=True)
class Row:
    """What one way of fitting did in one cell.

    Attributes
    ----------
    n, d, tau, p
        The cell; tau is None for scores.
    per_number : float
        Decisions for each number that is learned.
    method : str
    data_sets : int
    silent : float
        The share of data sets without any interval.
    held : dict
        The share of all data sets whose interval holds the truth, by estimate.
    rejected : dict
        The share of data sets with tests that reject the truth; None without any.
    power : float
        The share of all data sets that reject a wrong doctrine.
    tau_median : float or None
    """

    n: int
    d: int
    tau: float | None
    p: float
    per_number: float
    method: str
    data_sets: int
    silent: float
    held: dict[str, float]
    rejected: dict[str, float | None]
    power: float
    tau_median: float | None

    @property
    def promised(self) -> bool:
        """Whether the promise is about this cell."""
        return self.per_number >= ENOUGH

    @property
    def broken(self) -> list[str]:
        """The estimates for which it is not kept."""
        return [name for name in self.held if not self.keeps(name)]

    def keeps(self, name: str) -> bool:
        """Whether the interval of an estimate holds, and its test rejects, as often as promised."""
        rejected = self.rejected[name]
        covered = COVERAGE[0] <= self.held[name] <= COVERAGE[1]
        return covered and rejected is not None and REJECTION[0] <= rejected <= REJECTION[1]

    @property
    def too_short(self) -> list[str]:
        """The estimates whose intervals hold the truth too rarely, the worse fault."""
        return [name for name in self.held if self.held[name] < COVERAGE[0]]

    @staticmethod
    def header() -> list[str]:
        """Names of the columns of the table."""
        return [
            "n", "d", "tau", "p", "decisions_per_number", "small_sample", "data_sets",
            "without_interval", "held_p", "held_weight", "held_tau", "power", "median_tau",
        ]  # fmt: skip

    def cells(self) -> list[str]:
        """The row of the table."""
        held = [self.held.get(name) for name in ("p", _WEIGHT, "tau")]
        shares = ["" if share is None else f"{share:.4f}" for share in held]
        tau = "" if self.tau is None else f"{self.tau:g}"
        median = "" if self.tau_median is None else f"{self.tau_median:.4g}"
        return [
            str(self.n), str(self.d), tau, f"{self.p:g}", f"{self.per_number:.4g}", self.method,
            str(self.data_sets), f"{self.silent:.4f}", *shares, f"{self.power:.4f}", median,
        ]  # fmt: skip


def page(rows: Sequence[Row], data_sets: int) -> str:
    """The page in Markdown."""
    compared = [row for row in rows if row.tau is not None]
    scored = [row for row in rows if row.tau is None]
    cells = [*_comparisons(compared), *_scores(scored)]
    if data_sets < _ENOUGH_SETS:
        cells = [line.replace("**", "").replace(_IN_BOLD, "") for line in cells]
    parts = [*_head(rows, data_sets), *_together(compared), *cells, *_power(compared)]
    return "\n".join(parts)


def _head(rows: Sequence[Row], data_sets: int) -> list[str]:
    singly = data_sets >= _ENOUGH_SETS
    rows = rows if singly else [*_pooled(rows)]
    judged = [row for row in rows if row.method == "auto" and row.promised]
    every = [(row, name) for row in judged for name in row.held]
    kept = sum(row.keeps(name) for row, name in every)
    short = sum(name in row.too_short for row, name in every)
    before = [row for row in rows if row.method == "none" and row.promised]
    plain = [(row, name) for row in before for name in row.held]
    plain_kept = sum(row.keeps(name) for row, name in plain)
    plain_short = sum(name in row.too_short for row, name in plain)
    error = 100.0 * (0.05 * 0.95 / data_sets) ** 0.5
    return [
        "# Few decisions",
        "",
        "How often 95% intervals hold the truth where there are 30 to 200 decisions, and how often "
        f"true values are rejected at 5%. Remade by `python -m benchmarks.small_samples --jobs 2 "
        f"--data-sets {data_sets}`; "
        "all numbers are in [small_samples.csv](small_samples.csv).",
        "",
        f"Of every cell {data_sets} data sets were simulated: utilities even between 1 and 10, "
        "every decision about two actions that nobody had seen before, weights (.6, .4), "
        "(.5, .3, .2) or (.3, .25, .2, .15, .1), nothing known. A share of 95% has a standard "
        f"error of {error:.1f} points, so that some cells are outside by chance. *Held*: a "
        "likelihood ratio at 5% does not reject the true value, which is what a profile interval "
        "is made of. Data sets without an interval count as not held.",
        "",
        "The criterion, set before the study was run: from "
        f"{ENOUGH:g} decisions for each learned number on, between "
        f"{100 * COVERAGE[0]:g} and {100 * COVERAGE[1]:g}% held, and between "
        f"{100 * REJECTION[0]:g} and {100 * REJECTION[1]:g}% of true values rejected. "
        + (_SINGLY if singly else _TOGETHER),
        "",
        f'* As it is (`small_sample="auto"`, and F for scores): {kept} of {len(every)} lines '
        f"meet it; in {short} intervals hold too rarely, in {len(every) - kept - short} too often.",
        f'* By the likelihood alone (`small_sample="none"`, comparisons): {plain_kept} of '
        f"{len(plain)} lines; in {plain_short} intervals hold too rarely.",
        "",
    ]


def _pooled(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows of one size and one number of people, all temperatures and powers together."""
    kinds = {(row.n, row.d, row.tau is None, row.method): row for row in rows}
    for (n, d, scores, method), one in sorted(kinds.items(), key=lambda item: item[0]):
        mine = [r for r in rows if (r.n, r.d, r.tau is None, r.method) == (n, d, scores, method)]
        held = {name: _mean([r.held[name] for r in mine]) for name in one.held}
        asked = {name: [r.rejected[name] for r in mine] for name in one.held}
        rejected = {
            name: _mean([x for x in shares if x is not None]) if set(shares) != {None} else None
            for name, shares in asked.items()
        }
        yield replace(one, held=held, rejected=rejected)


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / max(len(shares), 1)


def _together(rows: Sequence[Row]) -> list[str]:
    """All temperatures and powers together, in which chance is smaller."""
    lines = [
        "## Comparisons, all temperatures and powers together",
        "",
        "Percent held, by the likelihood alone and as it is.",
        "",
        "| n | people | data sets | p: alone | p | weight: alone | weight | tau: alone | tau |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for n, d in sorted({(row.n, row.d) for row in rows}):
        mine = {m: [r for r in rows if (r.n, r.d, r.method) == (n, d, m)] for m in ("none", "auto")}
        shares = [
            f"{100 * sum(r.held[name] for r in mine[m]) / len(mine[m]):.1f}"
            for name in ("p", _WEIGHT, "tau")
            for m in ("none", "auto")
        ]
        seen = sum(row.data_sets for row in mine["auto"])
        lines.append(f"| {n} | {d} | {seen} | " + " | ".join(shares) + " |")
    return [*lines, ""]


def _comparisons(rows: Sequence[Row]) -> list[str]:
    by_cell: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in rows:
        by_cell.setdefault((row.n, row.d, row.tau, row.p), {})[row.method] = row
    lines = [
        "## Comparisons",
        "",
        f"Percent held, by the likelihood alone and as it is{_IN_BOLD}. "
        "*None*: data sets to which the likelihood alone gives no interval, because some rule "
        "explains every choice.",
        "",
        "| n | people | tau | p | none | p: alone | p | weight: alone | weight | tau: alone | tau |"
        " median tau: alone | median tau |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for pair in by_cell.values():
        if len(pair) < 2:
            continue
        plain, now = pair["none"], pair["auto"]
        shares = [_share(r, name) for name in ("p", _WEIGHT, "tau") for r in (plain, now)]
        lines.append(
            f"| {now.n} | {now.d} | {now.tau:g} | {now.p:g} | {100 * plain.silent:.0f} | "
            + " | ".join(shares)
            + f" | {plain.tau_median:.3g} | {now.tau_median:.3g} |"
        )
    return [*lines, ""]


def _scores(rows: Sequence[Row]) -> list[str]:
    lines = [
        "## Scores",
        "",
        "Percent held, with F in place of chi-squared.",
        "",
        "| n | people | p | p held | weight held |",
        "|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row.n} | {row.d} | {row.p:g} | {_share(row, 'p')} | {_share(row, _WEIGHT)} |"
        for row in rows
    ]
    return [*lines, ""]


def _power(rows: Sequence[Row]) -> list[str]:
    """Power against a wrong doctrine where both ways keep their level."""
    by_cell: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in rows:
        by_cell.setdefault((row.n, row.d, row.tau, row.p), {})[row.method] = row
    fair = [
        pair
        for pair in by_cell.values()
        if len(pair) == 2 and all(row.held["p"] >= 1.0 - REJECTION[1] for row in pair.values())
    ]
    lower = [p for p in fair if p["auto"].power < p["none"].power - _two_errors(p["none"])]
    mean = [sum(p[m].power for p in fair) / max(len(fair), 1) for m in ("none", "auto")]
    return [
        "## Power",
        "",
        "The wrong doctrine is the utilitarian one where p is -3 or 0, and Nash where p is 1. In "
        f"{len(fair)} cells both ways reject the true p in at most {100 * REJECTION[1]:g}% of the "
        f"data sets; there the wrong doctrine is rejected in {100 * mean[0]:.1f}% by the "
        f"likelihood alone and in {100 * mean[1]:.1f}% as it is. In {len(lower)} of them it "
        "is rejected less often by more than two standard errors.",
        "",
    ]


def _two_errors(row: Row) -> float:
    return float(2.0 * (max(row.power * (1.0 - row.power), 0.05) * 2.0 / row.data_sets) ** 0.5)


def _share(row: Row, name: str) -> str:
    text = f"{100 * row.held[name]:.1f}"
    return f"**{text}**" if row.promised and not row.keeps(name) else text
