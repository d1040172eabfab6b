"""The command line: answers, messages, exit codes, and what goes to which stream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist import cli
from welfarist.cli import console
from welfarist.cli.app import COMMANDS, app
from welfarist.cli.help_pages import REST, panels_of

PEOPLE = ["donors", "[red]staff", "recipients"]
TRUTH = wf.WelfareFunction(-0.5, [0.2, 0.3, 0.5])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Actions, comparisons by name, scores and wide comparisons of one seeded world."""
    place = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (60, 3))
    names = ["[bold]pantry[/bold]", *(f"action {i}" for i in range(1, 60))]
    actions = pl.DataFrame({"action": names} | dict(zip(PEOPLE, table.T, strict=True)))
    actions.write_csv(place / "actions.csv")
    actions.write_parquet(place / "actions.parquet")
    noisy = TRUTH(table) + rng.normal(0, 0.1, 60)
    actions.with_columns(score=noisy).write_csv(place / "scores.csv")
    pairs = rng.permuted(np.tile(np.arange(60), (400, 1)), axis=1)[:, :2]
    welfare = TRUTH.log(table)
    margin = welfare[pairs[:, 0]] - welfare[pairs[:, 1]] + rng.logistic(scale=1 / 12, size=400)
    best, worst = np.where(margin > 0, pairs.T, pairs.T[::-1])
    decisions = {"preferred": [names[i] for i in best], "other": [names[i] for i in worst]}
    decisions["by"] = [f"judge {i % 20}" for i in range(400)]
    pl.DataFrame(decisions).write_csv(place / "decisions.csv")
    pl.DataFrame(decisions).write_parquet(place / "decisions.parquet")
    wide = {
        f"{p}_{s}": table[pairs[:, i], j] for i, s in enumerate("xy") for j, p in enumerate("abc")
    }
    pl.DataFrame(wide | {"choice_x": (margin > 0).astype(int)}).write_csv(place / "wide.csv")
    return place


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def decisions_of(folder: Path) -> wf.Comparisons:
    frame = pl.read_csv(folder / "actions.csv")
    row = {name: i for i, name in enumerate(frame["action"])}
    chosen = pl.read_csv(folder / "decisions.csv")
    pairs = [[row[a], row[b]] for a, b in chosen.select("preferred", "other").rows()]
    return wf.Comparisons(frame.select(PEOPLE), pairs, np.ones(400), by=chosen["by"].to_list())


@pytest.fixture(scope="module")
def learned(folder):
    return wf.ComparisonClassifier(random_state=0).fit(decisions_of(folder))


@pytest.fixture(scope="module")
def model(folder, learned):
    path = folder / "learned.json"
    wf.save_model(learned, path)
    return str(path)


# fit


def test_fit_prints_what_the_estimator_learned(learned):
    printed = run("fit", "actions.csv", "--comparisons", "decisions.csv").stdout
    for text in ("Learned from 400 decisions", "weight of [red]staff", "95% interval", "Converged"):
        assert text in printed
    assert f"{learned.p_:.4f}" in printed


def test_fit_as_json_holds_the_same_digits(learned):
    done = run("fit", "actions.parquet", "-c", "decisions.parquet", "--json", "--level", "0.9")
    found = json.loads(done.stdout)
    assert found["p"] == learned.p_
    assert found["weights"] == dict(zip(PEOPLE, learned.weights_.tolist(), strict=True))
    assert (found["tau"], found["loss"], found["n"]) == (learned.tau_, learned.loss_, 400)
    assert found["converged"] is True
    assert found["level"] == 0.9
    assert found["intervals"]["p"] == list(learned.result_.interval("p", 0.9))
    ends = learned.result_.interval("weights", 0.9).tolist()
    assert found["intervals"]["weights"] == dict(zip(PEOPLE, ends, strict=True))
    assert [caveat[:40] for caveat in found["caveats"]] == [
        "standard errors clustered by 20 decision"
    ]
    assert (found["covariance"], found["clusters"], found["notes"]) == ("clustered", 20, [])
    assert found["fit"]["pseudo R squared"] == learned.result_.prsquared


