"""When two starts that agree are enough, and when they are not."""

from __future__ import annotations

import pytest

import welfarist as wf
from benchmarks import problems

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")

# A difference in loss that is nothing but rounding.
SAME = 1e-8


def starts_of(learner, *data):
    return learner.fit(*data).result_.start_values


def test_two_starts_are_enough_where_p_is_known_well():
    scored = problems.scores(0, 200, 18)
    assert len(starts_of(wf.WelfareRegressor(), scored.utilities, scored.scores)) == 2
    for actions, people in ((100, 5), (50, 18)):  # the second of few decisions a number
        compared = problems.comparisons(0, actions, people).comparisons()
        assert len(starts_of(wf.ComparisonClassifier(), compared)) == 2


def test_more_effort_does_not_trust_them():
    compared = problems.comparisons(0, 50, 8).comparisons()
    assert len(starts_of(wf.ComparisonClassifier(effort="high"), compared)) > 20


# Problems in which the two starts agree on an optimum that is not the lowest.
MISLEADING = {
    "scores that turn on the worst off": problems.scores(
        [51, 447, 78], 566, 30, -5.437825644194371, 0.1, 0.3
    ),
    "few comparisons, and a rule far out": problems.comparisons(
        [52, 367, 78], 90, 30, 903, -4.638469812939673, 1.0949033653837141, 0.3
    ),
    "few comparisons, and a long way": problems.comparisons(
        [71, 748, 78], 27, 9, 138, -2.7025570797504583, 22.743279358341294, 0.1
    ),
    "few comparisons, and p near 0": problems.comparisons(
        [71, 122, 78], 82, 18, 825, -1.0274718294581238, 1.306637266922553, 0.1
    ),
}


@pytest.mark.parametrize("name", MISLEADING)
def test_they_are_not_trusted_where_other_optima_are_likely(name):
    problem = MISLEADING[name]
    if isinstance(problem, problems.ScoreProblem):
        values = starts_of(wf.WelfareRegressor(), problem.utilities, problem.scores)
    else:
        values = starts_of(wf.ComparisonClassifier(), problem.comparisons())
    best = values.min()
    assert values[:2].max() <= values[:2].min() * (1 + SAME)
    assert values[0] > best * (1 + 1e-4)
