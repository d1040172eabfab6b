"""The summary of a fit in all its forms: the same numbers, nothing lost, nothing torn."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.base.exports import Table, as_json, number, pair, strict
from welfarist.inference import estimates as overview

CHOICES = problems.comparisons(3, 80, 3, 1500, p=-0.6, tau=4.0).comparisons()
FIT = wf.ComparisonClassifier().fit(CHOICES).result_
# Half a unit of the last decimal that is printed.
PRINTED = 0.5e-4 + 1e-12
COLUMNS = ["parameter", "estimate", "standard_error", "low", "high", "method", "note"]


def quiet(estimator, *data):
    """Fit without the warnings that small data sets give rise to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return estimator.fit(*data).result_


def strictly(text):
    """Read JSON as readers do that know no NaN and no Infinity."""

    def refuse(word):
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


class Cells(HTMLParser):
    """The cells of the rows of a table; every tag that is opened must be closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.tags, self.said = [], [], set(), []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if self.open and self.open[-1] == "p":
            self.said.append(data)


def text_rows(text):
    """The cells of the rows of a text, by the name that opens them."""
    lines = [re.sub(" to +", " to ", line) for line in text.splitlines() if line[:2] == "  "]
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines]
    return {row[0]: row[1:] for row in rows}


def latex_rows(text):
    plain = text.replace("$-$", "-").replace(r" $\varepsilon$", "")
    for symbol in (r"$p$", r"$\tau$", r"$\rho$"):
        plain = plain.replace(symbol, symbol.strip("$\\"))
    plain = plain.replace("$R^2$", "R squared")
    body = [line[:-3].split(" & ") for line in plain.splitlines() if line.endswith(r" \\")]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in body}


# --- the same numbers everywhere ---------------------------------------------------------------


def test_every_form_holds_the_numbers_of_the_fit():
    summary = FIT.summary(level=0.9)
    record = strictly(summary.as_json())
    by_name = {row["parameter"]: row for row in record["parameters"]}
    frame = summary.to_frame().set_index("parameter")
    for i, name in enumerate(FIT.param_names):
        low, high = FIT.interval(name, level=0.9)
        expected = FIT.params[i], FIT.bse[i], low, high
        keys = ("estimate", "standard_error", "low", "high")
        assert tuple(by_name[name][key] for key in keys) == expected
        assert tuple(frame.loc[name, list(keys)]) == expected
        assert by_name[name]["method"] == "profile"
        label = {"p": "power p", "tau": "temperature tau"}.get(name, name)
        for cells in (text_rows(summary)[label], latex_rows(summary.as_latex())[label]):
            printed = [float(cells[0]), float(cells[1]), *map(float, cells[2].split(" to "))]
            assert printed == pytest.approx(expected, abs=PRINTED)
    assert record["fit"]["log-likelihood"] == FIT.llf
    assert record["fit"]["AIC"] == FIT.aic
    assert record["fit"]["BIC"] == FIT.bic
    assert record["fit"]["mean loss"] == FIT.loss
    assert record["fit"]["accuracy"] == FIT.accuracy
    assert record["decisions"] == 1500
    assert record["level"] == 0.9
    assert record == json.loads(json.dumps(summary.to_dict()))


def test_html_and_latex_have_the_cells_of_the_text():
    summary = FIT.summary()
    cells = Cells(summary.as_html())
    assert summary._repr_html_() == summary.as_html()
    shown = {row[0]: [cell for cell in row[1:] if cell] for row in cells.rows}
    as_text = text_rows(summary)
    as_latex = latex_rows(summary.as_latex())
    assert set(shown) - {""} <= set(as_text)
    for name, row in shown.items():
        if name:
            assert [" ".join(cell.split()) for cell in row] == [
                " ".join(cell.split()) for cell in as_text[name]
            ]
            doctrine = name == "power p"  # which LaTeX has below the table
            assert [cell for cell in as_latex[name] if cell] == [
                " ".join(cell.split()) for cell in (row[:-1] if doctrine else row)
            ]
    assert f"power p: {FIT.welfare.doctrine}" in summary.as_latex()
    assert all(line in " ".join(summary.split()) for line in cells.said)


def test_inequality_aversion_is_one_less_p_with_its_ends_turned():
    frame = FIT.to_frame().set_index("parameter")
    p, aversion = frame.loc["p"], frame.loc["inequality aversion"]
    assert aversion["estimate"] == 1 - p["estimate"]
    assert (aversion["low"], aversion["high"]) == (1 - p["high"], 1 - p["low"])
    assert aversion["standard_error"] == p["standard_error"]


def test_summary_is_a_text():
    summary = FIT.summary()
    assert isinstance(summary, str)
    assert type(summary.as_text()) is str
    assert summary == summary.as_text() == repr(summary) == str(summary)
    again = pickle.loads(pickle.dumps(summary))
    assert again == summary
    assert again.as_html() == summary.as_html()
    assert "0x" not in summary.as_html() + summary.as_json() + summary


def test_golden_text():
    utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0], [5.0, 2.0]]
    frame = pd.DataFrame(utilities, columns=["staff", "patients"])
    result = wf.WelfareRegressor().fit(frame, [2.1, 2.9, 4.0, 4.1, 2.9, 3.3])
    # How many steps and starts it takes may differ between machines.
    shown = re.sub(r"\d+ steps; \d+ of \d+ starts", "… steps; … starts", result.result_.summary())
    assert shown == GOLDEN.strip("\n")


GOLDEN = """
Learned from 6 decisions
                       estimate  std. error       95% interval
  power p               -0.0252      0.0345  -0.1472 to 0.0883  close to Nash
  inequality aversion    1.0252      0.0345   0.9117 to 1.1472
  weight of staff        0.4956      0.0084   0.4668 to 0.5238
  weight of patients     0.5044      0.0084   0.4762 to 0.5332
  mean loss              0.0088
  R squared              0.9815
  log-likelihood           5.69
  null log-likelihood     -6.28
  AIC                     -7.37
  BIC                     -7.79
