"""Mistakes in what was asked for, in anybody's words."""

from __future__ import annotations

import pickle

import pytest

import welfarist as wf
from welfarist.app import texts, values
from welfarist.app.targets import check_targets
from welfarist.app.usage import RequestError, UsageError

BRACES = "{0}{p}{x!r}{"


def test_each_asker_has_their_own_words():
    problem = UsageError("{first_label} goes with {choice}; found {path}.", path=BRACES)
    assert isinstance(problem, wf.InputError)
    assert str(problem) == f"first_label goes with choice; found {BRACES}."
    assert problem.said(str.upper) == f"FIRST_LABEL goes with CHOICE; found {BRACES}."


def test_problems_survive_a_copy():
    problem = RequestError("{p} and {path}", path=BRACES)
    again = pickle.loads(pickle.dumps(problem))
    assert type(again) is RequestError
    assert again.said(str.upper) == problem.said(str.upper) == f"P and {BRACES}"


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (values.power, BRACES),
        (values.doctrine, BRACES),
        (values.doctrines, BRACES),
        (values.weights, f"{BRACES}=x"),
        (values.weights, f"{BRACES}=-1"),
        (values.weights, "1,2"),
        (values.known_weights, "learn"),
        (values.groups, f"{BRACES}=;"),
        (values.groups, f"{BRACES}=a,a"),
        (values.groups, f"{BRACES}=a;{BRACES}=b"),
        (values.prior, f"{BRACES}=0.5"),
        (values.rho, BRACES),
        (values.starts, BRACES),
        (values.decimal, BRACES),
        (values.separator, BRACES),
        (values.sizes, BRACES),
        (values.world_weights, BRACES),
        (values.positive, 0.0),
        (values.not_negative, -1.0),
        (values.between_0_and_1, 1.0),
        (values.slip, 0.5),
        (values.folds, 1),
    ],
)
def test_wrong_values_are_said_whatever_they_hold(check, value):
    with pytest.raises(UsageError) as refused:
        check(value)
    assert ";" in str(refused.value) or ":" in str(refused.value)


def test_names_with_commas_stand_in_quotes():
    assert texts.listed(None) is None
    assert texts.listed(" ") == []
    assert texts.listed("a, b,,c ") == ["a", "b", "c"]
    assert texts.listed('"soup, hot", 5" pipe') == ["soup, hot", '5" pipe']
    assert texts.listed('bread,\r\n"soup, hot"') == ["bread", "soup, hot"]


def test_texts_mean_what_the_learners_take():
    assert texts.power_of_text("Nash") == 0
    assert texts.power_of_text("-inf") == float("-inf")
    assert texts.prior_of_text("a=2, b=1") == {"a": 2, "b": 1}
    assert texts.members_by_group("north=a,b;south=c") == {"north": ["a", "b"], "south": ["c"]}
    assert texts.sizes_of_text("100, 1_000") == [100, 1000]
    assert texts.starts_of_text("auto") == "auto"


def test_places_may_have_any_name(tmp_path):
    odd = str(tmp_path / "{0}.json")
    with pytest.raises(UsageError, match="save and report must name different") as refused:
        check_targets({"save": odd, "report": odd})
    assert odd in refused.value.said("--{}".format)
    check_targets({"save": odd, "report": None}, ["no file"])
