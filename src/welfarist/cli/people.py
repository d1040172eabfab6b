"""Weights, groups and priors by name, from an option or a file, for the people there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from welfarist.cli import values
from welfarist.files import read_groups, read_weights
from welfarist.files.people import check_people


def weights_of(text: str | None, people: Sequence[str]) -> Any:
    """What is known about the weights of these people, for the learners."""
    if text is None or text in ("learn", "equal"):
        return text or "learn"
    if not values.is_inline(text):
        return read_weights(text, people=people)
    found = values.numbers_by_name(text)
    check_people(found, people, "weight", "--weights")
    return found


def groups_of(text: str | None, people: Sequence[str]) -> Any:
    """Who of these people shares a weight with whom, for the learners."""
    if text is None:
        return None
    if not values.is_inline(text):
        return read_groups(text, people=people)
    found = values.members_by_group(text)
    check_people([name for names in found.values() for name in names], people, "group", "--groups")
    return found


def prior_of(text: str | None, people: Sequence[str], groups: Any) -> Any:
    """The prior on the weights of these people, or of their groups, for the learners."""
    found = values.prior_of_text(text)
    if isinstance(found, dict):
        shared = groups is not None
        labels = list(dict.fromkeys(_labels(groups))) if shared else people
        check_people(found, labels, "prior", "--prior")
    return found


def _labels(groups: dict[str, Any]) -> list[str]:
    """The names of the groups: keys where members are listed, else values."""
    if all(isinstance(members, list) for members in groups.values()):
        return list(groups)
    return list(groups.values())
