"""A short version of the study of questions, and how its findings become a page."""

from __future__ import annotations

from collections import Counter

from benchmarks.asking_page import Found, page

from benchmarks import asking

WAYS = ("ties", "band", "half", "left out")


def rows(part, cell, number, what, value):
    return dict(part=part, cell=cell, number=str(number), what=what, value=repr(value))


def test_every_part_runs_and_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "STORE", tmp_path / "build" / "asking.csv")
    monkeypatch.setattr(asking, "MOST", 4)
    for name, value in dict(ANSWERS=3, UNDONE=2, EARLY=10, LATE=12).items():
        monkeypatch.setattr(asking, name, value)
    cells = {
        "coverage": "2 people, adaptive",
        "stopping": "tau = 20, 3 people",
        "speed": "5 people, 200 actions, aim",
        "ties": "band 0.1",
    }
    for part, cell in cells.items():
        job = (part, cell, 1, 0)
        found = asking.run(None, job)
        assert found
        asking.keep(job, found)
    kept = asking.finished()
    assert {(row["part"], row["cell"]) for row in kept} == set(cells.items())
    assert "| 2 people | 20 adaptive |" in page(Found(kept), 1)


def test_half_a_run_tells_of_all_cells():
    assert len(asking.jobs_of(["coverage"], None, 1)) == 4 * 500
    tables = asking.jobs_of(["tables"], 100, 1)
    in_half = Counter(job[1] for job in tables[: len(tables) // 2])
    assert set(in_half) == {job[1] for job in tables}
    assert max(in_half.values()) - min(in_half.values()) <= 1
    jobs = asking.jobs_of(["tables", "speed"], 100, 1)
    assert sum(job[1] == "tau = 5, 5 people, random" for job in jobs) == 100
    assert sum(job[1] == "5 people, 200 actions" for job in jobs) == 2
    assert sum(job[1] == "5 people, 200 actions, memory" for job in jobs) == 1


def test_what_must_hold_stands_above_what_was_found():
    text = page(Found([]), 7)
    assert text.index("What must hold") < text.index("Not run yet.")
    assert "--seed 7" in text


def test_what_was_not_run_again_stays_with_its_seed():
    memory = [rows("speed", "5 people, 200 actions, memory", 0, f"peak after {n}", 9.0)
              for n in (20, 200)]  # fmt: skip
    first = page(Found(memory), 7)
    second = page(Found([rows("ties", "band 0.1", 0, way, 0.9) for way in WAYS]), 8, first)
    third = page(Found([]), 9, second)
    for text in (second, third):
        assert "found with seed 7" in text
        assert "| 9.0 | 9.0 | holds |" in text
    assert "found with seed 8" in third
    assert third.count("Not finished again") == 2


def test_the_same_decision_makers_are_compared():
    cell = "tau = 20, 10 people"
    found = [rows("tables", f"{cell}, adaptive", i, "20 accuracy", 0.9 + 0.01 * i) for i in (0, 1)]
    found += [rows("tables", f"{cell}, random", i, "50 accuracy", 0.9) for i in (0, 1, 2)]
    text = page(Found(found), 1)
    assert "| 0.9050 | 0.9000 | +0.0050 ± 0.0050 | at least 0 | 2 | holds |" in text


def test_verdicts_are_about_what_was_asked_for():
    found = []
    for i in range(20):
        for sure in (0.8, 0.9):
            for what, value in (("best", float(i > 1)), ("said", 0.9), ("questions", 7.0)):
                found.append(rows("stopping", "tau = 5, 3 people", i, f"{sure} {what}", value))
    found += [rows("speed", "5 people, 200 actions", 0, "answer", t) for t in (40.0, 50.0, 501.0)]
    found += [rows("speed", "5 people, 200 actions, memory", 0, f"peak after {n}", mb)
              for n, mb in ((20, 10.0), (200, 10.9))]  # fmt: skip
    text = page(Found(found), 1)
    assert "| 0.8 | 20 of 20 | 7 | 90.0% | 90.0% ± 6.9% |  | +0.0% ± 6.9% |  |  |" in text
    assert (
        "| 0.9 | 20 of 20 | 7 | 90.0% | 90.0% ± 6.9% |  | +0.0% ± 6.9% | 85% to 95% | holds |"
        in text
    )
    assert "| the rule | an answer | 50 | 501 | 3 | missed |" in text
    assert "| 10.0 | 10.9 | holds |" in text
