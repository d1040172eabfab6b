"""Reports on several decision makers: what they say is what was learned, for anybody to read."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

import welfarist as wf
from tests.show.panels import STAKEHOLDERS, TWO, WHO, deciders, quietly, types
from tests.show.test_report import Reader, pictures
from welfarist.base.errors import NotConvergedWarning
from welfarist.results.learned import Caveat
from welfarist.show.report import report_html, type_words, typed, words
from welfarist.show.report.plain_words import _CODE

mpl.use("Agg")

BOTH = [types("three"), deciders("three")]


def text_of(result, **options):
    return Reader(report_html(result, **options)).text


@pytest.mark.parametrize("result", BOTH, ids=["types", "deciders"])
def test_a_page_is_whole_inert_and_the_same_each_time(result):
    page = report_html(result, title="Who <decides>?", note="asked & answered")
    assert page == report_html(result, title="Who <decides>?", note="asked & answered")
    read = Reader(page)
    assert "<script" not in page
    assert "<b>" not in page
    for name in [*STAKEHOLDERS, WHO[3]]:
        assert re.sub(r"\s+", " ", name).strip() in read.text
    assert "Who <decides>?" in read.text
    assert "asked & answered" in read.text
    assert not [a for a in read.all("img") if not a["src"].startswith("data:")]
    assert pictures(page)
    assert all(a["alt"] for a in read.all("img"))
    assert _CODE.search(read.text.replace("result_", "")) is None
    assert "NeurIPS 2024" in read.text


@pytest.mark.parametrize("result", BOTH, ids=["types", "deciders"])
def test_options_are_those_of_any_report(result, tmp_path):
    path = tmp_path / "report.html"
    result.report(
        path, title="T", unit="francs", files=["a.csv"], date="2026-01-31", remarks=["3 rows"]
    )
    text = Reader(path.read_text()).text
    for said in ("francs", "a.csv", "31 January 2026", "3 rows"):
        assert said in text
    with pytest.raises(wf.InputError, match="method is an option of a report on one rule"):
        report_html(result, method="wald")
    with pytest.raises(wf.InputError, match="people is an option of a report on one rule"):
        report_html(result, people=(0, 1))
    with pytest.raises(wf.InputError, match="level must be"):
        report_html(result, level=2)
    assert "90% intervals" in text_of(result, level=0.9)


def test_the_types_are_told_with_their_shares_and_rules():
    result = types()
    text = text_of(result)
    assert "These 16 people are of two types, each with a rule of its own." in text
    for k, one in enumerate(result.types):
        assert f"type {k + 1}, about half ({words.percent(one.share)})".lower() in text.lower()
        assert f"p = {words.power(one.p)}" in text
    row = next(r for r in result.estimates() if r.type == 0 and r.parameter == "p")
    ends = [words.power(x) for x in (row.estimate, row.low, row.high)]
    assert "{} ({} to {})".format(*ends) in text
    assert "All 16 people can be sorted with a certainty of at least 90%." in text
    assert "Whether people differ by degree instead was not asked." in text


def test_how_often_a_type_is_right_is_counted_anew():
    result = types()
    for k, one in enumerate(result.types):
        right = np.sign(one.log(TWO.utilities)[TWO.pairs] @ [1, -1]) == np.sign(TWO.outcomes)
        belongs = result.membership[np.searchsorted(result.mixture.panel.names, TWO.by), k]
        assert typed._accuracy(result, k) == pytest.approx(np.average(right, weights=belongs))


def test_headlines_follow_the_best_description():
    result = types("two", n_types="auto", max_types=3, population=True)
    degree = next(one for one in result.candidates if one.types is None)

    def told(**changes):
        candidates = tuple(
            replace(one, log_likelihood=one.log_likelihood + changes.get(one.name, -1e4))
            for one in result.candidates
        )
        return text_of(replace(result, candidates=candidates))

    assert "differ by degree: their rules shade into each other" in told(**{degree.name: 0.0})
    assert "types are a summary" in told(**{degree.name: 0.0})
    assert "are described better by one rule for all" in told(**{"one rule": 0.0})
    assert "are of two types, each with a rule of its own" in told(**{"2 types": 0.0})


def test_one_rule_for_all_is_said_so():
    alone = types("two", n_types=1)
    text = text_of(alone)
    assert "There is no sign that these 16 people follow different rules." in text
    assert "Who belongs where" not in text


def test_everybody_is_in_the_report_and_folded_where_there_are_many():
    for result in BOTH:
        page = report_html(result)
        inside = re.search("<details>.*</details>", page, flags=re.DOTALL).group()
        assert all(Reader(f"<p>{who.replace('<', '&lt;')}</p>").text in Reader(inside).text
                   for who in WHO)  # fmt: skip
    assert "<details>" not in report_html(types()) + report_html(deciders())


def test_the_population_is_told_in_words():
    result = deciders()
    text = text_of(result)
    low, middle, high = (words.power(float(x)) for x in result.population.quantiles("p"))
    assert f"The typical one of these 16 people has p = {middle}" in text
    assert f"Half of them lie between {low} and {high}." in text
    share = result.population.share("p", below=0.0)
    assert f"({words.percent(share)})" in text
    assert "more averse to inequality than Nash" in text
    fixed = text_of(deciders(learner=wf.ComparisonClassifier(p=0)))
    assert "differ in who counts how much" in fixed
    assert "averse to inequality" not in fixed


def test_a_population_of_types_has_a_report_too():
    assert "one of a few rules" in text_of(deciders(population="types"))


@pytest.mark.parametrize("make", [types, deciders])
def test_subgroups_are_compared_where_something_is_known(make):
    known = make("known")
    text = text_of(known)
    assert "Do subgroups differ?" in text
    assert "north and south <i>" in text
    value = words.p_value(known.test(same=["ward"]).p_value)
    assert f"p-value {value}" in text
    assert "ward: south <i>" in text
    assert "Do subgroups differ?" not in text_of(make("three"))


def test_a_search_that_did_not_end_well_is_said_first():
    result = types()
    message = (
        "only 1 of 20 starts reached the best 2 types: there may be better ones. Raise n_starts."
    )
    best = replace(result.best, converged=False)
    page = text_of(
        replace(
            result,
            caveats=(Caveat(NotConvergedWarning, message),),
            candidates=tuple(best if one is result.best else one for one in result.candidates),
        )
    )
    assert page.index("Warning: the search did not end well") < page.index("Which rules do", 60)
    assert "Only 1 of 20 starts reached the best 2 types: there may be better ones." in page
    assert "n_starts" not in page


def test_without_matplotlib_there_are_no_figures(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for result in BOTH:
        page = report_html(result)
        assert "<img" not in page
        assert "The figures are left out" in page


def test_one_rule_for_several_people_is_said_to_be_one():
    text = text_of(quietly(wf.ComparisonClassifier(), TWO))
    assert "16 people decided, and may follow different rules" in text
    alone = wf.Comparisons(TWO.utilities, TWO.pairs, TWO.outcomes)
    assert "may follow different rules" not in text_of(quietly(wf.ComparisonClassifier(), alone))


def test_shares_and_weights_in_words():
    assert type_words.share(0.48) == "about half"
    assert type_words.share(0.7) == "about seven in ten"
    names = ["self", "other"]
    assert type_words.weights(np.array([0.5, 0.5]), names) == "both count about the same"
    assert type_words.weights(np.array([0.99, 0.01]), names) == "other hardly counts beside self"
    assert type_words.weights(np.array([0.2, 0.8]), names).startswith("self counts about a quarter")
    six = type_words.weights(np.array([0.4, 0.3, 0.2, 0.1, 0.0, 0.0]), list("abcdef"))
    assert (
        six == "most weight on a (40%), then b (30%) and c (20%); one other less; two hardly at all"
    )
    assert type_words.weights(np.full(4, 0.25), list("abcd")) == "everybody counts about the same"
