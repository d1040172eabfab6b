"""The paper's bounds: each equals its formula, moves the right way and is inverted exactly."""

import importlib.util
import math

import mpmath as mp
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import welfarist as wf
from welfarist import bounds
from welfarist.base.errors import InputError

# Each formula is a few roundings long.
EQUAL = 1e-12
STATES = ("known", "unknown")
OWN = {
    "scores": dict(u_min=0.5, u_max=3.0, c=1.7),
    "comparisons": {},
    "flip": dict(rho=0.2),
    "logistic": dict(u_min=0.5, u_max=3.0, tau_max=4.0, c=1.7),
}
TASKS = tuple(OWN)
CASES = [(1, 1, 0.5), (2, 3, 0.05), (57, 4, 0.9), (1_000, 18, 1e-6), (10**9, 100, 0.01)]


def d_log_d(d):
    return d * mp.log(d, 2) + 1


def printed_in_theorem(task, weights, n, d, delta, u_min=1, u_max=1, rho=0, tau_max=1, c=1):
    """The right-hand sides of Theorems 3.2, 4.2, 4.3 and 5.1, as they stand in the paper."""
    known = weights == "known"
    n, delta, u_min, u_max, rho, tau_max, c = map(mp.mpf, (n, delta, u_min, u_max, rho, tau_max, c))
    if task == "scores":
        xi = u_max * (u_max - u_min)
        inside = 2 * mp.log(2) + (2 if known else 16 * d_log_d(d)) * mp.log(n)
        root = mp.sqrt(inside / n)
        return 16 * xi * (root + c / mp.sqrt(n)) + 6 * mp.sqrt(mp.log(4 / delta) / (2 * n))
    if task == "comparisons":
        dimension = 2 * (mp.log(d, 2) + 1) if known else 8 * d_log_d(d)
        return 16 * mp.sqrt((dimension * mp.log(n + 1) + mp.log(8 / delta)) / n)
    if task == "flip":
        size = mp.log(d, 2) + 1 if known else d_log_d(d)
        first = (8 if known else 16) / (1 - 2 * rho) * mp.sqrt(size * mp.log(n + 1) / n)
        return first + 2 * mp.sqrt(mp.log(1 / delta) / (2 * n))
    kappa = mp.log(u_max / u_min)
    last = mp.sqrt(mp.log(4 / delta) / (2 * n))
    if known:
        root = mp.sqrt((2 * mp.log(2) + 2 * mp.log(n)) / n)
        return 16 * tau_max * kappa * (root + c / mp.sqrt(n)) + 6 * last
    root = mp.sqrt((2 * mp.log(2) + 16 * d_log_d(d) * mp.log(n)) / n)
    return 16 * tau_max * kappa * root + 16 * tau_max * kappa * 2 * c / mp.sqrt(n) + 3 * last


def assert_equal(found, exact):
    assert abs(mp.mpf(found) - exact) <= EQUAL * abs(exact)


def risk(task, n=1_000, d=18, weights="unknown", delta=0.05, **changed):
    own = {**OWN[task], **changed}
    return bounds.excess_risk(task, n=n, d=d, weights=weights, delta=delta, **own)


def needed(task, error, d=18, weights="unknown", delta=0.05, **changed):
    own = {**OWN[task], **changed}
    return bounds.samples_needed(task, error=error, d=d, weights=weights, delta=delta, **own)


# --- formulas


@pytest.mark.parametrize("weights", STATES)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("n", "d", "delta"), CASES)
def test_excess_risk_is_what_the_theorem_prints(task, weights, n, d, delta):
    with mp.workdps(40):
        exact = printed_in_theorem(task, weights, n, d, delta, **OWN[task])
        assert_equal(risk(task, n, d, weights, delta), exact)


@pytest.mark.parametrize("weights", STATES)
def test_front_door_leads_to_the_functions_of_the_results(weights):
    direct = {
        "scores": bounds.excess_risk_of_scores(500, 7, weights, 0.5, 3.0, 0.1, 1.7),
        "comparisons": bounds.excess_risk_of_comparisons(500, 7, weights, 0.1),
        "flip": bounds.excess_risk_of_flipped_comparisons(500, 7, weights, 0.2, 0.1),
        "logistic": bounds.excess_risk_of_logistic_comparisons(
            500, 7, weights, 0.5, 3.0, 4.0, 0.1, 1.7
        ),
    }
    for task in TASKS:
        assert risk(task, 500, 7, weights, 0.1) == direct[task]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 18, 10**8])
