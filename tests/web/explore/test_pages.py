"""Sliders, and links that carry them."""

from __future__ import annotations

import numpy as np
import pytest
from django.urls import reverse

from tests.web.journeys import assert_harmless, make_hostile
from welfarist import WelfareFunction
from welfarist.base.errors import InputError
from welfarist.web.explore.ranked import ranked
from welfarist.web.explore.rule import ChosenRule

pytestmark = pytest.mark.django_db


@pytest.fixture
def seen(client, study):
    """Pages of the sliders for whoever made the study."""
    client.force_login(study.owner)

    def get(query="", name="explore"):
        return client.get(f"{reverse(name, args=[study.pk])}{query}")

    return get


def test_it_works_without_any_answer_and_any_query(seen, study):
    page = seen()
    assert page.status_code == 200
    assert "utilitarian" in page.content.decode()
    assert not study.respondents.exists()


@pytest.mark.parametrize(
    ("query", "power"), [("?p=1", 1), ("?p=nash", 0), ("?p=-inf", -np.inf), ("?p=3&p=-2", -2)]
)
def test_the_order_is_that_of_the_rule(seen, study, query, power):
    weights = [0.5, 0.3, 0.2]
    told = seen(f"{query}&w=50&w=30&w=20", "explore-ranking").json()
    values = WelfareFunction(power, weights)(study.table)
    best = [study.action_names[i] for i in np.argsort(-values, kind="stable")]
    if len(set(np.round(values, 9))) == len(values):
        assert [one["action"] for one in told["actions"]] == best
    assert told["actions"][0]["action"] in best[:2]
    assert told["weights"] == pytest.approx(weights)


def test_a_link_reproduces_a_view(seen):
    told = seen("?p=-0.7&w=50&w=0&w=20", "explore-ranking").json()
    again = seen(f"?{told['query']}")
    assert told["html"].strip() in again.content.decode()
    assert seen(f"?{told['query']}", "explore-ranking").json() == told
    assert 'value="-0.7"' in again.content.decode()


@pytest.mark.parametrize(
    "query",
    ["?p=x", "?p=nan", "?p=1e400x", "?p=1e9", "?w=1", "?w=a&w=b&w=c", "?w=0&w=0&w=0",
     "?w=-1&w=1&w=1", "?w=inf&w=1&w=1", "?w=nan&w=1&w=1", "?w=1e6&w=0&w=1e-300",
     "?p=" + "9" * 5000],
)  # fmt: skip
def test_queries_that_say_nothing_are_answered_kindly(seen, query):
    page = seen(query)
    assert page.status_code == 400
    assert 'role="alert"' in page.content.decode()
    assert "Shown instead" in page.content.decode()
    told = seen(query, "explore-ranking")
    assert (told.status_code, list(told.json())) == (400, ["problem"])


def test_a_script_in_a_query_stays_a_text(seen, study):
    assert_harmless(seen("?p=<script>alert(1)</script>"))
    make_hostile(study)
    assert_harmless(seen())
    assert "<script" not in seen("", "explore-ranking").json()["html"]


def test_strangers_see_nothing(client, study, django_user_model):
    addresses = [reverse(name, args=[study.pk]) for name in ("explore", "explore-ranking")]
    assert all(client.get(address).status_code == 302 for address in addresses)
    client.force_login(django_user_model.objects.create_user("eve"))
    assert all(client.get(address).status_code == 404 for address in addresses)


def test_who_has_nothing_breaks_no_page(seen, study):
    study.utilities[0] = [0.0, 5.0, 5.0]
    study.save()
    for power in ("-inf", "-1", "0", "1", "inf"):
        assert seen(f"?p={power}").status_code == 200


def test_equal_actions_share_a_place(study):
    study.utilities = [[2.0, 2.0, 2.0]] * 3 + [[1.0, 1.0, 1.0]] * 3
    places = [one.place for one in ranked(study, ChosenRule.equal(3, 0.0)).places]
    assert places == [1, 1, 1, 4, 4, 4]


def test_somebody_must_count():
    with pytest.raises(InputError, match="somebody must count"):
        ChosenRule.of_query("1", ["0", "0"], 2)
