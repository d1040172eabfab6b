"""Tables that can be pasted into a paper: what they hold, and that LaTeX sets them."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import welfarist as wf
from benchmarks import problems
from welfarist.base.exports import Table

CHOICES = problems.comparisons(2, 60, 3, 600, p=-0.6, tau=6.0).comparisons()
BY = np.arange(len(CHOICES)) % 50
KNOWN = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=BY)
KNOWN.stakeholders = ("R&D_1", "50% of #staff", r"{~^\}")
FIT = wf.ComparisonClassifier().fit(KNOWN).result_
SCORES = problems.scores(1, 120, 3)
WITHOUT_TEX = shutil.which("pdflatex") is None


def side_by_side(**options):
    items = {
        "learned": wf.ComparisonClassifier(),
        "equal & fair": wf.ComparisonClassifier(weights="equal"),
        "lapse": wf.ComparisonClassifier(noise="lapse"),
        "min": "egalitarian",
        "logit": LogisticRegression(C=np.inf, fit_intercept=False),
        "flips": wf.ComparisonClassifier(noise="flip", weights="equal"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return wf.compare(items, KNOWN, **{"folds": None, **options})


def cells(latex):
    body = [line[:-3].split(" & ") for line in latex.splitlines() if line.endswith(r" \\")]
    return [[cell.strip().replace("$-$", "-") for cell in row] for row in body]


# --- what they hold ----------------------------------------------------------------------------


def test_caption_label_and_rules():
    latex = FIT.summary().as_latex(caption="My 5% rule", label="tab:rule")
    lines = latex.splitlines()
    assert lines[0] == r"% Needs \usepackage{booktabs} in the preamble."
    assert lines[3:5] == [r"\caption{My 5\% rule}", r"\label{tab:rule}"]
    assert [lines.count(rf"\{rule}rule") for rule in ("top", "mid", "bottom")] == [1, 2, 1]
    assert r"\hline" not in latex
    plain = FIT.summary().as_latex(booktabs=False)
    assert plain.startswith(r"\begin{table}")
    assert plain.count(r"\hline") == 4
    assert "rule" not in plain.replace("rules", "")
    assert r"\caption{Learned from 600 decisions}" in plain
    assert r"\caption" not in FIT.summary().as_latex(caption="")
    assert r"\label" not in plain


@pytest.mark.parametrize("label", ["", "a b", "a{b}", "tab:50%", 3])
def test_labels_that_latex_could_not_read_are_refused(label):
    with pytest.raises(wf.InputError, match="a label of LaTeX must be"):
        FIT.summary().as_latex(label=label)


@pytest.mark.parametrize("digits", [1, 2, 3, 6])
def test_digits(digits):
    rows = {row[0]: row[1:] for row in cells(FIT.summary().as_latex(digits=digits))}
    estimate, error, interval = rows["power $p$"][:3]
    assert estimate == f"{FIT.p:.{digits}f}"
    assert error == f"{FIT.bse[0]:.{digits}f}"
    low, high = FIT.interval("p")
    assert interval == f"{low:.{digits}f} to {high:.{digits}f}"


def test_stars_are_for_what_can_be_zero():
    result = FIT
    plain, starred = (
        {row[0]: row[1] for row in cells(result.summary().as_latex(stars=stars))}
        for stars in (False, True)
    )
    assert not any("*" in cell for cell in plain.values())
    count = sum(result.pvalues["p"] < level for level in (0.1, 0.05, 0.01))
    mark = f"$^{{{'*' * count}}}$" if count else ""
    assert starred["power $p$"] == plain["power $p$"] + mark
    away = result.contrast("epsilon").p_value
    assert away < 0.01
    assert starred[r"inequality aversion $\varepsilon$"].endswith("$^{***}$")
    assert "*" not in starred[r"temperature $\tau$"]
    own = result.summary().as_latex(stars=[0.001, 0.05])
    assert "* below 0.05, ** below 0.001" in own
    for wrong in ("yes", [], [5], [0.05, "x"], 0.05):
        with pytest.raises(wf.InputError, match="stars must be"):
            result.summary().as_latex(stars=wrong)
    with pytest.raises(wf.InputError, match="digits must be"):
        result.summary().as_latex(digits=0)


def test_numbers_are_set_as_numbers():
    rows = (("a", "-1.5e-07"), ("b", "-inf to -2.5"), ("c-3", "(0.5)"), ("d", "1e+12"))
    latex = Table("t", ("", "x"), rows, ("left", "right")).as_latex()
    assert r"a & $-1.5\times 10^{-7}$ \\" in latex
    assert r"b & $-\infty$ to $-$2.5 \\" in latex
    assert r"c-3 & (0.5) \\" in latex
    assert r"d & $1\times 10^{12}$ \\" in latex


def test_models_stand_in_columns_with_errors_beneath():
    table = side_by_side(folds=3)
    rows = cells(table.as_latex(digits=3))
    assert rows[0] == ["", *(f"({i})" for i in range(1, 7))]
    assert rows[1] == ["", "learned", r"equal \& fair", "lapse", "min", "logit", "flips"]
    names = [row[0] for row in rows]
    places = {name: i for i, name in enumerate(names) if name}
    learned, equal = table.results[:2]
    power = places["power $p$"]
    assert rows[power][1] == f"{learned.p:.3f}"
    assert rows[power + 1][1] == f"({learned.bse['p']:.3f})"
    assert rows[power][4:] == [r"$-\infty$", "", rows[power][6]]
    assert rows[power + 1][4] == "(given)"
    weight = places[r"weight of R\&D\_1"]
    assert rows[weight][2] == "0.333"
    assert rows[weight + 1][2] == "(given)"
    assert rows[weight + 1][1] == f"({learned.bse[1]:.3f})"
    assert rows[weight + 1][4] == "(edge)"  # at an infinite p weights only say who counts
    assert rows[places[r"flip probability $\rho$"]][1] == ""
    for name, values in (
        ("decisions", ["600"] * 6),
        ("decision makers", ["50"] * 6),
        ("log-likelihood", [f"{learned.llf:.2f}", f"{equal.llf:.2f}"]),
        ("null log-likelihood", [f"{learned.llnull:.2f}"] * 6),
        ("pseudo $R^2$", [f"{learned.prsquared:.3f}", f"{equal.prsquared:.3f}"]),
        ("AIC", [f"{learned.aic:.2f}", f"{equal.aic:.2f}"]),
        ("BIC", [f"{learned.bic:.2f}", f"{equal.bic:.2f}"]),
        ("accuracy", [f"{learned.accuracy:.3f}"]),
        ("held-out accuracy", [f"{table.rows[0].held_out:.3f}"]),
    ):
        assert rows[places[name]][1 : 1 + len(values)] == values
    assert learned.covariance == "clustered"
    assert "Standard errors in parentheses, from the covariance clustered" in table.as_latex()
    assert "(given): not learned" in table.as_latex()


def test_scores_have_r_squared_in_place_of_a_pseudo_one():
    table = wf.compare(
        {"learned": wf.WelfareRegressor(scale=True), "sum": "utilitarian"},
        SCORES.utilities,
        2 * SCORES.scores,
        folds=None,
    )
    rows = {row[0]: row[1:] for row in cells(table.as_latex())}
    assert rows["$R^2$"][0] == f"{table.results[0].rsquared:.4f}"
    assert rows["null log-likelihood"][0] == f"{table.results[0].llnull:.2f}"
    assert not any("pseudo" in name for name in rows)
    assert "decision makers" not in rows


# --- that LaTeX sets them ----------------------------------------------------------------------


@pytest.mark.skipif(WITHOUT_TEX, reason="no pdflatex is installed")
@pytest.mark.parametrize("booktabs", [True, False])
def test_latex_sets_the_tables(tmp_path, booktabs):
    if (
        booktabs
        and not subprocess.run(
            ["kpsewhich", "booktabs.sty"], capture_output=True, check=False
        ).stdout
    ):
        pytest.skip("the package booktabs is not installed")
    few = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=BY % 9)
    edge = problems.comparisons(3, 60, 4, 600, p=0.5, tau=4.0, sparse=0.1).comparisons()
    options = dict(booktabs=booktabs, digits=3, stars=True)
    tables = [
        FIT.summary().as_latex(label="tab:a", **options),
        wf.ComparisonClassifier().fit(few).result_.summary().as_latex(label="tab:b", **options),
        wf.ComparisonClassifier().fit(edge).result_.summary().as_latex(**options),
        side_by_side(folds=2).as_latex(label="tab:c", caption="Models & rules", **options),
    ]
    needed = r"\usepackage{booktabs}" if booktabs else ""
    page = "\n".join(
        [
            r"\documentclass{article}\usepackage[landscape,margin=1cm]{geometry}" + needed,
            r"\begin{document}\tiny",
            *tables,
            r"See Tables \ref{tab:a}, \ref{tab:b} and \ref{tab:c}.",
            r"\end{document}",
        ]
    )
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    for _ in range(2):  # the second time for the references
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 10_000
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert not re.search("undefined|Missing character", log)
