"""Reports of noise on differences, of needs, and of people who complement each other."""

from __future__ import annotations

import re

import numpy as np
import pytest

import welfarist as wf
from welfarist.show.report import report_html

TABLE = np.random.default_rng(71).uniform(1.0, 10.0, (150, 4))
PAIRS = wf.simulate.random_pairs(150, 1200, random_state=71)
NAMES = ["Ann & Co", "<bob>", "süd", "dan"]


def decided(value, tau):
    chance = 1.0 / (1.0 + np.exp(-tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    first = np.random.default_rng(7).random(len(PAIRS)) < chance
    frame = pytest.importorskip("pandas").DataFrame(TABLE, columns=NAMES)
    return wf.Comparisons(frame, PAIRS, first)


def page_of(**options):
    together = np.zeros((4, 4))
    together[0, 1] = together[1, 0] = 0.7
    value = wf.families.Choquet([0.35, 0.35, 0.2, 0.1], together)(TABLE)
    fit = wf.ComparisonClassifier(n_starts=2, **options).fit(decided(value, 4.0)).result_
    found = re.sub(r"<(svg|style|script).*?</\1>", "", report_html(fit), flags=re.DOTALL)
    assert "<bob>" not in found
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found)).replace("&lt;", "<")


def test_who_complements_whom_and_what_tau_means():
    text = page_of(margin="difference")
    assert "Who complements whom" in text
    assert "Looked at two by two: " in text
    assert "beside what both have on average" in text
    assert "preferred 73 times in 100." in text
    assert "power means with noise on differences" not in text  # the rule is a power mean


def test_needs_are_told():
    text = page_of(family="needs")
    assert "The zero is what everybody needs" in text
    assert "zero of the scale" in text


def test_a_recommendation_is_told_in_units_of_welfare():
    value = wf.WelfareFunction(0.0, [0.4, 0.3, 0.2, 0.1])(TABLE)
    fit = wf.ComparisonClassifier(margin="difference").fit(decided(value, 2.0))
    said = str(wf.recommend(fit, TABLE[:4], names=list("abcd")))
    assert "in units of welfare\n" in said
    assert "no natural zero" not in said
