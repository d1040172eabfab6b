"""Interviews whose answers are in a file: gone on with, undone, by several people, with fit."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import welfarist as wf
from welfarist.app.ask_settings import AskSettings
from welfarist.app.asking import AskRequest, Session, opened
from welfarist.app.decisions import TableOptions
from welfarist.cli.next_commands import to_go_on, to_learn
from welfarist.files import read_actions, read_comparisons

PEOPLE = ("donors", "staff", "recipients")
ROUND = ["first", "second", "first", "skip", "equal", "second", "first", "first"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    table = np.random.default_rng(5).uniform(1, 100, (40, 3)).round(1)
    write_table(tmp_path / "actions.csv", [f"plan {i}" for i in range(40)], table)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_table(path, names, table) -> None:
    lines = [f"{name},{','.join(map(str, row))}" for name, row in zip(names, table, strict=True)]
    path.write_text("\n".join([f"action,{','.join(PEOPLE)}", *lines, ""]))


def asked(by: str | None = None, **told) -> AskRequest:
    return AskRequest("actions.csv", "answers.csv", TableOptions(), by, told)


def rows(path="answers.csv") -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def seen(session: Session) -> list:
    """A question as somebody sees it."""
    put = session.question
    return [put.number, put.names, put.outcomes.tolist()]


@pytest.mark.parametrize(
    "told",
    [{}, {"designed": "only"}, {"designed": "too", "seed": 3}, {"aim": "best"}, {"check_every": 3}],
)
def test_going_on_after_every_answer_asks_the_same(folder, told):
    with opened(asked(**told)) as session:
        at_once = []
        for answer in ROUND:
            at_once.append(seen(session))
            session.answer(answer)
        at_once.append(seen(session))
    (folder / "answers.csv").rename("kept.csv")
    (folder / "answers-actions.csv").unlink(missing_ok=True)
    for number, answer in enumerate(ROUND):
        with opened(asked(**told if not number else {})) as session:  # told once
            assert seen(session) == at_once[number]
            session.answer(answer)
    with opened(asked()) as session:
        assert seen(session) == at_once[-1]
    for one, other in zip(rows(), rows("kept.csv"), strict=True):
        assert {**one, "time": ""} == {**other, "time": ""}


def test_the_file_is_what_fit_reads(folder):
    with opened(asked()) as session:
        for answer in ROUND:
            session.answer(answer)
        expected = session.interview.decisions
        assert session.table_to_fit == "actions.csv"
    read = read_comparisons("answers.csv", read_actions("actions.csv"))
    assert (read.decisions.pairs == expected.pairs).all()
    assert (read.decisions.outcomes == expected.outcomes).all()
    assert read.notes == ("answers.csv: 1 of 8 comparisons were skipped.",)


def test_made_up_outcomes_are_in_a_table_beside_the_answers(folder):
    with opened(asked(designed="only")) as session:
        for answer in ROUND:
            session.answer(answer)
        expected, table = session.interview.decisions, session.table_to_fit
    assert table == "answers-actions.csv"
    read = read_comparisons("answers.csv", read_actions(table))
    for side in (0, 1):
        ours = read.decisions.utilities[read.decisions.pairs[:, side]]
        assert (ours == expected.utilities[expected.pairs[:, side]]).all()
    with opened(asked()) as session:
        session.undo()
    assert len(read_actions(table)) == 40 + 2 * (len(ROUND) - 1)


def test_negative_utilities_are_asked_about_with_a_constant_added(folder):
    table = np.random.default_rng(5).uniform(-20, 80, (30, 3)).round(1)
    write_table(folder / "actions.csv", [f"plan {i}" for i in range(30)], table)
    with pytest.raises(wf.InputError, match="add a constant"), opened(asked()):
        pass
    request = replace(asked(designed="too"), shift=20.3)
    put = []
    for answer in ROUND:  # going on after every answer
        with opened(request) as session:
            put.append(seen(session))
            session.answer(answer)
    assert np.min([outcomes for *_, outcomes in put]) < 0
    with opened(request) as session:
        after = seen(session)
        best = session.learned().best
        session.undo()
        assert seen(session) == put[-1]
        session.answer(ROUND[-1])
        assert seen(session) == after
        where = session.table_to_fit
    assert best[0][0].startswith("plan")
    assert to_learn(session) == f"welfarist fit {where} --comparisons answers.csv --shift 20.3"
    assert to_go_on(session) == "welfarist ask actions.csv --save answers.csv --shift 20.3"
    told = read_actions(where, least=-20.3)
    read = read_comparisons("answers.csv", told, least=-20.3).decisions
    own = session.interview.decisions
    # Twelve digits of numbers below 100.
    shown = own.utilities[own.pairs] - 20.3
    np.testing.assert_allclose(read.utilities[read.pairs], shown, atol=1e-9)


def test_undo_takes_the_row_away_and_puts_the_question_again(folder):
    with opened(asked()) as session:
        session.answer("first")
        before, text = seen(session), (folder / "answers.csv").read_bytes()
        session.answer("skip")
        session.undo()
        assert seen(session) == before
        assert (folder / "answers.csv").read_bytes() == text
        session.undo()
        assert rows() == []
        with pytest.raises(wf.InputError, match="an answer to take back; found none"):
            session.undo()
        session.answer("second")
    assert [row["choice"] for row in rows()] == ["second"]


def test_everybody_goes_on_with_their_own(folder):
    for who, answers in (("Ann", ["first", "second"]), ("Bo", ["skip"]), ("Ann", ["equal"])):
        with opened(asked(who)) as session:
            for answer in answers:
                session.answer(answer)
    assert [(row["by"], row["choice"]) for row in rows()] == [
        ("Ann", "first"), ("Ann", "second"), ("Bo", "skip"), ("Ann", "equal"),
    ]  # fmt: skip
    with opened(asked("Bo")) as session:
        assert session.count == 1
        session.undo()
    assert {row["by"] for row in rows()} == {"Ann"}
    with pytest.raises(wf.InputError, match="found those of 'Ann'"), opened(asked()):
        pass
    read = read_comparisons("answers.csv", read_actions("actions.csv"))
    assert read.deciders == ("Ann",)


def test_where_several_answer_each_rule_is_to_be_learned(folder):
    alone = "welfarist fit actions.csv --comparisons answers.csv"
    for who, answer, said in (("Ann", "first", alone), ("Bo", "skip", alone)):
        with opened(asked(who)) as session:
            session.answer(answer)
            assert to_learn(session) == (said if who == "Ann" else f"{alone} --by by --each")
    with opened(asked("Ann")) as session:  # Bo has decided nothing
        assert to_learn(session) == alone


def test_made_up_outcomes_of_several_people_have_names_of_their_own(folder):
    for who in ("Ann", "Bo"):
        with opened(asked(who, designed="only")) as session:
            session.answer("first")
    names = [row[side] for row in rows() for side in ("first", "second")]
    assert sorted(names) == [f"made up {i}" for i in (1, 2, 3, 4)]


def test_answers_without_a_name_stay_so(folder):
    with opened(asked()) as session:
        session.answer("first")
    with pytest.raises(wf.InputError, match="no column that says whose"), opened(asked("Ann")):
        pass


def test_an_action_that_is_gone_is_missed_and_nothing_is_lost(folder):
    with opened(asked()) as session:
        session.answer("first")
    text = (folder / "answers.csv").read_bytes()
    gone = rows()[0]["second"]
    table = (folder / "actions.csv").read_text().splitlines(keepends=True)
    (folder / "actions.csv").write_text(
        "".join(line for line in table if not line.startswith(f"{gone},"))
    )
    said = f"answers.csv, line 2: .* found '{gone}'"
    with pytest.raises(wf.InputError, match=said), opened(asked()):
        pass
    assert (folder / "answers.csv").read_bytes() == text


def test_a_table_that_has_grown_is_gone_on_with(folder):
    with opened(asked()) as session:
        session.answer("first")
        session.answer("second")
    with (folder / "actions.csv").open("a") as file:
        file.write("new plan,50,50,50\n")
    with opened(asked()) as session:
        assert session.interview.answers == ["first", "second"]
        session.answer("first")
    assert len(rows()) == 3


def test_made_up_outcomes_are_known_again_when_questions_would_be_others(folder):
    with opened(asked(designed="only")) as session:
        session.answer("first")
        session.answer("second")
        before = [session.interview.actions[list(q.pair)] for q in session.interview.questions]
    with opened(asked(seed=9)) as session:  # by which others would have been made up
        after = [session.interview.actions[list(q.pair)] for q in session.interview.questions]
        assert [np.sort(x, axis=0).tolist() for x in after] == [
            np.sort(x, axis=0).tolist() for x in before
        ]
        session.answer("first")
    assert [row["choice"] for row in rows()] == ["first", "second", "first"]
    read_comparisons("answers.csv", read_actions("answers-actions.csv"))


def test_a_file_of_somebody_else_is_added_to_or_refused(folder):
    own = "remark,first,second,choice\nmy own,plan 1,plan 2,second\n"
    (folder / "answers.csv").write_text(own)
    with opened(asked()) as session:
        assert session.interview.answers == ["second"]
        session.answer("first")
    assert (
        (folder / "answers.csv")
        .read_text()
        .startswith("remark,first,second,choice,time,settings\nmy own,plan 1,plan 2,second,,\n,")
    )
    for strange, said in (
        ("preferred,other\nplan 1,plan 2\n", "must have the columns first, second and choice"),
        ("first,second,choice\nplan 1,plan 2,left\n", "line 2: a choice must be first"),
        ("first,second,choice\nplan 1,plan 1,first\n", "found 'plan 1' twice"),
    ):
        (folder / "answers.csv").write_text(strange)
        with pytest.raises(wf.InputError, match=said), opened(asked()):
            pass
        assert (folder / "answers.csv").read_text() == strange


def test_what_is_written_into_the_file_meanwhile_is_kept(folder):
    with opened(asked("Ann")) as session:
        session.answer("first")
        with (folder / "answers.csv").open("a") as file:
            file.write("plan 3,plan 4,second,Bo,,\n")
        session.answer("second")
        assert [row["by"] for row in rows()] == ["Ann", "Bo", "Ann"]
        (folder / "answers.csv").write_text("first,second,choice,by\nplan 3,plan 4,first,Ann\n")
        with pytest.raises(wf.InputError, match="somebody has changed the file"):
            session.undo()


def test_two_at_a_time_are_refused(folder):
    with (
        opened(asked()),
        pytest.raises(wf.InputError, match=r"answers\.csv: somebody else is at work"),
        opened(asked("Bo")),
    ):
        pass


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (AskRequest("-", "answers.csv"), "must be a file"),
        (AskRequest("actions.csv", "actions.csv"), "must be another file"),
        (AskRequest("actions.csv", "answers.parquet"), "ends in .csv"),
        (AskRequest("actions.csv", "none/answers.csv"), "there is no folder"),
        (asked(aim="plan 1"), "two actions at least"),
        (asked(aim="plan 1,plam 2"), "found 'plam 2', which is none. Did you mean 'plan 2'"),
    ],
)
def test_what_cannot_be_is_refused_in_words(folder, request_, said):
    with pytest.raises(wf.InputError, match=said), opened(request_):
        pass
    assert [path.name for path in folder.iterdir()] == ["actions.csv"]


def test_actions_that_are_called_as_answers_are(folder):
    write_table(folder / "actions.csv", ["First", "b"], [[1, 2, 3], [3, 2, 1]])
    with pytest.raises(wf.InputError, match="found 'First'"), opened(asked()):
        pass


def test_settings_are_kept_and_may_be_told_anew(folder):
    with opened(asked(aim="plan 1,plan 2,plan 3", max=2, check_every=5)) as session:
        session.answer("first")
    with opened(asked(max=9)) as session:
        assert session.settings == AskSettings(0, "no", "plan 1,plan 2,plan 3", 9, 0.9, 5)
        assert session.interview.aim == (1, 2, 3)
    assert rows()[0]["settings"] == "seed=0 'aim=plan 1,plan 2,plan 3' max=2 check_every=5"


def test_without_answers_settings_are_typed_again(folder):
    with opened(asked(designed="only", check_every=3, seed=4)) as session:
        told = "--seed 4 --designed only --check-every 3"
        assert to_go_on(session) == f"welfarist ask actions.csv --save answers.csv {told}"
        session.answer("first")
        assert to_go_on(session) == "welfarist ask actions.csv --save answers.csv"


def test_what_was_learned_as_tables_and_for_programs(folder):
    table = np.asarray(read_actions("actions.csv").utilities)
    with opened(asked(aim="best")) as session:
        while not session.reason:
            one, other = session.question.outcomes
            session.answer("first" if one.min() > other.min() else "second")
        learned = session.learned()
    best = int(table.min(axis=1).argmax())
    assert learned.best[0][0] == f"plan {best}"
    assert sum(chance for _, chance in learned.best) == pytest.approx(1.0, abs=0.05)  # five of 40
    record = json.loads(json.dumps(learned.to_dict(), allow_nan=False))
    assert record["p"]["low"] < record["p"]["median"] < record["p"]["high"]
    assert list(record["weights"]) == list(PEOPLE)
    rule, decided = learned.tables()
    assert "weight of recipients" in rule.as_text()
    assert f"plan {best}" in decided.as_text()


def test_only_skipped_questions_teach_nothing(folder):
    with opened(asked(max=1)) as session:
        session.answer("skip")
        assert session.reason
        assert not session.decided
        assert session.learned().answers == 0
    with pytest.raises(wf.InputError, match="all 1 were skipped"):
        read_comparisons("answers.csv", read_actions("actions.csv"))
