"""Every message is in the words of those who read it: options on a command line, none in a report.

The learners speak of their Python arguments. What can reach a command line is translated by
`welfarist.cli.words`; a message that is new must either be translated, or be said here to be for
those who write Python.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import welfarist as wf
from welfarist.base.asking import RequestError
from welfarist.cli.words import in_options
from welfarist.show.report.plain_words import plain

PACKAGE = Path(wf.__file__).parent
# Rooms whose messages are in the asker's words by construction, or are never read as messages.
OTHERS = {"app", "cli", "files", "web"}
SHORTEST = 25
PYTHON = re.compile(
    r"""\w=(?:["\d…-]|True|False|None)|\b[a-z]+(?:_[a-z]+)+\b|\w_\b|\b[a-z_]{2,}\((?!s\))"""
    r"""|\bwf\.|\bComparisons\b"""
)
# How messages begin that only callers of Python can get, by module.
FOR_PYTHON = {
    "asking/evidence.py": ["a posterior needs comparisons"],
    "asking/simulated.py": ["with several jobs the truth"],
    "asking/posterior.py": ["a probability needs one statement"],
    "base/data_frames.py": ["X must have distinct column names"],
    "base/drawing.py": ["ax must be axes"],
    "base/jobs.py": ["a process of"],  # its option is filled in: n_jobs=1
    "base/validation.py": ["_entry_error called"],
    "bounds/learning_curves.py": [
        "source must be a simulate.World", "the task ", "menu_size and places are those",
    ],
    "bounds/parameters.py": ["The constant c"],
    "bounds/planning.py": ["(tau_max log"],
    "checks/of_choices.py": ["residuals are those"],
    "checks/of_comparisons.py": ["residuals are those", "calibration needs"],
    "checks/of_scores.py": ["calibration is about"],
    "learners/scanned.py": ["decisions in files hold"],
    "comparing/families.py": ["families are compared on decisions"],
    "comparing/rivals.py": [
        "X must come", "arrays may be", "compare needs decisions", "a doctrine takes groups",
        "a fit can only be", "what is compared must be",
    ],
    "comparing/panel_learners.py": ["a fit can only be"],
    "comparing/outsiders.py": ["a model of comparisons must give", "counts and ties need a model"],
    "comparing/shifts.py": ["a table of shifts needs the learner"],
    "comparing/side_by_side.py": ["the best must be by"],
    "counting/exact_solver.py": ["time_limit must be"],
    "comparing/choquet.py": ["interactions need decisions"],
    "decisions/action_numbers.py": ["7 must hold row numbers of the table"],
    "decisions/checked_columns.py": ["7 Row numbers of the table"],
    "decisions/checked_menus.py": ["7 The menu at row"],
    "decisions/comparisons.py": ["Comparisons(7"],
    "decisions/long_tables.py": [
        "7 must be a column of the table", "columns without another meaning",
    ],
    "decisions/paired_columns.py": ["Pass Comparisons", "X must hold all utilities"],
    "deciders/deciders.py": ["a normal population can have"],
    "deciders/panel.py": ["several decision makers are told apart in Comparisons"],
    "deciders/populations.py": ["a share needs one end"],
    "deciders/savable.py": ["what is saved must be"],
    "deciders/type_tests.py": ["types are numbered from 0", "what is tested must have been"],
    "deciders/types.py": ["n_types must be the number"],
    "families/nested/family.py": ["NestedFamily(", "groups must hold"],
    "families/power_mean/mean.py": ["axis must be", "weights must have the shape"],
    "families/rule.py": ["a saved welfare function must be"],
    "inference/bootstrap.py": ["of utilities with errors"],
    "inference/contrasts.py": [
        "a Wald test needs a null", "standard errors do not apply", "at its end errors go",
    ],
    "inference/doctrine_tests.py": [
        "a likelihood ratio needs a known",  # in reports: below
        "a test needs a null",
        "a null about weights by attributes",
    ],
    "inference/linear_nulls.py": ["a contrast is a number"],
    "inference/stages.py": ["stages are the choices of a ranking"],
    "inference/utility_errors.py": ["errors of utilities are known"],
    "inference/wald_tests.py": ["use with_covariance"],  # in reports: below
    "learners/choices.py": ["Choices hold what was chosen", "a ChoiceLearner needs Choices"],
    "learners/pair_transformer.py": ["a transformer that was fitted"],
    "learners/scoring.py": [
        "7 hold their outcomes", "a metric without sample_weight", "choices from menus are scored",
    ],
    "learners/targets.py": ["7: there must be a score"],
    "learners/warm_starts.py": ["warm_start=True needs"],
    "people/estimated/people.py": [
        "errors must be given once", "errors that people share",
        "people whose utilities are estimates", "log_se must be",
    ],
    "people/sketch/sketch.py": ["a sketch must be made with Sketch.of"],
    "recommending/drawing.py": ["a recommendation needs one rule"],
    "people/utility_tables.py": ["utilities must be a table", "utilities must hold at least one"],
    "proofs/certify.py": ["a proof of global optimality"],
    "proofs/rules/proving.py": ["a proof over all weights"],
    "results/data_left_out.py": ["Give them back", "with_data needs"],
    "results/record.py": ["with_data needs"],
    "results/saved_models.py": ["a saved model holds numbers and no code", "what is saved must be"],
    "simulate/crowd_deciding.py": ["crowd must be a Crowd"],
    "simulate/deciding.py": ["decisions must be Comparisons"],
    "simulate/worlds.py": ["group_of must hold"],
}  # fmt: skip
# Modules that draw or write pages: their texts are markup, or for those who call them.
DRAWING = ("show/",)
MARKUP = re.compile(r"<\w")


def templates(path: Path) -> list[str]:
    """The texts of a module, with 7 for what is filled in; docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                skipped.add(first.value)
        if isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "7" for p in node.values)
            found.append("".join(parts))
        elif isinstance(node, ast.Constant) and node not in skipped and isinstance(node.value, str):
            found.append(node.value)
    return [text for text in found if " " in text.strip() and len(text) >= SHORTEST]


MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in OTHERS
    and not path.relative_to(PACKAGE).as_posix().startswith(DRAWING)
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_what_can_reach_a_command_line_speaks_of_options(path):
    known = tuple(FOR_PYTHON.get(path.relative_to(PACKAGE).as_posix(), ()))
    texts = [text for text in templates(path) if not text.startswith(known or "\0")]
    texts = [text for text in texts if not MARKUP.search(text)]
    assert [text for text in map(in_options, texts) if PYTHON.search(text)] == []


def test_messages_for_python_are_still_there():
    for module, starts in FOR_PYTHON.items():
        texts = templates(PACKAGE / module)
        for start in starts:
            assert any(text.startswith(start) for text in texts), (module, start)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_what_can_reach_a_report_speaks_of_no_code(path):
    room = path.relative_to(PACKAGE).parts[0]
    if room not in ("checks", "inference", "learners", "results", "counting"):
        return
    code = re.compile(
        r"""\w=(?:["\d…-]|True|False|None)|result_|\b(?:max_iter|n_starts|tau_max)\b"""
    )
    assert [text for text in map(plain, templates(path)) if code.search(text)] == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "files").glob("*.py")), ids=lambda p: p.stem)
