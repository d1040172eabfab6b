"""Learning how several decision makers differ: read, learn, and everything that is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import Decided, read_decisions
from welfarist.app.fitting import FitRequest
from welfarist.app.learning import check_together, learner_of
from welfarist.app.pages import figures_missing, file_name, without_folders
from welfarist.app.scanned import is_folder
from welfarist.app.targets import check_targets
from welfarist.app.texts import listed, number_of
from welfarist.app.usage import RequestError, UsageError
from welfarist.base.errors import NotConvergedWarning
from welfarist.base.whole_files import write_together
from welfarist.files import is_sketch, read_deciders

if TYPE_CHECKING:  # they take seconds to import: whatever is wrong with the files is said before
    from welfarist.deciders.deciders_result import DecidersResult
    from welfarist.deciders.forms import Told
    from welfarist.deciders.types_result import TypesResult
    from welfarist.inference.doctrine_tests import DoctrineTest

_Words = Callable[[str], str]


@dataclass(frozen=True)
class DecidersRequest:
    """How decision makers are told apart, beside what is asked of any fit.

    Attributes
    ----------
    fit : FitRequest
        What is learned from, how, and what is wanted of it.
    each : bool
        Whether everybody's own rule is learned, and the population.
    types : str or None
        How many types are, "auto", or what is known of each: ``"utilitarian,learn"``.
    known : str or None
        The file of what is known of the decision makers.
    covariates : str or None
        Its columns that are used; None is all.
    same : tuple of str
        Groups that are tested to be the same: ``"women,men"``, or a column.
    individuals : str or None
        Where a table with a row for each decision maker will be written.
    nodes : int or None
        How many rules a population is made of.
    population : bool
        Whether a normal population is fitted beside types.
    """

    fit: FitRequest
    each: bool = False
    types: str | None = None
    known: str | None = None
    covariates: str | None = None
    same: tuple[str, ...] = ()
    individuals: str | None = None
    nodes: int | None = None
    population: bool = True

    @property
    def several(self) -> bool:
        """Whether decision makers are told apart; if not, what needs that is refused."""
        if self.each or self.types is not None:
            return True
        told = {
            "deciders": self.known,
            "covariates": self.covariates,
            "test_same": self.same,
            "individuals": self.individuals,
            "nodes": self.nodes,
            "no_population": not self.population,
        }
        for name, value in told.items():
            if value:
                raise UsageError(
                    f"{{{name}}} is for several decision makers: give {{each}} or {{types}} as "
                    "well."
                )
        return False

    @property
    def way(self) -> str:
        """The option that tells decision makers apart."""
        return "each" if self.each else "types"

    @property
    def read(self) -> tuple[str | None, ...]:
        """The files of what was decided and of who decided."""
        return (self.fit.actions, self.fit.decision.file, self.known)


@dataclass(frozen=True)
class ReadDeciders:
    """Decisions of several people, and what is known of these.

    Attributes
    ----------
    decided : Decided
    known : dict or None
        Columns by name, the first of which has the names.
    notes : tuple of str
    """

    decided: Decided
    known: dict[str, Any] | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class FittedDeciders:
    """What was learned of several decision makers, and what is said of it.

    Attributes
    ----------
    asked : DecidersRequest
    result : TypesResult or DecidersResult
    tests : tuple of DoctrineTest
        Whether groups are the same.
    notes : tuple of str
        What was guessed when files were read.
    """

    asked: DecidersRequest
    result: Any
    tests: tuple[DoctrineTest, ...]
    notes: tuple[str, ...]

    def summary(self, words: _Words = str) -> Told:
        """The summary; `words` puts each line below a table as its readers know things."""
        from welfarist.deciders.forms import Told

        told = self._told()
        tables = [replace(t, lines=tuple(map(words, t.lines))) for t in told.tables]
        return Told(tuple(tables), told.record, told.columns)

    def _told(self) -> Any:
        asked = self.asked.fit
        return self.result.summary(asked.level if asked.intervals else None)

    def lines(self, words: _Words = str) -> list[str]:
        """What people read: a warning first, then tables, then tests."""
        warning = self.warning(words)
        said = [f"Warning: {' '.join(warning.split())}"] if warning else []
        said.append(str(self.summary(words)))
        for test in self.tests:
            said += ["", words(str(test))]
        return said

    def warning(self, words: _Words = str) -> str:
        """What must be read before everything else; empty where there is nothing of the kind."""
        return words(_unconverged(self.result))

    def to_dict(self, words: _Words = str) -> dict[str, Any]:
        """What a program reads; messages are put by `words`."""
        warning, record = self.warning(words), dict(self._told().record)
        record["caveats"] = [words(caveat) for caveat in record["caveats"]]
        return {
            **({"warning": warning} if warning else {}),
            **record,
            "tests": [_test_record(test, words) for test in self.tests],
            "notes": list(self.notes),
        }

    def individuals(self) -> dict[str, Any]:
        """One row a decision maker, as columns by name; types are numbered as in the summary."""
        if self.asked.each:
            columns = dict(self.result.individual_columns(self.asked.fit.level))
            whole = (columns["decisions"] % 1 == 0).all()
            return columns | ({"decisions": columns["decisions"].astype(int)} if whole else {})
        belongs = self.result.membership
        found: dict[str, Any] = {"who": list(self.result.names), "type": belongs.argmax(axis=1) + 1}
        found |= {f"chance of type {k + 1}": belongs[:, k] for k in range(belongs.shape[1])}
        return found

    def write(self) -> None:
        """Write the model, the report and the tables that were asked for, all or none."""
        asked, contents = self.asked.fit, dict[str, str | bytes]()
        if asked.save is not None:
            contents[asked.save] = self._model()
        if asked.report is not None:
            contents[asked.report] = self.page()
        if asked.latex is not None:
            contents[asked.latex] = self.summary().as_latex() + "\n"
        if self.asked.individuals is not None:
            from welfarist.app.simulating import content_of

            kind: Any = "parquet" if _is_parquet(self.asked.individuals) else "csv"
            contents[self.asked.individuals] = content_of(self.individuals(), kind)
        write_together(contents)

    def _model(self) -> str:
        from welfarist.deciders.saved import DecidersModel

        return DecidersModel.of(self.result, self.asked.fit.level).as_text()

    def page(self) -> str:
        """The report."""
        from welfarist.show.report import report_html

        asked, said = self.asked.fit, self.asked.fit.page
        files = [*asked.files, *([] if self.asked.known is None else [file_name(self.asked.known)])]
        return report_html(
            self.result, title=said.title, note=said.note, unit=said.unit, date=said.date,
            files=files, level=asked.level,
            remarks=[without_folders(note, self.asked.read) for note in self.notes],
        )  # fmt: skip

    def missing(self) -> list[str]:
        """What the report would have if more were installed, for whoever makes it."""
        return figures_missing(self.asked.fit.report)


def read(asked: DecidersRequest) -> ReadDeciders:
    """Check what was asked for, and read what was decided and what is known of who decided."""
    _check(asked)
    fit = asked.fit
    outputs = {
        "save": fit.save, "report": fit.report, "latex": fit.latex, "individuals": asked.individuals
    }  # fmt: skip
    people = (fit.learner.weights, fit.learner.groups, fit.learner.attributes)
    check_targets(outputs, (*asked.read, *people))
    decided = read_decisions(
        fit.actions, fit.table, fit.decision, fit.learner.shift, fit.learner.least
    )
    if decided.scores is not None:
        raise UsageError(
            f"{{{asked.way}}} tells decision makers apart by what they chose; found scores, which "
            "do not say who gave them. Give {comparisons} FILE or {choices} FILE."
        )
    if not decided.deciders:
        raise RequestError(
            f"{{{asked.way}}} needs to know who decided; found no column that says so. Name it "
            "with {by} COLUMN."
        )
    if asked.known is None:
        return ReadDeciders(decided, None, decided.notes)
    found = read_deciders(
        asked.known,
        decided.deciders,
        by=fit.decision.by,
        columns=listed(asked.covariates),
        **fit.table.text(),
    )
    return ReadDeciders(decided, found.columns, (*decided.notes, *found.notes))


def fit(asked: DecidersRequest, read: ReadDeciders) -> FittedDeciders:
    """Learn how decision makers differ; the learner's warnings are the result's caveats."""
    learner = _learner(asked, learner_of(asked.fit.learner, read.decided))
    tested = [_groups(same, read.known) for same in asked.same]
    _check_groups(tested, read)
    result = learner.fit(read.decided.X, deciders=read.known).result_
    if not (result.converged or asked.fit.allow_unconverged):
        raise RequestError(
            "{problem} Nothing was written. To have these estimates nevertheless, with a warning: "
            "{allow_unconverged}",
            problem=_unconverged(result),
        )
    tests = tuple(result.test(same=groups) for groups in tested)
    return FittedDeciders(asked, result, tests, read.notes)


def _learner(asked: DecidersRequest, learner: Any) -> Any:
    from welfarist.deciders.deciders import Deciders
    from welfarist.deciders.types import Types

    seed, starts = asked.fit.learner.seed, asked.fit.learner.starts
    if asked.each:
        nodes: dict[str, Any] = {} if asked.nodes is None else {"n_nodes": asked.nodes}
        return Deciders(learner, random_state=seed, **nodes)
    told: dict[str, Any] = {} if starts == "auto" else {"n_starts": int(starts)}
    assert asked.types is not None
    number, named = types_of_text(asked.types)
    if named is None:
        told["n_types"] = number
    else:
        told["types"] = named
    return Types(learner, population=asked.population, random_state=seed, **told)


def types_of_text(text: str) -> tuple[int | str, list[str | float] | None]:
    """How many types, or "auto"; and what is known of each, if that was said.

    Examples
    --------
    >>> types_of_text("3"), types_of_text("auto"), types_of_text("utilitarian, 0.5, learn")
    ((3, None), ('auto', None), ('auto', ['utilitarian', 0.5, 'learn']))
    """
    told = text.strip()
    if told.lower() == "auto":
        return "auto", None
    if told.isdecimal() and int(told) > 0:
        return int(told), None
    parts: list[str | float] = []
    for part in listed(text) or []:
        number = number_of(part)
        parts.append(part if number is None else number)
    return "auto", parts


def _groups(text: str, known: dict[str, Any] | None) -> list[str]:
    """Groups that are tested, or one column."""
    if known is not None and text in known:
        return [text]
    return listed(text) or []


def _check_groups(tested: list[list[str]], read: ReadDeciders) -> None:
    """Refuse groups that nobody is in before anything is learned."""
    from numpy import array

    from welfarist.deciders.covariates import Covariates

    known = Covariates.of(read.known, array(read.decided.deciders, dtype=object))
    for groups in tested:
        known.without_differences(groups)


def _check(asked: DecidersRequest) -> None:
    """Refuse what does not go with several decision makers, whatever the decisions are."""
    if asked.each and asked.types is not None:
        raise UsageError(
            "{each} learns everybody's own rule, {types} a few rules for all; found both. Give one "
            "of the two."
        )
    check_together(asked.fit.learner)
    _check_decisions(asked)
    _check_learner(asked)
    _check_answers(asked)
    asked.fit.page.check(asked.fit.report)
    if asked.known is None:
        for name, given in (("covariates", asked.covariates), ("test_same", asked.same)):
            if given:
                raise UsageError(
                    f"{{{name}}} is about what is known of the decision makers: give {{deciders}} "
                    "FILE as well."
                )


def _check_decisions(asked: DecidersRequest) -> None:
    decision = asked.fit.decision
    if decision.score is not None:
        raise UsageError(
            f"{{{asked.way}}} tells decision makers apart by what they chose; found {{score}}. "
            "Give {comparisons} FILE or {choices} FILE."
        )
    if is_folder(decision.file):
        raise UsageError(
            f"{{{asked.way}}} is for decisions in one file; found a folder of Parquet files. Name "
            "one of them, or a share of the decision makers in one file."
        )
    if is_sketch(asked.fit.actions):
        raise UsageError(
            f"{{{asked.way}}} is for a table of actions; found a sketch, {{path}}. Give its groups "
            "as columns of a table.",
            path=asked.fit.actions,
        )


# What of the learner's options has no effect, because it is not fitted itself.
_WITHOUT_EFFECT = (
    "scale", "solver", "small_sample", "rho", "effort", "max_iter", "tol", "dask", "resume",
)  # fmt: skip


def _check_learner(asked: DecidersRequest) -> None:
    told = asked.fit.learner
    if told.noise in ("none", "flip"):
        raise UsageError(
            f"{{{asked.way}}} tells decision makers apart by how likely their choices are, which "
            "{noise:{told}} does not say: it counts errors. Use {noise:logistic} or {noise:lapse}.",
            told=told.noise,
        )
    if told.prior is not None:
        raise UsageError(
            f"{{prior}} is for one rule: with {{{asked.way}}} the other decision makers take its "
            "place. Leave it out."
        )
    usual = {f.name: f.default for f in fields(told)}
    others = [name for name in _WITHOUT_EFFECT if getattr(told, name) != usual[name]]
    others += ["starts"] if asked.each and told.starts != "auto" else []
    if others:
        raise UsageError(f"{{{others[0]}}} has no effect with {{{asked.way}}}. Leave it out.")


def _check_answers(asked: DecidersRequest) -> None:
    fit = asked.fit
    if fit.covariance not in (None, "clustered"):
        raise UsageError(
            f"with {{{asked.way}}} standard errors allow for who decided; found "
            "{covariance:{told}}. Leave it out.",
            told=fit.covariance,
        )
    given = {
        "method": fit.method is not None,
        "shift_table": fit.shift_table,
        "covariance": asked.each and fit.covariance is not None,
        "no_intervals": asked.each and not fit.intervals,
        "nodes": not asked.each and asked.nodes is not None,
        "no_population": asked.each and not asked.population,
    }
    others = [name for name, value in given.items() if value]
    if others:
        raise UsageError(f"{{{others[0]}}} is not for {{{asked.way}}}. Leave it out.")
    if fit.report is not None and not fit.intervals:
        raise UsageError("a report shows intervals: leave out {no_intervals} or {report}.")


def _is_parquet(path: str) -> bool:
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _test_record(test: DoctrineTest, words: _Words) -> dict[str, Any]:
    return {
        "null": test.null,
        "kind": test.kind,
        "statistic": test.statistic,
        "degrees": test.degrees,
        "p_value": test.p_value,
        "note": words(test.note),
    }


def _unconverged(result: TypesResult | DecidersResult) -> str:
    """Say that a search did not end well, and what to try; empty if it did."""
    if result.converged:
        return ""
    said = [c.message for c in result.caveats if issubclass(c.kind, NotConvergedWarning)]
    return said[0] if said else "the search did not converge."
