"""Learning the rule behind decisions: read, learn, and everything that is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import Decided, DecisionOptions, TableOptions, read_decisions
from welfarist.app.learning import LearnerOptions, check_together, learner_of
from welfarist.app.pages import PageOptions, figures_missing, file_name, without_folders
from welfarist.app.scanned import check_folder
from welfarist.app.targets import check_targets
from welfarist.app.texts import is_inline
from welfarist.app.usage import RequestError, UsageError
from welfarist.base.errors import InputError, NotConvergedWarning
from welfarist.base.whole_files import write_together
from welfarist.files import holds_people, is_sketch

if TYPE_CHECKING:  # they take seconds to import: whatever is wrong with the files is said before
    from welfarist.comparing.shifts import ShiftTable
    from welfarist.inference.covariance import CovarianceName
    from welfarist.inference.intervals import MethodName
    from welfarist.recommending.recommendation import Recommendation
    from welfarist.results.family_fits import FamilyFit
    from welfarist.results.record import FitResult
    from welfarist.results.rule_draws import RuleDraws
    from welfarist.results.saved_models import Model
    from welfarist.results.summary import Summary, SummaryRecord, SummaryRow


@dataclass(frozen=True)
class FitRequest:
    """What is to be learned from, how, and what is wanted of it.

    Attributes
    ----------
    actions : str
        The file of the actions, or of decisions that hold utilities themselves.
    table : TableOptions
    decision : DecisionOptions
    learner : LearnerOptions
    level : float
        Of the intervals.
    method, covariance
        How intervals and standard errors are made, see `FitResult.interval`; None leaves it to
        the data.
    intervals : bool
        Whether there are to be any.
    shift_table : bool
        Whether to learn with other constants added to the utilities as well.
    save, report, latex : str or None
        Where the model, the report and a table for a paper will be written.
    page : PageOptions
        What is added to the report.
    allow_unconverged : bool
        Whether estimates of a search that did not end well are an answer.
    draws : int or None
        How many equally likely rules are saved with the model, and say in the report which of the
        actions to take.
    """

    actions: str
    table: TableOptions = field(default_factory=TableOptions)
    decision: DecisionOptions = field(default_factory=DecisionOptions)
    learner: LearnerOptions = field(default_factory=LearnerOptions)
    level: float = 0.95
    method: MethodName | None = None
    covariance: CovarianceName | None = None
    intervals: bool = True
    shift_table: bool = False
    save: str | None = None
    report: str | None = None
    latex: str | None = None
    page: PageOptions = field(default_factory=PageOptions)
    allow_unconverged: bool = False
    draws: int | None = None

    @property
    def decided_in(self) -> tuple[str | None, ...]:
        """Files of decisions: scores are in one beside a sketch, and in a column of a table."""
        score = self.decision.score
        beside = score is not None and (is_sketch(self.actions) or holds_people(self.actions))
        return (self.decision.file, score) if beside else (self.decision.file,)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that it is learned from, without their folders."""
        people = (self.learner.weights, self.learner.groups, self.learner.attributes)
        named = [text for text in people if text not in (None, "learn", "equal", "population")]
        read = [self.actions, *self.decided_in, *named]
        return tuple(file_name(path) for path in read if path is not None and not is_inline(path))

    def without_folders(self, text: str) -> str:
        """A text about the files, with their names only."""
        return without_folders(text, (self.actions, *self.decided_in))