def test_files_name_what_can_be_asked_for_in_nobodys_words(path):
    assert [text for text in templates(path) if re.search(r"(?<!\w)--\w", text)] == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (
            'though it is known who decided: summary(covariance="clustered") is wider',
            "though it is known who decided: --covariance clustered is wider",
        ),
        ('Use interval("weight of a (b)", method="profile").', "Use --method profile."),
        ('test(…, covariance="clustered") does not.', "--covariance clustered does not."),
        ("(such as shift=1), or leave those actions out.", "(such as --shift 1), or take those "
         "actions out of the table and say --drop-unknown."),
        ('Fit with noise="logistic" or "lapse"; x', "Fit with --noise logistic or lapse; x"),
        ("Use fewer, or folds=None.", "Use fewer, or --folds 0."),
        ("Draw more: bootstrap(resamples=99).", "Choose a smaller --level."),
        ("n_jobs=1 works everywhere.", "--jobs 1 works everywhere."),
        ("u_min must be positive; found 0.", "the smallest utility must be positive; found 0."),
        ("a person called low_income=1", "a person called low_income=1"),
    ],
)  # fmt: skip
def test_calls_become_options(said, meant):
    assert in_options(said) == meant


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("It did not end: too few steps. Raise max_iter.", "It did not end: too few steps."),
        ('They agree: noise="none" finds all.', "They agree."),
        (
            "If scores are on another scale, set scale=True.",
            "Scores may be on another scale than utilities.",
        ),
        ("the weight of low_income is 0. Take care.", "the weight of low_income is 0. Take care."),
        ('Use interval("p", method="profile"). It takes long.', "It takes long."),
    ],
)
def test_code_is_left_out_of_reports(said, meant):
    assert plain(said) == meant


def test_each_asker_has_their_own_words():
    problem = RequestError(
        "{first:a,b} {decimal:,} {numbered:True} {ignore:COLUMN} {separator:';'} {sheet}"
    )
    python = 'first=["a", "b"] decimal="," numbered=True ignore=COLUMN separator=\';\' sheet'
    assert str(problem) == python
    typed = "--first a,b --decimal , --numbered --ignore COLUMN --separator ';' --sheet"
    assert problem.said("--{}".format) == typed
    assert str(problem.at("a.csv, line 2")) == f"a.csv, line 2: {python}"


def test_a_report_of_clustered_decisions_has_no_code_in_it(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (30, 3))
    pairs = rng.permuted(np.tile(np.arange(30), (90, 1)), axis=1)[:, :2]
    better = table[pairs[:, 0]].min(axis=1) > table[pairs[:, 1]].min(axis=1)
    decided = wf.Comparisons(table, pairs, better ^ (rng.random(90) < 0.05), by=np.arange(90) % 9)
    result = wf.ComparisonClassifier(prior=2).fit(decided).result_
    for fit in (result, wf.ComparisonClassifier(p=1).fit(decided).result_):
        fit.report(tmp_path / "report.html")
        whole = (tmp_path / "report.html").read_text()
        page = re.sub(r"(?s)<style.*?</style>|<[^>]*>", " ", whole)
        assert not re.search(r'\w=("|True|False|None)|result_|max_iter|n_starts|tau_max', page)
