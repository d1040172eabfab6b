"""People in a sketch: made by a command, and taken wherever a command takes actions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.app import countries
from welfarist.cli.app import app

# The estimates of two fits to the same welfare, which a sketch knows to 2e-12.
SAME_FIT = 1e-7
# Welfare in a sketch beside welfare person by person, for |p| <= 2.
SAME_WELFARE = 1e-11
PEOPLE = {
    "region": ["north", "south", "north", "south", "south"],
    "free bus": [4.0, 2.0, 8.0, 5.0, 0.0],
    "tax cut": [9.0, 1.0, 9.0, 3.0, 1.0],
    "heads": [1.0, 2.0, 1.0, 0.5, 3.0],
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def land(tmp_path_factory):
    """A small country, its sketch, and a model that was learned from it."""
    place = tmp_path_factory.mktemp("land")
    run("simulate", str(place), "--people", "3e3", "--regions", "3", "--actions", "8",
        "--decisions", "200", "--seed", "4")  # fmt: skip
    sketch = str(place / "people.sketch")
    run("sketch", str(place / "people"), "--groups", "region", "--out", sketch)
    run("fit", sketch, "-c", str(place / "comparisons.csv"), "--no-intervals",
        "--save", str(place / "model.json"))  # fmt: skip
    return place


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def refused(*arguments: str, code: int = 1) -> str:
    return " ".join(run(*arguments, code=code).output.split())


# --- sketching ---


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "xlsx"])
def test_a_file_of_any_kind_has_the_same_sketch(kind):
    frame = pl.DataFrame(PEOPLE)
    writers = {"csv": frame.write_csv, "parquet": frame.write_parquet,
               "feather": frame.write_ipc, "xlsx": frame.write_excel}  # fmt: skip
    writers[kind](f"people.{kind}")
    run("sketch", f"people.{kind}", "--groups", "region", "--counts", "heads", "--out", "p.sketch")
    found = wf.Sketch.load("p.sketch")
    assert found == wf.Sketch.of(frame, groups="region", counts="heads")
    assert found.people == 7.5
    assert found.actions == ("free bus", "tax cut")


def test_programs_are_told_what_is_in_it():
    pl.DataFrame(PEOPLE).write_csv("people.csv")
    line = ("sketch", "people.csv", "--groups", "region", "--ignore", "heads", "--out", "p.sketch")
    found = json.loads(run(*line, "--json").stdout)
    assert found["groups"] == {"north": 2.0, "south": 3.0}
    assert found["actions"][0] == {
        "action": "free bus", "lowest": 0.0, "mean": pytest.approx(3.8), "highest": 8.0,
        "with_nothing": 1.0,
    }  # fmt: skip
    assert "with nothing" in run(*line).stdout


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_may_be_a_person_in_an_action(kind):
    wide = pl.DataFrame(PEOPLE).drop("heads")
    long = wide.unpivot(index="region", variable_name="plan", value_name="worth")
    long.write_csv("long.csv")
    long.write_parquet("long.parquet")
    run("sketch", f"long.{kind}", "--long", "--action", "plan", "--utility", "worth",
        "--groups", "region", "--out", "p.sketch")  # fmt: skip
    assert wf.Sketch.load("p.sketch") == wf.Sketch.of(wide, groups="region")


def test_a_folder_is_the_people_of_all_its_files_and_a_second_run_writes_the_same():
    frame = pl.DataFrame(PEOPLE).drop("heads")
    Path("parts").mkdir()
    frame[:2].write_parquet("parts/1.parquet")
    frame[2:].write_parquet("parts/2.parquet")
    line = ("sketch", "parts", "--groups", "region", "--out", "p.sketch")
    run(*line)
    first = Path("p.sketch").read_bytes()
    run(*line)
    assert Path("p.sketch").read_bytes() == first
    assert wf.Sketch.load("p.sketch") == wf.Sketch.of(frame, groups="region")


def _two_files(second: bytes | pl.DataFrame) -> None:
    Path("parts").mkdir()
    pl.DataFrame(PEOPLE).write_parquet("parts/1.parquet")
    if isinstance(second, bytes):
        Path("parts/2.parquet").write_bytes(second)
    else:
        second.write_parquet("parts/2.parquet")


@pytest.mark.parametrize("bad", [float("nan"), -1.0, float("inf"), 1e-310])
def test_a_bad_utility_is_named_with_file_and_row_group(bad):
    frame = pl.DataFrame({**PEOPLE, "tax cut": [1.0, bad, 1.0, 1.0, 1.0]})
    _two_files(frame)
    said = refused("sketch", "parts", "--groups", "region", "--out", "p.sketch")
    assert "'tax cut', row 1 of row group 0 in parts/2.parquet" in said
    assert not Path("p.sketch").exists()


def test_a_damaged_part_is_refused_before_any_is_read():
    frame = pl.DataFrame(PEOPLE)
    frame.write_parquet("whole.parquet")
    _two_files(Path("whole.parquet").read_bytes()[:-30])
    Path("p.sketch").write_text("what was there")
    said = refused("sketch", "parts", "--groups", "region", "--out", "p.sketch")
    assert "parts/2.parquet: must be a whole Parquet file" in said
    assert Path("p.sketch").read_text() == "what was there"


def test_parts_with_other_columns_are_refused():
    _two_files(pl.DataFrame({"region": ["north"], "tax cut": [1.0], "heads": [1.0]}))
    said = refused("sketch", "parts", "--groups", "region", "--out", "p.sketch")
    assert "parts/2.parquet" in said
    assert "'free bus'" in said


@pytest.mark.parametrize(
    ("asked", "said", "code"),
    [
        (["nowhere"], "nowhere: there is no such file or folder", 1),
        (["people.csv", "--groups", "country"], "found no 'country' among 'region'", 1),
        (["people.parquet", "--groups", "country"], "must have a column 'country'", 1),
        (["people.parquet", "--ignore", "age"], "found no 'age' among 'region'", 1),
        (["people.parquet", "--columns", "age"], "must have a column 'age'", 1),
        (["people.csv", "--columns", "heads", "--ignore", "heads"], "exclude each other", 2),
        (["people.csv", "--action", "plan"], "--action goes with --long", 2),
        (["people.csv", "--long", "--ignore", "heads"], "which --long has none of", 2),
        (["people.parquet", "--decimal", ","], "--decimal is not for Parquet files", 2),
        (["minus.csv"], "minus.csv, line 3, column 'bus': utilities must not be negative", 1),
        (["texts.csv"], "there must be a column of numbers for each action", 1),
        (["empty"], "empty: must hold Parquet files; found none", 1),
    ],
)
def test_what_cannot_be_sketched_is_said(asked, said, code):
    pl.DataFrame(PEOPLE).write_csv("people.csv")
    pl.DataFrame(PEOPLE).write_parquet("people.parquet")
    Path("minus.csv").write_text("bus,tax\n1,2\n-1,2\n")
    Path("texts.csv").write_text("name\nann\nbo\n")
    Path("empty").mkdir()
    assert said in refused("sketch", *asked, "--out", "p.sketch", code=code)
    assert not Path("p.sketch").exists()


def test_a_sketch_goes_to_a_place_of_its_own():
    _two_files(pl.DataFrame(PEOPLE))
    said = refused("sketch", "parts", "--out", "parts/p.sketch", code=2)
    assert "must not stand among the people" in said
    run("sketch", "parts", "--groups", "region", "--out", "p.sketch")
    assert "found a sketch" in refused("sketch", "p.sketch", "--out", "again.sketch")
    said = refused("sketch", "parts/1.parquet", "--out", "parts/1.parquet", code=2)
    assert "would replace" in said


# --- taking a sketch for actions ---


def _table_at(place: Path, p: float) -> wf.Sketch:
    return wf.Sketch.load(place / "people.sketch").seen_at(p)


@pytest.mark.parametrize("weights", [None, "population", "equal"])
def test_a_fit_is_the_fit_in_python(land, weights):
    told = [] if weights is None else ["--weights", weights]
    done = run("fit", str(land / "people.sketch"), "-c", str(land / "comparisons.csv"),
               "--no-intervals", "--json", *told)  # fmt: skip
    found = json.loads(done.stdout)
    sketch = wf.Sketch.load(land / "people.sketch")
    read = pl.read_csv(land / "comparisons.csv")
    rows = {name: row for row, name in enumerate(sketch.actions)}
    pairs = [[rows[one], rows[other]] for one, other in read.select("preferred", "other").rows()]
    known = {None: "learn", "population": sketch.heads, "equal": np.ones(3)}[weights]
    learner = wf.ComparisonClassifier(weights=known)
    learner.fit(wf.Comparisons(sketch, pairs, np.ones(len(pairs))))
    assert found["p"] == pytest.approx(learner.p_, abs=SAME_FIT)
    assert list(found["weights"].values()) == pytest.approx(learner.weights_, abs=SAME_FIT)


def test_the_true_rule_comes_back_from_scores_in_a_file(land):
    truth = wf.load_model(land / "truth.json").welfare
    sketch = wf.Sketch.load(land / "people.sketch")
    scores = truth(sketch)
    pl.DataFrame({"plan": sketch.actions, "score": scores}).reverse().write_csv("scores.csv")
    found = json.loads(
        run("fit", str(land / "people.sketch"), "--score", "scores.csv", "--json").stdout
    )
    assert found["p"] == pytest.approx(truth.p, abs=1e-5)  # scores are rounded to 16 digits


def test_choices_from_menus_are_learned_from(land):
    names = wf.Sketch.load(land / "people.sketch").actions
    rng = np.random.default_rng(1)
    menus = [rng.choice(names, 3, replace=False) for _ in range(60)]
    pl.DataFrame({"menu": [";".join(m) for m in menus], "chosen": [m[0] for m in menus]}).write_csv(
        "choices.csv"
    )
    found = json.loads(
        run("fit", str(land / "people.sketch"), "--choices", "choices.csv", "--p", "0",
            "--weights", "population",
            "--no-intervals", "--json").stdout
    )  # fmt: skip
    assert found["n"] == 60


def test_a_rule_ranks_as_it_does_person_by_person(land):
    found = json.loads(
        run("rank", str(land / "people.sketch"), "--doctrine", "harmonic", "--json").stdout
    )["actions"]
    people = pl.read_parquet(land / "people" / "part-00000.parquet")
    for row in found:
        direct = float(wf.power_mean(people[row["action"]].to_numpy().astype(float), -1))
        assert row["welfare"] == pytest.approx(direct, rel=SAME_WELFARE)
        assert sum(row["shares"].values()) == pytest.approx(1, abs=SAME_WELFARE)
    assert [row["place"] for row in found] == list(range(1, 9))


def test_weights_of_a_doctrine_are_by_heads_by_groups_or_given(land):
    people = pl.read_parquet(land / "people" / "part-00000.parquet")
    by_region = people.group_by("region").agg(pl.col("plan 1").mean()).sort("region")["plan 1"]
    for told, expected in (
        ("equal", by_region.mean()),
        ("population", people["plan 1"].mean()),
        ("region 1=1,region 2=0,region 3=0", by_region[0]),
    ):
        line = ("judge", str(land / "people.sketch"), "plan 1", "plan 2", "--doctrine",
                "utilitarian", "--weights", told, "--json")  # fmt: skip
        found = json.loads(run(*line).stdout)["actions"][0]
        assert found["welfare"] == pytest.approx(expected, rel=SAME_WELFARE), told
        assert found["utilities"]["region 1"] == pytest.approx(by_region[0], rel=SAME_WELFARE)


def test_a_saved_model_judges_whatever_the_order_of_its_groups(land):
    saved = wf.load_model(land / "model.json").welfare
    table = _table_at(land, saved.p)
    found = json.loads(
        run("judge", str(land / "people.sketch"), "plan 1", "plan 2", "--model",
            str(land / "model.json"), "--json").stdout
    )  # fmt: skip
    assert found["actions"][0]["welfare"] == pytest.approx(float(saved(table[0])), rel=1e-12)
    assert list(found["actions"][0]["utilities"].values()) == pytest.approx(table[0], rel=1e-12)
    text = run("judge", str(land / "people.sketch"), "plan 1", "plan 2", "--model",
               str(land / "model.json")).stdout  # fmt: skip
    assert "from that group" in text
    assert "chooses plan 1" in text


def test_a_comparison_says_nothing_of_sole_people(land):
    text = run("compare", str(land / "people.sketch"), "-c", str(land / "comparisons.csv"),
               "--folds", "0", "--model", str(land / "truth.json")).stdout  # fmt: skip
    assert "truth.json" in text
    assert "the same rule at every p" not in text


def test_a_sketch_is_known_by_what_it_says_not_by_its_name(land):
    Path("plans.csv").write_bytes((land / "people.sketch").read_bytes())
    assert "plan 3" in run("rank", "plans.csv", "--doctrine", "Nash").stdout
    Path("cut.csv").write_bytes((land / "people.sketch").read_bytes()[:500])
    assert "cut short or changed" in refused("rank", "cut.csv", "--doctrine", "Nash")
    Path("newer.csv").write_bytes(b"welfarist.Sketch 99 whatever")
    assert "must be a sketch" in refused("rank", "newer.csv", "--doctrine", "Nash")


@pytest.mark.parametrize(
    ("asked", "said", "code"),
    [
        (["--noise", "none"], "counts errors exactly", 1),
        (["--solver", "grid"], "Use --solver newton", 1),
        (["--shift", "1"], "--shift must be added before", 2),
        (["--shift-table"], "--shift-table adds constants", 2),
        (["--absent"], "not for a file that people were put in", 2),
        (["--stakeholders", "region 1"], "not for a file that people were put in", 2),
        (["--weights", "region 1=1"], "every stakeholder must have a weight", 1),
    ],
)
def test_what_a_sketch_does_not_know_is_refused_in_words(land, asked, said, code):
    files = (str(land / "people.sketch"), "-c", str(land / "comparisons.csv"))
    assert said in refused("fit", *files, "--save", "m.json", *asked, code=code)
    assert not Path("m.json").exists()


@pytest.mark.parametrize(
    ("asked", "said"),
    [([], "say what was decided"), (["--wide"], "--wide is for decisions that hold utilities"),
     (["--score", "s.csv", "--save", "s.csv"], "would replace")],
)  # fmt: skip
def test_decisions_about_a_sketch_must_be_somewhere(land, asked, said):
    Path("s.csv").write_text("action,score\nplan 1,2\n")
    assert said in refused("fit", str(land / "people.sketch"), *asked, code=2)


def test_scores_must_be_of_plans_that_are_there(land):
    Path("s.csv").write_text("action,score\nplan 1,2\nplan 99,3\n")
    said = refused("fit", str(land / "people.sketch"), "--score", "s.csv")
    assert "s.csv, line 3" in said
    Path("s.csv").write_text("action,first,second\nplan 1,2,3\n")
    assert "one called score" in refused("fit", str(land / "people.sketch"), "--score", "s.csv")


def test_population_is_no_weight_of_a_table():
    Path("t.csv").write_text("action,ann,bo\none,1,2\ntwo,2,1\n")
    said = refused("rank", "t.csv", "--doctrine", "Nash", "--weights", "population", code=2)
    assert "Use --weights equal" in said


def test_a_model_of_other_groups_is_refused(land):
    pl.DataFrame(PEOPLE).write_csv("people.csv")
    run("sketch", "people.csv", "--groups", "region", "--out", "p.sketch")
    said = refused("rank", "p.sketch", "--model", str(land / "model.json"))
    assert "the groups must be those of" in said
    assert "'region 1'" in said


# --- a country in parts ---


def test_a_country_is_the_same_again_and_another_with_another_seed(tmp_path):
    line = ("--people", "1e3", "--regions", "2", "--actions", "3", "--decisions", "20")
    for folder, seed in (("one", "1"), ("two", "1"), ("three", "2")):
        run("simulate", folder, *line, "--seed", seed)
    first, same, other = (
        {path.name: path.read_bytes() for path in sorted(Path(folder).rglob("*.*"))}
        for folder in ("one", "two", "three")
    )
    assert set(first) == {"comparisons.csv", "part-00000.parquet", "truth.json"}
    assert first == same
    assert all(first[name] != other[name] for name in first)


def test_an_old_country_is_replaced_only_when_that_is_asked_for():
    line = ("simulate", "land", "--regions", "2", "--actions", "3", "--decisions", "20")
    run(*line, "--people", "1000")
    assert "is there already" in refused(*line, "--people", "500")
    run(*line, "--people", "500", "--force")
    assert len(pl.read_parquet("land/people/part-00000.parquet")) == 500
    assert sorted(path.name for path in Path("land").iterdir()) == [
        "comparisons.csv", "people", "truth.json",
    ]  # fmt: skip
    said = refused("simulate", "land", "--people", "3", "--force")
    assert "has the people of a country" in said
    Path("land/people/mine.txt").write_text("keep")
    assert "mine.txt: would be removed" in refused(*line, "--people", "500", "--force")


@pytest.mark.parametrize("old", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("when", ["_write_part", "write_together"])
def test_nothing_half_written_is_left_by_an_interruption(monkeypatch, when, old):
    line = ("simulate", "land", "--regions", "2", "--actions", "3", "--decisions", "20")
    if old:
        run(*line, "--people", "500")
    before = {path: path.is_file() and path.read_bytes() for path in Path().rglob("*")}

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(countries, when, stop)
    assert "Interrupted." in run(*line, "--people", "1000", "--force", code=130).output
    assert {path: path.is_file() and path.read_bytes() for path in Path().rglob("*")} == before


def test_what_a_killed_run_left_is_put_right():
    line = ("simulate", "land", "--people", "500", "--regions", "2", "--actions", "3", "--force")
    run(*line)
    kept = Path("land/people/part-00000.parquet").read_bytes()
    Path("land/people").rename("land/.people.former")
    Path("land/.people.partial").mkdir()
    Path("land/.people.partial/part-00000.parquet").write_text("half")
    assert "is there already" in refused(*line[:-1])
    assert Path("land/people/part-00000.parquet").read_bytes() == kept
    run(*line)
    assert sorted(path.name for path in Path("land").iterdir()) == [
        "comparisons.csv", "people", "truth.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--people", "0"], "must be a whole number from 1 on"),
        (["--people", "1.5"], "must be a whole number from 1 on"),
        (["--people", "many"], "must be a whole number from 1 on"),
        (["--regions", "3", "--scores"], "--scores are not for a country"),
        (["--regions", "3", "--charity"], "Leave one out"),
        (["--weights", "population"], "--weights population is for a country"),
        (["--regions", "3", "--weights", "1,2"], "must be as many as --regions"),
    ],
)
def test_a_country_that_cannot_be_is_refused(asked, said):
    assert said in refused("simulate", "land", *asked, code=2)
    assert not Path("land").exists()


def test_a_full_disk_is_said_and_leaves_nothing(monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    said = refused("simulate", "land", "--people", "500", "--regions", "2")
    assert "No space left on device" in said
    assert not Path("land").exists()


def test_decisions_in_a_folder_are_learned_from(land):
    read = pl.read_csv(land / "comparisons.csv").rename({"preferred": "first", "other": "second"})
    Path("decisions").mkdir()
    read[:90].with_columns(choice=pl.lit(1)).write_parquet("decisions/1.parquet")
    read[90:].with_columns(choice=pl.lit(1)).write_parquet("decisions/2.parquet")
    found = json.loads(
        run(
            "fit", str(land / "people.sketch"), "-c", "decisions", "--no-intervals", "--json"
        ).stdout
    )
    saved = wf.load_model(land / "model.json").welfare
    assert found["p"] == pytest.approx(saved.p, abs=SAME_FIT)


@pytest.mark.parametrize("weights", ["learn", "equal", "population"])
def test_a_report_speaks_of_groups_and_of_how_many_they_are(land, weights):
    run("fit", str(land / "people.sketch"), "-c", str(land / "comparisons.csv"), "--p", "-1",
        "--weights", weights, "--report", "r.html")  # fmt: skip
    text = Path("r.html").read_text()
    heads = wf.Sketch.load(land / "people.sketch").heads
    assert "3,000" in text
    assert f"{heads[0] / heads.sum():.1%}" in text
    assert "Were everybody to count the same" in text
    assert "a person's weight" not in text
    assert "Equal weights would be" not in text


def test_sketching_that_is_interrupted_writes_nothing(monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    pl.DataFrame(PEOPLE).write_parquet("people.parquet")
    monkeypatch.setattr("welfarist.people.sketch.arrow.of_file", stop)
    line = ("sketch", "people.parquet", "--groups", "region", "--out", "p.sketch")
    assert "Interrupted." in run(*line, code=130).output
    assert [path.name for path in Path().iterdir()] == ["people.parquet"]
