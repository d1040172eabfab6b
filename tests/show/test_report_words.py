"""A report speaks to people who have never seen code, and says what its author adds."""

from __future__ import annotations

import ast
import datetime
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import welfarist as wf
from tests.show.test_plots import decisions, fit
from tests.show.test_report import CHOICES, PAGE, RESULT, Reader, text_of
from welfarist.base.errors import NotConvergedWarning
from welfarist.results.learned import Caveat
from welfarist.show.report import report_html
from welfarist.show.report.plain_words import plain
from welfarist.show.report.style import STYLE

SOURCE = Path(__file__).parents[2] / "src" / "welfarist"
# Rooms whose messages can reach a report: what refuses an interval, a test or a check, and caveats.
ROOMS = ("inference", "checks", "results", "learners/assembly.py", "losses", "solvers", "paper")
# Calls, keyword arguments, names with underscores, attributes, quoted options.
CODE = re.compile(
    r"\w\(|\b\w+=|\b[a-z]+_[a-z_]*|\b[a-z]\w*\.[a-z]\w*\b|\b(?:None|True|False)\b|[a-z]\[\]"
    r'|"(?:logistic|lapse|flip|none|newton|wald|profile|bootstrap|fisher|robust|clustered)"'
)
# Messages about arguments of methods that a report never calls, by a part of each.
NEVER = (
    "must be", "must hold", "must come", "Comparisons(…", "FitResult(", "Write p=", "p=…, weights",
    "a saved model", "what is saved", "entries such as", "a covariance needs finite", "Draw more",
    "only what was learned", 'weights of a null', "summary(covariance", 'unit="decisions"',
    "is the method of the paper", "follows derivatives", "found decisions without names. ",
    "Give Comparisons", "by=", "keeps the digits", "with_data", "wald_test takes",
    'method="posterior" is for', "theta is that of weights by attributes",
)  # fmt: skip


