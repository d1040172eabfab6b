"""The report: what it says is what was learned, and the page needs nothing else."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2

import welfarist as wf
from tests.show.test_plots import decisions, fit
from welfarist import simulate
from welfarist.inference.reference import chance_beyond
from welfarist.people.tradeoffs import required_gain, worst_off
from welfarist.show.report import document, facts, people, report_html, words
from welfarist.show.report.markup import text
from welfarist.show.report.plain_words import plain

ROOT = Path(__file__).parents[2]
# Hypertext elements that have no end.
EMPTY = {"meta", "img"}

NAMES = ["<script>alert(1)</script>", 'quotes " and & $signs$', "tab\tand bell\x07 名前"]
CHOICES = decisions(3, 300, -1, 15, weights=[0.5, 0.3, 0.2], names=NAMES)
RESULT = fit(CHOICES)
PAGE = report_html(RESULT, title="Who <decides>?")


class Reader(HTMLParser):
    """Elements with their attributes, and the text; complains of what is not closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


READ = Reader(PAGE)


def pictures(page):
    codes = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
    return [base64.b64decode(code).decode() for code in codes]


def text_of(result, **options):
    return Reader(report_html(result, **options)).text


def test_page_is_well_formed_and_accessible():
    assert READ.all("html") == [{"lang": "en"}]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in READ.all(
        "meta"
    )
    assert len(READ.all("img")) == 4
    assert all(len(image["alt"]) > 40 for image in READ.all("img"))
    assert all(cell["scope"] in ("row", "col") for cell in READ.all("th"))
    assert len(READ.all("caption")) == len(READ.all("table"))
    assert READ.text.count("Who <decides>?") == 2


def test_nothing_is_loaded_from_elsewhere():
    assert {tag for tag, _ in READ.elements}.isdisjoint({"script", "link", "iframe", "object"})
    for _, attributes in READ.elements:
        for name in ("src", "href", "srcset"):
            assert attributes.get(name, "data:").startswith("data:")
    assert "http" not in PAGE
    assert "url(" not in PAGE
    assert "@import" not in PAGE


def test_names_are_escaped_in_page_and_figures():
    assert "<script" not in PAGE
    for name in NAMES[:2]:
        assert name in READ.text
    assert "\x07" not in PAGE
    drawings = pictures(PAGE)
    assert len(drawings) == 4
    for drawing in drawings:
        ElementTree.fromstring(drawing)  # well-formed, whatever the names
        assert not re.search(r'(href|src)="(?!#)', drawing)
        assert "<script" not in drawing
    assert 'quotes " and &amp; $signs$' in drawings[1]


def test_same_fit_same_bytes_whatever_the_settings_of_the_session():
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 30, "svg.fonttype": "path"}):
        again = report_html(RESULT, title="Who <decides>?")
    assert again == PAGE


def test_answer_has_the_numbers_of_the_fit():
    low, high = RESULT.interval("p")
    p, low, high = (words.power(x) for x in (RESULT.p, low, high))
    assert f"These 300 decisions look like those of somebody with p = {p}" in READ.text
    assert f"(95% interval {low} to {high})" in READ.text
    assert f"gets {RESULT.accuracy:.0%} of the decisions right" in READ.text
    for person, (a, b) in zip(RESULT.weights, RESULT.interval("weights"), strict=True):
        assert f"{100 * person:.1f}% {100 * a:.1f}% to {100 * b:.1f}%" in READ.text


def test_verdicts_are_those_of_the_tests():
    rejected = re.search(r"right\. (.*?) are rejected", READ.text).group(1)
    for name in ("utilitarian", "Nash", "harmonic"):
        value = RESULT.test(name).p_value
        assert (name.lower() in rejected.lower()) == (value < words.REJECTED)
        assert f"{name} p = " in READ.text
    assert RESULT.test("utilitarian").p_value < 1e-4
    assert "utilitarian p = 1 rejected p-value below 0.0001" in READ.text
    assert "egalitarian p = −∞ rejected p-value below 0.0001, roughly" in READ.text  # noqa: RUF001


