"""Rivals that ask about random pairs, or about names of which a classifier is least certain."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils import check_array

from moo_clustering._arrays import FloatArray, Labels, number_clusters
from moo_clustering._parallel import threads_here
from moo_clustering.interactive import Question

_WORDS = {"together": True, "apart": False}


class _Rival(ABC):
    """A session with one question at a time, and the partition so far."""

    mode: Literal["pairs", "names"] = "pairs"
    n_answers: int = 0

    @property
    def question(self) -> Question | None:
        """The next question, or None if no question is left."""
        samples = self._next_samples()
        if samples is None:
            return None
        nothing = np.zeros(0, dtype=np.intp)
        return Question(samples, "sample", float("nan"), float("nan"), nothing, self.n_answers)

    @abstractmethod
    def _next_samples(self) -> tuple[int, ...] | None:
        """Return the samples of the next question."""


class RandomPairs(_Rival):
    """Questions about random pairs, whose answers are passed to ``relabel`` of a fitted clusterer.

    Parameters
    ----------
    model : ParetoClustering or ParetoBagClustering
        Fitted clusterer, which is not modified.
    random_state : int, default=0
    soft : bool, default=True
        Whether pairs may be wrong and contradict each other.

    Attributes
    ----------
    question : Question or None
    labels_ : ndarray of shape (n_samples,), int32

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import ParetoClustering
    >>> from moo_clustering.interactive import simulate
    >>> from papers.rivals import RandomPairs
    >>> X, classes = make_moons(60, noise=0.05, random_state=0)
    >>> model = ParetoClustering(scale="isotropic", random_state=0).fit(X)
    >>> len(simulate(RandomPairs(model), classes, 2))
    3
    """

    def __init__(self, model: Any, *, random_state: int = 0, soft: bool = True) -> None:
        self._model = copy.copy(model)
        self._model.pairs = "soft" if soft else "hard"
        self._stale = False
        self._rng = np.random.default_rng(random_state)
        self._links: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        self._asked: set[tuple[int, int]] = set()
        self._draw()

    def _draw(self) -> None:
        """Draw a new pair."""
        n = len(self._model.labels_)
        self._pending: tuple[int, int] | None = None
        while len(self._asked) < n * (n - 1) // 2:
            i, j = self._rng.choice(n, 2, replace=False).tolist()
            if (min(i, j), max(i, j)) not in self._asked:
                self._pending = (min(i, j), max(i, j))
                self._asked.add(self._pending)
                return

    def _next_samples(self) -> tuple[int, ...] | None:
        return self._pending

    def answer(self, answer: str) -> Self:
        """Answer the question with "together", "apart" or "unknown"."""
        if self._pending is None:
            raise ValueError("no question is left to answer.")
        self.n_answers += 1
        if answer in _WORDS:
            self._links[_WORDS[answer]].append(self._pending)
            self._stale = True
        self._draw()
        return self

    @property
    def labels_(self) -> Labels:
        """Partition after all answers so far, computed on access."""
        if self._stale:
            must, cannot = self._links[True] or None, self._links[False] or None
            self._model.relabel(must_link=must, cannot_link=cannot)
            self._stale = False
        return self._model.labels_


class UncertainLabels(_Rival):
    """Questions about names of the samples whose label spreading has the smallest margin.

    Source: D. Zhou et al.: Learning with local and global consistency. NIPS 2003; B. Settles: Active learning
    literature survey, 2009, section 3.1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : int, default=0
        Seed of the samples to ask about until two classes are known.
    n_neighbors : int, default=10

    Attributes
    ----------
    question : Question or None
    labels_ : ndarray of shape (n_samples,), int32
        One cluster before the first answers.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.interactive import simulate
    >>> from papers.rivals import UncertainLabels
    >>> X = np.r_[np.zeros((6, 1)), np.ones((6, 1))] + np.linspace(0, 0.1, 12)[:, None]
    >>> simulate(UncertainLabels(X, n_neighbors=3), np.repeat([0, 1], 6), 6)["ari"].tolist()[-1]
    1.0
    """

    mode: Literal["pairs", "names"] = "names"

    def __init__(self, X: ArrayLike, *, random_state: int = 0, n_neighbors: int = 10) -> None:
        self._X: FloatArray = check_array(X, dtype=np.float64)
        n = len(self._X)
        self._rng = np.random.default_rng(random_state)
        self._n_neighbors = min(n_neighbors, n)
        self._codes, self._skipped = np.full(n, -1), np.zeros(n, dtype=np.bool_)
        self._names: dict[str, int] = {}
        self.labels_ = np.zeros(n, dtype=np.int32)
        self._margins = self._rng.random(n)

    def _next_samples(self) -> tuple[int, ...] | None:
        free = np.flatnonzero((self._codes < 0) & ~self._skipped)
        return (int(free[self._margins[free].argmin()]),) if len(free) else None

    def answer(self, answer: str) -> Self:
        """Answer the question with the name of a class or "unknown"."""
        samples = self._next_samples()
        if samples is None:
            raise ValueError("no question is left to answer.")
        self.n_answers += 1
        if answer == "unknown":
            self._skipped[samples[0]] = True
            return self
        self._codes[samples[0]] = self._names.setdefault(answer, len(self._names))
        if len(self._names) < 2:
            self._margins = self._rng.random(len(self._X))
            return self
        with threads_here():
            model = LabelSpreading(kernel="knn", n_neighbors=self._n_neighbors).fit(self._X, self._codes)
        shares = np.nan_to_num(model.label_distributions_)
        best = np.sort(shares, axis=1)
        self._margins = best[:, -1] - best[:, -2]
        self.labels_ = number_clusters(model.transduction_)[0]
        return self
