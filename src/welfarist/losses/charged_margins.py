"""What is charged for margins between pairs of actions, by weights, shape and temperature."""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.restraint import Caution


def along(
    graph: ComparisonGraph, margins: FloatArray, tau: float, rows: FloatArray, by: FloatArray
) -> FloatArray:
    """Return derivatives (q + 1, r) by weights, shape and log tau, from r by the margins (r, n).

    `rows` (q, N) are the derivatives of the actions' values.
    """
    found = [
        np.append(rows @ graph.scatter(tau * by_margin), by_margin @ margins) for by_margin in by
    ]
    return np.array(found).reshape(len(by), len(rows) + 1).T


def form(
    graph: ComparisonGraph,
    margins: FloatArray,
    tau: float,
    rows: FloatArray,
    spread: FloatArray,
    per: float,
) -> FloatArray:
    """Return `per` times second derivatives (q + 1, q + 1) from those by each margin alone (n,)."""
    q = len(rows)
    found = np.empty((q + 1, q + 1))
    found[:q, :q] = graph.laplacian_form(rows, spread * (tau * tau * per))
    found[:q, q] = found[q, :q] = rows @ graph.scatter(spread * margins * (tau * per))
    found[q, q] = (spread @ np.square(margins)) * per
    return found


def concave(
    graph: ComparisonGraph,
    margins: FloatArray,
    tau: float,
    rows: FloatArray,
    caution: Caution,
    per: float,
) -> FloatArray:
    """Return `per` times what a model leaves out of the caution's curvature (q + 1, q + 1)."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    left = form(graph, margins, tau, rows, caution.bend, per)
    for sign, by_margins in ((per, caution.raising), (-per, caution.lowering)):
        steep = along(graph, margins, tau, rows, by_margins)
        left += sign * (steep @ steep.T)
    return left


def concave_of(design: FloatArray, caution: Caution, per: float) -> FloatArray:
    """Return the same from the derivatives of the margins (q + 1, n), where these are few."""
    left = (design * caution.bend) @ design.T
    raising, lowering = (design @ by.T for by in (caution.raising, caution.lowering))
    left += raising @ raising.T
    left -= lowering @ lowering.T
    left *= per
    return np.asarray(left)