@dataclass(frozen=True)
class Fitted:
    """What was learned, and what is said of it.

    Attributes
    ----------
    asked : FitRequest
    result : FitResult
        With the standard errors that were asked for.
    record : SummaryRecord
        The summary, with a caveat if the rule does not describe the decisions.
    notes : tuple of str
        What was guessed when the decisions were read.
    shifts : ShiftTable or None
        How p moves with a constant that is added to every utility, if that was asked for.
    """

    asked: FitRequest
    result: FitResult
    record: SummaryRecord
    notes: tuple[str, ...]
    shifts: ShiftTable | None = None

    def summary(self, words: Callable[[str], str] = str) -> Summary:
        """The summary; `words` puts each message as its readers know things."""
        from welfarist.results.summary import Summary

        return Summary(self._in(words))

    def model(self) -> Model:
        """What is saved: what was learned, with the intervals and caveats of the summary."""
        return self._model

    @cached_property
    def _model(self) -> Model:
        from welfarist.results.saved_models import Model

        rows = self._sure()
        found: dict[str, Any] = {row.parameter: (row.low, row.high) for row in rows}
        kept = {"level": self.record.level, **found} if found else {}
        model = Model.of(self.result, kept, self._draws(), self._families())
        return replace(model, caveats=self.record.caveats)

    def _draws(self) -> RuleDraws | None:
        """The rules that are saved with the model, if that was asked for."""
        if self.asked.draws is None:
            return None
        from welfarist.recommending.drawing import draw_rules

        drawn = draw_rules(self.result, random_state=self.asked.learner.seed)
        return drawn.thinned(self.asked.draws)

    def _families(self) -> tuple[FamilyFit, ...]:
        """Rules of other families, which are saved with the draws."""
        if self.asked.draws is None:
            return ()
        from welfarist.recommending.by_family import family_fits

        return family_fits(self.result)

    def write(self) -> None:
        """Write the model, the report and the table that were asked for, all or none."""
        contents: dict[str, str] = {}
        if self.asked.save is not None:
            contents[self.asked.save] = self._model.as_text()
        if self.asked.report is not None:
            contents[self.asked.report] = self.page()
        if self.asked.latex is not None:
            contents[self.asked.latex] = self.summary().as_latex() + "\n"
        write_together(contents)

    def page(self) -> str:
        """The report, with the intervals that were asked for."""
        from welfarist.show.report import report_html

        asked, said = self.asked, self.asked.page
        recommended, why_not = self._recommended()
        return report_html(
            self.result, title=said.title, note=said.note, unit=said.unit, date=said.date,
            files=asked.files, level=asked.level, method=asked.method,
            remarks=[asked.without_folders(note) for note in (*self.notes, *why_not)],
            recommendation=recommended,
        )  # fmt: skip

    def _recommended(self) -> tuple[Recommendation | None, tuple[str, ...]]:
        """What is said of the actions that were judged, if they have names; or why nothing is."""
        decided = self.result.decided
        names = getattr(decided, "names", None)
        if self.asked.draws is None or names is None:
            return None, ()
        if self._model.gamma or self._model.outside is not None:
            return None, ("No action is recommended: more than a rule was learned.",)
        from welfarist.recommending.recommendation import recommend

        try:
            level = self.asked.level
            return recommend(self._model, decided.utilities, names=names, level=level), ()
        except InputError as problem:
            return None, (f"No action is recommended: {problem}",)

    def missing(self) -> list[str]:
        """What the report would have if more were installed, for whoever makes it."""
        return figures_missing(self.asked.report)

    def warning(self, words: Callable[[str], str] = str) -> str:
        """What must be read before everything else; empty where there is nothing of the kind."""
        return words(_unconverged(self.result))

    def to_dict(self, words: Callable[[str], str] = str) -> dict[str, Any]:
        """What a program reads; messages are put by `words`."""
        estimates = self.result.to_dict()
        decisions = estimates.pop("decisions")
        if self.result.exact is not None:
            estimates["powers"] = [[part.low, part.high] for part in self.result.exact.intervals]
        record, warning = self._in(words), self.warning(words)
        return {
            **({"warning": warning} if warning else {}),
            **estimates,
            "n": int(decisions) if float(decisions).is_integer() else decisions,
            "intervals": self._intervals(),
            "level": record.level,
            "covariance": record.covariance,
            "clusters": record.clusters,
            "fit": dict(record.figures),
            "lines": list(record.lines),
            "caveats": list(record.caveats),
            "notes": list(self.notes),
            **({} if self.shifts is None else {"shifts": self.shifts.to_dict()["rows"]}),
        }

    def _in(self, words: Callable[[str], str]) -> SummaryRecord:
        said = self.record
        lines, caveats = tuple(map(words, said.lines)), tuple(map(words, said.caveats))
        return replace(said, lines=lines, caveats=caveats)

    def _sure(self) -> list[SummaryRow]:
        """The rows that have intervals."""
        return [row for row in self.record.rows if row.low is not None]

    def _intervals(self) -> dict[str, Any]:
        """The intervals by name, those of weights by person."""
        found: dict[str, Any] = {}
        weights = {}
        for row in self._sure():
            if row.person is not None:
                weights[self.result.stakeholders[row.person]] = [row.low, row.high]
            else:
                found[row.parameter.replace(" ", "_")] = [row.low, row.high]
        return {**found, "weights": weights} if weights else found


