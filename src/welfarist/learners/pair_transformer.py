"""One transformation for both actions of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from welfarist.base.data_frames import collected, refuse_twins, side_by_side, stacked_halves
from welfarist.base.errors import InputError
from welfarist.decisions import Comparisons
from welfarist.decisions.comparisons import as_comparisons
from welfarist.decisions.paired_columns import paired_stems, people_of


def _inner_has(name: str) -> Any:
    """Whether the transformer inside has a method."""

    def check(self: PairTransformer) -> bool:
        getattr(getattr(self, "transformer_", self.transformer), name)
        return True

    return available_if(check)


class PairTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transform both actions of every pair in the same way.

    A scaler of scikit-learn treats every column by itself. In a table with both actions side by
    side that puts the first and the second action on different scales, and the weights that are
    learned mean nothing. This fits the transformer once, on the actions of both sides below each
    other, and applies it to both.

    Parameters
    ----------
    transformer : transformer
        What to do with a table of actions, one column per person: a scaler such as
        ``MinMaxScaler((1, 10))``, a ``FunctionTransformer``, a ``ColumnTransformer``. It is cloned,
        and fitted without y. Its output must not be negative to be learned from.

    Attributes
    ----------
    transformer_ : transformer
        The fitted one. Of a data frame with columns such as self_x, other_x, self_y, other_y it
        sees a data frame with the columns self and other.
    n_features_in_ : int
    feature_names_in_ : (2 d,) array of str

    Notes
    -----
    Each occurrence of an action counts. ``Comparisons`` are taken as well, and give ``Comparisons``
    of the transformed actions.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from welfarist import ComparisonClassifier
    >>> X = [[10.0, 30.0, 20.0, 20.0], [30.0, 10.0, 50.0, 10.0]]       # first action, then second
    >>> MinMaxScaler((1, 5)).fit_transform(X)[:, [0, 2]]               # 20 is 1 and 30 is 5 or ...
    array([[1., 1.],
           [5., 5.]])
    >>> PairTransformer(MinMaxScaler((1, 5))).fit_transform(X)[:, [0, 2]]
    array([[1., 2.],
           [3., 5.]])
    >>> model = make_pipeline(PairTransformer(MinMaxScaler((1, 10))), ComparisonClassifier())
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the transformer on the actions of both sides.

        Parameters
        ----------
        X : Comparisons, or (n, 2 d) array-like or data frame
            The utilities of the first action and then of the second, one pair per row.
        y : ignored
        """
        del y
        known = as_comparisons(X)
        if known is not None:
            self.n_features_in_ = 2 * known.people
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
            actions = known.utilities[known.pairs.T.reshape(-1)]
        else:
            actions = self._actions(X, reset=True)
        self.transformer_ = clone(self.transformer).fit(actions)
        return self

    def transform(self, X: Any) -> Any:
        """Return the transformed actions side by side (n, 2 k), or Comparisons of them."""
        check_is_fitted(self)
        known = as_comparisons(X)
        if known is not None:
            return self._transformed(known)
        return self._applied(self.transformer_.transform, self._actions(X, reset=False))

    @_inner_has("inverse_transform")  # type: ignore[untyped-decorator]
    def inverse_transform(self, X: Any) -> Any:
        """Return the actions (n, 2 d) that were transformed to these (n, 2 k)."""
        check_is_fitted(self)
        table = np.asarray(X)
        _refuse_odd(table.shape[1])
        return self._applied(self.transformer_.inverse_transform, np.vstack(np.hsplit(table, 2)))

    @_inner_has("get_feature_names_out")  # type: ignore[untyped-decorator]
    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns of :meth:`transform` (2 k,).

        Columns keep their names where the transformer inside leaves them what they are; others are
        called after it, with ``first_`` and ``second_`` before.
        """
        check_is_fitted(self)
        names = [str(name) for name in _check_feature_names_in(self, input_features)]
        half = len(names) // 2
        people = paired_stems(names[:half], names[half:]) or tuple(names[:half])
        found = [str(name) for name in self.transformer_.get_feature_names_out(list(people))]
        if tuple(found) == people:
            return np.array(names, dtype=object)
        return np.array(
            [f"{side}_{name}" for side in ("first", "second") for name in found], object
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.transformer)
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.positive_only = inner.input_tags.positive_only
        tags.transformer_tags.preserves_dtype = inner.transformer_tags.preserves_dtype
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transformer_")

    def _actions(self, X: Any, *, reset: bool) -> Any:
        """The first actions, and below them the second ones (2 n, d), with people's names."""
        X = collected(X)
        refuse_twins(X)
        checked = validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite=False)
        _refuse_odd(checked.shape[1])
        people = people_of(getattr(self, "feature_names_in_", None))
        named = None if people is None else stacked_halves(X, people)
        return np.vstack(np.hsplit(checked, 2)) if named is None else named

    def _applied(self, work: Any, actions: Any) -> npt.NDArray[Any]:
        found = work(actions)
        found = found.toarray() if issparse(found) else np.asarray(found)
        if found.ndim != 2 or len(found) != len(actions):
            raise InputError(
                "a transformer of pairs must give one row for each action; found "
                f"{len(actions)} actions and a result of shape {found.shape}."
            )
        return side_by_side(found)

    def _transformed(self, known: Comparisons) -> Comparisons:
        """Comparisons of the transformed actions: those that were compared, under their names."""
        used, rows = np.unique(known.pairs, return_inverse=True)
        table = self._applied_to_table(known.utilities[used])
        made = Comparisons(
            table,
            rows.reshape(known.pairs.shape),
            known.outcomes,
            known.counts,
            known.by,
            _names_of(known, used.tolist()),
        )
        if table.shape[1] == known.people:
            made.stakeholders = known.stakeholders
        made.numbered = known.numbered
        return made

    def _applied_to_table(self, table: Any) -> npt.NDArray[Any]:
        names = getattr(self.transformer_, "feature_names_in_", None)
        if names is not None:
            raise InputError(
                "a transformer that was fitted on a data frame with named columns must be given "
                "one; found Comparisons. Fit it on Comparisons."
            )
        found = self.transformer_.transform(table)
        return found.toarray() if issparse(found) else np.asarray(found)


def _names_of(known: Comparisons, used: Sequence[int]) -> list[str] | None:
    """What to call the actions that are left, so that their numbers stay those of the caller."""
    if known.names is not None:
        return [known.names[i] for i in used]
    if known.numbered and len(used) < known.actions:
        return [f"action {i}" for i in used]
    return None


def _refuse_odd(columns: int) -> None:
    if columns % 2:
        raise InputError(
            "X must hold the utilities of the first action and then those of the second, an even "
            f"number of columns; found {columns} feature(s)."
        )
