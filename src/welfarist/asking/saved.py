"""Interviews in files: what was asked and answered, and what is needed to go on."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from welfarist.asking.prior import Prior
from welfarist.asking.questions import Answer, Question
from welfarist.base.errors import InputError
from welfarist.base.exports import as_json
from welfarist.base.validation import FloatArray
from welfarist.base.whole_files import write_whole

_FORMAT = 1
_BACK = {"no": False, "only": True, "too": "too"}


@dataclass(frozen=True, eq=False)
class Past:
    """What happened before an interview was saved.

    Attributes
    ----------
    answered : list of tuples
        Questions, whom they were about, and answers.
    pending : tuple or None
        The question that was put and not answered, and whom it is about.
    made_up : (k, d) array
        Outcomes that were made up.
    """

    answered: list[tuple[Question, tuple[int, int], Any]]
    pending: tuple[Question, tuple[int, int]] | None
    made_up: FloatArray


def as_record(interview: Any) -> dict[str, Any]:
    """Return everything an interview is made of, in plain numbers and texts."""
    asked = [
        {**_question(question, about), "answer": answer}
        for question, about, answer in zip(
            interview.questions, interview._about, interview.answers, strict=True
        )
    ]
    pending = interview._pending
    stop = interview.stop
    return {
        "welfarist": "interview",
        "format": _FORMAT,
        "seed": interview.seed,
        "prior": asdict(interview.prior),
        "aim": None if interview.aim is None else list(interview.aim),
        "settings": {
            "designed": interview.designed, "most": stop.most, "bits": stop.bits,
            "sure": stop.sure, "same_people": interview.same_people,
            "check_every": interview.check_every,
        },
        "stakeholders": None if interview.stakeholders is None else list(interview.stakeholders),
        "names": None if interview.names is None else list(interview.names),
        "actions": interview._table.tolist(),
        "made_up": interview._made_up.tolist(),
        "asked": asked,
        "pending": None if pending is None else _question(*pending),
    }  # fmt: skip


def from_record(cls: Any, record: Any) -> tuple[Any, Past]:
    """Return an interview without answers, and what happened in it."""
    try:
        known = {("interview", _FORMAT): "settings"}[record["welfarist"], record["format"]]
        settings = dict(record[known])
        settings["designed"] = _BACK[settings["designed"]]
        table = np.array(record["actions"], dtype=np.float64)
        made = cls(table, Prior(**record["prior"]), record["aim"], int(record["seed"]), **settings)
        made.stakeholders = _names(record["stakeholders"])
        made.names = _names(record["names"])
        drawn = np.array(record["made_up"], dtype=np.float64).reshape(-1, table.shape[1])
        answered = [(*_asked(row), str(row["answer"])) for row in record["asked"]]
        pending = None if record["pending"] is None else _asked(record["pending"])
        _check(answered, pending, len(table) + len(drawn), table.shape[1])
    except InputError:  # which says what is wrong with the table, the prior or a setting
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as problem:
        raise InputError(
            "an interview that was saved must be read as it was written; found a record that is "
            f"none, or of another version ({problem!s:.60}). Begin again."
        ) from None
    return made, Past(answered, pending, drawn)


def write(path: str | os.PathLike[str], record: dict[str, Any]) -> None:
    """Write a record to a file, whole or not at all."""
    write_whole(path, as_json(record))


def read(path: str | os.PathLike[str]) -> Any:
    """Read a record from a file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{os.fspath(path)!s}: must be a saved interview; there is no such file. Check the "
            "name, and the folder."
        ) from None
    except (OSError, ValueError) as problem:
        raise InputError(
            f"{os.fspath(path)!s}: must be a saved interview; found what cannot be read as one "
            f"({type(problem).__name__})."
        ) from None


def _question(question: Question, about: tuple[int, int]) -> dict[str, Any]:
    return {**asdict(question), "about": list(about)}


def _asked(row: Any) -> tuple[Question, tuple[int, int]]:
    question = Question(
        int(row["first"]), int(row["second"]), float(row["bits"]), str(row["reason"])
    )
    return question, (int(row["about"][0]), int(row["about"][1]))


def _check(answered: list[Any], pending: Any, actions: int, people: int) -> None:
    """Require answers that there are, to questions about actions and people that there are."""
    put = [row[:2] for row in answered] + ([] if pending is None else [pending])
    for question, about in put:
        if not 0 <= min(question.pair) < max(question.pair) < actions:
            raise ValueError(f"a question about {question.first} and {question.second}")
        if not 0 <= min(about) <= max(about) < people:
            raise ValueError(f"a question about people {about[0]} and {about[1]}")
    wrong = [answer for *_, answer in answered if answer not in get_args(Answer)]
    if wrong:
        raise ValueError(f"the answer {wrong[0]!r}")


def _names(given: Any) -> tuple[str, ...] | None:
    return None if given is None else tuple(map(str, given))
