"""Transformer for bags, based on a transformer for instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from moo_clustering._docs import documented
from moo_clustering.bags.bags import Bags, as_bags


def _inner_has(method: str) -> Callable[[BagTransformer], bool]:
    def check(self: BagTransformer) -> bool:
        getattr(self._inner(), method)  # raises an AttributeError if the method is missing
        return True

    return check


def _with_rows(bags: Bags, rows: Any, feature_names: Any) -> Bags:
    """Return bags with other instances and, unlike ``with_instances``, without the old feature names."""
    rows = rows.toarray() if issparse(rows) else np.asarray(rows)
    if len(rows) != bags.n_instances:
        raise ValueError(
            f"transformer must return one row per instance, {bags.n_instances} in all; got {len(rows)}"
        )
    return Bags(rows, bags.offsets, bag_ids=bags.bag_ids, feature_names=feature_names)


# scikit-learn must not convert outputs, because it does not support Bags.
class BagTransformer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Apply a scikit-learn transformer to the instances of bags.

    The transformer is fitted to the instances of all bags. In a ``Pipeline``, use this step before a bag
    clusterer. Source: Evolutionary multi-instance clustering, Eq. 11.

    Parameters
    ----------
    transformer : transformer or None, default=None
        Transformer that preserves the number of rows. Default: :class:`~sklearn.preprocessing.MinMaxScaler`,
        which scales features to [0, 1] (Eq. 11), maps constant features to 0, and does not clip new values.

    Attributes
    ----------
    transformer_ : transformer
        Fitted clone of the transformer.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Feature names; set only if the bags have feature names.

    Examples
    --------
    >>> from moo_clustering.bags import BagTransformer
    >>> bags = BagTransformer().fit_transform([[[0, 5], [2, 5]], [[4, 5]]])
    >>> bags.instances.tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]
    """

    transformer_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(self, transformer: Any = None) -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit a clone of the transformer to all instances.

        Parameters
        ----------
        X : Bags or any input of :func:`as_bags`
        y : ignored
        """
        bags = as_bags(X)
        inner = MinMaxScaler() if self.transformer is None else clone(self.transformer)
        with np.errstate(over="ignore"):
            if not np.isfinite(np.ptp(bags.instances, axis=0)).all():
                raise ValueError("instances are so large that the range of a feature overflows; rescale them")
        self.transformer_ = inner.fit(bags.instances)
        self.n_features_in_ = bags.n_features
        self.__dict__.pop("feature_names_in_", None)
        if bags.feature_names is not None:
            self.feature_names_in_ = np.array(bags.feature_names, dtype=object)
        return self

    @documented(fit)
    def transform(self, X: Any) -> Bags:
        """Transform the instances. The result has feature names only if ``X`` has them."""
        check_is_fitted(self, "transformer_")
        bags = as_bags(X)
        if bags.n_features != self.n_features_in_:
            expected = f"{type(self).__name__} is expecting {self.n_features_in_} features as input"
            raise ValueError(f"X has {bags.n_features} features, but {expected}")
        fitted = getattr(self, "feature_names_in_", None)
        if bags.feature_names is not None and fitted is not None and bags.feature_names != tuple(fitted):
            raise ValueError("feature names of X must match those of the fit, in the same order")
        return _with_rows(bags, self.transformer_.transform(bags.instances), self._names(bags.feature_names))

    @available_if(_inner_has("inverse_transform"))
    @documented(fit)
    def inverse_transform(self, X: Any) -> Bags:
        """Invert the transformation of the instances. The result has the feature names of the fitted bags."""
        check_is_fitted(self, "transformer_")
        bags = as_bags(X)
        rows = self.transformer_.inverse_transform(bags.instances)
        return _with_rows(bags, rows, getattr(self, "feature_names_in_", None))

    @available_if(_inner_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the transformer's output feature names."""
        check_is_fitted(self, "transformer_")
        names = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        return np.asarray(self.transformer_.get_feature_names_out(names), dtype=object)

    def set_output(self, *, transform: Any = None) -> Self:
        """Return self unchanged: the output is always :class:`Bags`, whatever container is requested."""
        return self

    def _inner(self) -> Any:
        if hasattr(self, "transformer_"):
            return self.transformer_
        return MinMaxScaler() if self.transformer is None else self.transformer

    def _names(self, names: Sequence[str] | None) -> Any:
        if names is None:
            return None
        try:
            return self.get_feature_names_out(np.array(names, dtype=object))
        except AttributeError:  # a step of a pipeline lacks the method
            return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