def test_verdicts_do_not_move_with_the_level_of_intervals():
    result = fit(decisions(3, 60, -4, 8, weights=[0.5, 0.3, 0.2]))
    lost = result.profile().at_limits[0]
    chance = chance_beyond(result.likelihood, lost, 3)  # p and two weights
    assert words.REJECTED > chance > 0.001
    for level in (0.5, 0.999):
        said = text_of(result, level=level)
        assert f"p = −∞ rejected p-value {words.p_value(chance)}, roughly" in said  # noqa: RUF001


def test_rough_p_values_of_egalitarian_choices_are_cautious():
    table = np.exp(np.random.default_rng(1).uniform(0, 3, (30, 2)))
    pairs = simulate.random_pairs(30, 150, random_state=1)
    rejected = 0
    for seed in range(20):
        chance = 1 / (1 + np.exp(-4 * np.log(table.min(axis=1))[pairs] @ [1, -1]))
        outcomes = np.where(np.random.default_rng(seed).random(150) < chance, 1, -1)
        result = fit(wf.Comparisons(table, pairs, outcomes))
        null = fit(result.decided, p=-np.inf)
        rejected += chi2.sf(2 * (result.llf - null.llf), 2) < words.REJECTED
    assert rejected <= 4  # of 20: more than that has a chance of 0.3% at a level of 5%


def test_standard_errors_that_were_chosen_are_those_of_the_whole_report():
    by = np.arange(300) % 25
    known = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    result = fit(known).with_covariance("clustered")
    found = text_of(result)
    low, high = (words.power(x) for x in result.interval("p"))
    assert (low, high) != tuple(words.power(x) for x in result.interval("p", method="profile"))
    assert f"(95% interval {low} to {high})" in found
    for a, b in result.interval("weights"):
        assert f"{100 * a:.1f}% to {100 * b:.1f}%" in found
    assert "Tests by clustered standard errors" in found
    value = result.test("harmonic", covariance="clustered").p_value
    assert f"p-value {words.p_value(value)}" in found
    assert "even if decisions of the same person depend on each other" in found
    assert "likelihood-ratio test" not in found


def test_level_and_method_are_those_of_the_summary():
    for level, method in ((0.8, None), (0.95, "wald")):
        rows = {row.parameter: row for row in RESULT.summary(level, method).record.rows}
        found = text_of(RESULT, level=level, method=method)
        ends = rows["p"].low, rows["p"].high
        low, high = (words.power(x, ends) for x in ends)
        assert f"({100 * level:g}% interval {low} to {high})" in found
        for name in RESULT.stakeholders:
            row = rows[f"weight of {name}"]
            assert f"{100 * row.low:.1f}% to {100 * row.high:.1f}%" in found
    assert "Intervals are the estimate plus and minus standard errors." in found
    with pytest.raises(wf.InputError, match="method must be"):
        report_html(RESULT, method="guess")


def test_an_end_beside_a_doctrine_shows_its_side():
    end = "\N{MINUS SIGN}0.001"
    assert [words.power(x, (-0.0013, 0.2675)) for x in (-0.0013, 0.2675)] == [end, "0.268"]


def headline(page):
    return unescape(re.search(r'<div class="answer">(.*?)</div>', page, re.DOTALL).group(1))


def test_the_answer_says_at_once_that_it_rests_on_little():
    one = fit(wf.Comparisons([[1.0, 4.0], [3.0, 2.0]], [[0, 1]], [1]))
    page = report_html(one)
    assert "This decision looks like that of somebody with p = " in headline(page)
    assert "But other rules explain this decision as well: p is uncertain." in headline(page)
    assert "this decision rules out no p at all." in headline(page)
    assert "1 different decision cannot determine 3 parameters" in page
    assert "1 decision " not in headline(page)
    assert "But" not in headline(PAGE)
    random = wf.Comparisons(
        CHOICES.utilities, CHOICES.pairs, np.random.default_rng(0).choice([-1, 1], 300)
    )
    page = report_html(replace(fit(random), caveats=()))
    assert "But these 300 decisions rule out no p at all." in headline(page)


def test_with_two_people_there_is_one_other():
    found = text_of(fit(decisions(2, 100, -1, 8)))
    assert "everybody else" not in found
    assert "Gain to the other that makes up for a loss to the worse off of the two" in found