Converged: no step promises a lower loss (… steps; … starts found this optimum)
95% intervals by profile likelihood
Standard errors from the likelihood's curvature
"""


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.25, 0.5, ("0.2500", "0.5000")),
        (-0.0006354, 0.003912, ("-0.0006", "0.0039")),
        (0.0, 6.951e-6, ("0.0000000", "0.0000070")),
        (0.0, 2.5e-12, ("0.000e+00", "2.500e-12")),
        (0.0004, 12345.6, ("0", "12346")),
        (-np.inf, 0.0004, ("-inf", "0.0004")),
        (np.inf, np.inf, ("inf", "inf")),
        (None, None, ("", "")),
    ],
)
def test_both_ends_of_an_interval_have_one_format(low, high, shown):
    assert pair(low, high) == shown


# --- which intervals ---------------------------------------------------------------------------


def forgetful(result):
    """The same result, of which nothing has been worked out yet."""
    return replace(result, likelihood=replace(result.likelihood))


def test_small_fits_have_profiles_and_large_ones_wald_intervals(monkeypatch):
    assert set(FIT.to_frame()["method"]) == {"profile"}
    monkeypatch.setattr(overview, "_AFFORDABLE_WEIGHTS", 0)
    summary = forgetful(FIT).summary()
    assert "profile likelihood for p and tau, by standard errors (Wald) for weights" in summary
    frame = summary.to_frame().set_index("parameter")
    expected = FIT.interval("weight of person 1", method="wald")
    assert tuple(frame.loc["weight of person 1", ["low", "high"]]) == expected
    monkeypatch.setattr(overview, "_AFFORDABLE", 0)
    assert set(forgetful(FIT).to_frame()["method"]) == {"wald"}
    assert set(FIT.to_frame(method="profile")["method"]) == {"profile"}


def test_many_people_get_wald_intervals_for_weights():
    data = problems.comparisons(1, 300, 18, 2000, p=-1.0, tau=8.0).comparisons()
    frame = wf.ComparisonClassifier().fit(data).result_.to_frame().set_index("parameter")
    assert frame.loc["p", "method"] == "profile"
    assert frame.loc["weight of person 17", "method"] == "wald"


def test_covariance_is_used_and_named():
    by = np.random.default_rng(0).integers(0, 40, len(CHOICES))
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    result = wf.ComparisonClassifier().fit(data).result_
    assert 'summary(covariance="clustered")' in result.summary(covariance="fisher")
    for kind, words in (("robust", "sandwich"), ("clustered", "clustered by who decided")):
        summary = result.summary(covariance=kind)
        assert words in summary
        row = summary.to_frame().iloc[0]
        assert row["standard_error"] == np.sqrt(result.cov_params(kind)[0, 0])
        assert (row["low"], row["high"]) == result.interval("p", method="wald", covariance=kind)
        assert summary.to_dict()["covariance"] == kind


def test_nothing_is_worked_out_without_a_level(monkeypatch):
    monkeypatch.setattr(overview, "interval", None)  # a call would fail
    monkeypatch.setattr(overview, "variances_of", None)
    summary = FIT.summary(level=None)
    assert "std. error" not in summary
    assert " to " not in summary
    assert "intervals by" not in summary
    assert summary.to_frame()[["standard_error", "low", "high"]].isna().all(axis=None)


def test_weights_of_zero_have_profiles_and_no_standard_error():
    data = problems.scores(5, 60, 12, sparse=0.2, noise=0.2)
    result = wf.WelfareRegressor().fit(data.utilities, data.scores).result_
    frame = result.to_frame().set_index("parameter")
    zero = frame[frame["estimate"] == 0]
    assert len(zero) > 2
    assert zero["standard_error"].isna().all()
    assert (zero["method"] == "profile").all()
    assert tuple(zero[["low", "high"]].iloc[0]) == result.interval(zero.index[0])
    assert "profile likelihood for p and weights of 0" in result.summary()
    asked = result.summary(method="wald")
    assert f"as for {zero.index[0]}" in " ".join(asked.split())
    assert asked.to_frame().set_index("parameter").loc[zero.index, "low"].isna().all()


def test_what_data_do_not_determine_has_a_profile_and_no_standard_error():
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 9, (60, 2))[:, [0, 1, 1]]
    scores = wf.power_mean(table, 0.5, [0.4, 0.3, 0.3])
    scores += np.random.default_rng(1).normal(0, 0.1, 60)
    summary = quiet(wf.WelfareRegressor(), table, scores).summary()
    assert summary.count("No standard errors: standard errors need data that determine") == 1
    frame = summary.to_frame()
    assert frame["standard_error"].isna().all()
    assert frame["low"].notna().all()


# --- fits without intervals --------------------------------------------------------------------


def egalitarian_choices():
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (80, 4))
    pairs = rng.permuted(np.tile(np.arange(80), (600, 1)), axis=1)[:, :2]
    welfare = np.log(table.min(axis=1))
    margin = welfare[pairs[:, 0]] - welfare[pairs[:, 1]]
    return wf.Comparisons(table, pairs, np.sign(margin + rng.logistic(scale=1 / 8, size=600)))


def noise_free_choices():
    first, second = (CHOICES.utilities[CHOICES.pairs[:150, i]] for i in (0, 1))
    outcomes = wf.WelfareFunction(-0.6, [0.5, 0.3, 0.2]).compare(first, second)
    return wf.Comparisons(CHOICES.utilities, CHOICES.pairs[:150], outcomes)


def test_an_infinite_p_is_an_ordinary_answer():
    result = wf.ComparisonClassifier(weights="equal").fit(egalitarian_choices()).result_
    assert result.p == -np.inf
    summary = result.summary()
    low, high = result.interval("p")
    assert low == -np.inf
    rows = {row["parameter"]: row for row in strictly(summary.as_json())["parameters"]}
    assert (rows["p"]["estimate"], rows["p"]["low"], rows["p"]["high"]) == ("-inf", "-inf", high)
    aversion = rows["inequality aversion"]
    assert (aversion["estimate"], aversion["low"], aversion["high"]) == ("inf", 1 - high, "inf")
    assert summary.to_frame().iloc[0]["low"] == -np.inf
    assert r"power $p$ & $-\infty$ &  & $-\infty$ to $-$" in summary.as_latex()
    assert "egalitarian" in text_rows(summary)["power p"][-1]


def test_weights_where_p_is_at_its_edge_may_be_anything():
    result = quiet(wf.ComparisonClassifier(), egalitarian_choices())
    assert result.likelihood.power_on_edge
    frame = result.to_frame().iloc[2:6]
    assert frame["standard_error"].isna().all()
    assert frame[["method", "low", "high"]].to_numpy().tolist() == [["profile", 0.0, 1.0]] * 4
    asked = " ".join(result.summary(method="wald").split())
    assert "do not apply where an estimate lies at the end of its range, as for p, weight" in asked
    robust = result.summary(covariance="robust")  # the likelihood stands in, and says so
    assert robust.to_frame()["method"].tolist()[2:6] == ["profile"] * 4
    assert "Profile likelihoods take the noise model at its word" in robust


def test_reasons_are_given_where_there_are_no_intervals():
    few = CHOICES[:150]
    perfect = wf.WelfareFunction(0.5, [0.2, 0.3, 0.5])(CHOICES.utilities)
    fits = (
        (
            quiet(wf.ComparisonClassifier(small_sample="none"), noise_free_choices()),
            "found tau at its cap",
        ),
        (quiet(wf.ComparisonClassifier(max_iter=2, n_starts=1), few), "found one that did not"),
        (quiet(wf.WelfareRegressor(), CHOICES.utilities, perfect), "nothing but rounding"),
    )
    for result, words in fits:
        for method in (None, "profile", "wald"):
            summary = result.summary(method=method)
            assert words in " ".join(summary.split())
            assert "intervals by" not in summary
            assert summary.to_frame()[["standard_error", "low", "high"]].isna().all(axis=None)
            assert strictly(summary.as_json())["parameters"][0]["low"] is None


def test_counted_errors_show_ranges_and_proof():
    result = wf.ComparisonClassifier(noise="none").fit(noise_free_choices()).result_
    summary = result.summary()
    low, high = result.exact.explanations.weight_ranges
    frame = summary.to_frame().set_index("parameter")
    people = [f"weight of person {i}" for i in range(3)]
    assert (frame.loc[people, "low"] == low).all()
    assert (frame.loc[people, "high"] == high).all()
    assert (frame.loc[people, "method"] == "ranges").all()
    assert "range" in summary.splitlines()[1]
    assert "Proven optimal" in summary
    assert "std. error" not in summary
    assert set(summary.to_dict()["fit"]) == {"share of errors", "accuracy"}
    assert "range" not in result.summary(level=None).splitlines()[1]


def test_a_certificate_is_shown_once_it_is_known():
    result = wf.ComparisonClassifier(weights="equal").fit(CHOICES[:200]).result_
    assert "Proven" not in result.summary()
    bound = result.certificate.lower_bound
    assert f"Proven: no rule has a mean loss below {bound:.6g}" in result.summary()


def test_bad_input():
    cases = (
        (dict(level=1.0), "level must be a number between 0 and 1"),
        (dict(level="95"), "level must be a number between 0 and 1"),
        (dict(method="exact"), "method must be"),
        (dict(covariance="hc3"), "covariance must be one of"),
        (dict(method="profile", covariance="robust"), "a profile likelihood takes the noise model"),
    )
    counted = quiet(wf.ComparisonClassifier(noise="none"), noise_free_choices())
    for given, words in cases:
        for result in (FIT, counted):
            with pytest.raises(wf.InputError, match=words):
                result.summary(**given)
            with pytest.raises(wf.InputError, match=words):
                result.to_frame(**given)


# --- names, and tables in general --------------------------------------------------------------

AWKWARD = [
    "R&D_50% <b>",
    "日本の人々",
    "two\nlines $x^2$ {~}\\",
    "a name of some sixty letters " * 2,
]


def awkward_fit():
    table = np.random.default_rng(1).uniform(1, 9, (80, 4))
    scores = wf.power_mean(table, 0.3, [0.1, 0.2, 0.3, 0.4])
    scores += np.random.default_rng(2).normal(0, 0.2, 80)
    return wf.WelfareRegressor().fit(pd.DataFrame(table, columns=AWKWARD), scores).result_


def test_no_name_is_lost_or_breaks_a_table():
    summary = awkward_fit().summary()
    html = Cells(summary.as_html())
    assert [f"weight of {name}" for name in AWKWARD] == [row[0] for row in html.rows[3:7]]
    assert "b" not in html.tags
    assert [row["parameter"] for row in strictly(summary.as_json())["parameters"]][2:6] == [
        f"weight of {name}" for name in AWKWARD
    ]
    latex = summary.as_latex()
    assert r"weight of R\&D\_50\% \textless{}b\textgreater{} & " in latex
    assert r"two lines \$x\textasciicircum{}2\$ \{\textasciitilde{}\}\textbackslash{}" in latex
    table = latex[latex.index(r"\toprule") : latex.index(r"\end{tabular}")]
    assert {line.count(" & ") for line in table.splitlines() if line[0] != "\\"} == {3}
    for name in AWKWARD:
        assert " ".join(name.splitlines()) in summary


def test_columns_line_up_whatever_the_letters():
    lines = awkward_fit().summary().splitlines()
    wide = {"日": 5}  # five letters of double width
    ends = []
    for line in lines[2:9]:
        extra = sum(count for letter, count in wide.items() if letter in line)
        found = re.search(r"\s-?\d+\.\d{4}(?=\s|$)", line[20:])
        ends.append(20 + found.end() + extra)
    assert len(set(ends)) == 1


def test_lines_below_a_table_are_folded_and_not_cut():
    line = "word " * 50 + "x" * 120
    text = Table("t", ("", ""), (("a", "1"),), ("left", "right"), (line,)).as_text()
    assert " ".join(text.splitlines()[3:]).split() == line.split()
    assert max(len(row) for row in text.splitlines()[3:-1]) <= 100


def test_strict_json():
    record = {"a": -np.inf, "b": [np.inf, {"c": (1.0, "x")}], "d": None, "e": np.float64(0.1)}
    assert strictly(as_json(record)) == {
        "a": "-inf",
        "b": ["inf", {"c": [1.0, "x"]}],
        "d": None,
        "e": 0.1,
    }
    assert strict(np.float64("inf")) == "inf"
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"a": np.nan})  # there is never one: an error, rather than a silent NaN


def test_numbers_are_printed_briefly():
    shown = {0.0: "0.0000", 12345.6: "1.235e+04", -0.5: "-0.5000", 9999.0: "9999.0000"}
    assert {value: number(value) for value in shown} == shown


def test_short_reprs():
    result = wf.ComparisonClassifier(noise="none").fit(noise_free_choices()).result_
    for shown in (repr(result), repr(result.exact), repr(FIT)):
        assert len(shown) < 130
        assert "\n" not in shown
    assert repr(FIT).startswith("FitResult(p=-0.7374")
    assert repr(wf.simulate.organisations(5)) == "Organisations(5 with 8 features)"


def test_frames_without_pandas(monkeypatch):
    monkeypatch.setattr("welfarist.base.data_frames._FRAME_LIBRARIES", ("polars",))
    frame = FIT.to_frame()
    assert type(frame).__module__.startswith("polars")
    assert frame.columns == COLUMNS == list(FIT.summary().record.rows[0].to_dict())
    assert frame["low"].is_not_null().all()


def test_first_cells_of_latex_rows_are_not_read_as_part_of_the_row_before():
    rows = (('"a"', "1"), ("[b] & c", "2"), ("*", "3"))
    latex = Table("", ("", "p"), rows, ("left", "right")).as_latex()
    assert r"\char34{}a\char34{} & 1 \\" in latex  # \textquotedbl would need a package
    assert "\n{}[b] \\& c & 2 \\\\\n{}* & 3 \\\\\n" in latex


def test_a_million_decisions_are_counted_in_full():
    counts = np.full(len(CHOICES), 2e6 / len(CHOICES))
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, counts)
    summary = wf.ComparisonClassifier().fit(data).result_.summary(level=None)
    assert summary.startswith("Learned from 2000000 decisions")


def test_a_summary_says_where_the_family_does_not_fit():
    """In every form, as on the command line."""
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (60, 2))
    pairs = wf.simulate.random_pairs(60, 3000, random_state=1)
    value = np.abs(np.log(table[:, 0] / 3)) + 0.1 * table[:, 1]  # no power mean
    margin = value[pairs[:, 0]] - value[pairs[:, 1]]
    outcomes = np.where(margin + rng.logistic(scale=0.1, size=3000) > 0, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        result = wf.ComparisonClassifier().fit(wf.Comparisons(table, pairs, outcomes)).result_
    assert result.misfit().clear
    summary = result.summary()
    for text in (summary, summary.as_latex(), summary.as_html(), summary.as_json()):
        assert "The family does not describe" in text
