"""Made-up recipient organisations of a food-rescue charity. Nothing here is real data.

The features are those of [PSPS24, Sec. 6], whose data set is not public; their ranges and how they
depend on each other are ours, chosen to be plausible for an American city.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray, check_count
from welfarist.simulate.streams import RandomState, stream

FEATURES = (
    "travel_time",
    "organisation_size",
    "food_access",
    "median_income",
    "poverty_rate",
    "weeks_since_donation",
    "recent_donations",
    "uncommon_donation",
)

# The value of each feature that becomes 0 and the one that becomes 1; beyond them it is clipped.
# A short way and a low income speak for an organisation, so these two run backwards.
SCALES = {
    "travel_time": (45.0, 15.0),
    "organisation_size": (0.0, 1000.0),
    "food_access": (0.0, 2.0),
    "median_income": (100_000.0, 20_000.0),
    "poverty_rate": (0.0, 60.0),
    "weeks_since_donation": (0.0, 26.0),
    "recent_donations": (0.0, 12.0),
    "uncommon_donation": (0.0, 1.0),
}

_THREE_MONTHS = 13.0  # weeks


@dataclass(frozen=True, eq=False, repr=False)
class Organisations:
    """Recipient organisations, each as one who may receive the donation at hand.

    Attributes
    ----------
    features : (N, 8) array
        In their own units, columns in the order of ``FEATURES``: minutes of travel, people served,
        food access (0 good, 1 low, 2 very low), dollars of median household income, percent in
        poverty, weeks since the last donation, donations in the last three months, and 1 if the
        donation at hand is of an uncommon type for them.
    """

    features: FloatArray

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return f"Organisations({len(self)} with {len(FEATURES)} features)"

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names (8,)."""
        return FEATURES

    @property
    def scaled(self) -> FloatArray:
        """The features between 0 and 1 (N, 8), as stakeholders weigh them; see ``SCALES``."""
        zero, one = np.array([SCALES[name] for name in FEATURES]).T
        return np.asarray(np.clip((self.features - zero) / (one - zero), 0.0, 1.0))

    def columns(self) -> dict[str, FloatArray]:
        """Return the features by name, each (N,), as data frames of any library are made from.

        Examples
        --------
        >>> columns = organisations(3, random_state=1).columns()
        >>> columns["food_access"].shape
        (3,)
        """
        return dict(zip(FEATURES, self.features.T, strict=True))


def organisations(count: int = 300, *, random_state: RandomState | None = None) -> Organisations:
    """Return made-up recipient organisations. This is a simulation, not real data.

    Parameters
    ----------
    count : int
        N.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one.

    Notes
    -----
    A hidden factor of deprivation raises a neighbourhood's poverty (median 18%, from 2 to 60%) and
    lowers its income (median $52,000, from $15,000 to $150,000) and its access to food. Travel
    takes 5 to 60 minutes, most often about 15, with a long tail. Sizes are log-normal with a
    median of 100 people, from 10 to 1000. Donations arrive at random, each organisation at a rate
    of its own, larger ones more often: 4 in three months on average, at most 12. The last of k
    donations in 13 weeks was as long ago as the smallest of k uniform numbers says; without any,
    it was longer ago, by 26 weeks at most. Three in ten are offered an uncommon type of donation.

    Examples
    --------
    >>> made = organisations(300, random_state=1)
    >>> made.scaled.shape, float(made.scaled.min()), float(made.scaled.max())
    ((300, 8), 0.0, 1.0)
    """
    count = check_count(count, "organisations", 2)
    rng = stream(random_state, "organisations")
    deprivation = rng.normal(size=count)
    travel = np.minimum(5.0 + rng.gamma(2.5, 6.5, count), 60.0)
    size = np.clip(np.round(np.exp(np.log(100.0) + rng.normal(size=count))), 10.0, 1000.0)
    access = np.digitize(0.6 * deprivation + 0.8 * rng.normal(size=count), [0.0, 0.85])
    income = 52_000.0 * np.exp(-0.35 * deprivation + 0.15 * rng.normal(size=count))
    odds = np.exp(-1.5 + 0.75 * deprivation + 0.3 * rng.normal(size=count))
    weeks, donations = _past_donations(rng, size)
    uncommon = rng.random(count) < 0.3
    table = [
        travel,
        size,
        access,
        np.clip(np.round(income, -2), 15_000.0, 150_000.0),
        np.clip(100.0 * odds / (1.0 + odds), 2.0, 60.0),
        weeks,
        donations,
        uncommon,
    ]
    return Organisations(np.column_stack(table).astype(np.float64))


def _past_donations(rng: np.random.Generator, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weeks since the last donation and donations in three months, for sizes (N,)."""
    rate = rng.gamma(1.5, 2.5, len(size)) * (size / 100.0) ** 0.3  # in three months
    donations = np.minimum(rng.poisson(rate), 12)
    recent = _THREE_MONTHS * rng.beta(1.0, np.maximum(donations, 1))
    earlier = _THREE_MONTHS * (1.0 + rng.exponential(1.0 / np.maximum(rate, 0.01)))
    weeks = np.where(donations > 0, recent, np.minimum(earlier, 2 * _THREE_MONTHS))
    return weeks, donations.astype(np.float64)