def test_a_note_stands_under_the_title():
    page = report_html(RESULT, title="Rules", note="Simulated <data>.")
    assert '<h1>Rules</h1>\n<p class="note">Simulated &lt;data&gt;.</p>' in page
    with pytest.raises(wf.InputError, match="note must be text"):
        report_html(RESULT, note=3)


def test_ties_for_the_largest_weight_are_named():
    result = replace(RESULT, weights=np.array([0.4, 0.4, 0.2]), stakeholders=("a", "b", "c"))
    assert people._largest(result) == "The largest weights, 40.0% each, are those of a and b."
    result = replace(result, weights=np.full(3, 1 / 3))
    assert people._largest(result) == "All weights are about the same."


def test_misfit_is_said_at_the_top_and_among_the_caveats():
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (300, 3)).round(1)
    result = wf.WelfareRegressor().fit(table, wf.power_mean(table, -1).round(1) + 1).result_
    assert result.misfit().clear
    page = report_html(result)
    found = Reader(page).text
    assert "But no rule of this kind describes these 300 decisions well: " in headline(page)
    caveats = found[found.index("Caveats") :]
    assert result.misfit().verdict in caveats
    assert "The fit gave no warnings" not in caveats
    assert str(result.residuals().rounding) in found


def test_somebody_who_had_nothing_can_be_most_in_favour():
    table = np.array([[1.0, 4.0], [0.0, 9.0], [3.0, 3.0]])
    pairs, outcomes = [[0, 1]] * 5 + [[1, 2]] * 4 + [[2, 0]] * 3, [1, -1, -1, -1, -1] + [1] * 7
    table = np.column_stack([table, np.ones((3, 3))])  # many people: not everybody is listed
    found = text_of(fit(wf.Comparisons(table, pairs, outcomes), weights="equal"))
    assert "person 0, 1 against 0" in found
    assert "person 1, 4 against 9" in found


