"""Which of two actions was chosen, told by a column of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.files.cells import shown
from welfarist.files.opening import FileTable

# Labels whose meaning is clear: the first was preferred, the second.
_CLEAR = (("first", "second"), ("1", "-1"), ("1", "2"), ("true", "false"), ("yes", "no"))
_ONE_OR_NOT = ("1", "0")
_TIES = {"tie", "tied", "equal", "both", "indifferent", "draw"}


def outcomes_of_labels(
    table: FileTable, column: str, labels: Any, first_label: str | None, flipped: bool = False
) -> tuple[npt.NDArray[np.int8], list[str]]:
    """Return +1, -1 and 0 (n,) for a column of labels, and what was guessed.

    Parameters
    ----------
    labels : polars.Series
        Texts, none empty.
    first_label : str or None
        The label that means that the first action was preferred, if the user said so.
    flipped : bool
        Whether the column is about the second action: 1 means that it was chosen.
    """
    found = labels.unique(maintain_order=True).to_list()
    first, second, ties, note = _meaning(table, column, labels, found, first_label)
    sign = -1 if flipped else 1
    meaning = {first: sign, second: -sign} | dict.fromkeys(ties, 0)
    codes = np.array([meaning[label] for label in found], dtype=np.int8)
    outcomes = codes[_numbers(labels, found)]
    if note and flipped:
        note = note.replace("the first", "the second")
    return outcomes, [f"{table.name}, column {shown(column)}: {note}"] if note else []


def outcomes_by_name(
    table: FileTable, column: str, labels: Any, first: Any, second: Any
) -> npt.NDArray[np.int8] | None:
    """Return outcomes (n,) where choices are the name of one of the two; None where none is.

    Where at least half of them are, the others are mistakes.
    """
    is_first, is_second = labels == first, labels == second
    named = int((is_first | is_second).sum())
    if 2 * named < len(labels) or not named:
        return None
    strange = (is_first | is_second | labels.str.to_lowercase().is_in(list(_TIES))).not_()
    if strange.any():
        row = int(strange.arg_max())
        raise InputError(
            f"{table.name}, {table.where(row)}, column {shown(column)}: the choice must be one of "
            f"the two actions, {shown(first[row])} or {shown(second[row])}, or 'tie'; found "
            f"{shown(labels[row])}. Correct it."
        )
    return np.asarray(is_first.cast(int).to_numpy() - is_second.cast(int).to_numpy(), dtype=np.int8)


def _meaning(
    table: FileTable, column: str, labels: Any, found: list[str], first_label: str | None
) -> tuple[str, str, list[str], str]:
    """Return the labels of first, second and ties, and a sentence if that was a guess."""
    plain = {label: _plain(label) for label in found}
    ties = [label for label in found if plain[label] in _TIES]
    others = [label for label in found if label not in ties]
    if first_label is not None:
        return _told(table, column, others, ties, first_label)
    words = {plain[label] for label in others}
    if "-1" in words and "0" in words:  # +1, 0 and -1
        ties += [label for label in others if plain[label] == "0"]
        words.discard("0")
    for pair in (*_CLEAR, _ONE_OR_NOT):
        if words <= set(pair) and (pair[0] in words or pair[1] in words):
            by_word = {plain[label]: label for label in others}
            first, second = (by_word.get(word, word) for word in pair)
            sure = pair == _CLEAR[0]
            note = "" if sure else f"{first!r} was taken to mean that the first was preferred."
            if len(words) == 1 and pair[0].lstrip("-").isdigit() and words != {"1"}:
                break
            return first, second, ties, note
    if len(others) > 2:
        extra = others[2]
        row = int((labels == extra).arg_max())
        raise InputError(
            f"{table.name}, {table.where(row)}, column {shown(column)}: there must be two labels, "
            f"and 'tie'; found {shown(extra)} beside {shown(others[0])} and {shown(others[1])}. "
            "Write 'first', 'second' or 'tie'."
        )
    raise InputError(
        f"{table.name}, column {shown(column)}: it must be clear which label means that the first "
        f"action was preferred; found {' and '.join(map(shown, others)) or 'only ties'}. Say so "
        "with --first-label, or write 'first' and 'second'."
    )


def _told(
    table: FileTable, column: str, others: list[str], ties: list[str], first_label: str
) -> tuple[str, str, list[str], str]:
    if first_label not in others or len(others) > 2:
        raise InputError(
            f"{table.name}, column {shown(column)}: --first-label must be one of two labels; found "
            f"{shown(first_label)} for {', '.join(map(shown, others[:4]))}. Correct one of them."
        )
    rest = [label for label in others if label != first_label]
    return first_label, rest[0] if rest else "", ties, ""


def _plain(label: str) -> str:
    """A label in small letters; 1.0 and +1 are 1."""
    word = label.strip().lower()
    try:
        number = float(word)
    except ValueError:
        return word
    return str(int(number)) if number.is_integer() else word


def _numbers(labels: Any, found: list[str]) -> npt.NDArray[Any]:
    import polars as pl

    return np.asarray(labels.cast(pl.Enum(found)).to_physical().to_numpy())