def test_fit_from_scores():
    done = run("fit", "scores.csv", "--json", "--no-intervals", "--weights", "equal", "--p", "Nash")
    found = json.loads(done.stdout)
    assert (found["p"], found["intervals"], found["given"]) == (0, {}, ["p", "weights"])
    assert done.stderr.splitlines()[0] == "Note: scores.csv: the scores are in the column 'score'."
    told = run("fit", "scores.csv", "--score", "score", "--json", "--no-intervals")
    frame = pl.read_csv("scores.csv")
    est = wf.WelfareRegressor(random_state=0).fit(frame.select(PEOPLE), frame["score"])
    assert json.loads(told.stdout)["p"] == est.p_
    assert told.stderr == ""


def test_fit_from_wide_comparisons():
    done = run("fit", "wide.csv", "--wide", "--json", "--no-intervals")
    found = json.loads(done.stdout)
    assert list(found["weights"]) == ["a", "b", "c"]
    assert len(found["notes"]) == 3
    for note in found["notes"]:
        assert f"Note: {note}" in done.stderr
    told = ("--first", "a_x,b_x,c_x", "--second", "a_y,b_y,c_y", "--choice", "choice_x")
    again = run("fit", "wide.csv", "--wide", "--json", "--no-intervals", *told)
    assert json.loads(again.stdout)["p"] == found["p"]


@pytest.mark.parametrize("as_file", [True, False])
def test_weights_and_groups(tmp_path, as_file):
    weights, groups = "donors=1,[red]staff=2,recipients=1", "in=donors,recipients;out=[red]staff"
    if as_file:
        (tmp_path / "w.csv").write_text(
            "stakeholder,weight\ndonors,1\nrecipients,1\n[red]staff,2\n"
        )
        (tmp_path / "g.csv").write_text(
            "stakeholder,group\ndonors,in\nrecipients,in\n[red]staff,out\n"
        )
        weights, groups = str(tmp_path / "w.csv"), str(tmp_path / "g.csv")
    common = ("fit", "actions.csv", "-c", "decisions.csv", "--json", "--no-intervals")
    known = json.loads(run(*common, "--weights", weights).stdout)
    assert known["weights"] == {"donors": 0.25, "[red]staff": 0.5, "recipients": 0.25}
    shared = json.loads(run(*common, "--groups", groups, "--prior", "2").stdout)
    assert shared["weights"]["donors"] == shared["weights"]["recipients"]


def test_every_option_of_the_learners_is_there():
    # A bar is shown when watched; families of one's own are Python; --seed, --starts and --dask
    # have other names. One fit has nothing to start warm from, is not pickled, says how it ended.
    names = {
        "progress",
        "family",
        "random_state",
        "n_starts",
        "warm_start",
        "keep_data",
        "verbose",
        "engine",
    }
    fit = {parameter.name for parameter in _command("fit").params}
    for learner in (wf.ComparisonClassifier, wf.WelfareRegressor):
        assert set(learner().get_params()) - names <= fit
    assert {"seed", "starts"} <= fit


def _command(name: str):
    import typer.main

    return typer.main.get_command(app).commands[name]


@pytest.mark.parametrize(
    "extra",
    [
        ("--noise", "lapse", "--tau-max", "1000"),
        ("--noise", "flip", "--rho", "0.1", "--p", "1", "--weights", "equal"),
        (
            "--solver",
            "newton",
            "--starts",
            "2",
            "--max-iter",
            "300",
            "--tol",
            "1e-10",
            "--seed",
            "5",
        ),
        ("--method", "wald", "--covariance", "clustered"),
        ("--prior", "donors=2,[red]staff=1,recipients=1"),
    ],
)
def test_options_reach_the_learner(extra):
    assert json.loads(run("fit", "actions.csv", "-c", "decisions.csv", "--json", *extra).stdout)