def test_trade_off_is_the_median_of_searches_over_the_actions():
    def needed(rule, action, loss):
        losing = action == action.min()

        def change(x):
            return rule.log(np.where(losing, (1 - loss) * action, np.exp(x) * action))

        if change(30.0) < rule.log(action):
            return np.inf
        return np.expm1(brentq(lambda x: change(x) - rule.log(action), 0, 30))

    found = facts.gains_of(RESULT, CHOICES.utilities)
    assert found.rules == ("learned", "utilitarian", "Nash", "egalitarian")
    assert (found.people, found.losing) == (3, 1)
    for column, p in enumerate((RESULT.p, 1.0, 0.0)):
        rule = wf.WelfareFunction(p, RESULT.weights)
        gains = sorted(needed(rule, action, 0.1) for action in CHOICES.utilities)
        assert found.median[0, column] == pytest.approx(gains[(len(gains) - 1) // 2], rel=1e-6)
    assert np.isinf(found.median[:, 3]).all()
    said = f"outweighs any gain to everybody else of less than {words.percent(found.median[0, 0])}"
    assert said in READ.text


def test_trade_off_has_an_interval_that_simulated_rules_fill():
    """Rules are drawn as often as the estimates' covariance says; most ask for gains inside."""
    by = np.random.default_rng(3).integers(0, 50, len(CHOICES))
    known = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    losing = worst_off(CHOICES.utilities).losing
    for result in (RESULT, fit(known)):
        found = facts.gains_of(result, CHOICES.utilities, 0.95)
        covariance = result.cov_params()[:4, :4]
        rng = np.random.default_rng(0)
        drawn = rng.multivariate_normal(np.asarray(result.params)[:4], covariance, 400)
        for i, loss in enumerate(facts.LOSSES):
            gains = [
                np.quantile(
                    required_gain(wf.WelfareFunction(p, weights), CHOICES.utilities, losing, loss),
                    0.5,
                    method="lower",
                )
                for p, *weights in drawn
            ]
            low, high = found.within[i]
            assert low < found.median[i, 0] < high
            inside = np.mean((low <= np.array(gains)) & (np.array(gains) <= high))
            assert 0.9 < inside < 0.99  # 400 draws, a linear approximation, a lumpy median
    narrow = facts.gains_of(RESULT, CHOICES.utilities, 0.5).within[0]
    wide = facts.gains_of(RESULT, CHOICES.utilities, 0.95).within[0]
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    low, high = (words.percent(end) for end in wide)
    assert f"(95% interval {low} to {high})." in READ.text
    assert "by their standard errors (delta method)" in READ.text


@pytest.mark.parametrize("people", [2, 3, 5])
def test_trade_off_does_not_depend_on_the_order_of_people(people):
    rng = np.random.default_rng(people)
    weights = rng.dirichlet(np.ones(people))
    table = rng.integers(1, 4, (40, people)).astype(float)
    pairs, outcomes = rng.integers(0, 40, (60, 2)), rng.choice([-1, 1], 60)
    pairs[:, 1] = (pairs[:, 0] + 1 + pairs[:, 1] % 39) % 40

    def gains(order):
        told = wf.Comparisons(table[:, order], pairs, outcomes)
        return facts.gains_of(fit(told, p=-1, weights=weights[order]), table[:, order])

    first = gains(np.arange(people))
    assert np.isfinite(first.median[0, 0])
    for _ in range(3):
        found = gains(rng.permutation(people))
        np.testing.assert_allclose(found.median, first.median, rtol=1e-9)
        assert found.middle == pytest.approx(first.middle, rel=1e-9)
        assert found.plain == pytest.approx(first.plain, rel=1e-9)


def test_of_two_equals_each_loses_in_half_of_an_action():
    rule = wf.WelfareFunction(1.0, [0.9, 0.1])
    told = wf.Comparisons([[2.0, 2.0], [3.0, 3.0], [1.0, 2.0]], [[0, 1], [1, 2]], [-1, 1])
    found = facts.gains_of(fit(told, p=1, weights=rule.weights), told.utilities)
    # Two half actions at 1/90, the third action at 9/20, two half actions at 9/10.
    assert found.median[0, 0] == pytest.approx(0.45)
    assert found.middle == pytest.approx((0.1 / 9, 0.9))
    assert found.taken.tied == 2
    assert "equally badly off, they take turns" in text_of(fit(told, p=1, weights=rule.weights))
    assert "take turns" not in READ.text


def test_actions_without_percentages_are_counted_where_they_are_left_out():
    utilities = CHOICES.utilities.copy()
    utilities[:7, 0] = 0.0
    told = wf.Comparisons(utilities, CHOICES.pairs, CHOICES.outcomes)
    said = text_of(fit(told, p=0.5, weights="equal"))
    left = len(utilities) - 7
    assert f"in each of the {left} actions of the data in which everybody has something" in said
    assert "(7 others, in which somebody has nothing, are left out: nothing has" in said
    assert "actions in which everybody has something a loss of" in said or (
        "In a typical action in which everybody has something a loss of" in said
    )
    assert "in every action of the data" not in said
    assert "in every action of the data" in READ.text


def test_what_was_added_to_utilities_is_said_where_they_are_shown():
    lower = CHOICES.utilities - 1.5
    told = wf.Comparisons(lower, CHOICES.pairs, CHOICES.outcomes, least=-2.0)
    result = fit(told, p=-1, weights="equal", shift=2.0)
    page = report_html(result)
    said = Reader(page).text
    assert "welfare (2 added to every utility)" in said
    assert "2 was added to every utility." in said
    figures = [base64.b64decode(code).decode() for code in re.findall('base64,([^"]+)', page)]
    assert any("utility + 2 of" in figure for figure in figures)
    assert "welfare (" not in READ.text
    assert "(2 added to every utility); " in str(result.surprises(1)[0])


def test_who_is_concerned_is_seen_with_what_was_added():
    """Utilities below 0 have no logarithm; what the rule sees of them has one."""
    told = wf.Comparisons([[-1.0, 3.0], [2.0, 2.5]], [[0, 1], [1, 0], [1, 0]], [1, 1, 1], least=-2)
    found = fit(told, p=-1, weights="equal", shift=2.0).surprises(1)[0]
    assert found.log_change == pytest.approx(np.log([1 / 4, 5 / 4.5]))


def test_choices_that_look_reversed_are_the_first_to_be_said():
    turned = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, -CHOICES.outcomes)
    for result in (fit(turned), fit(turned, weights="equal"), fit(turned, p=1)):
        said = text_of(result)
        assert "But the choices look reversed: no rule" in said
        assert said.count("the opposite choices are explained") == 2  # there and as a caveat
        assert words.COMPATIBLE not in said


def test_table_of_gains_fits_a_phone():
    """With an interval it has six columns, more than fit: on a phone each row is a card."""
    table = PAGE.split("Gain to everybody else that makes up")[0].rpartition("<div")[2]
    assert 'class="wide cards"' in table
    for name in ("loss", "learned", "95% interval", "utilitarian", "Nash", "egalitarian"):
        assert f'data-name="{name}">' in PAGE


def test_trade_off_without_an_interval_says_why_or_nothing():
    given = facts.gains_of(fit(CHOICES, p=0, weights="equal"), CHOICES.utilities)
    assert (given.within, given.why_not) == ((), "")
    far = fit(CHOICES, p=-np.inf)
    found = facts.gains_of(far, CHOICES.utilities)
    assert found.within == ()
    assert found.why_not == "at p = -inf weights only say who counts."
    assert f"They have no interval: {found.why_not}" in text_of(far)


def test_the_report_says_how_many_decided_and_that_few_are_few():
    by = np.random.default_rng(3).integers(0, 9, len(CHOICES))
    known = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    found = text_of(fit(known))
    assert "people who decided 9" in found
    assert "Standard errors clustered by 9 decision makers are probably too small" in found
    assert 'covariance="' not in found
    assert "Tests by clustered standard errors" in found


def test_nothing_makes_up_for_a_loss_in_an_egalitarian_rule():
    result = fit(CHOICES, p=-np.inf, weights="equal")
    found = text_of(result)
    assert "no gain to everybody else, however large, makes up for it" in found
    assert "with p = −∞ as given (egalitarian)" in found  # noqa: RUF001
    assert "The weights were given, not learned." in found


def test_surprises_and_checks_are_those_of_the_fit():
    for surprise in RESULT.surprises(10):
        ours, theirs = (
            ", ".join(
                f"{name.replace(chr(7), chr(92) + 'u0007')}: {words.amount(u)}"
                for name, u in zip(RESULT.stakeholders, utilities, strict=True)
            )
            for utilities in (surprise.utilities, surprise.other_utilities)
        )
        ours, theirs = re.sub(r"\s+", " ", ours), re.sub(r"\s+", " ", theirs)
        row = f"{surprise.row + 1} {surprise.chosen} ({ours}) {surprise.other} ({theirs})"
        assert row in READ.text
    verdict = RESULT.misfit().verdict
    assert f"Compared with more flexible rules: {verdict[0].lower()}{verdict[1:]}" in READ.text


def test_fits_without_intervals_say_so():
    stopped = text_of(fit(CHOICES, max_iter=1, n_starts=1))
    assert "There is no interval of p: standard errors" in stopped
    exact = text_of(fit(decisions(3, 100, -1, np.inf), noise="none"))
    assert "explain every one of these 100 decisions" in exact
    assert "Not tested: tests need a model of how the decision maker errs" in exact
    assert "range over all rules that explain everything" in exact
    assert "no rule makes fewer" in exact
    flips = text_of(fit(CHOICES, noise="flip"))
    assert "chance of a slip rho" in flips
    assert "chance of that" not in flips


def test_scores_groups_caveats_and_one_person():
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (60, 4))
    scores = wf.power_mean(table, 0.3, [0.4, 0.4, 0.1, 0.1]) + rng.normal(0, 0.2, 60)
    result = wf.WelfareRegressor(groups=["old", "old", "young", "young"]).fit(table, scores).result_
    found = text_of(result)
    assert "of how scores vary" in found
    assert "times the usual difference" in found
    assert "group people weight of each 95% interval together old 2" in found
    assert f"{100 * result.weights[0]:.1f}% each, is that of group old (2 people" in found
    assert "one of each of the two groups" in found
    alone = wf.WelfareRegressor(p=1, scale=True).fit(table[:, :1], table[:, 0] + scores).result_
    assert "What this means" not in text_of(alone)
    few = fit(decisions(3, 12, -1, np.inf))
    assert few.caveats
    said = text_of(few)
    for caveat in few.caveats:
        assert words.sentence(plain(caveat.message)) in said


