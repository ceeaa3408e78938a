"""The best partitions a search has seen."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moo_clustering.encodings._canonical import distinct_rows, relabel_by_first_appearance
from moo_clustering.operators._label_rows import at_least_one

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
Labels = NDArray[np.int32]
Scalar = Callable[[FloatArray, Labels], FloatArray]


class EliteMemory:
    """The distinct partitions of greatest scalar score among all that were shown to it.

    Parameters
    ----------
    scalar : callable
        ``scalar(values, labels) -> scores``: of shape (q, n_objectives), with natural signs, and
        (q, n_samples), to (q,). Greater is better.
    n_elite : int, default=4

    Attributes
    ----------
    labels : ndarray of shape (n_kept, n_samples), int32
        Best first; of equals, the one seen first.
    values : ndarray of shape (n_kept, n_objectives)
    scores : ndarray of shape (n_kept,)
    """

    def __init__(self, scalar: Scalar, n_elite: int = 4) -> None:
        if not callable(scalar):
            raise TypeError(f"scalar must be callable as scalar(values, labels), got {scalar!r}.")
        self.scalar = scalar
        self.n_elite = at_least_one("n_elite", n_elite)
        self.labels: Labels = np.empty((0, 0), dtype=np.int32)
        self.values: FloatArray = np.empty((0, 0))
        self.scores: FloatArray = np.empty(0)

    def update(self, values: FloatArray, labels: Labels) -> NDArray[np.intp]:
        """Show a population to it.

        Returns
        -------
        rows : ndarray of shape (<= n_elite,)
            The best of the population that are distinct, best first.
        """
        labels = relabel_by_first_appearance(labels)
        scores = np.asarray(self.scalar(values, labels), dtype=np.float64)
        if scores.shape != (len(labels),) or np.isnan(scores).any():
            raise ValueError(
                f"scalar must give one number for each of {len(labels)} partitions, got shape {scores.shape}."
            )
        best = _best(scores, labels, self.n_elite)
        if len(self.scores) == 0:
            self.labels, self.values, self.scores = labels[best], values[best], scores[best]
        else:
            everybody = np.concatenate([self.labels, labels[best]])
            numbers = np.concatenate([self.values, values[best]])
            known = np.concatenate([self.scores, scores[best]])
            rows = _best(known, everybody, self.n_elite)
            self.labels, self.values, self.scores = everybody[rows], numbers[rows], known[rows]
        return best

    def checkpoint_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and metadata from which :meth:`restore_checkpoint_state` goes on."""
        return {"labels": self.labels, "values": self.values, "scores": self.scores}, {}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over what :meth:`checkpoint_state` returned."""
        self.labels, self.values, self.scores = arrays["labels"], arrays["values"], arrays["scores"]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # The scalar may be bound to large data; arrays are replaced, never written to.
        return copy.copy(self)


def with_elite(chosen: IntArray, elite: IntArray) -> IntArray:
    """The chosen, of which the last give way to those of the elite who are not among them."""
    missing = elite[~np.isin(elite, chosen)][: len(chosen)]
    free = np.flatnonzero(~np.isin(chosen, elite))[::-1][: len(missing)]
    out = chosen.copy()
    out[free] = missing[: len(free)]
    return out


def _best(scores: FloatArray, labels: Labels, n: int) -> NDArray[np.intp]:
    order = np.argsort(-scores, kind="stable")
    first, _ = distinct_rows(labels[order])
    rows: NDArray[np.intp] = order[first[:n]]
    return rows