def test_caveats_are_said_once_and_kept_in_json(tmp_path):
    Path(tmp_path / "a.csv").write_text("action,a,b\nx,1,2\ny,2,1\nz,3,0\n")
    Path(tmp_path / "c.csv").write_text("preferred,other\nx,y\nz,y\n")
    arguments = ("fit", str(tmp_path / "a.csv"), "-c", str(tmp_path / "c.csv"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = run(*arguments, "--json")
        plain = run(*arguments)
    found = json.loads(done.stdout)
    assert any("some utility is 0" in caveat for caveat in found["caveats"])
    assert plain.stdout.count("some utility is 0") == 1  # where a redirected answer keeps them
    for shown in (done, plain):
        assert shown.stderr == ""


def test_fit_saves_a_model_that_rank_reads(tmp_path, learned):
    path = str(tmp_path / "m.json")
    run("fit", "actions.csv", "-c", "decisions.csv", "--save", path)
    saved = wf.load_model(path)
    assert saved.welfare == learned.welfare_
    assert saved.intervals["p"] == learned.result_.interval("p")
    assert saved.intervals["level"] == 0.95


@pytest.mark.parametrize(
    ("covariance", "method", "level"), [("clustered", None, 0.9), ("fisher", "wald", 0.8)]
)
def test_the_report_follows_what_was_chosen(tmp_path, covariance, method, level):
    path, expected = tmp_path / "typed.html", tmp_path / "called.html"
    chosen = ("--covariance", covariance, "--level", str(level))
    chosen += () if method is None else ("--method", method)
    done = run("fit", "actions.csv", "-c", "decisions.csv", *chosen, "--report", str(path))
    assert done.stderr == f"Report: {path}\n"
    actions = wf.files.read_actions("actions.csv")
    decided = wf.files.read_comparisons("decisions.csv", actions).decisions
    result = wf.ComparisonClassifier(random_state=0).fit(decided).result_
    files = ["actions.csv", "decisions.csv"]
    result.with_covariance(covariance).report(expected, level=level, method=method, files=files)
    assert path.read_bytes() == expected.read_bytes()
    result.report(expected, files=files)
    assert path.read_bytes() != expected.read_bytes()


def test_a_place_that_cannot_be_written_to_is_refused_before_the_fit(tmp_path):
    path = str(tmp_path / "no" / "m.json")
    done = run("fit", "actions.csv", "-c", "decisions.csv", "--save", path, code=1)
    assert "there is no folder" in done.stderr
    done = run("fit", "actions.csv", "-c", "decisions.csv", "--report", str(tmp_path), code=1)
    assert "is a folder" in done.stderr


# rank and judge


def test_rank_gives_the_digits_of_the_estimator(learned, model):
    frame = pl.read_csv("actions.csv")
    found = json.loads(run("rank", "actions.csv", "--model", model, "--json").stdout)
    values = learned.welfare_(frame.select(PEOPLE))
    order = learned.welfare_.rank(frame.select(PEOPLE))
    assert [row["action"] for row in found["actions"]] == [frame["action"][int(i)] for i in order]
    assert [row["welfare"] for row in found["actions"]] == values[order].tolist()
    assert [row["place"] for row in found["actions"]] == list(range(1, 61))
    table = frame.select(PEOPLE).to_numpy()
    pairs = wf.Comparisons(table, np.column_stack([order[:-1], order[1:]]), np.ones(59))
    chances = [row["preferred_to_next"] for row in found["actions"]]
    assert chances[:-1] == pytest.approx(learned.predict_proba(pairs)[:, 1].tolist(), rel=1e-12)
    assert chances[-1] is None
    shares = [list(row["shares"].values()) for row in found["actions"]]
    assert shares == learned.welfare_.shares(table[order]).tolist()


def test_rank_for_people_prints_names_as_they_are():
    printed = run("rank", "actions.csv", "--doctrine", "Nash").stdout
    assert "[bold]pantry[/bold]" in printed
    assert "share of [red]staff" in printed
    assert "by Nash, p = 0" in printed
    top = run("rank", "actions.csv", "--p", "-1", "--top", "3", "--json")
    assert len(json.loads(top.stdout)["actions"]) == 3


def test_rank_matches_columns_by_name_and_says_what_it_leaves_out(model, tmp_path):
    frame = pl.read_csv("actions.csv")
    turned = frame.select("action", pl.lit(3).alias("year"), *PEOPLE[::-1])
    turned.write_csv(tmp_path / "turned.csv")
    done = run("rank", str(tmp_path / "turned.csv"), "--model", model, "--json")
    assert "the rule does not use 'year'" in done.stderr
    plain = json.loads(run("rank", "actions.csv", "--model", model, "--json").stdout)
    assert json.loads(done.stdout)["actions"] == plain["actions"]
    frame.drop("donors").write_csv(tmp_path / "less.csv")
    done = run("rank", str(tmp_path / "less.csv"), "--model", model, code=1)
    assert "no 'donors' among" in done.stderr


def test_equal_actions_share_a_place(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("action,a,b\nx,1,4\ny,2,2\nz,9,9\nw,4,1\nv,1,1\n")
    found = json.loads(run("rank", str(path), "--doctrine", "Nash", "--json").stdout)["actions"]
    assert [(row["place"], row["action"]) for row in found] == [
        (1, "z"), (2, "x"), (2, "y"), (2, "w"), (5, "v"),
    ]  # fmt: skip
    known = json.loads(run("rank", str(path), "--p", "1", "--weights", "a=0,b=1", "--json").stdout)[
        "actions"
    ]
    assert [row["welfare"] for row in known] == [9, 4, 2, 1, 1]


def test_judge(learned, model):
    arguments = ("judge", "actions.csv", "[bold]pantry[/bold]", "action 3", "--model", model)
    found = json.loads(run(*arguments, "--json").stdout)
    table = pl.read_csv("actions.csv").select(PEOPLE).to_numpy()
    pair = wf.Comparisons(table, [[0, 3]], [1])
    chance = learned.predict_proba(pair)[0, 1]
    assert found["probability_first"] == pytest.approx(chance, rel=1e-12)
    assert found["preferred"] == ("[bold]pantry[/bold]" if chance > 0.5 else "action 3")
    assert [a["welfare"] for a in found["actions"]] == learned.welfare_(table[[0, 3]]).tolist()
    printed = run(*arguments).stdout
    assert f"Preferred: {found['preferred']}." in printed
    assert f"{chance:.1%}" in printed
    done = run("judge", "actions.csv", "acton 3", "action 4", "--doctrine", "Nash", code=1)
    assert "there is no action 'acton 3'; did you mean 'action 3'" in done.stderr
    assert "Neither" in run("judge", "actions.csv", "action 3", "action 3", "--p", "1").stdout


# compare


def test_compare(learned, model):
    arguments = ("compare", "actions.csv", "-c", "decisions.csv", "--folds", "0")
    done = run(*arguments, "--model", model, "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    assert list(rows)[:2] == ["learned", "egalitarian"]
    assert rows["learned"]["p"] == learned.p_
    assert rows["learned.json"]["log_likelihood"] == pytest.approx(learned.result_.llf, rel=1e-9)
    assert "if it was learned from them" in json.loads(done.stdout)["caveats"][-1]
    shown = run(*arguments, "--model", model, "--doctrines", "none").stdout
    assert "if it was learned from them" in shown.splitlines()[-1]
    printed = run(*arguments, "--doctrines", "Nash,utilitarian", "--no-learn").stdout
    assert "Nash" in printed
    assert "learned  " not in printed.splitlines()[2]
    run(*arguments, "--doctrines", "none", "--no-learn", code=2)


def test_compare_minds_who_decided():
    found = run("compare", "actions.csv", "-c", "decisions.csv", "--folds", "3", "--json")
    record = json.loads(found.stdout)
    assert record["clusters"] == 20
    printed = run("compare", "actions.csv", "-c", "decisions.csv", "--folds", "3").stdout
    assert "Held-out accuracy: in 3 parts, by decision makers" in printed.splitlines()


def test_compare_with_several_decision_makers(tmp_path):
    path = tmp_path / "table.tex"
    arguments = ("compare", "actions.csv", "-c", "decisions.csv", "--doctrines", "none")
    done = run(*arguments, "--types", "2", "--folds", "2", "--latex", str(path), "--json")
    record = json.loads(done.stdout)
    assert [row["name"] for row in record["rows"]] == ["learned", "2 types"]
    assert set(record["rows"][1]["held_out_same"]) == {"log_loss", "right", "behind", "error"}
    assert record["best"]["held_out_new"]
    assert "held-out log loss, same people" in path.read_text(encoding="utf-8")
    assert record["bic_observations"] == record["clusters"] == 20
    scored = run("compare", "scores.csv", "--doctrines", "Nash", "--each", code=1).stderr
    assert "found scores, which do not say who decided" in scored
    counted = run(*arguments, "--types", "auto", "--noise", "none", "--folds", "0", code=1).stderr
    assert "--noise none" in counted


def test_compare_with_the_linear_logit_and_a_table_for_a_paper(tmp_path):
    path = tmp_path / "table.tex"
    arguments = ("compare", "actions.csv", "-c", "decisions.csv", "--folds", "0", "--logit")
    done = run(*arguments, "--doctrines", "Nash", "--latex", str(path), "--json")
    assert f"LaTeX: {path}" in done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [row["name"] for row in rows] == ["learned", "Nash", "linear logit"]
    assert rows[2]["learned"] == 3
    assert rows[0]["log_likelihood"] > rows[2]["log_likelihood"]
    latex = path.read_text(encoding="utf-8")
    assert r" & learned & Nash & linear logit \\" in latex
    assert "clustered by who decided" in latex
    assert "--logit is for comparisons" in run("compare", "scores.csv", "--logit", code=2).stderr
    refused = run(*arguments, "--latex", "actions.csv", code=2)
    assert "would replace" in refused.stderr


def test_fit_clusters_by_who_decided_and_writes_a_table_for_a_paper(tmp_path):
    path = tmp_path / "rule.tex"
    done = run("fit", "actions.csv", "-c", "decisions.csv", "--latex", str(path))
    assert "covariance clustered by who decided (20 decision makers)" in done.stdout
    assert "clustered by 20 decision makers are probably too small" in done.stdout
    assert "--covariance bootstrap draws whole decision" in " ".join(done.stdout.split())
    assert r"\begin{tabular}{lrrr}" in path.read_text(encoding="utf-8")
    plain = run("fit", "actions.csv", "-c", "decisions.csv", "--covariance", "fisher")
    assert "Standard errors from the likelihood's curvature" in plain.stdout
    profile = run("fit", "actions.csv", "-c", "decisions.csv", "--method", "profile")
    assert "intervals by profile likelihood" in profile.stdout


# Help, streams, exit codes


@pytest.mark.parametrize("name", list(COMMANDS))
def test_help_is_one_sentence_and_one_example(name):
    text = run(name, "--help").stdout
    assert f"Example: welfarist {name} " in " ".join(text.split())
    sentence = _command(name).help
    assert sentence.endswith(".")
    assert sentence.count(". ") == 0
    assert all(p.help for p in _command(name).params if p.name != "help")


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_option_stands_in_a_panel(name):
    command = _command(name)
    options = [p for p in command.params if p.param_type_name == "option"]
    assert REST not in panels_of(options)
    assert command.help == COMMANDS[name]


def test_fit_shows_what_is_used_most_first():
    text = run("fit", "--help").stdout
    headings = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == [
        "Arguments:", "What was decided:", "Several decision makers:", "What to write:",
        "The rule:", "How sure:", "The noise:", "The search:", "How files are laid out:",
        "Other options:",
    ]  # fmt: skip
    assert text.index("--comparisons") < text.index("--report") < text.index("--separator")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("fit", "actions.csv"), 2, "say what was decided"),
        (("fit",), 2, "Missing argument"),
        (("fit", "actions.csv", "--nonsense"), 2, "--nonsense"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--score", "a"), 2, "not several"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--scale"), 2, "--scale is for scores"),
        (("fit", "scores.csv", "--score", "score", "--noise", "flip"), 2, "--noise is for"),
        (("fit", "-", "-c", "-"), 2, "can be read once"),
        (("rank", "actions.csv"), 2, "give a rule"),
        (("rank", "actions.csv", "--model", "m", "--weights", "equal"), 2, "has its own"),
        (("rank", "none.csv", "--doctrine", "Nash"), 1, "none.csv: there is no such file"),
        (("rank", "actions.csv", "--doctrine", "Rawls"), 2, "found 'Rawls'"),
        (("rank", "actions.csv", "--model", "decisions.csv"), 1, "must be JSON"),
        (("fit", "actions.csv", "-c", "actions.csv"), 1, "actions.csv, line 1: there must be"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--weights", "a"), 1, "a: there is no such"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--weights", "a=x"), 2, "found 'a=x'"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--groups", "=x"), 2, "found '=x'"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--noise", "loud"), 2, "loud"),
        (("fit", "actions.csv", "-c", "decisions.csv", "--p", "huge"), 2, "found 'huge'"),
    ],
)
def test_problems_are_one_line_on_standard_error(arguments, code, said):
    done = run(*arguments, code=code)
    assert done.stdout == ""
    assert said in " ".join(done.stderr.replace("│", " ").split())
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stderr.startswith("Error: ")


