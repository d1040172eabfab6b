"""A question as two cards: what everybody has in each action, as bars on one scale."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

from welfarist.web.asking.putting import Person, PutQuestion, Side
from welfarist.web.pictures.bar import bar

# Where there are more people, those who have the same in both are put together.
_FEW = 8
_MADE_UP = ("One outcome", "Another outcome")
_WORDS = {"more": "▲ more", "less": "▼ less", "same": "= same"}


@dataclass(frozen=True)
class Has:
    """What one stakeholder has in one action.

    Attributes
    ----------
    name, description : str
    value : str
        The number.
    sign : "more", "less" or "same"
        Beside the other action.
    words : str
        The same, in words and with a mark.
    picture : SafeString
    """

    name: str
    description: str
    value: str
    sign: str
    words: str
    picture: SafeString


@dataclass(frozen=True)
class Card:
    """One of the two actions.

    Attributes
    ----------
    choice : "first" or "second"
    key : str
        What is pressed to choose it.
    title, description : str
    differs, same : tuples of Has
        Those who have not the same in both; and those who have, where there are many people.
    """

    choice: str
    key: str
    title: str
    description: str
    differs: tuple[Has, ...]
    same: tuple[Has, ...]


@dataclass(frozen=True)
class Cards:
    """Both, the left one first, and where their scale ends."""

    cards: tuple[Card, Card]
    scale: str


def cards_of(question: PutQuestion) -> Cards:
    """Return what is shown of a question, left and right as it was drawn by lot."""
    most = max(max(person.first, person.second) for person in question.people)
    sides = {"first": question.first, "second": question.second}
    left, right = ("first", "second") if question.left == "first" else ("second", "first")
    one = _card(left, 0, sides[left], question.people, most)
    other = _card(right, 1, sides[right], question.people, most)
    return Cards((one, other), plain(most))


def _card(choice: str, place: int, side: Side, people: tuple[Person, ...], most: float) -> Card:
    has = [_has(choice, person, most) for person in people]
    together = len(people) > _FEW
    return Card(
        choice,
        str(place + 1),
        side.label or _MADE_UP[place],
        side.description,
        tuple(one for one in has if not together or one.sign != "same"),
        tuple(one for one in has if together and one.sign == "same"),
    )


def _has(choice: str, person: Person, most: float) -> Has:
    both = person.first, person.second
    value, other = both if choice == "first" else both[::-1]
    sign = "more" if value > other else "less" if value < other else "same"
    picture = bar(value, other, most)
    return Has(person.label, person.description, plain(value), sign, _WORDS[sign], picture)


def plain(value: float) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> plain(3.0), plain(0.1234567), plain(1250000.0)
    ('3', '0.1235', '1,250,000')
    """
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
