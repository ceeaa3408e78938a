"""Scores of the methods of a cell; what fails is written down instead of ending the run."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

Labels = NDArray[np.integer[Any]]


class Sheet:
    """A row for every method, setting and draw.

    Parameters
    ----------
    classes : ndarray of shape (n_samples,)
        Negative where a sample is not scored. No method sees them.

    Attributes
    ----------
    rows : list of dict
        ``setting``, ``draw``, ``method`` and ``ari``, ``ami``, ``k``, ``seconds``; or ``error``.
    """

    def __init__(self, classes: NDArray[np.int64]) -> None:
        self._classes = classes
        self.rows: list[dict[str, Any]] = []

    def add(
        self,
        setting: str,
        draw: int,
        method: str,
        labels_of: Callable[[], Labels],
        *,
        among: NDArray[np.bool_] | None = None,
        seconds: float | None = None,
        of_pool: bool = False,
    ) -> None:
        """Run a method and score its labels.

        Parameters
        ----------
        setting, method : str
        draw : int
        labels_of : callable
        among : ndarray of shape (n_samples,), bool, optional
            Samples that the score is of, with ``ari_all`` and ``ami_all`` of all; default: all with a class.
        seconds : float, optional
            What it took; default: what the call takes.
        of_pool : bool, default=False
            Whether most of the work was making the pool, so that seconds of the call mean nothing.
        """
        row: dict[str, Any] = {"setting": setting, "draw": draw, "method": method}
        start = perf_counter()
        try:
            labels = np.asarray(labels_of())
            took = perf_counter() - start if seconds is None else seconds
            row |= self._scores(labels, among)
            row["seconds"] = None if of_pool else took
        except MemoryError:
            raise
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
        self.rows.append(row)

    def add_best(
        self,
        setting: str,
        draw: int,
        method: str,
        candidates_of: Callable[[], Labels],
        among: NDArray[np.bool_] | None = None,
    ) -> None:
        """The candidate that is best by the classes: an upper bound of any choice."""

        def best() -> Labels:
            candidates = candidates_of()
            here = self._scored(among)
            scores = [adjusted_rand_score(self._classes[here], one[here]) for one in candidates]
            chosen: Labels = candidates[int(np.argmax(scores))]
            return chosen

        self.add(setting, draw, method, best, among=among, of_pool=True)

    def _scored(self, among: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        scored: NDArray[np.bool_] = self._classes >= 0
        return scored if among is None else scored & among

    def _scores(self, labels: Labels, among: NDArray[np.bool_] | None) -> dict[str, Any]:
        if labels.shape != self._classes.shape:
            raise ValueError(f"{labels.shape} labels for {len(self._classes)} samples")
        here = self._scored(among)
        if not here.any():
            raise ValueError("no sample is left to score")
        row = {**_agreement(self._classes[here], labels[here]), "k": len(np.unique(labels))}
        if among is not None:
            everyone = _agreement(self._classes[self._scored(None)], labels[self._scored(None)])
            row |= {f"{name}_all": value for name, value in everyone.items()}
        return row


def _agreement(classes: NDArray[np.int64], labels: Labels) -> dict[str, float]:
    return {
        "ari": float(adjusted_rand_score(classes, labels)),
        "ami": float(adjusted_mutual_info_score(classes, labels)),
    }