def test_what_other_languages_print_does_not_reach_standard_output(capfd):
    with console.working():
        os.write(1, b"a solver says hello\n")
    print("answer")
    captured = capfd.readouterr()
    assert captured.out == "answer\n"
    assert captured.err == "a solver says hello\n"


def test_interruptions_are_quiet():
    import typer

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as ended:
        console.guarded(interrupted)()
    assert ended.value.exit_code == 130


def test_without_the_extra_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert 'pip install "welfarist[cli]"' in said
    assert len(said.splitlines()) == 1


def test_tables_in_a_terminal_keep_brackets(monkeypatch, capsys):
    from welfarist.base.exports import Table

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    console.print_table(Table("T [b]", ("", "[red]a"), (("[bold]x", "1"),), ("left", "right")))
    shown = capsys.readouterr().out
    for text in ("T [b]", "[red]a", "[bold]x"):
        assert text in shown


# Real processes, from another folder


def process(*arguments: str, cwd: Path, **options):
    code = "import sys; sys.argv[0] = 'welfarist'; from welfarist.cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, cwd=cwd, check=False, **options)


def test_the_package_is_a_command_as_well(tmp_path):
    command = [sys.executable, "-m", "welfarist", "--version"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, text=True, check=True)
    assert done.stdout == f"welfarist {wf.__version__}\n"


