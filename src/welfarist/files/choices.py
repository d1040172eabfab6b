"""Which of two actions was chosen, told by a column of labels."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.files.cells import shown
from welfarist.files.opening import Located

# Labels whose meaning is clear: the first was preferred, the second.
_CLEAR = (
    ("first", "second"),
    ("1", "-1"),
    ("1", "2"),
    ("true", "false"),
    ("yes", "no"),
    ("a", "b"),
    ("left", "right"),
    ("x", "y"),
)
_ONE_OR_NOT = ("1", "0")
TIES = {"tie", "tied", "equal", "both", "indifferent", "draw"}
# Where nothing was decided.
SKIPPED = {"skip", "skipped"}


def outcomes_of_labels(
    table: Located,
    column: str,
    labels: Any,
    first_label: str | None,
    flipped: bool = False,
    called: tuple[str, str] = ("", ""),
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
    called : pair of str
        What the two actions are called in the file itself, by its columns: these labels are clear.
    """
    found = labels.unique(maintain_order=True).to_list()
    meaning = None if first_label is not None else _by_column(found, called)
    note = ""
    if meaning is None:
        meaning, note = _meaning(table, column, labels, found, first_label, called)
        if flipped:
            meaning = {label: -outcome for label, outcome in meaning.items()}
            note = note.replace("the first", "the second")
    codes = np.array([meaning[label] for label in found], dtype=np.int8)
    outcomes = codes[_numbers(labels, found)]
    return outcomes, [f"{table.name}, column {shown(column)}: {note}"] if note else []


def _by_column(found: list[str], called: tuple[str, str]) -> dict[str, int] | None:
    """The outcomes of labels that are the two columns' own names, or ties; None for others."""
    first, second = (name.strip().lower() for name in called)
    if not first or not second:
        return None
    meaning = {first: 1, second: -1} | dict.fromkeys(TIES, 0)
    words = {label: label.strip().lower() for label in found}
    if not {first, second} & set(words.values()) or not set(words.values()) <= set(meaning):
        return None
    return {label: meaning[word] for label, word in words.items()}


def outcomes_by_name(
    table: Located, column: str, labels: Any, first: Any, second: Any
) -> npt.NDArray[np.int8] | None:
    """Return outcomes (n,) where choices are the name of one of the two; None where none is.

    Where at least half of them are, the others are mistakes.
    """
    is_first, is_second = labels == first, labels == second
    named = int((is_first | is_second).sum())
    if 2 * named < len(labels) or not named:
        return None
    strange = (is_first | is_second | labels.str.to_lowercase().is_in(list(TIES))).not_()
    if strange.any():
        row = int(strange.arg_max())
        raise InputError(
            f"{table.name}, {table.where(row)}, column {shown(column)}: the choice must be one of "
            f"the two actions, {shown(first[row])} or {shown(second[row])}, or 'tie'; found "
            f"{shown(labels[row])}. Correct it."
        )
    return np.asarray(is_first.cast(int).to_numpy() - is_second.cast(int).to_numpy(), dtype=np.int8)


def _meaning(
    table: Located,
    column: str,
    labels: Any,
    found: list[str],
    first_label: str | None,
    called: tuple[str, str],
) -> tuple[dict[str, int], str]:
    """Return the outcome that each label stands for, and a sentence if that was a guess."""
    plain = {label: _plain(label) for label in found}
    ties = [label for label in found if plain[label] in TIES]
    others = [label for label in found if label not in ties]
    if first_label is not None:
        return _told(table, column, others, ties, first_label)
    words = {plain[label] for label in others}
    if "-1" in words and "0" in words:  # +1, 0 and -1
        ties += [label for label in others if plain[label] == "0"]
        words.discard("0")
    for first, second in (*_CLEAR, _ONE_OR_NOT):
        if words and words <= {first, second}:
            if len(words) == 1 and first.isdigit() and words != {"1"}:
                break
            codes = {first: 1, second: -1}
            meaning = {label: codes.get(plain[label], 0) for label in found}
            example = next((label for label in others if plain[label] == first), first)
            sure = first == _CLEAR[0][0]
            note = "" if sure else f"{example!r} was taken to mean that the first was preferred."
            return meaning, note
    if len(others) > 2:
        extra = others[2]
        row = int((labels == extra).arg_max())
        raise InputError(
            f"{table.name}, {table.where(row)}, column {shown(column)}: there must be two labels, "
            f"and 'tie'; found {shown(extra)} beside {shown(others[0])} and {shown(others[1])}. "
            "Write 'first', 'second' or 'tie'."
        )
    raise RequestError(
        "{name}, column {column}: it must be clear which label means that the first action was "
        "preferred; found {found}. Say which: {first_label:{example}}, or write 'first' and "
        "'second'.",
        name=table.name,
        column=shown(column),
        found=" and ".join(map(shown, others)) or "only ties",
        example=_of_first(others, called),
    )


def _of_first(labels: list[str], called: tuple[str, str]) -> str:
    """The label that the first column's name begins with (L of Left), as typed; LABEL if none does.

    Any other would be copied by whoever reads the message, right or wrong.
    """
    first, second = (name.strip().casefold() for name in called)
    fitting = [label for label in labels if first.startswith(label.strip().casefold())]
    if len(fitting) != 1 or second.startswith(fitting[0].strip().casefold()):
        return "LABEL"
    return shlex.quote(fitting[0])


def _told(
    table: Located, column: str, others: list[str], ties: list[str], first_label: str
) -> tuple[dict[str, int], str]:
    if first_label not in others or len(others) > 2:
        raise RequestError(
            "{name}, column {column}: {first_label} must be one of two labels; found {found} for "
            "{others}. Correct one of them.",
            name=table.name,
            column=shown(column),
            found=shown(first_label),
            others=", ".join(map(shown, others[:4])),
        )
    return {label: 1 if label == first_label else -1 for label in others} | dict.fromkeys(
        ties, 0
    ), ""


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