def read(asked: FitRequest) -> Decided:
    """Check what was asked for and read what was decided."""
    inputs = (
        asked.actions, *asked.decided_in, asked.learner.weights, asked.learner.groups,
        asked.learner.attributes,
    )  # fmt: skip
    check_targets({"save": asked.save, "report": asked.report, "latex": asked.latex}, inputs)
    check_together(asked.learner)
    check_folder(asked.decision.file, asked.learner.dask, asked.learner.resume)
    if asked.method == "profile" and asked.covariance not in (None, "fisher"):
        raise UsageError(
            "{method:profile} takes decisions as independent; found {covariance:{told}}, which "
            "does not. Use {method:wald}.",
            told=asked.covariance,
        )
    if asked.shift_table and is_sketch(asked.actions):
        raise UsageError(
            "{shift_table} adds constants to everybody's utility, which a sketch does not know. "
            "Leave it out."
        )
    if asked.draws is not None and asked.save is None and asked.report is None:
        raise UsageError(
            "{draws} are kept with a model, or say in a report which action to take: name a file, "
            "{save:FILE} or {report:FILE}."
        )
    asked.page.check(asked.report)
    if asked.report is not None and not asked.intervals:
        raise UsageError("a report shows intervals: leave out {no_intervals} or {report}.")
    learner = asked.learner
    return read_decisions(asked.actions, asked.table, asked.decision, learner.shift, learner.least)


def fit(asked: FitRequest, decided: Decided) -> Fitted:
    """Learn the rule behind what was decided; the learner's warnings are the result's caveats."""
    if asked.covariance == "clustered":
        _require_deciders(decided)
    learner = learner_of(asked.learner, decided)
    result = learner.fit(decided.X, decided.scores).result_
    if not (result.converged or asked.allow_unconverged):
        raise RequestError(
            "{problem} Nothing was written. To have these estimates nevertheless, with a warning: "
            "{allow_unconverged}",
            problem=_unconverged(result),
        )
    if asked.covariance is not None:
        result = result.with_covariance(asked.covariance)
    said = result.summary(asked.level if asked.intervals else None, asked.method).record
    shifts = _shifts(asked, learner, decided) if asked.shift_table else None
    return Fitted(asked, result, said, decided.notes, shifts)


def _shifts(asked: FitRequest, learner: Any, decided: Decided) -> ShiftTable:
    from welfarist.comparing.shifts import shift_table

    return shift_table(learner, decided.X, decided.scores, level=asked.level)


def _unconverged(result: FitResult) -> str:
    """Say that a search did not end well, and what to try; empty if it did."""
    if result.converged:
        return ""
    said = [c.message for c in result.caveats if issubclass(c.kind, NotConvergedWarning)]
    return said[0] if said else f"the fit did not converge: {result.reason}."


def _require_deciders(decided: Decided) -> None:
    if decided.scores is not None:
        raise UsageError(
            "{covariance} clustered is for comparisons; found scores. Use {covariance} robust."
        )
    if not decided.deciders:
        raise RequestError(
            "{covariance} clustered needs to know who decided; found no column that says so. Name "
            "it with {by} COLUMN."
        )
