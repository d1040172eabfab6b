"""Boxes of rules: all power means of a few people, cut into boxes of weights and powers.

Weights are told relative to the largest, so that every rule lies in a cube: on one `face` the
person of that number has 1, and the others have from 0 to 1. Powers lie in one of three zones.
Near 0 a box has an interval of p, and numbers v with ``w ~ v``. Further out, on both sides, it has
an interval of ``x = 1 / |p|``, and numbers r with ``w ~ r^|p|``: how far a weight reaches, which is
what matters there (see :mod:`welfarist.families.power_mean.reach`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

# From |p| = 1 on, log M is smooth in r down to r = 0.
_SMOOTH = 1.0
# Where p times the range of log u is 2, both kinds of boxes are about equally good.
_CHANGEOVER = 2.0


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of rules, (B,) each.

    Attributes
    ----------
    zone : (B,) array of int
        0 near p = 0; 1 or -1, the sign of p, further out.
    face : (B,) array of int
        Who has the largest weight.
    low, high : (B, d + 1) arrays
        Ends of v or r for each person (both 1 for who is on the face), and last of p or x.
    """

    zone: npt.NDArray[np.int8]
    face: npt.NDArray[np.int8]
    low: FloatArray
    high: FloatArray

    def __len__(self) -> int:
        return len(self.zone)

    def take(self, chosen: npt.NDArray[np.generic]) -> Boxes:
        """Return some of the boxes."""
        return Boxes(self.zone[chosen], self.face[chosen], self.low[chosen], self.high[chosen])

    def put(self, rows: npt.NDArray[np.intp], boxes: Boxes) -> None:
        """Put other boxes in the place of some."""
        for name in _FIELDS:
            getattr(self, name)[rows] = getattr(boxes, name)

    def middles(self) -> FloatArray:
        """Return the middles (B, d + 1) of all sides."""
        return 0.5 * (self.low + self.high)

    def halves(self, sides: npt.NDArray[np.intp]) -> Boxes:
        """Return both halves (2 B,) of every box, cut across one side each (B,)."""
        rows = np.arange(len(self))
        middle = self.middles()[rows, sides]
        low, high = self.low.copy(), self.high.copy()
        low[rows, sides], high[rows, sides] = middle, middle
        return Boxes(
            np.concatenate([self.zone] * 2),
            np.concatenate([self.face] * 2),
            np.concatenate([self.low, low]),
            np.concatenate([high, self.high]),
        )

    @staticmethod
    def joined(parts: list[Boxes]) -> Boxes:
        """Return the boxes of several collections."""
        return Boxes(*(np.concatenate([getattr(b, n) for b in parts]) for n in _FIELDS))


_FIELDS = ("zone", "face", "low", "high")


def all_rules(logs: FloatArray, lowest: float, highest: float) -> Boxes:
    """Return boxes that hold every rule with a power in [lowest, highest], both finite.

    `logs` (d, N) are log utilities, whose range says where the zones meet.
    """
    people = len(logs)
    typical = float(np.median(np.ptp(logs, axis=0)))
    meet = max(_SMOOTH, _CHANGEOVER / typical) if typical > 0 else _SMOOTH
    zones = []
    if lowest <= meet and highest >= -meet:
        zones.append((0, max(lowest, -meet), min(highest, meet)))
    if highest > meet:
        zones.append((1, 1.0 / highest, 1.0 / max(lowest, meet)))
    if lowest < -meet:
        zones.append((-1, -1.0 / lowest, 1.0 / max(-highest, meet)))
    parts = []
    for zone, start, end in zones:
        low, high = np.eye(people, people + 1), np.ones((people, people + 1))
        low[:, -1], high[:, -1] = start, end
        faces = np.arange(people, dtype=np.int8)
        parts.append(Boxes(np.full(people, zone, dtype=np.int8), faces, low, high))
    return Boxes.joined(parts)


def rule_at(zone: int, place: FloatArray) -> tuple[FloatArray, float]:
    """Return weights (d,) and power of the rule at a place (d + 1,) in a zone."""
    relative, t = place[:-1], float(place[-1])
    p = t if zone == 0 else zone / t
    shares = relative if zone == 0 else relative ** abs(p)
    return shares / shares.sum(), p