def test_a_hundred_people_and_no_data():
    result = fit(decisions(100, 400, 0, 20), p=0, prior=2)
    page = report_html(result.without_data())
    assert "person 99" in Reader(page).text
    assert len(pictures(page)) == 1
    assert "Gains of one person" not in page


def test_without_matplotlib_the_report_has_no_figures_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    read = Reader(report_html(RESULT))
    assert not read.all("img")
    assert "the package matplotlib is not installed" in read.text
    assert "Who counts how much" in read.text
    assert "Gains of one person" not in read.text


def test_citation_is_that_of_the_citation_file():
    cited = (ROOT / "CITATION.cff").read_text()
    software = re.search(r'^title: "(.*)"', cited, re.MULTILINE).group(1)
    paper = re.search(r'^  title: "(.*)"', cited, re.MULTILINE).group(1)
    venue = re.search(r'collection-title: "(.*)"', cited).group(1)
    for part in (software, paper, venue, f"Version {wf.__version__}"):
        assert part in READ.text
    for name in re.findall(r"family-names: (.*)", cited):
        assert name in READ.text


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    RESULT.report(path, title="Who <decides>?")
    assert path.read_text(encoding="utf-8") == PAGE
    monkeypatch.setattr(document, "report_html", lambda *_, **__: "another page")
    with pytest.raises(wf.InputError, match="folder"):
        wf.write_report(RESULT, tmp_path)
    with pytest.raises(wf.InputError, match="no folder"):
        wf.write_report(RESULT, tmp_path / "nowhere" / "report.html")

    def fail(*paths):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(wf.InputError, match="the disk is full"):
        wf.write_report(RESULT, path)
    assert path.read_text(encoding="utf-8") == PAGE
    assert os.listdir(tmp_path) == ["report.html"]


