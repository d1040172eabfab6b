"""The paper's experiments: cells repeat to the digit, runs resume, claims are checked for real."""

import json

import numpy as np
import pytest
from replication.__main__ import EXPERIMENTS, complete
from replication.experiment import Experiment, curve
from replication.measures import divergence, power_error
from replication.settings import Settings
from replication.store import Store, csv_text

from replication import charity_comparisons, nonconvexity, synthetic
from welfarist.base.progress import Progress

QUICK = Settings(quick=True)
# The charity's two experiments on comparisons run the same code; one of them is enough here.
REPEATED = [e for e in EXPERIMENTS if e is not charity_comparisons.POSITIVE]


@pytest.mark.parametrize("experiment", REPEATED, ids=lambda e: e.name)
def test_the_same_cell_gives_the_same_digits(experiment):
    cell = experiment.cells(QUICK)[0]
    one, other = experiment.run(cell), experiment.run(dict(cell))
    assert one == other
    assert json.loads(json.dumps(one)) == one  # stored without losing a digit


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_quick_cells_are_fewer_and_all_are_different(experiment):
    quick, full = experiment.cells(QUICK), experiment.cells(Settings())
    assert len(quick) < len(full)
    assert len({json.dumps(cell, sort_keys=True) for cell in full}) == len(full)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    experiment = nonconvexity.EXPERIMENT
    cells = experiment.cells(QUICK)[:6]
    store = Store(tmp_path, experiment)
    for cell in cells[:5]:
        store.add(cell, {"difference": 1.0})
    path = next(tmp_path.glob("*.jsonl"))
    path.write_text(path.read_text() + '{"cell": {"other": "fi', encoding="utf-8")  # cut short
    again = Store(tmp_path, experiment)
    assert again.missing(cells) == cells[5:]
    rows = complete(experiment, again, cells, Progress(False))
    assert [row["difference"] for row in rows[:5]] == [1.0] * 5  # not run again
    assert rows[5] == {**cells[5], **experiment.run(cells[5])}


def test_another_version_does_not_use_old_cells(tmp_path):
    experiment = nonconvexity.EXPERIMENT
    cell = experiment.cells(QUICK)[0]
    Store(tmp_path, experiment).add(cell, {"difference": 1.0})
    newer = Experiment(**{**vars(experiment), "version": 99})
    assert Store(tmp_path, newer).missing([cell]) == [cell]


def test_data_are_written_to_the_last_digit():
    rows = [{"n": 5, "p": 1 / 3}, {"n": 7, "p": float("inf")}]
    lines = csv_text(rows).splitlines()
    assert lines == ["n,p", f"5,{1 / 3!r}", "7,inf"]


def test_what_a_row_lacks_stays_empty():
    text = csv_text([{"n": 5, "kl": None}, {"n": 7, "step": 0.5}])
    assert text == "n,kl,step\n5,,\n7,,0.5\n"


def test_a_line_that_a_kill_cut_short_costs_one_cell(tmp_path):
    experiment = nonconvexity.EXPERIMENT
    cells = experiment.cells(Settings())
    store = Store(tmp_path, experiment)
    for cell in cells[:2]:
        store.add(cell, {"difference": 1.0})
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text()[:-9])
    again = Store(tmp_path, experiment)
    assert again.missing(cells[:3]) == cells[1:3]
    again.add(cells[2], {"difference": 2.0})
    assert Store(tmp_path, experiment).missing(cells[:3]) == [cells[1]]


def test_divergence_is_infinite_where_somebody_is_overlooked():
    assert divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == np.inf
    assert divergence(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 0.0
    assert divergence(np.array([0.5, 0.5]), np.array([0.25, 0.75])) == pytest.approx(
        0.5 * np.log(2) + 0.5 * np.log(2 / 3)
    )


def test_infinite_values_stay_out_of_a_mean():
    rows = [{"n": 1, "y": v} for v in (1.0, 3.0, np.inf)]
    assert curve(rows, "n", "y")[1].tolist() == [2.0]


def test_pairs_of_the_comparisons_are_those_of_the_paper():
    quick = charity_comparisons.NEGATIVE.cells(QUICK)
    assert {cell["tau"] for cell in quick} == {0.1, 1.0, 10.0, 100.0}
    assert charity_comparisons.OTHERS == 10
    assert {cell["p_true"] for cell in charity_comparisons.POSITIVE.cells(QUICK)} == {1.62}
    assert synthetic.CHOICES_P == 0.9
    assert synthetic.SCORES_P == -2.0


def test_far_powers_are_told_apart_no_further():
    assert power_error(np.inf, 2.0) == power_error(1e4, 2.0) == power_error(150.0, 2.0)
    assert power_error(2.0, 2.0) == 0.0
