"""What operators on cluster numbers have in common: bounds, canonical rows, one row after the other."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings import LabelEncoding
from moo_clustering.encodings._canonical import relabel_by_first_appearance
from moo_clustering.encodings._checks import checked_genes
from moo_clustering.operators._chosen_mutation import ChosenMutation

Labels = NDArray[np.int32]


class Bounds(NamedTuple):
    """Least and greatest number of clusters."""

    k_min: int
    k_max: int


def bounds_of(problem: Any) -> Bounds:
    """Those of a problem's :class:`~moo_clustering.encodings.LabelEncoding`; refuses other problems."""
    encoding = getattr(problem, "encoding", None)
    if not isinstance(encoding, LabelEncoding):
        raise TypeError(
            f"{type(problem).__name__} has no LabelEncoding, which this operator needs: its genes are the "
            "clusters of the samples."
        )
    return Bounds(encoding.k_min, encoding.k_max)


def canonical_rows(X: NDArray[Any], n_samples: int) -> Labels:
    """A fresh array of partitions, each with its clusters numbered by first appearance."""
    return relabel_by_first_appearance(checked_genes(X, n_samples))


def renumbered(labels: NDArray[np.integer[Any]]) -> Labels:
    """One partition with its clusters numbered by first appearance, without gaps."""
    return relabel_by_first_appearance(labels[None])[0]


def pool_labels(pool: Any) -> Labels:
    """The partitions of a pool, or of an array of labels, one a row; fresh and canonical.

    Raises
    ------
    ValueError
        For no partition at all.
    """
    labels = np.atleast_2d(np.asarray(getattr(pool, "labels", pool)))
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"pool must hold at least one partition, as integer labels of shape (n_partitions, n_samples); "
            f"got shape {labels.shape} and dtype {labels.dtype}."
        )
    return relabel_by_first_appearance(labels)


def share(name: str, value: float) -> float:
    """A number within 0..1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be within 0..1, got {value!r}.")
    return float(value)


def at_least_one(name: str, value: int) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a positive integer, got {value!r}.")
    if value < 1:
        raise ValueError(f"{name} must be a positive integer, got {value!r}.")
    return int(value)


class LabelMutation(ChosenMutation):
    """Mutation of one partition after the other; subclasses say how.

    The numbers of the clusters never matter: every row is numbered by first appearance before, and
    comes out so.
    """

    @abstractmethod
    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        """A changed copy of a canonical partition, or itself where nothing can be done."""

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        rng, bounds = np.random.default_rng(random_state), bounds_of(problem)
        out = canonical_rows(X, problem.n_var)
        for row in out:
            row[:] = self.varied(row.copy(), bounds, rng)
        return out
