"""How the summary of a fit comes about: its rows, and the lines that say how they were made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from scipy.stats import norm

from welfarist.base.errors import InputError
from welfarist.base.exports import number
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.decisions import Choices
from welfarist.inference.clusters import INSTEAD, about_few, about_too_few, number_of_clusters
from welfarist.inference.covariance import CovarianceName, flat_weights, has_flat_shape
from welfarist.inference.estimates import Estimate, Estimates
from welfarist.inference.intervals import MethodName, checked, kind_for
from welfarist.inference.likelihood import weight_name
from welfarist.people.attribute_weighting import theta_name
from welfarist.results.learned import Learned
from welfarist.results.summary import AVERSION, Summary, SummaryRecord, SummaryRow

# A share of errors that is proven up to this is proven.
_ROUNDING = 1e-12

_NOT_DETERMINED = "not determined"
Estimated = Callable[[float | None, MethodName | None, CovarianceName | None], Estimates]
_CHARGED = (
    "Small sample: decisions are few, or leave little doubt, so that the likelihood is penalised; "
    'small_sample="none" takes it alone'
)
_METHODS = {
    "profile": "profile likelihood",
    "wald": "standard errors (Wald)",
    "bootstrap": "bootstrap",
    "posterior": "the posterior's mode and curvature",
    "ranges": "all rules that explain every decision",
}
_COVARIANCES = {
    "fisher": "the likelihood's curvature",
    "robust": "the robust covariance (sandwich)",
    "clustered": "the covariance clustered by who decided",
    "bootstrap": "the bootstrap",
}


def summarise(
    result: Learned,
    estimated: Estimated,
    criteria: Mapping[str, Callable[[], float]],
    level: float | None = 0.95,
    method: MethodName | None = None,
    covariance: CovarianceName | None = None,
    found_since: Sequence[str] = (),
) -> Summary:
    """Return the summary of a fit; see :meth:`FitResult.summary`.

    `estimated` gives estimates with intervals, `criteria` log likelihood, AIC and so on, where
    there are any. `found_since` are caveats that checks of the fit have added to its own.
    """
    covariance = kind_for(method, covariance, result.covariance)
    checked(0.95 if level is None else level, method, covariance)
    rows, lines = _rows_with_intervals(result, estimated, level, method, covariance)
    reach = result.reach
    rows = [_as_far_as_known(row, result, reach) for row in rows]
    lines = [*_how_it_ended(result), *lines]
    if reach is not None:
        lines.append(result.family.reach_in_words(result.p, number(result.p)))
    if result.tau is not None and result.family.noise_in_words(result.tau):
        lines.append(result.family.noise_in_words(result.tau))
    if result.small_sample:
        lines.append(_CHARGED)
    if result.shift:
        lines.append(f"{result.shift:g} was added to every utility")
    if result.kind == Choices.kind and result.rho is not None:
        lines.append(f"By chance, whatever the menu holds, are 2 rho = {2.0 * result.rho:.1%}")
    if result.first_label is not None:
        lines.append(f"Label {result.first_label!r}: the first action was preferred")
    return Summary(
        SummaryRecord(
            decisions=result.decisions,
            rows=tuple(rows),
            figures=tuple(_figures(result, criteria)),
            level=level,
            covariance=covariance,
            converged=result.converged,
            lines=tuple(lines),
            caveats=(*_caveats(result, rows, covariance), *found_since),
            clusters=_clusters(result, rows),
        )
    )


def _clusters(result: Learned, rows: Sequence[SummaryRow]) -> int | None:
    """How many people decided, where standard errors say so."""
    if result.likelihood is None or all(row.standard_error is None for row in rows):
        return None
    return number_of_clusters(result.likelihood)


def _caveats(result: Learned, rows: Sequence[SummaryRow], covariance: CovarianceName) -> list[str]:
    """What must be known of the fit, and of its standard errors."""
    said = [caveat.message for caveat in result.caveats]
    if _clusters(result, rows) is not None and result.likelihood is not None:
        few = about_few(result.likelihood, covariance)
        said += [f"{few} {INSTEAD}"] if few else []
    return said


def _rows_with_intervals(
    result: Learned,
    estimated: Estimated,
    level: float | None,
    method: MethodName | None,
    covariance: CovarianceName,
) -> tuple[list[SummaryRow], list[str]]:
    """The numbers of the rule, and lines that say how their intervals were made."""
    rows = _plain_rows(result)
    if level is None:
        return rows, []
    if result.exact is not None:
        return _with_ranges(rows, result), []
    if result.likelihood is None:
        return rows, []
    found = estimated(level, method, covariance)
    by_name = {estimate.name: estimate for estimate in found.rows}
    rows = [_tested(_sure(row, by_name, result.family.shape.name), result) for row in rows]
    lines = _how_intervals_were_made(result, found.rows, level, covariance)
    return rows, [*lines, *found.refusals]


def _plain_rows(result: Learned) -> list[SummaryRow]:
    """The rule in numbers, without any doubt."""
    shape = result.family.shape
    rows = [SummaryRow(shape.name, result.p, note=_doctrine(result), words=shape.words)]
    aversion = result.inequality_aversion
    if aversion is not None:
        rows.append(SummaryRow(AVERSION, aversion))
    for attribute, value in result.theta.items():
        rows.append(SummaryRow(theta_name(attribute), float(value), words=theta_name(attribute)))
    notes = result.weight_notes
    people = zip(result.stakeholders, result.weights, notes, strict=True)
    for person, (name, weight, note) in enumerate(people):
        rows.append(SummaryRow(weight_name(name), float(weight), note=note, person=person))
    words = {parameter.name: parameter.words for parameter in result.noise_parameters}
    extras = result.extras.items()
    return rows + [SummaryRow(name, value, words=words[name]) for name, value in extras]


def _sure(row: SummaryRow, found: dict[str, Estimate], shape: str) -> SummaryRow:
    """The row with its standard error and interval; those of 1 - p are those of p, turned."""
    turned = row.parameter == AVERSION
    estimate = found.get(shape if turned else row.parameter)
    if estimate is None:
        return row
    low, high = estimate.low, estimate.high
    parts = estimate.pieces
    if turned and low is not None and high is not None:
        low, high = 1.0 - high, 1.0 - low
        parts = tuple((1.0 - end, 1.0 - start) for start, end in reversed(parts))
    return replace(
        row,
        standard_error=estimate.standard_error,
        low=low,
        high=high,
        method=estimate.method,
        pieces=parts,
    )


def _tested(row: SummaryRow, result: Learned) -> SummaryRow:
    """The row with how far it is from 0, where 0 lies inside its range."""
    likelihood, shape = result.likelihood, result.family.shape
    inside = row.parameter == AVERSION or row.parameter in map(theta_name, result.theta)
    if row.parameter == shape.name and likelihood is not None:
        inside = shape.lowest < 0 < shape.highest and not likelihood.loss.has_zeros
    if not inside or not row.standard_error:
        return row
    return replace(row, p_value=float(2.0 * norm.sf(abs(row.estimate) / row.standard_error)))


def _with_ranges(rows: list[SummaryRow], result: Learned) -> list[SummaryRow]:
    """The rows with the range of each weight over all rules that explain every decision."""
    ranges = None if result.exact is None else result.exact.quick_ranges(result.decisions)
    if ranges is None:
        return rows
    people = iter(zip(*(ends.tolist() for ends in ranges), strict=True))
    found = []
    for row in rows:
        if row.person is not None:
            low, high = next(people)
            row = replace(row, low=low, high=high, method="ranges")
        found.append(row)
    return found


def _as_far_as_known(row: SummaryRow, result: Learned, reach: FloatArray | None) -> SummaryRow:
    """The row of a weight with its reach where that is what acts, and marked where it is flat.

    `reach` is everybody's (d,). So is marked that of p, without a doctrine, which would be one of
    many.
    """
    if row.parameter in (result.family.shape.name, AVERSION) and row.person is None:
        if result.likelihood is None or not has_flat_shape(result.likelihood):
            return row
        return replace(row, determined=False, note=_NOT_DETERMINED)
    if row.person is None:
        return row
    own = None if reach is None else float(reach[row.person])
    flat = result.likelihood is not None and row.person in flat_weights(result.likelihood)
    if not flat:
        return replace(row, reach=own)
    note = ", ".join(part for part in (row.note, _NOT_DETERMINED) if part)
    return replace(row, reach=own, determined=False, note=note, standard_error=None)


def _doctrine(result: Learned) -> str:
    """The doctrine of p as it is printed, so that 0.0000 is called Nash."""
    name = result.family.describe_closely(result.p, 4)
    return f"{name} (given)" if "p" in result.given else name


def _figures(
    result: Learned, criteria: Mapping[str, Callable[[], float]]
) -> list[tuple[str, float]]:
    """How well the rule fits."""
    exact = result.exact
    found: list[tuple[str, float | None]] = [
        ("mean loss" if exact is None else "share of errors", result.loss),
        ("corrected for flips", None if exact is None else exact.shown_correction),
        *_right(result),
        ("R squared", result.r_squared),
    ]
    for name, criterion in criteria.items():
        try:
            found.append((name, criterion()))
        except InputError:  # there is none; the lines below the table say why
            continue
    return [(name, float(value)) for name, value in found if value is not None]


def _right(result: Learned) -> list[tuple[str, float | None]]:
    """How many choices the rule makes too; from menus beside how many by chance."""
    if result.kind != Choices.kind:
        return [("accuracy", result.accuracy)]
    chance = None if result.decided is None else result.decided.chance
    return [("first choices right", result.accuracy), ("right by chance", chance)]


def _how_it_ended(result: Learned) -> list[str]:
    """Convergence, and how far the fit is proven if that is known."""
    proof = vars(result).get("certificate")  # of a smooth fit it takes longer than the fit
    if result.exact is None:
        state = "Converged" if result.converged else "Did not converge"
        starts = f"{result.agreeing} of {len(result.start_values)} starts found this optimum"
        ends = [f"{state}: {result.reason} ({result.n_iter} steps; {starts})"]
        if proof is not None:
            bound = f"no rule has a mean loss below {proof.lower_bound:.6g}"
            ends.append(f"Proven: {bound} ({proof.method})")
        return ends
    proof = result.certificate
    if proof is None:
        return result.exact.lines()
    if proof.gap <= _ROUNDING:
        ends = [f"Proven optimal: {proof.method}"]
    else:
        ends = [f"Not proven optimal: {result.reason}"]
        if proof.lower_bound > 0:  # that there are no fewer errors than none is no news
            bound = f"no rule is wrong in less than {proof.lower_bound:.2%}"
            ends.append(f"Proven: {bound} ({proof.method})")
    return ends + result.exact.lines()


def _how_intervals_were_made(
    result: Learned, rows: Sequence[Estimate], level: float, covariance: CovarianceName
) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for row in rows:
        if row.method is not None:
            kinds.setdefault(row.method, []).append(_kind_in_words(row))
    parts = [_METHODS.get(method, method) for method in kinds]
    if len(kinds) > 1:
        each = zip(parts, kinds.values(), strict=True)
        parts = [f"{how} for {listed(list(dict.fromkeys(what)))}" for how, what in each]
    if _holds_power(result) and "weights" in kinds.get("wald", []):
        parts[-1] += " with p held where it is"
    lines = [f"{100 * level:.6g}% intervals by {', by '.join(parts)}"] if parts else []
    lines += [_in_pieces(row) for row in rows if row.pieces]
    clusters = None if result.likelihood is None else number_of_clusters(result.likelihood)
    if any(row.standard_error is not None for row in rows):
        by = f" ({clusters} decision makers)" if covariance == "clustered" else ""
        lines.append(f"Standard errors from {source_of_errors(result, covariance)}{by}")
        if result.likelihood is not None and result.likelihood.prior is not None:
            lines.append("No tests, checks, AIC or BIC: the estimates are drawn to the prior")
    if "profile" in kinds and covariance == "robust":
        lines.append("Profile likelihoods take the noise model at its word")
    if not lines or result.likelihood is None or clusters is None:
        return lines
    if result.likelihood.prior is not None:
        lines.append("Decisions were taken as independent, though it is known who decided")
    elif covariance not in ("clustered", "bootstrap"):
        wider = 'summary(covariance="clustered") is wider where people differ'
        why = about_too_few(result.likelihood) or wider
        lines.append(f"Decisions were taken as independent, though it is known who decided: {why}")
    elif "profile" in kinds:
        lines.append("Profile likelihoods take the decisions of one person as independent")
    return lines


def _in_pieces(row: Estimate) -> str:
    """Say of what parts an interval is the hull."""
    parts = [f"{number(low)} to {number(high)}" for low, high in row.pieces]
    return f"Of {row.name} the data allow {listed(parts)}, and nothing between"


def source_of_errors(result: Learned, covariance: CovarianceName) -> str:
    """Return where standard errors come from, in words."""
    if result.likelihood is not None and result.likelihood.prior is not None:
        return "the posterior's curvature"
    if result.likelihood is not None and result.likelihood.loss.in_parts:
        return "the likelihood's curvature on a random share of the decisions"
    return _COVARIANCES.get(covariance, covariance)


def _holds_power(result: Learned) -> bool:
    """Whether standard errors of weights hold a learned p: near 0, where some utility is 0."""
    likelihood = result.likelihood
    if likelihood is None or "p" in result.given:
        return False
    return likelihood.power_on_edge and not likelihood.only_who_counts


def _kind_in_words(row: Estimate) -> str:
    """What an estimate is one of; weights of 0 may be treated apart from the others."""
    zero = row.quantity.is_weight and row.value == 0.0
    return "weights of 0" if zero else row.quantity.parameter.name