def test_dimensions_are_those_of_the_proofs(d):
    assert bounds.pseudo_dimension(d, "known") == 1
    with mp.workdps(40):
        assert_equal(bounds.pseudo_dimension(d, "unknown"), 8 * (d * mp.log(d, 2) + 1))
        assert_equal(bounds.vc_dimension_upper(d, "known"), 2 * (mp.log(d, 2) + 1))
        assert_equal(bounds.vc_dimension_upper(d, "unknown"), 8 * (d * mp.log(d, 2) + 1))
        assert bounds.vc_dimension_lower(d, "unknown") == d - 1
        if d >= 4:
            assert_equal(bounds.vc_dimension_lower(d, "known"), mp.log(d, 2) + 1)
    for weights in STATES:
        # The upper bound is strict, and a dimension is whole.
        lower = math.ceil(bounds.vc_dimension_lower(d, weights))
        assert lower < bounds.vc_dimension_upper(d, weights)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (10, 3), (5_000, 18), (10**12, 50)])
def test_rademacher_complexities_are_those_of_the_proofs(n, d):
    u_min, u_max, tau, c = (mp.mpf(x) for x in (0.5, 3.0, 4.0, 1.7))
    with mp.workdps(40):
        for weights, dimension, vc in (
            ("known", 1, 2 * (mp.log(d, 2) + 1)),
            ("unknown", 8 * d_log_d(d), 8 * d_log_d(d)),
        ):
            root = mp.sqrt((2 * mp.log(2) + 2 * dimension * mp.log(n)) / mp.mpf(n))
            base = root + c / mp.sqrt(n)
            assert_equal(bounds.rademacher_scores(n, d, weights, 3.0, 1.7), u_max * base)
            logistic = bounds.rademacher_logistic(n, d, weights, 0.5, 3.0, 4.0, 1.7)
            assert_equal(logistic, 2 * tau * mp.log(u_max / u_min) * base)
            exact = mp.sqrt(2 * vc * mp.log(n + 1) / mp.mpf(n))
            assert_equal(bounds.rademacher_comparisons(n, d, weights), exact)


def test_printed_and_proven_constants_differ_as_the_docstrings_say():
    n, d, delta = 10_000, 18, 0.05
    last = math.sqrt(math.log(4 / delta) / (2 * n))
    for weights in STATES:
        # Thm 3.2 and 5.1 (a): 16 = 2 * 8, the constant of the proofs.
        complexity = bounds.rademacher_scores(n, d, weights, 3.0, 1.7)
        proven = 16 * 2.5 * complexity + 6 * last
        assert risk("scores", n, d, weights, delta) == pytest.approx(proven, rel=EQUAL)
        # Thm 4.3: printed twice what the proof's 4 L_rho R gives.
        half = 4 / (2 * (1 - 2 * 0.2)) * bounds.rademacher_comparisons(n, d, weights)
        certainty = 2 * math.sqrt(math.log(1 / delta) / (2 * n))
        found = risk("flip", n, d, weights, delta) - certainty
        assert found == pytest.approx(2 * half, rel=EQUAL)
        assert risk("flip", n, d, weights, delta, rho=0) < risk("comparisons", n, d, weights, delta)
    proven = {w: 8 * bounds.rademacher_logistic(n, d, w, 0.5, 3.0, 4.0, 1.7) for w in STATES}
    assert risk("logistic", n, d, "known") == pytest.approx(proven["known"] + 6 * last, rel=EQUAL)
    more = 16 * 4.0 * math.log(6) * 1.7 / math.sqrt(n) - 3 * last
    assert more > 0
    found = risk("logistic", n, d, "unknown") - (proven["unknown"] + 6 * last)
    assert found == pytest.approx(more, rel=1e-9)  # a difference of larger numbers


def test_kappa_keeps_its_digits_where_utilities_hardly_differ():
    with mp.workdps(40):
        exact = mp.log(mp.mpf(1 + 1e-12))
        found = bounds.largest_excess_risk("logistic", u_min=1, u_max=1 + 1e-12, tau_max=1)
        assert_equal(found, exact)


