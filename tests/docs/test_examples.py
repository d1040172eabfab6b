"""The worked examples: their results are what the data give, and their pages quote the results."""

from __future__ import annotations

import importlib
import json
import math
import re
import shutil
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="figures need the extra plots")
matplotlib.use("Agg")

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NAMES = ("arwu", "dictator", "dictator_types", "gei", "hdi", "judges", "ratios", "tourism")
# Made with simulated decisions, which need no files.
SIMULATED = {"judges"}

# Results are kept to five digits: another machine may differ by one in the last of them.
LAST_DIGIT = 2e-4
# Solvers stop within a thousandth of a standard error, and the smallest standard error here, that
# of a weight in the Human Development Index, is 1e-4; p-values far below this are as good as 0.
STOPPING = 1e-6


@pytest.fixture
def example(monkeypatch):
    """Import a module of the examples as its script would be run."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


@pytest.fixture
def data(example):
    where = example("data").folder()
    if not where.is_dir():
        pytest.skip("no folder of real data: set WELFARIST_DATA to one")
    return where


def committed(name):
    return json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def leaves(found, path=()):
    """Every number and word of a tree of results, with its way there."""
    if isinstance(found, dict | list):
        items = found.items() if isinstance(found, dict) else enumerate(found)
        for name, value in items:
            yield from leaves(value, (*path, name))
    else:
        yield path, found


def quoted(page, mark):
    return page.split(f"<!-- {mark} -->")[1].split(f"<!-- /{mark} -->")[0]


@pytest.mark.parametrize("name", NAMES)
def test_results_are_what_the_data_give(name, example, data, tmp_path, capsys):
    for page in EXAMPLES.glob("*.md"):
        shutil.copy(page, tmp_path)
    example(name).main(tmp_path)
    new = dict(leaves(json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))))
    old = dict(leaves(committed(name)))
    assert new.keys() == old.keys()
    for path, value in old.items():
        if not isinstance(value, str):
            value = pytest.approx(value, rel=LAST_DIGIT, abs=STOPPING)
        assert new[path] == value, path
    assert capsys.readouterr().out.strip() in (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", NAMES)
def test_pages_quote_the_results(name, example):
    story = example(name).tell(committed(name))
    answer = story.splitlines()[0]
    page = (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")
    assert quoted(page, "printed") == f"\n```text\n{story}\n```\n"
    assert quoted(page, "answer") == answer
    assert quoted((EXAMPLES / "index.md").read_text(encoding="utf-8"), name) == answer
    prose = page.replace(story, "")
    for number in re.findall(r"\d+\.\d+", prose):
        assert number in story, f"{number} stands in the page and not in the results"
    assert f"]({name}.png)" in page
    assert (EXAMPLES / f"{name}.png").is_file()


def test_results_are_strict_and_sorted(example):
    for name in NAMES:
        text = (EXAMPLES / f"{name}.json").read_text(encoding="utf-8")
        again = json.dumps(committed(name), indent=2, sort_keys=True, allow_nan=False)
        assert text == again + "\n"
        assert example("pages").rounded(committed(name)) == committed(name)


def test_human_development_index():
    found = committed("hdi")
    low, high = found["p"]["interval"]
    assert low < 0 < high
    assert high - low < 0.01
    assert all(
        w["interval"][0] - 1e-3 < 1 / 3 < w["interval"][1] + 1e-3 for w in found["weights"].values()
    )
    assert found["p_values"]["Nash, equal weights"] > 0.05
    assert found["p_values"]["utilitarian"] < 1e-100
    errors = found["typical_error"]
    assert errors["learned"] == pytest.approx(errors["rounding_alone"], rel=0.05)
    assert errors["plain_average"] > 10 * errors["learned"]


def test_gender_equality_index():
    found = committed("gei")
    low, high = found["p"]["interval"]
    assert low < 0 < high
    assert all(round(w["learned"], 2) == w["published"] for w in found["weights"].values())
    assert found["p_values"]["utilitarian"] < 1e-100
    assert found["p_values"]["equal weights"] < 1e-100
    # The page says so of the weights taken at their word.
    assert found["p_values"]["published weights"] < 1e-10
    errors = found["typical_error"]
    assert 2 < errors["published_weights"] / errors["learned"] < 2.5
    assert 1 < errors["learned"] / errors["rounding_alone"] < 1.1


def test_shanghai_ranking():
    found = committed("arwu")
    assert sorted(found) == [str(year) for year in range(2005, 2016)]
    published = {"alumni": 0.1, "award": 0.2, "hici": 0.2, "ns": 0.2, "pub": 0.2, "pcp": 0.1}
    for year in found.values():
        assert year["p"] == pytest.approx(1, abs=0.005)
        assert year["weights"] == pytest.approx(published, abs=0.001)
        assert year["scale"] == pytest.approx(year["scale_that_sets_the_best_to_100"], abs=0.0005)
    outside = [
        (name, year["p_interval"])
        for name, year in found.items()
        if not year["p_interval"][0] <= 1 <= year["p_interval"][1]
    ]
    assert [name for name, _ in outside] == ["2006"]
    assert 0 < outside[0][1][0] - 1 < 1e-3
    refuted = [y for y in found if found[y]["p_value_of_the_published_rule"] < 0.05]
    assert refuted == ["2006"]


def test_dictator_games():
    found = committed("dictator")
    assert found["p"]["learned"] == pytest.approx(0.140, abs=5e-4)
    assert found["weight_of_other"]["learned"] == pytest.approx(1 - 0.846, abs=5e-4)
    assert found["tau"]["learned"] == pytest.approx(8.62, abs=5e-3)
    assert found["mean_loss"]["learned"] == pytest.approx(0.28918, abs=5e-6)
    low, high = found["p"]["interval"]
    assert low < 0 < high < 0.5
    ratio = found["weight_of_other"]["learned"] / (1 - found["weight_of_other"]["learned"])
    for times, worth in found["worth"].items():
        expected = ratio * float(times) ** (1 - found["p"]["learned"])
        assert worth == pytest.approx(expected, rel=LAST_DIGIT)
    assert found["worth"]["1"] == pytest.approx(1 / 5, abs=0.03)  # "about a fifth"
    assert found["mean_loss"]["learned"] < 0.9 * found["mean_loss"]["selfish"]
    assert found["right"]["learned"] > found["right"]["selfish"] + 0.01
    # The page says that there the two are right about as often.
    there = found["right_at_stake"]
    assert there["learned"] == pytest.approx(there["selfish"], abs=0.005)
    assert found["never_helps_at_a_cost"] / found["people"] == pytest.approx(1 / 4, abs=0.02)
    assert found["games_off"] / found["games"] == pytest.approx(1 / 2, abs=0.05)  # "nearly half"
    for game in found["surprises"]:  # the page says that they are alike
        assert game["self_x"] > game["self_y"]
        assert game["other_x"] < game["other_y"]
        assert game["choice_x"] > game["expected"]


def test_travelling_together():
    found = committed("tourism")
    assert found["groups"] == 75
    assert found["tied"] == 2
    assert found["p"]["learned"] == pytest.approx(2.542, abs=1e-3)
    assert found["log_likelihood"] == pytest.approx(-119.223, abs=0.005)  # kept to five digits
    assert 1 < found["p"]["interval"][0] < found["p"]["interval"][1] < 5
    assert 0.01 < found["p_values"]["utilitarian"] < 0.05  # "likely and not certain"
    rules = found["rules"]
    assert all(rules["learned"]["held_out"] >= rule["held_out"] for rule in rules.values())
    assert all(rules["learned"]["loss"] <= rule["loss"] for rule in rules.values())
    one_member = min(rules[name]["loss"] for name in ("least misery", "most pleasure"))
    assert rules["average"]["loss"] < rules["multiplicative"]["loss"] < one_member
    assert found["ranked"]["p"] == pytest.approx(2.57, abs=0.005)
    first, second = found["stages"]["taus"]
    assert second / first == pytest.approx(0.42, abs=0.005)
    assert found["stages"]["p_value"] < 0.001
    assert abs(found["stages"]["p"] - found["ranked"]["p"]) < 0.1
    assert found["by_size"]["one_rule"]["p_value"] > 0.1
    assert sum(part["groups"] for part in found["by_size"]["sizes"].values()) == 75


@pytest.mark.parametrize(
    ("p", "weights", "step"),
    [(0.0, [1, 1, 1], 0.001), (1.0, [1, 2, 7], 0.1), (-1.0, [3, 2, 1], 0.01)],
)
def test_rounding_errs_as_expected(p, weights, step, example):
    """Round simulated scores, and see how far off the true rule is."""
    import numpy as np
    import pandas as pd

    import welfarist as wf

    table = pd.DataFrame(np.random.default_rng(0).uniform(0.3, 1, (20_000, 3)) * 100 * step)
    table *= 10  # values of 300 to 1,000 steps
    rule = wf.WelfareFunction(p, weights)
    seen = np.round(table / step) * step
    scores = np.round(rule(table.to_numpy()) / step) * step
    off = math.sqrt(np.mean((rule(seen.to_numpy()) - scores) ** 2))
    # The mean of 20,000 squares is good to about a percent, its root to half of that.
    assert example("rounding").typical_error(rule, seen, step) == pytest.approx(off, rel=0.02)


def test_without_data_there_is_one_line(example, monkeypatch, tmp_path):
    monkeypatch.setenv("WELFARIST_DATA", str(tmp_path / "nowhere"))
    for name in sorted({*NAMES} - SIMULATED):
        with pytest.raises(SystemExit) as ended:
            example(name).main(tmp_path)
        assert re.fullmatch(r"No file \w+/\w+\.csv in .*\. Set WELFARIST_DATA .*", ended.value.code)
    assert not list(tmp_path.iterdir())


def test_a_page_without_a_place_is_refused(example):
    with pytest.raises(ValueError, match="<!-- answer -->"):
        example("pages").between("a page", "answer", "42")