def texts(path):
    """Every text of a module that is no docstring, with … where something is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and isinstance(node.body[0], ast.Expr)
    }
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Constant | ast.BinOp) and id(node) not in inner:
            inner.update(id(part) for part in ast.walk(node))
            if id(node) not in docs:
                yield text_in(node)


def text_in(node):
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = (text_in(v) if isinstance(v, ast.Constant) else "…" for v in node.values)
        return "".join(parts)
    if isinstance(node, ast.BinOp):
        return text_in(node.left) + text_in(node.right)
    if isinstance(node, ast.IfExp):
        return text_in(node.body)
    return ""


def messages():
    for room in ROOMS:
        place = SOURCE / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            for said in texts(path):
                sentence = " " in said.strip() and len(said) > 25
                if sentence and CODE.search(said) and not any(part in said for part in NEVER):
                    yield pytest.param(said, id=f"{path.name}: {said[:40]}")


@pytest.mark.parametrize("message", list(messages()))
def test_no_message_that_can_reach_a_report_speaks_of_code(message):
    said = plain(message)
    assert not CODE.search(said)
    assert said.strip(" .:;")  # something is left


def test_what_reads_like_code_but_is_a_name_stays():
    said = "the weight of s_x, r_x cannot be told from the noise: their utility is the same."
    assert plain(said) == said


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(lambda: RESULT, id="choices"),
        pytest.param(lambda: fit(CHOICES, max_iter=1, n_starts=1), id="not converged"),
        pytest.param(lambda: fit(CHOICES, prior=2), id="prior"),
        pytest.param(lambda: fit(CHOICES, noise="none"), id="counted"),
        pytest.param(lambda: fit(decisions(3, 12, -1, np.inf)), id="separable"),
        pytest.param(lambda: fit(decisions(2, 60, -1, 0.001)), id="random"),
        pytest.param(lambda: fit(CHOICES, tau_max=2.0), id="tau at its cap"),
        pytest.param(lambda: RESULT.without_data(), id="no data"),
        pytest.param(lambda: RESULT.with_covariance("robust"), id="robust"),
        pytest.param(lambda: fit(CHOICES, p=1, weights="equal"), id="everything given"),
    ],
)
@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_no_report_speaks_of_code(result):
    names = {name: f"person {i}" for i, name in enumerate(RESULT.stakeholders)}
    record = result()
    record = replace(record, stakeholders=tuple(names.get(n, n) for n in record.stakeholders))
    found = Reader(report_html(record)).text
    assert not CODE.search(re.sub(r"Version [\d.]+|welfarist [\d.]+", "", found))


# What the author adds


def test_title_note_unit_files_and_date_are_shown(tmp_path):
    path = tmp_path / "report.html"
    RESULT.report(
        path,
        "The rule of <us>",
        note="Asked by the board.",
        unit="euros & cents",
        files=["actions.csv", "choices <1>.csv"],
        date="2026-01-31",
    )
    found = Reader(path.read_text(encoding="utf-8")).text
    for said in (
        "The rule of <us>",
        "Asked by the board.",
        "31 January 2026",
        "data files actions.csv and choices <1>.csv",
        "unit of utility euros & cents",
        "Utilities and welfare are in euros & cents.",
        "Utilities are in euros & cents.",
    ):
        assert said in found


def test_a_report_has_no_date_unless_it_is_asked_for():
    this = datetime.date.today()
    assert str(this.year) not in Reader(PAGE).text.replace("(NeurIPS 2024)", "")
    assert f"{this.day} " in text_of(RESULT, date="today")
    assert "1 May 2025" in text_of(RESULT, date=datetime.date(2025, 5, 1))
    assert "1 May 2025" in text_of(RESULT, date=datetime.datetime(2025, 5, 1, 12))


@pytest.mark.parametrize(
    "wrong", [{"date": "31.1.2026"}, {"date": 20260131.5}, {"unit": 3}, {"files": [3]}, {"note": 1}]
)
def test_what_is_no_text_or_no_day_is_refused(wrong):
    with pytest.raises(wf.InputError, match=next(iter(wrong))):
        report_html(RESULT, **wrong)


def test_one_file_may_be_given_as_it_is():
    assert "data file my table.csv" in text_of(RESULT, files="my table.csv")


def test_people_in_groups_are_called_groups():
    table = np.random.default_rng(0).uniform(1, 10, (60, 4))
    scores = wf.power_mean(table, 0.3, [0.5, 0.5, 0, 0])
    scores = scores + np.random.default_rng(1).normal(0, 0.2, 60)
    learned = wf.WelfareRegressor(groups=["old", "old", "young", "young"]).fit(table, scores)
    result = replace(learned.result_, weights=np.array([0.5, 0.5, 0.0, 0.0]))
    page = report_html(result)
    found = Reader(page).text
    assert "Each dot is the weight of every member of a group" in found
    assert "The weights of 4 people in 2 groups" in page
    assert "The weight of group young ended at 0: those people do not count." in found
    assert "one of each of the two groups" in found
    assert "groups of people who share a weight 2" in found
    assert "groups" not in Reader(PAGE).text


def test_what_did_not_converge_says_so_before_anything_else():
    caveat = Caveat(NotConvergedWarning, "the fit did not converge: 1 step was not enough.")
    result = replace(RESULT, converged=False, reason="1 step was not enough", caveats=(caveat,))
    page = report_html(result)
    assert page.index('class="warning"') < page.index("<h1>")
    assert "did not end well (1 step was not enough)" in page
    assert 'class="warning"' not in PAGE


# Paper and phones


def test_print_keeps_headings_with_their_figures():
    """What a browser does with these rules was looked at; a test can see that they are there."""
    printed = STYLE.partition("@media print")[2]
    together = printed.partition("{ break-inside: avoid; }")[0]
    for element in ("section", "figure", ".wide", "tr"):
        assert element in together
    assert "section:last-of-type, footer { break-before: avoid; }" in printed


def test_surprises_stand_one_below_the_other_on_a_phone():
    cells = [attributes for tag, attributes in Reader(PAGE).elements if "data-name" in attributes]
    assert {cell["data-name"] for cell in cells} >= {"number", "chose", "over", "welfare"}
    assert ".cards" in STYLE.partition("@media screen and (max-width: 34rem)")[2]