def test_default_constant_makes_the_covering_lemma_true():
    # Haussler: e (k + 1) (2 e / epsilon^2)^k covers of radius epsilon in root mean square.
    with mp.workdps(40):
        for k in (1, 2, 3, 10, 1000):
            least = mp.sqrt(2 * mp.e) * (mp.e * (k + 1)) ** (mp.mpf(1) / (2 * k))
            assert least * (1 - mp.mpf(10) ** -15) <= bounds.COVERING_CONSTANT
    assert bounds.excess_risk("scores", n=9, d=2, u_min=1, u_max=2) == (
        bounds.excess_risk("scores", n=9, d=2, u_min=1, u_max=2, c=2 * math.e)
    )


def test_counts_of_labelings_fall_below_all_labelings_at_the_upper_bounds():
    for d in range(1, 60):
        least = math.ceil(bounds.vc_dimension_upper(d, "known"))
        for m in (least, least + 1, 4 * least):
            assert (2 * d - 1) * m + 1 < 2**m
        least = math.ceil(bounds.vc_dimension_upper(d, "unknown"))
        for n in (least, least + 1, 4 * least):
            assert (n + 1) ** d * 2**d * math.factorial(d) * math.comb(n, d) < 2**n


def test_first_terms_cover_the_range_of_the_losses():
    # Half of the printed first term against what a loss of range B adds to the last one.
    for n, delta in ((1, 0.05), (10, 1e-6), (10**6, 1e-40)):
        assert (2 * n) ** 7 >= 4 / delta
        for u_min, u_max in ((1e-9, 1.0), (1.0, 100.0), (99.0, 100.0)):
            half = 8 * (u_max - u_min) * bounds.rademacher_scores(n, 2, "known", u_max)
            spread = (u_max - u_min) ** 2
            assert half >= 6 * max(spread - 1, 0) * math.sqrt(math.log(4 / delta) / (2 * n))


# --- the right way


@pytest.mark.parametrize("weights", STATES)
@pytest.mark.parametrize("task", TASKS)
@given(n=st.integers(3, 10**12), d=st.integers(1, 1000), delta=st.floats(1e-9, 0.9))
@settings(max_examples=30, deadline=None)
def test_more_decisions_help_and_more_people_and_certainty_cost(task, weights, n, d, delta):
    here = risk(task, n, d, weights, delta)
    assert risk(task, 2 * n, d, weights, delta) < here
    assert risk(task, n, d, weights, delta / 2) > here
    more_people = risk(task, n, 2 * d, weights, delta)
    if weights == "known" and task in ("scores", "logistic"):
        assert more_people == here
    else:
        assert more_people > here
    assert risk(task, n, d, "unknown", delta) > risk(task, n, d, "known", delta) * (1 - EQUAL)


@pytest.mark.parametrize("weights", STATES)
@given(st.floats(0, 0.49), st.floats(0.01, 100), st.floats(1, 100))
@settings(max_examples=30, deadline=None)
def test_noise_and_wider_ranges_cost(weights, rho, tau, u_max):
    closer = 0.5 * (rho + 0.5)
    assert risk("flip", weights=weights, rho=closer) > risk("flip", weights=weights, rho=rho)
    assert risk("logistic", weights=weights, tau_max=2 * tau) > risk(
        "logistic", weights=weights, tau_max=tau
    )
    for task in ("scores", "logistic"):
        wider = risk(task, weights=weights, u_max=2 * u_max)
        assert wider > risk(task, weights=weights, u_max=u_max)
        assert risk(task, weights=weights, c=2.0) > risk(task, weights=weights, c=1.0)


# --- the inverse


