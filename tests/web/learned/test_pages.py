"""What was learned: of one respondent, and of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from django.urls import reverse

from tests.web.journeys import answer_all, assert_harmless, make_hostile
from welfarist.web.asking.live import interview_of
from welfarist.web.asking.rows import Rows
from welfarist.web.asking.taking import revise, undo
from welfarist.web.learned.everybody import answered, concordance, everybody_of
from welfarist.web.learned.kinds import SEARCHES
from welfarist.web.learned.known import KNOWN, known_of
from welfarist.web.learned.one import page_of
from welfarist.web.learned.walking import WALKS
from welfarist.web.models import State
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state

pytestmark = pytest.mark.django_db
PEOPLE = 4


@pytest.fixture(autouse=True)
def _nothing_known():
    KNOWN.clear()
    WALKS.clear()


@pytest.fixture
def large(analyst):
    """A study with more to tell, and some people in it."""
    rng = np.random.default_rng(0)
    rows = [f"plan {i},{','.join(f'{u:.1f}' for u in rng.uniform(1, 10, 3))}" for i in range(30)]
    data = "\n".join(["action,residents,shops,staff", *rows]).encode()
    made = open_study(analyst, data, "plans.csv", most=9, check_every=4, designed="too")
    change_state(made, analyst, State.OPEN)
    for k in range(PEOPLE):
        invite(made, analyst, name=f"person {k}")
    return made


@pytest.fixture
def one(large):
    return large.respondents.first()


def test_what_is_known_is_what_the_interview_believes(one):
    answer_all(one, 0.0, most=7)
    known = known_of(one, Rows.of(one))
    with interview_of(one) as interview:
        belief = interview.posterior
        assert (known.power.low, known.power.high) == belief.interval("p")
        assert known.weights[1].middle == belief.estimate("shops")
    first, second = (f"plan {row}" for row in known.order.rows[:2])
    assert known.why.startswith((f"{first} is better than {second}", f"{second} is better than"))
    assert known.why in page_of(one).why
    assert len(known.course) == 8
    assert known.answers == 7
    assert sum(share for _, share in known.regions) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("change", [lambda one: undo(one, 7), lambda one: revise(one, 2, "equal")])
def test_what_changed_is_worked_out_again(one, change):
    answer_all(one, most=7)
    page_of(one)
    change(one)
    kept = known_of(one, Rows.of(one))
    KNOWN.clear()
    WALKS.clear()
    anew = known_of(one, Rows.of(one))
    assert (kept.power, kept.course) == (anew.power, anew.course)


def test_one_more_answer_is_one_step(one):
    answer_all(one, most=3)
    before = known_of(one, Rows.of(one))
    answer_all(one, most=1)
    after = known_of(one, Rows.of(one))
    assert after.course[:4] == before.course
    assert known_of(one, Rows.of(one)) is after


def test_a_slip_is_found_and_revised_away(one):
    study = one.study
    study.check_every, study.most, study.designed = 0, 25, "no"
    study.save()
    answer_all(one, 0.0, slips=(6,))
    page = page_of(one)
    assert 6 in [slip.number for slip in page.slips]
    slip = next(slip for slip in page.slips if slip.number == 6)
    assert slip.worse
    revise(one, 6, slip.instead)
    assert 6 not in [slip.number for slip in page_of(one).slips]


def test_the_order_comes_with_chances(one):
    answer_all(one)
    order = known_of(one, Rows.of(one)).order
    assert order.best.sum() == pytest.approx(1.0)
    assert order.above.mean() == pytest.approx(0.5)
    assert order.rows[0] == np.argmax(order.best)
    assert len(page_of(one).order) == 10


def test_what_is_best_by_none_of_some_rules_may_still_be(one):
    answer_all(one)
    rows = Rows.of(one)
    known = known_of(one, rows)
    best = np.zeros(len(known.order.rows))
    best[known.order.rows[0]] = 1.0
    KNOWN.keep(one.pk, rows.fingerprint, replace(known, order=replace(known.order, best=best)))
    first, *others = (chance for _, chance, _ in page_of(one).order)
    assert (first, set(others)) == ("100%", {"below 1%"})


def test_analysts_see_everybody_and_each(client, large, django_user_model):
    addresses = (
        reverse("learned", args=[large.pk]),
        reverse("learned-respondent", args=[large.pk, 1]),
    )
    assert all(client.get(address).status_code == 302 for address in addresses)
    client.force_login(django_user_model.objects.create_user("eve"))
    assert all(client.get(address).status_code == 404 for address in addresses)
    client.force_login(large.owner)
    empty = client.get(addresses[0]).content.decode()
    assert "Nobody has answered yet" in empty
    assert "no answer yet" in client.get(addresses[1]).content.decode()
    for k, person in enumerate(large.respondents.all()):
        answer_all(person, k - 2.0)
    while "will appear here" in (page := client.get(addresses[0]).content.decode()):
        pass
    assert all(f"person {k}" in page for k in range(PEOPLE))
    assert page.count('role="img"') == 1
    assert "in the same order" in page
    one = client.get(addresses[1]).content.decode()
    assert "first what may well be the best, then the others" in one
    assert one.count('role="img"') == 3
    assert 'name="choice"' not in one  # answers are the respondents'
    assert client.get(reverse("learned-respondent", args=[large.pk, 99])).status_code == 404


def test_names_are_no_scripts(client, large, one):
    answer_all(one, slips=(3,))
    make_hostile(large, one)
    client.force_login(large.owner)
    everybody_of(large, answered(large), 60.0)
    assert_harmless(client.get(reverse("learned", args=[large.pk])))
    assert_harmless(client.get(reverse("learned-respondent", args=[large.pk, one.number])))


def test_what_takes_long_waits_for_the_next_time(large):
    for person in large.respondents.all():
        answer_all(person, most=2)
    people = answered(large)
    assert everybody_of(large, people, 0.0).later == PEOPLE
    assert everybody_of(large, people, 60.0).later == 0
    assert everybody_of(large, people, 0.0).later == 0


def test_types_are_looked_for_on_request(client, large):
    client.force_login(large.owner)
    page = reverse("learned", args=[large.pk])
    people = list(large.respondents.all())
    answer_all(people[0])
    assert "Types can be looked for when 3" in client.get(page).content.decode()
    for k, person in enumerate(people[1:]):
        answer_all(person, -float(k))
    assert "Look for types" in client.get(page).content.decode()
    assert client.post(page)["Location"] == page
    SEARCHES.wait(large)
    found = client.get(page).content.decode()
    assert "type 1" in found
    undo(people[0], 9)
    assert "Answers came since" in client.get(page).content.decode()


def test_people_who_turn_everything_round_agree_in_nothing():
    order = np.arange(6.0)
    assert concordance(np.array([order, order])) == 1.0
    assert concordance(np.array([order, -order])) == 0.0
    assert concordance(np.zeros((3, 6))) == 0.5
    many = np.arange(400.0)
    assert concordance(np.array([many, many])) == 1.0