# Slow to import, and not needed to say what can be typed.
HEAVY = {"scipy", "sklearn", "pandas", "polars", "matplotlib", "numba", "rich", "narwhals"}


def test_help_waits_for_nothing_heavy(tmp_path):
    code = "import sys, welfarist.cli.app; print(*{m.split('.')[0] for m in sys.modules})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_from_another_folder_and_through_standard_input(folder, model, tmp_path):
    data = (folder / "actions.csv").read_bytes()
    done = process("rank", "-", "--model", model, "--json", cwd=tmp_path, input=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)["actions"]) == 60
    done = process("rank", str(folder / "none.csv"), "--p", "1", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


def test_a_reader_who_has_seen_enough(folder, tmp_path):
    names = "".join(f"{'long name ' * 20}{i},1,2\n" for i in range(3000))
    (tmp_path / "a.csv").write_text("action,a,b\n" + names)
    code = "import sys; sys.argv[0] = 'welfarist'; from welfarist.cli import main; main()"
    command = [sys.executable, "-c", code, "rank", str(tmp_path / "a.csv"), "--p", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        started.stdout.readline()
        started.stdout.close()
        assert started.stderr.read() == b""
        assert started.wait() == 0


def test_letters_that_a_terminal_cannot_show(tmp_path):
    (tmp_path / "a.csv").write_text("action,a\ncafé,1\nthé,2\n", encoding="utf-8")
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = process("rank", "a.csv", "--p", "1", "--json", cwd=tmp_path, env=ascii_only)
    assert [row["action"] for row in json.loads(done.stdout)["actions"]] == ["thé", "café"]
    done = process("rank", "a.csv", "--p", "1", cwd=tmp_path, env=ascii_only)
    assert b"caf\\xe9" in done.stdout