def test_options_are_checked_before_the_work():
    for options, message in [
        ({"level": 95}, "level must be"),
        ({"title": 7}, "title must be text"),
        ({"people": (0, 9)}, "from 0 to 2"),
    ]:
        with pytest.raises(wf.InputError, match=message):
            report_html(RESULT, **options)
    with pytest.raises(wf.InputError, match="record of a fit"):
        report_html("a result")
    chosen = Reader(report_html(RESULT, people=(1, 2), level=0.9)).text
    assert "those chosen for this report" in chosen
    assert "90% interval" in chosen


def test_numbers_in_words():
    shares = [words.percent(x) for x in (0.0, 1e-6, 0.0005, 0.0231, 0.234, 12.3)]
    assert shares == ["0%", "0%", "0.05%", "2.3%", "23%", "1,230%"]
    assert [words.p_value(x) for x in (1e-9, 0.0031, 0.5)] == ["below 0.0001", "0.0031", "0.50"]
    assert words.p_value(0.0497) == "0.0497"
    assert words.p_value(0.0521) == "0.052"
    assert words.p_value(0.05) == "0.050"
    assert words.p_value(1.0) == "1.00"
    assert words.p_value(0.0526) == "0.053"
    assert words.doctrine(0.001) == "Nash"
    assert words.doctrine(-1.03) == "close to harmonic"
    assert words.counted(1, "decision") == "1 decision"
    assert words.counted(2.5, "decision") == "2.5 decisions"
    assert unescape(text("a < b & \x00")) == r"a < b & \u0000"


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs the browser chromium")
def test_a_browser_shows_the_page_without_complaint(tmp_path):
    path, shot = tmp_path / "report.html", tmp_path / "report.png"
    path.write_text(PAGE, encoding="utf-8")
    quiet = ["gpu", "background-networking", "component-update", "sync"]
    done = subprocess.run(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--no-first-run",
            *(f"--disable-{what}" for what in quiet),
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--v=0",
            "--window-size=800,1000",
            f"--screenshot={shot}",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "CONSOLE" not in done.stderr
    pixels = mpl.pyplot.imread(shot)
    assert pixels.shape[:2] == (1000, 800)
    assert pixels[:, :, :3].std() > 0.05  # not an empty page
