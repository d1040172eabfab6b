"""log M enclosed on boxes of rules: a plane, and how far log M strays from it.

At the middle of a box log M has a tangent plane. How far it strays from that on the box is half of
its second derivative along any way out, which is bounded by what the welfare shares ``q_i`` can be
anywhere in the box; it falls with the square of the box's width.

Formula: with ``y_i = delta_i / v_i`` (or ``delta_i / r_i``) for a move delta of the weights,

* near p = 0 log M is the mean over s in [0, 1] of ``E_s[L]``, the mean of log u under the shares
  at the power s p, and its second derivative along (delta, dp) is the mean over s of
  ``-2 E y Cov(L, y) + 2 s dp (E[(L - m)^2 y] - E y Var L) + s^2 dp^2 kappa_3(L)``; the first term
  is bounded as ``|g . delta| |E_1 y + E_0 y|``, with g the gradient. Where that is less, it is
  taken in the middle, and the third derivative, bounded in the same way, is added;
* further out, ``x log sum (r_i u_i)^(1/x)`` has the second derivative
  ``p Var_q(y - dx log q) - sum q_i y_i^2``. Below p = 0 it is that of 1 / u with its sign turned.

Limits: r = 0 is an end like any other: where p < 2 the second derivative has no bound there, but
its mean along the way has.

Rounding: the plane may be off by 64 units in the last place of the largest logarithm, and where
the slope by p is a series by 1e-9 of it; strays are widened by both, and by a billionth of
themselves. Sums over decisions are lowered by 256 units of the sizes of their terms (`cones`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray

# Rounding of a value of log M, in units of the largest logarithm plus one.
_ULPS = 64.0 * float(np.finfo(np.float64).eps)
# Of strays themselves, relatively.
_WIDER = 1.0 + 1e-9
# Where p times the range of log u is below this, the slope by p is a series, good to nine digits.
_SERIES = 1e-3
_SLOPE_DOUBT = 1e-9
# Second derivatives in the middle are good to this, which widens what third ones may add.
_BEND_DOUBT = 1e-6
# The largest third central moment, in units of the cubed range: 1 / (6 sqrt 3).
_SKEWEST = 0.0962251
# The largest q (log q)^2 on [0, 1], at q = exp(-2).
_PEAK, _AT_PEAK = 0.5413412, float(np.exp(-2.0))
# A plane is given up for an interval where it strays by more than this share of the interval.
_USELESS = 0.7
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Enclosure:
    """log M of N actions on B boxes.

    Attributes
    ----------
    value : (B, N) array
        In the middle.
    slopes : (B, d + 1, N) array
        Of the plane, by weights and by p or x.
    below, above : (B, N) arrays
        log M is at least the plane less `below`, at most the plane plus `above`.
    parts : (B, d + 1, N) array
        About how much of both is due to which side.
    """

    value: FloatArray
    slopes: FloatArray
    below: FloatArray
    above: FloatArray
    parts: FloatArray

    def turned(self) -> Enclosure:
        """Return the enclosure of minus log M."""
        return Enclosure(-self.value, -self.slopes, self.above, self.below, self.parts)

    def less(self, other: Enclosure) -> Enclosure:
        """Return what encloses the difference; the other has one action, or as many."""
        return Enclosure(
            self.value - other.value,
            self.slopes - other.slopes,
            self.below + other.above,
            self.above + other.below,
            self.parts + other.parts,
        )


def _settled(plane: Enclosure, least: FloatArray, most: FloatArray, due: FloatArray) -> Enclosure:
    """Take the interval from least to most (B, N) wherever the plane strays too far.

    `due` (B, d + 1, N) says about how much of the interval is due to which side.
    """
    room = most - least
    flat = ~(plane.below + plane.above <= _USELESS * room)
    if not flat.any():
        return plane
    half = np.where(flat, 0.5 * room, 0.0)
    wide = flat[:, None]
    return Enclosure(
        np.where(flat, 0.5 * (least + most), plane.value),
        np.where(wide, 0.0, plane.slopes),
        np.where(flat, half, plane.below),
        np.where(flat, half, plane.above),
        np.where(wide, np.minimum(due, room[:, None]), plane.parts),
    )


class NearZero:
    """log M near p = 0, of normalised weights ``w = v / sum v``."""

    def __init__(self, logs: FloatArray) -> None:
        self._centre = logs.mean(axis=0)
        self._c = c = logs - self._centre
        self._range = np.ptp(c, axis=0)
        self._arm = np.maximum(c - c.min(axis=0), c.max(axis=0) - c)
        self._bowl = np.maximum(self._arm**2, self._range**2 / 4.0)
        self._cube = self._arm**3 + 0.75 * self._arm * self._range**2 + _SKEWEST * self._range**3
        self._order = np.argsort(-c, axis=0)
        self._rounding = _ULPS * (1.0 + np.abs(logs).max(axis=0))

    def on(self, low: FloatArray, high: FloatArray) -> Enclosure:
        """Enclose log M on boxes, each from low to high (B, d + 1)."""
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        value, slopes, most_bent, least_bent = self._plane(middle, half)
        stray, third, parts, due = self._stray(low, high, half)
        third += _BEND_DOUBT * (np.square(half[:, -1:]) * self._range**3 + most_bent + least_bent)
        doubt = self._rounding + _SLOPE_DOUBT * half[:, -1:] * np.square(self._range)
        above = _WIDER * np.minimum(stray, most_bent + third) + doubt
        below = _WIDER * np.minimum(stray, least_bent + third) + doubt
        least, most = self._ends(low, high)
        plane = Enclosure(value, slopes, below, above, parts)
        found = _settled(plane, least - self._rounding, most + self._rounding, due)
        return Enclosure(
            found.value + self._centre, found.slopes, found.below, found.above, found.parts
        )

    def _plane(
        self, middle: FloatArray, half: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Value (B, N) and slopes (B, d + 1, N) in the middle, and how far log M bends there."""
        v, p = middle[:, :-1], middle[:, -1:]
        c, total = self._c, v.sum(axis=1, keepdims=True)
        w = v / total
        e, turn = self._raised(p), self._turning(p)
        t = np.einsum("bd,bdn->bn", w, e)
        grown = 1.0 + p * t
        value = t * _log1p_over(p * t)
        slopes = np.empty((len(v), len(c) + 1, c.shape[1]))
        inverse = 1.0 / (grown * total)
        slopes[:, :-1] = (e - t[:, None]) * inverse[:, None]
        q = w[:, :, None] * (1.0 + p[:, :, None] * e) / grown[:, None]
        m = np.einsum("bdn,dn->bn", q, c)
        spread = np.einsum("bdn,bdn->bn", q, np.square(c[None] - m[:, None]))
        near = np.abs(p) * self._range < _SERIES
        divisor = np.where(near, 1.0, np.where(p == 0, 1.0, p))
        by_power = (m - value) / divisor
        bend = (spread - 2.0 * by_power) / divisor
        if near.any():
            slope, more = self._series(w, p)
            by_power, bend = np.where(near, slope, by_power), np.where(near, more, bend)
        slopes[:, -1] = by_power
        turned = np.einsum("bd,bdn->bn", w, turn)
        cross = (turn - turned[:, None]) * inverse[:, None]
        cross -= slopes[:, :-1] * ((t + p * turned) / grown)[:, None]
        return value, slopes, *self._bent(p, total, half, slopes, cross, bend)

    def _bent(
        self, p: FloatArray, total: FloatArray, half: FloatArray, slopes: FloatArray,
        cross: FloatArray, bend: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """Half the largest and minus the least second derivative in the middle, (B, N) each."""
        h, width = half[:, :-1, None], half[:, -1:]
        g = slopes[:, :-1] * h
        flat = h / total[:, :, None]
        mixed = width * np.abs(cross * h).sum(axis=1)
        most, least = np.maximum(bend, 0.0), np.maximum(-bend, 0.0)
        most, least = most * width * width, least * width * width
        for i in range(len(self._c)):
            # - (g_i + g_j) / sum v - p g_i g_j, by two weights
            own = -g[:, i] * (2.0 * flat[:, i] + p * g[:, i])
            most += np.maximum(own, 0.0)
            least += np.maximum(-own, 0.0)
            for j in range(i):
                mixed += np.abs(g[:, i] * flat[:, j] + g[:, j] * flat[:, i] + p * g[:, i] * g[:, j])
        return 0.5 * most + mixed, 0.5 * least + mixed

    def _turning(self, p: FloatArray) -> FloatArray:
        """The derivative of ``(u^p - 1) / p`` by p (B, d, N)."""
        c = self._c
        x = p[:, :, None] * c
        small = np.abs(x) < 0.01
        safe = np.where(small, 1.0, x)
        exact = (x * np.exp(x) - np.expm1(x)) / np.square(safe)
        series = 0.5 + x * (1.0 / 3.0 + x * (0.125 + x / 30.0))
        return np.asarray(np.square(c) * np.where(small, series, exact))

    def _raised(self, p: FloatArray) -> FloatArray:
        """``(u^p - 1) / p`` (B, d, N), which is log u at p = 0."""
        pc = p[:, :, None] * self._c
        small = np.abs(p[:, :, None]) < _TINY
        return np.asarray(
            np.where(small, self._c, np.expm1(pc) / np.where(small, 1.0, p[:, :, None]))
        )

    def _series(self, w: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The slope by p, and its own, from cumulants of log u under the weights."""
        c = self._c
        away = c[None] - (w @ c)[:, None]
        k2, k3, k4 = (np.einsum("bd,bdn->bn", w, away**k) for k in (2, 3, 4))
        k4 -= 3.0 * k2 * k2
        return k2 / 2.0 + p * k3 / 3.0 + p * p * k4 / 8.0, k3 / 3.0 + p * k4 / 4.0

    def _stray(
        self, low: FloatArray, high: FloatArray, half: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        c, people = self._c, len(self._c)
        first = np.minimum(low[:, -1], 0.0)[:, None, None]
        last = np.maximum(high[:, -1], 0.0)[:, None, None]
        at_first, at_last = np.exp(first * c), np.exp(last * c)
        v_low, v_high = low[:, :-1, None], high[:, :-1, None]
        steep = np.empty_like(at_first)  # q_i / v_i at most
        share = np.empty_like(at_first)  # q_i at most
        for i in range(people):
            others = np.minimum(at_first / at_first[:, i : i + 1], at_last / at_last[:, i : i + 1])
            mass = np.einsum("bd,bdn->bn", low[:, :-1], others)
            steep[:, i] = 1.0 / mass
            share[:, i] = v_high[:, i] / (v_high[:, i] - v_low[:, i] + mass)
        width = half[:, -1:]
        step = steep * half[:, :-1, None]
        ways = step * self._arm
        gain, moved = ways.sum(axis=1), step.sum(axis=1)
        crossed = width[:, :, None] * (step * self._bowl)
        cross = crossed.sum(axis=1)
        about = np.min(
            [np.einsum("bdn,dn->bn", share, np.square(c - c[i])) for i in range(people)], axis=0
        )
        skew = np.minimum(_SKEWEST * self._range**3, self._range * about)
        bent = width * width * skew / 3.0
        parts = np.empty((len(low), people + 1, c.shape[1]))
        parts[:, :-1] = ways * moved[:, None] + step * gain[:, None] + 0.5 * crossed
        parts[:, -1] = 0.5 * cross + bent
        due = np.empty_like(parts)
        due[:, :-1] = 2.0 * ways
        due[:, -1] = width * np.minimum(np.square(self._range) / 4.0, about)
        # The third derivative: by three weights, by two and p, by one and twice p, by p alone.
        tail = (step * self._cube).sum(axis=1) / 3.0
        fourth = np.minimum(self._range**4 / 8.0, np.square(self._range) * about) / 4.0
        third = 6.0 * gain * moved * moved + 3.0 * (cross * moved + width * gain * gain)
        third += width * width * (3.0 * tail + width * fourth)
        return 0.5 * (2.0 * gain * moved + cross + bent), third / 6.0, parts, due

    def _ends(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The least and the largest log M (B, N): more weight for the worse, or the better off."""
        found = []
        for at, more in ((low, False), (high, True)):
            p = at[:, -1:]
            e = np.take_along_axis(self._raised(p), self._order[None], axis=1)
            small, large = (np.take(x[:, :-1], self._order, axis=1) for x in (low, high))
            if not more:
                small, large = large, small
            # The best off, one after the other, have all they can; the others as little.
            mass = small.sum(axis=1)
            value = (small * e).sum(axis=1)
            best = value / mass
            for i in range(len(self._order)):
                change = large[:, i] - small[:, i]
                mass = mass + change
                value = value + change * e[:, i]
                best = (np.maximum if more else np.minimum)(best, value / mass)
            found.append(best * _log1p_over(p * best))
        return found[0], found[1]


def _log1p_over(x: FloatArray) -> FloatArray:
    """``log(1 + x) / x``, which is 1 at 0."""
    small = np.abs(x) < _TINY
    return np.asarray(np.where(small, 1.0, np.log1p(x) / np.where(small, 1.0, x)))


class FarOut:
    """``x log sum (r_i u_i)^(1/x)``, for positive powers 1 / x from 1 on."""

    def __init__(self, logs: FloatArray) -> None:
        self._logs = logs
        self._rounding = _ULPS * (1.0 + np.abs(logs).max(axis=0))

    def on(self, low: FloatArray, high: FloatArray) -> Enclosure:
        """Enclose it on boxes, each from low to high (B, d + 1)."""
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            value, shares, doubt = self._value(middle)
            slopes = np.empty((len(low), low.shape[1], value.shape[1]))
            slopes[:, :-1] = shares / middle[:, :-1, None]
            slopes[:, -1] = doubt
            below, above, parts, share = self._stray(low, high, half)
            due = np.empty_like(parts)
            due[:, :-1] = share * (2.0 * half / middle)[:, :-1, None]
            rest = share.sum(axis=1) - share.max(axis=1)
            due[:, -1] = 2.0 * half[:, -1:] * np.minimum(2.0 * np.sqrt(rest), np.log(len(share[0])))
            least, most = self._value(low)[0], self._value(high)[0]
        rounding = self._rounding
        plane = Enclosure(
            value, slopes, _WIDER * below + rounding, _WIDER * above + rounding, parts
        )
        return _settled(plane, least - rounding, most + rounding, due)

    def _value(self, place: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The value (B, N), shares (B, d, N) and their entropy (B, N): the slope by x."""
        x = place[:, -1:]
        z = np.log(place[:, :-1, None]) + self._logs
        top = z.max(axis=1)
        z -= top[:, None]
        z /= x[:, :, None]
        raised = np.exp(z)
        total = raised.sum(axis=1)
        log_total = np.log(total)
        raised /= total[:, None]
        z[raised == 0] = 0.0
        return top + x * log_total, raised, log_total - (raised * z).sum(axis=1)

    def _stray(
        self, low: FloatArray, high: FloatArray, half: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        logs, people = self._logs, len(self._logs)
        least, most = 1.0 / high[:, -1], 1.0 / low[:, -1]  # powers
        worst = np.log(low[:, :-1, None]) + logs
        r_low, r_high, h = low[:, :-1], high[:, :-1], half[:, :-1]
        # Bounds of r^(p - 2): beyond p = 2 largest at the high end, else at the low one.
        smooth = np.where(least[:, None] >= 2.0, r_high, r_low) ** (least[:, None] - 2.0)
        reached = np.where(
            least[:, None] >= 2.0, np.inf, 2.0 * h ** least[:, None] / least[:, None]
        )
        by_side = np.fmin(h * h * smooth, reached)  # 0 to the power of less than 0 has no bound
        raised_low, raised_high = r_low ** most[:, None], r_high ** least[:, None]
        square = np.empty((len(low), people, logs.shape[1]))  # of q_i y_i^2
        share = np.empty_like(square)
        for i in range(people):
            ahead = worst - logs[i]
            ahead *= np.where(ahead < 0, most[:, None, None], least[:, None, None])
            ahead[:, i] = -np.inf
            others = np.exp(np.minimum(ahead, 700.0)).sum(axis=1)
            share[:, i] = raised_high[:, i : i + 1] / (raised_high[:, i : i + 1] + others)
            free = by_side[:, i : i + 1] / (raised_low[:, i : i + 1] + others)
            bound = share[:, i] * np.square(h[:, i] / r_low[:, i])[:, None]
            square[:, i] = np.fmin(free, bound)
        square[np.broadcast_to((h == 0)[:, :, None], square.shape)] = 0.0
        return *self._combined(square, share, most[:, None], half[:, -1:]), share

    def _combined(
        self, square: FloatArray, share: FloatArray, most: FloatArray, width: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        whole = square.sum(axis=1)
        rest = share.sum(axis=1)
        single = np.sqrt(square * np.clip(rest[:, None] - share, 0.0, 1.0))
        spread = np.minimum(np.sqrt(whole), single.sum(axis=1))
        # Of (log q)^2: all but one are small where that one leads for sure.
        told = np.where(
            share < _AT_PEAK, share * np.square(np.log(np.maximum(share, _TINY))), _PEAK
        )
        leads = rest - share.max(axis=1) <= 0.5
        surprise = np.where(leads, told.sum(axis=1) - _of_leader(told, share), np.inf)
        surprise = np.sqrt(np.minimum(surprise, (len(self._logs) - 1) * _PEAK))
        other = width * surprise
        above = 0.5 * most * np.square(spread + other)
        parts = np.empty((len(square), square.shape[1] + 1, square.shape[2]))
        part = np.minimum(single, np.sqrt(square))
        parts[:, :-1] = square + most[:, None] * part * (spread + other)[:, None]
        parts[:, -1] = most * other * (spread + other)
        return 0.5 * whole, above, parts


def _of_leader(told: FloatArray, share: FloatArray) -> FloatArray:
    """What the one with the largest share contributes (B, N)."""
    leader = share.argmax(axis=1)[:, None]
    return np.asarray(np.take_along_axis(told, leader, axis=1)[:, 0])