@pytest.mark.parametrize("weights", STATES)
@pytest.mark.parametrize("task", TASKS)
@given(exponent=st.floats(-7, 3), d=st.integers(1, 300), delta=st.floats(1e-6, 0.9))
@settings(max_examples=30, deadline=None)
def test_inverse_is_the_first_n_that_stays_below(task, weights, exponent, d, delta):
    error = 10.0**exponent
    n = needed(task, error, d, weights, delta)
    assert risk(task, n, d, weights, delta) <= error
    assert n == 1 or risk(task, n - 1, d, weights, delta) > error
    for more in (1, 2, 3, n // 1000, n, 10 * n):
        if n < 10**13 or more >= n // 1000:
            assert risk(task, n + more, d, weights, delta) <= error


def test_inverse_of_small_n_is_found_by_looking_at_all():
    for task in TASKS:
        for weights in STATES:
            values = [risk(task, n, 2, weights) for n in range(1, 400)]
            assert all(np.diff(values[2:]) < 0)
            for error in values[:40]:
                last_above = max((n for n, v in enumerate(values, 1) if v > error), default=0)
                assert needed(task, error, 2, weights) == last_above + 1


def test_a_lucky_first_decision_is_no_answer():
    # With nothing else in it, (2 log 2 + k log n) / n rises from n = 1 to n = 3.
    few = dict(d=18, u_min=1.0, u_max=2.0, c=1e-9)
    at = [bounds.excess_risk("scores", n=n, **few) for n in (1, 2, 3)]
    assert at[0] < at[1]
    n = bounds.samples_needed("scores", error=at[0], **few)
    assert n > 100
    assert bounds.excess_risk("scores", n=n - 1, **few) > at[0]


@pytest.mark.parametrize("task", TASKS)
def test_inverse_reaches_far_beyond_what_can_be_counted(task):
    for error in (1e-6, 1e-9, 1e-30):
        n = needed(task, error)
        assert n > 10**14
        assert risk(task, n) <= error < risk(task, n - 1)
        # Against 60 digits the n of doubles is right to 14 digits.
        with mp.workdps(60):
            for shifted, below in ((n + n // 10**14, True), (n - n // 10**14, False)):
                exact = printed_in_theorem(task, "unknown", shifted, 18, 0.05, **OWN[task])
                assert (exact <= mp.mpf(error)) == below
    with pytest.raises(InputError, match="1e300 decisions"):
        needed(task, 1e-200)


def test_numbers_may_come_as_numpy_or_whole_floats():
    assert risk("flip", n=1e6, d=np.int64(18)) == risk("flip", n=10**6)
    assert risk("flip", delta=np.float32(0.25)) == risk("flip", delta=0.25)


# --- what cannot be asked


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (dict(error=0), "error must be positive"),
        (dict(error=-1), "error must be positive"),
        (dict(error=math.inf), "error must be positive and finite"),
        (dict(error=math.nan), "error must be a positive number"),
        (dict(delta=0), "delta must be strictly between 0 and 1"),
        (dict(delta=1), "delta must be strictly between 0 and 1"),
        (dict(delta="5%"), "delta must be a probability"),
        (dict(d=0), "d must be a whole number of people"),
        (dict(d=2.5), "d must be a whole number of people"),
        (dict(d=True), "d must be a whole number of people"),
        (dict(d=10**400), "d must be"),
        (dict(weights="equal"), "Equal weights are known"),
        (dict(weights=[0.5, 0.5]), 'weights must be "known" or "unknown"'),
        (dict(u_min=0), "u_min must be positive"),
        (dict(u_min=-1), "u_min must be positive"),
        (dict(u_max=0.1), "u_max must be at least u_min"),
        (dict(u_max=1e200), "Choose another unit"),
        (dict(u_max=None), 'the task "logistic" must come with u_min, u_max, tau_max'),
        (dict(tau_max=0), "tau_max must be positive"),
        (dict(c=-1), "c must be positive"),
        (dict(rho=0.1), "which takes u_min, u_max, tau_max, c; found rho"),
    ],
)
def test_impossible_requests_are_refused_with_a_reason(changed, words):
    asked = dict(error=0.1, d=5, weights="known", **OWN["logistic"])
    bounds.samples_needed("logistic", **asked)
    with pytest.raises(InputError, match=words):
        bounds.samples_needed("logistic", **{**asked, **changed})


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: risk("flip", rho=0.5), "less than 1/2; found 0.5. At 1/2"),
        (lambda: risk("flip", rho=-0.1), "wrong way round"),
        (lambda: risk("flip", n=0), "n must be a whole number of decisions"),
        (lambda: risk("flip", n=10**301), "at most 1e.300"),
        (lambda: risk("flip", n=None), "n must be a whole number of decisions"),
        (lambda: bounds.excess_risk("votes", n=1, d=2), "task must be one of"),
        (lambda: bounds.excess_risk(["flip"], n=1, d=2), "task must be one of"),
        (lambda: bounds.excess_risk("comparisons", n=1, d=2, c=1), "takes none; found c"),
        (lambda: bounds.excess_risk("flip", n=1, d=2), "found no rho"),
        (lambda: bounds.largest_excess_risk("flip", u_min=1), "found u_min"),
        (lambda: bounds.largest_excess_risk("scores"), "u_min must be a positive number"),
        (lambda: bounds.rademacher_scores(10, 2, "known", u_max=0), "must be positive"),
        (lambda: bounds.table(d=5, rho=0.7), "rho must be"),
        (lambda: bounds.plot("flip", d=5, rho=0.1, n=(10, 10)), "from fewer decisions to more"),
    ],
)
def test_every_door_refuses(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


# --- the table and the figure


def test_table_holds_the_numbers_of_the_inverse():
    own = dict(u_min=0.5, u_max=3.0, rho=0.2, tau_max=4.0, c=1.7)
    frame = bounds.table(d=7, error=0.2, delta=0.1, **own)
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 8
    for row in frame.to_dict("records"):
        assert row["samples_needed"] == needed(row["task"], 0.2, 7, row["weights"], 0.1)
    # Each number names the theorem that its bound cites.
    functions = {
        "scores": bounds.excess_risk_of_scores,
        "comparisons": bounds.excess_risk_of_comparisons,
        "flip": bounds.excess_risk_of_flipped_comparisons,
        "logistic": bounds.excess_risk_of_logistic_comparisons,
    }
    for row in frame.to_dict("records"):
        assert f"[PSPS24, {row['theorem']}]" in functions[row["task"]].__doc__
    # As in the paper's Table 1.
    growth = frame.set_index(["task", "weights"])["growth_with_d"]
    assert growth["scores", "known"] == growth["logistic", "known"] == "does not grow"
    assert growth["comparisons", "known"] == growth["flip", "known"] == "log d"
    assert (growth.xs("unknown", level="weights") == "d log d").all()


def test_table_grows_with_d_as_it_says():
    size = {
        "does not grow": lambda d: 1.0,
        "log d": math.log2,
        "d log d": lambda d: d * math.log(d),
    }
    small, large = (bounds.table(d=d) for d in (2**10, 2**30))
    ratio = large["samples_needed"] / small["samples_needed"]
    for growth, found in zip(small["growth_with_d"], ratio, strict=True):
        expected = size[growth](2**30) / size[growth](2**10)
        # Up to the logarithm of the number of decisions itself, and the 1 beside log2 d.
        assert 0.8 * expected <= found <= 2.0 * expected


def test_table_of_another_library_or_none(monkeypatch):
    find = importlib.util.find_spec
    missing = {"pandas"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in missing else find(name)
    )
    frame = bounds.table(d=3, error=1e-12)  # more decisions than 64 bits can count
    assert isinstance(frame, pl.DataFrame)
    assert frame["samples_needed"].max() > 2**63
    missing.add("polars")
    with pytest.raises(InputError, match="pandas or polars"):
        bounds.table(d=3)


def test_largest_excess_risk_is_reached_by_the_losses():
    assert bounds.largest_excess_risk("scores", u_min=1, u_max=4) == 9
    assert bounds.largest_excess_risk("comparisons") == bounds.largest_excess_risk("flip") == 1
    span = bounds.largest_excess_risk("logistic", u_min=1, u_max=4, tau_max=3)
    worst, best = (math.log1p(math.exp(x)) for x in (3 * math.log(4), -3 * math.log(4)))
    assert span == pytest.approx(worst - best, rel=EQUAL)


@pytest.mark.parametrize("task", TASKS)
def test_plot_shows_the_bounds(task):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert bounds.plot(task, d=18, n=(10, 1000), error=0.5, ax=ax, **OWN[task]) is ax
    lines = {line.get_label(): line for line in ax.get_lines()}
    for weights in STATES:
        x, y = lines[f"{weights} weights"].get_data()
        assert y[0] == risk(task, 10, weights=weights)
        assert x[-1] >= needed(task, 0.5, weights=weights)
    marks = {text.get_text().replace(",", "") for text in ax.texts}
    assert {str(needed(task, 0.5, weights=weights)) for weights in STATES} <= marks
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert ax.get_xlabel() == "number of decisions"


def test_bounds_are_a_module_on_demand():
    assert wf.bounds is bounds
    assert sorted(bounds.__all__, key=str.lower) == bounds.__all__
    for name in bounds.__all__:
        assert hasattr(bounds, name)
