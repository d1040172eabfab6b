"""Learning from decisions that stay in their files: the answers of those in memory."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import welfarist as wf
from tests.scanned_worlds import menus_written, written
from welfarist.base.errors import InputError, NotConvergedWarning
from welfarist.decisions.scanned import parquet
from welfarist.losses.scanned.rounds import Rounds
from welfarist.solvers import rounds as solver_rounds

# Both end where no step promises a relative decrease of 1e-17 or so.
SAME = 1e-7
# A fit that began on a share ends where a step promises a relative decrease of 1e-9: a tenth of a
# thousandth of a standard error here.
NEAR = 1e-6
# Standard errors come from a sixth of the decisions: their own sampling error.
SHARE_ERROR = 0.1


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_ROWS", 3000)
    return written(tmp_path, rows=18_000)


def rounds_made(fit):
    return fit.result_.likelihood.loss.observed.rounds.made


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"noise": "lapse"},
        {"p": 0.0},
        {"weights": "equal"},
        {"groups": ["a", "a", "b", "c"]},
        {"prior": 3.0},
        {"shift": 0.5},
        {"p": float("-inf"), "weights": "equal"},
    ],
)
def test_the_fit_is_that_of_decisions_in_memory(world, options):
    one = wf.ComparisonClassifier(**options).fit(world.scan())
    other = wf.ComparisonClassifier(**options).fit(world.comparisons)
    assert one.converged_
    np.testing.assert_allclose(one.weights_, other.weights_, atol=SAME)
    np.testing.assert_allclose([one.p_, one.tau_], [other.p_, other.tau_], atol=SAME)
    # Under a prior the loss of the decisions alone is not at its least, and moves with weights.
    assert one.loss_ == pytest.approx(other.loss_, rel=1e-9 if "prior" in options else 1e-12)
    assert one.result_.decisions == other.result_.decisions
    assert one.result_.accuracy == pytest.approx(other.result_.accuracy)
    assert rounds_made(one) <= 8


def test_weights_follow_from_attributes_as_in_memory(world):
    weights = wf.ByAttributes({"age": [20.0, 35.0, 50.0, 65.0]})
    one = wf.ComparisonClassifier(weights=weights).fit(world.scan())
    other = wf.ComparisonClassifier(weights=weights).fit(world.comparisons)
    np.testing.assert_allclose(one.weights_, other.weights_, atol=SAME)
    assert one.theta_["age"] == pytest.approx(other.theta_["age"], abs=SAME)
    assert one.result_.llf == pytest.approx(other.result_.llf, rel=1e-10)
    tests = [fit.result_.test(theta="age").statistic for fit in (one, other)]
    assert tests[0] == pytest.approx(tests[1], rel=1e-6)


def test_a_share_that_counts_for_nothing_is_refused(tmp_path):
    columns = {"first": [0, 1, 0] * 500, "second": [1, 2, 2] * 500, "outcome": [1, -1, 1] * 500}
    count = np.zeros(1500)
    count[-2:] = 5.0
    pq.write_table(pa.table({**columns, "count": count}), tmp_path / "part.parquet")
    scanned = wf.Comparisons.scan(tmp_path, [[1.0, 2.0], [2.0, 1.0], [1.5, 1.5]], share=100)
    with pytest.raises(InputError, match="found counts of 0 in all 100 that were drawn"):
        wf.ComparisonClassifier().fit(scanned)


def test_weights_at_zero_are_found_and_left(tmp_path):
    weights = np.array([0.6, 0.4, 0.0, 0.0, 0.0, 0.0])
    world = written(tmp_path, rows=30_000, people=6, weights=weights, seed=3)
    one = wf.ComparisonClassifier().fit(world.scan())
    other = wf.ComparisonClassifier().fit(world.comparisons)
    assert (other.weights_ == 0).any()
    np.testing.assert_array_equal(one.weights_ == 0, other.weights_ == 0)
    np.testing.assert_allclose(one.weights_, other.weights_, atol=NEAR)
    shares = wf.ComparisonClassifier().fit(
        wf.Comparisons(
            world.utilities, world.comparisons.pairs[:4000], world.comparisons.outcomes[:4000]
        )
    )
    assert not np.array_equal(shares.weights_ == 0, other.weights_ == 0)  # rounds had to change it


def test_files_that_are_sorted_do_not_mislead(tmp_path):
    world = written(tmp_path, rows=24_000, sort=True)
    one = wf.ComparisonClassifier().fit(world.scan())
    assert one.p_ == pytest.approx(wf.ComparisonClassifier().fit(world.comparisons).p_, abs=SAME)


def test_few_decisions_are_held_in_memory(world):
    fit = wf.ComparisonClassifier().fit(world.scan(share=18_000))
    assert isinstance(fit.result_.decided, wf.Comparisons)
    assert fit.p_ == wf.ComparisonClassifier().fit(world.comparisons).p_


@pytest.mark.parametrize("noise", ["logistic", "lapse"])
def test_menus(tmp_path, noise):
    utilities, choices = menus_written(tmp_path)
    scanned = wf.Choices.scan(tmp_path, utilities, share=2000)
    one = wf.ChoiceLearner(noise=noise).fit(scanned)
    other = wf.ChoiceLearner(noise=noise).fit(choices)
    np.testing.assert_allclose(one.weights_, other.weights_, atol=SAME)
    assert one.p_ == pytest.approx(other.p_, abs=SAME)
    assert one.result_.accuracy == pytest.approx(other.result_.accuracy)
    few = wf.ChoiceLearner(noise=noise).fit(wf.Choices.scan(tmp_path, utilities))
    assert few.p_ == other.p_


def test_scores_are_summed_up_without_loss(tmp_path):
    rng = np.random.default_rng(0)
    utilities = np.exp(rng.normal(size=(80, 3)))
    action = rng.integers(0, 80, 5000)
    score = wf.power_mean(utilities, -0.6, [0.5, 0.3, 0.2])[action] + 0.05 * rng.normal(size=5000)
    count = rng.integers(1, 4, 5000)
    for number, part in enumerate(np.array_split(np.arange(5000), 3)):
        columns = {"action": action[part], "score": score[part], "count": count[part]}
        pq.write_table(pa.table(columns), tmp_path / f"part-{number}.parquet")
    one = wf.WelfareRegressor().fit(wf.Scores.scan(tmp_path, utilities))
    other = wf.WelfareRegressor().fit(utilities[action], score, sample_weight=count)
    assert one.p_ == pytest.approx(other.p_, abs=SAME)
    np.testing.assert_allclose(one.weights_, other.weights_, atol=SAME)
    np.testing.assert_allclose(one.loss_, other.loss_, rtol=1e-12)
    for ask in (lambda r: r.llf, lambda r: r.interval("p"), lambda r: r.r_squared):
        np.testing.assert_allclose(ask(one.result_), ask(other.result_), rtol=1e-6)
    np.testing.assert_allclose(
        np.array(one.result_.with_covariance("robust").bse),
        np.array(other.result_.with_covariance("robust").bse),
        rtol=1e-6,
    )


def test_errors_intervals_and_tests(world):
    one = wf.ComparisonClassifier().fit(world.scan()).result_
    other = wf.ComparisonClassifier().fit(world.comparisons).result_
    np.testing.assert_allclose(np.array(one.bse), np.array(other.bse), rtol=SHARE_ERROR)
    wide = np.subtract(*other.interval("p", method="wald"))
    np.testing.assert_allclose(
        one.interval("p"), other.interval("p", method="wald"), atol=abs(SHARE_ERROR * wide)
    )
    assert one.llf == pytest.approx(other.llf, rel=1e-12)
    assert one.bic == pytest.approx(other.bic, rel=1e-12)
    before = one.likelihood.loss.observed.rounds.made
    for null in ({"p": -0.55}, {"weights": "equal"}):
        mine, theirs = one.test(**null), other.test(**null)
        assert mine.statistic == pytest.approx(theirs.statistic, abs=1e-5)
    assert one.likelihood.loss.observed.rounds.made - before <= 14
    assert "curvature on a random share of the decisions" in str(one.summary())
    light = pickle.loads(pickle.dumps(one))
    assert str(light.summary()) == str(one.summary())


def test_what_needs_every_decision_is_refused_in_words(world):
    fit = wf.ComparisonClassifier().fit(world.scan())
    result = fit.result_
    refused = [
        lambda: result.interval("p", method="profile"),
        lambda: result.profile(),
        lambda: result.bootstrap(),
        lambda: result.with_covariance("robust").bse,
        lambda: result.calibration(),
        lambda: result.surprises(),
        lambda: result.shifts(),
        lambda: fit.predict(world.scan()),
        lambda: fit.score(world.scan()),
        lambda: fit.fit(world.scan(), y=[1]),
        lambda: wf.ComparisonClassifier(noise="none").fit(world.scan()),
        lambda: wf.ComparisonClassifier(noise="flip").fit(world.scan()),
        lambda: wf.ComparisonClassifier(solver="grid").fit(world.scan()),
        lambda: wf.ComparisonClassifier(engine="nowhere").fit(world.scan()),
        lambda: wf.ComparisonClassifier(resume=7).fit(world.scan()),
    ]
    before = rounds_made(fit)
    for question in refused[:9]:
        with pytest.raises(InputError, match=r"in memory|in their files"):
            question()
    for question in refused[9:]:
        with pytest.raises(InputError):
            question()
    assert rounds_made(fit) == before
    assert "every decision in memory" in result.misfit().verdict


def test_records_travel_and_get_their_files_back(world, tmp_path):
    fit = wf.ComparisonClassifier().fit(world.scan())
    interval = fit.result_.interval("p")
    light = pickle.loads(pickle.dumps(fit))
    assert light.result_.decided is None
    assert light.with_data(world.scan()).result_.interval("p") == interval
    kept = pickle.loads(pickle.dumps(fit.result_.with_data()))
    assert kept.interval("p") == interval
    with pytest.raises(InputError, match="found others"):
        pickle.loads(pickle.dumps(fit)).with_data(world.scan(share=3000))
    wf.save_model(fit, tmp_path / "model.json")
    assert wf.load_model(tmp_path / "model.json").welfare.p == fit.p_
    fit.result_.report(tmp_path / "report.html")
    assert "18,000" in (tmp_path / "report.html").read_text()


def test_a_client_is_shared_by_clones_and_left_behind_by_pickles():
    class Client:
        submit = scatter = wait_for_workers = None

        def __deepcopy__(self, memo):
            raise TypeError("cannot be copied")

        def __reduce__(self):
            raise TypeError("cannot be pickled")

    client = Client()
    learner = wf.ComparisonClassifier(engine=client, p=0.5)
    assert clone(learner).engine is client
    assert clone(learner).p == 0.5
    assert pickle.loads(pickle.dumps(learner)).engine is None


def interrupted(monkeypatch, in_round):
    """Have a Ctrl-C arrive in a round."""
    passing = Rounds._pass_over

    def pass_over(self, question):
        if self.made + 1 == in_round:
            raise KeyboardInterrupt
        return passing(self, question)

    monkeypatch.setattr(Rounds, "_pass_over", pass_over)
    return passing


def test_an_interrupt_keeps_the_best_point_and_says_so(world, monkeypatch):
    best = wf.ComparisonClassifier().fit(world.scan())
    interrupted(monkeypatch, 3)
    with pytest.warns(NotConvergedWarning, match="interrupted in round 3"):
        fit = wf.ComparisonClassifier().fit(world.scan())
    assert not fit.converged_
    assert abs(fit.p_ - best.p_) < 0.02  # two rounds on
    assert fit.p_ != best.p_
    monkeypatch.undo()
    interrupted(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):  # nothing is known yet
        wf.ComparisonClassifier().fit(world.scan())


@pytest.mark.parametrize("in_round", [1, 2, 3, 4])
def test_a_fit_goes_on_from_the_last_finished_round(world, monkeypatch, tmp_path, in_round):
    best = wf.ComparisonClassifier().fit(world.scan())
    path = tmp_path / "rounds"

    class KilledError(BaseException):
        """Stands for a kill."""

    passing = Rounds._pass_over

    def pass_over(self, question):
        if self.made + 1 == in_round:
            raise KilledError
        return passing(self, question)

    monkeypatch.setattr(Rounds, "_pass_over", pass_over)
    with pytest.raises(KilledError):
        wf.ComparisonClassifier(resume=path).fit(world.scan())
    monkeypatch.setattr(Rounds, "_pass_over", passing)
    surveys = []
    seen = parquet.batches
    monkeypatch.setattr(
        "welfarist.decisions.scanned.pair_columns.batches",
        lambda part, columns: surveys.append(part) or seen(part, columns),
    )
    fit = wf.ComparisonClassifier(resume=path).fit(world.scan())
    assert (fit.p_, fit.tau_, fit.loss_) == (best.p_, best.tau_, best.loss_)
    np.testing.assert_array_equal(fit.weights_, best.weights_)
    assert rounds_made(fit) == rounds_made(best) - (in_round - 1)
    parts = len(world.scan().files.parts)
    assert len(surveys) == rounds_made(fit) * parts  # the first pass was not made again


def test_files_to_resume_from_must_be_of_the_same_decisions(world, tmp_path):
    path = tmp_path / "rounds"
    wf.ComparisonClassifier(resume=path).fit(world.scan())
    with pytest.raises(InputError, match="same decisions and actions; found one of others"):
        wf.ComparisonClassifier(resume=path).fit(world.scan(share=3000))
    turned = {"first": "second", "second": "first"}
    with pytest.raises(InputError, match="same decisions and actions; found one of others"):
        wf.ComparisonClassifier(resume=path).fit(world.scan(columns=turned))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(InputError, match="resume must name a file that a fit has written"):
        wf.ComparisonClassifier(resume=path).fit(world.scan())
    with pytest.raises(InputError, match="there is no folder"):
        wf.ComparisonClassifier(resume=tmp_path / "none" / "rounds").fit(world.scan())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk is a device of Linux")
def test_a_full_disk_leaves_the_rounds_that_were_written(world, tmp_path, monkeypatch):
    path = tmp_path / "rounds"
    wf.ComparisonClassifier(resume=path).fit(world.scan())
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("welfarist.base.whole_files.staged", full)
    with pytest.raises(InputError, match="could not be written: No space left on device"):
        wf.ComparisonClassifier(p=0.25, resume=path).fit(world.scan())
    assert path.read_bytes() == before


KILLED = """
import sys, numpy as np, welfarist as wf
folder, path = sys.argv[1:]
utilities = np.load(folder + "/utilities.npy")
scanned = wf.Comparisons.scan(folder, utilities, share=4000)
fit = wf.ComparisonClassifier(resume=path, progress=False).fit(scanned)
print(fit.p_.hex(), fit.tau_.hex(), fit.loss_.hex())
"""


def test_a_kill_of_the_process_changes_no_digit(world, tmp_path):
    np.save(tmp_path / "utilities.npy", world.utilities)
    path = tmp_path / "rounds"
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    best = wf.ComparisonClassifier().fit(world.scan())
    assert done.stdout.split() == [best.p_.hex(), best.tau_.hex(), best.loss_.hex()]


def test_the_hessian_is_worked_out_again_where_decreases_do_not_shrink(world, monkeypatch):
    renewed = []
    renew = solver_rounds.Polish.renew

    def counted(self):
        renewed.append(self.point.p)
        renew(self)

    monkeypatch.setattr(solver_rounds.Polish, "renew", counted)
    best = wf.ComparisonClassifier().fit(world.scan())
    usual = len(renewed)
    init = solver_rounds.Polish.__init__

    def misled(self, *args):
        init(self, *args)
        wrong = solver_rounds.Curvature(self.curvature.fisher * 3, self.curvature.hessian * 3)
        self.curvature = wrong

    monkeypatch.setattr(solver_rounds.Polish, "__init__", misled)
    fit = wf.ComparisonClassifier().fit(world.scan())
    assert len(renewed) > usual
    assert fit.converged_
    assert fit.p_ == pytest.approx(best.p_, abs=SAME)


def test_choices_of_nothing_are_refused_or_lapses(tmp_path):
    world = written(tmp_path, rows=12_000)
    utilities = world.utilities.copy()
    utilities[0] = 0.0
    scanned = wf.Comparisons.scan(tmp_path, utilities, share=3000)
    assert wf.ComparisonClassifier(noise="lapse", p=0.5).fit(scanned).converged_
    with pytest.raises(InputError, match="possible"):
        wf.ComparisonClassifier(p=0.5).fit(scanned)


def test_who_asks_for_a_smaller_tolerance_than_usual_gets_it(tmp_path):
    world = written(tmp_path, rows=30_000, people=6, seed=3)
    one, other = (
        wf.ComparisonClassifier(tol=1e-15).fit(d) for d in (world.scan(), world.comparisons)
    )
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-8)
