"""Saving and loading whatever was learned: one rule, types, or a population."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from welfarist.base.errors import InputError
from welfarist.base.front_door import public
from welfarist.base.whole_files import write_whole
from welfarist.deciders.saved import DecidersModel
from welfarist.results.rule_draws import RuleDraws
from welfarist.results.saved_models import SEVERAL, Model
from welfarist.results.saved_records import record_in


def save_model(
    learned: Any,
    path: str | os.PathLike[str],
    intervals: Mapping[str, Any] | None = None,
    draws: int | RuleDraws | None = None,
) -> None:
    """Save what was learned to a file, whole or not at all.

    Parameters
    ----------
    learned : fitted estimator, its result_, Model or DecidersModel
        Of one rule, of types or of a population of decision makers.
    path : str or path
        Text in JSON; by custom it ends in ``.json``.
    intervals : mapping, optional
        Intervals to keep with one rule, by name.
    draws : int or RuleDraws, optional
        Of one rule: how many equally likely rules to keep, or those of
        :func:`welfarist.draw_rules`, so that ``welfarist.recommend`` can say how sure it is. Rules
        of other families are kept with them, for what these would take.

    Examples
    --------
    >>> import tempfile
    >>> from welfarist import WelfareRegressor
    >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
    >>> learned = WelfareRegressor().fit(utilities, [2.0, 3.0, 4.0, 4.0, 3.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(learned, f"{folder}/model.json")
    ...     model = load_model(f"{folder}/model.json")
    >>> model.welfare == learned.welfare_
    True
    """
    result = getattr(learned, "result_", learned)
    several = isinstance(result, DecidersModel) or hasattr(result, "beliefs")
    if several and draws is not None:
        raise InputError("draws go with a model of one rule; found one of several decision makers.")
    kept = public("draw_rules")(learned).thinned(draws) if isinstance(draws, int) else draws
    fits = () if draws is None else public("family_fits")(learned)
    made: Model | DecidersModel = (
        DecidersModel.of(result) if several else Model.of(learned, intervals, kept, fits)
    )
    write_whole(path, made.as_text())


def load_model(path: str | os.PathLike[str]) -> Any:
    """Load what :func:`save_model` saved, or say why it cannot be trusted.

    Returns
    -------
    Model or DecidersModel
        As the file says: one rule, or several decision makers.
    """
    record, name = record_in(path), os.fspath(path)
    several = isinstance(record, Mapping) and record.get("format") == SEVERAL
    return DecidersModel.from_dict(record, name) if several else Model.from_dict(record, name)
