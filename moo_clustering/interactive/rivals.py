"""Rivals of the interactive session: COBRAS, random pairs, and labels where a classifier is least certain."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils import check_array

from moo_clustering._arrays import FloatArray, IntpArray, Labels, number_clusters
from moo_clustering._parallel import threads_here
from moo_clustering.interactive.questions import ordered
from moo_clustering.interactive.session import Question

_WORDS = {"together": True, "apart": False}


class _Rival(ABC):
    """A question at a time, and the partition so far."""

    mode: Literal["pairs", "names"] = "pairs"
    n_answers: int = 0

    @property
    def question(self) -> Question | None:
        """The next question, None when nothing is left to ask."""
        samples = self._next_samples()
        if samples is None:
            return None
        nothing = np.zeros(0, dtype=np.intp)
        return Question(samples, "sample", float("nan"), float("nan"), nothing, self.n_answers)

    @abstractmethod
    def _next_samples(self) -> tuple[int, ...] | None:
        """Samples of the next question."""


@dataclass(eq=False)
class _SuperInstance:
    """Samples that are taken to be of one class, shown by that nearest to their mean."""

    rows: IntpArray
    mean: FloatArray
    representative: int


@dataclass(eq=False)
class _Cluster:
    """Super-instances that were found to be of one class."""

    parts: list[_SuperInstance] = field(default_factory=list)


class COBRAS(_Rival):
    """Constraint-based repeated aggregation and splitting: k-means pieces, joined and cut by answers.

    Samples lie in super-instances, and these in clusters. Until there is nothing left to ask, the largest
    super-instance is cut into as many pieces as the answers about its halves call for, and all clusters are
    compared by their nearest pieces and joined where the answer is "together". The partition that is shown
    stays as it was until all comparisons after a cut are made.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : int, default=0
        Seed of k-means and of the half that is cut further.

    Attributes
    ----------
    question : Question or None
    labels_ : ndarray of shape (n_samples,), int32
        One cluster before the first answers.

    Notes
    -----
    An answer "unknown" counts as "apart". Answers are taken as certain. O(n k d) per cut for k pieces.

    References
    ----------
    T. Van Craenendonck, S. Dumancic, E. Van Wolputte and H. Blockeel: COBRAS:
    Interactive clustering with pairwise queries. IDA 2018, algorithms 1 to 3.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.interactive import COBRAS
    >>> cobras = COBRAS(np.array([[0.0], [0.1], [5.0], [5.1]]), random_state=0)
    >>> for _ in range(4):
    ...     if cobras.question is not None:
    ...         i, j = cobras.question.samples
    ...         cobras = cobras.answer("together" if (i < 2) == (j < 2) else "apart")
    >>> cobras.labels_.tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, X: ArrayLike, *, random_state: int = 0) -> None:
        self._X: FloatArray = check_array(X, dtype=np.float64)
        self._rng = np.random.default_rng(random_state)
        self._known: dict[tuple[int, int], bool] = {}
        self.labels_ = np.zeros(len(self._X), dtype=np.int32)
        self._course = self._cluster()
        self._pending: tuple[int, int] | None = next(self._course, None)

    def _next_samples(self) -> tuple[int, ...] | None:
        return self._pending

    def answer(self, answer: str) -> Self:
        """Answer the question by "together", "apart" or "unknown"."""
        if self._pending is None:
            raise ValueError("no question is left to answer.")
        self.n_answers += 1
        try:
            self._pending = self._course.send(_WORDS.get(answer, False))
        except StopIteration:
            self._pending = None
        return self

    def _ask(self, i: int, j: int) -> Generator[tuple[int, int], bool, bool]:
        """Ask about a pair, once."""
        pair = ordered(i, j)
        if pair not in self._known:
            self._known[pair] = yield pair
        return self._known[pair]

    def _cluster(self) -> Generator[tuple[int, int], bool, None]:
        # Algorithm 1.
        clusters = [_Cluster([self._super_instance(np.arange(len(self._X)))])]
        unsplittable: set[int] = set()
        first = True
        while True:
            found = [
                (p, c) for c in clusters for p in c.parts if len(p.rows) > 1 and id(p) not in unsplittable
            ]
            if not found:
                return
            part, cluster = max(found, key=lambda entry: len(entry[0].rows))
            n_pieces = yield from self._splitting_level(part)
            pieces = self._split(part, n_pieces)
            if len(pieces) == 1:
                unsplittable.add(id(part))
                continue
            cluster.parts.remove(part)
            clusters = [c for c in clusters if c.parts] + [_Cluster([piece]) for piece in pieces]
            if first:
                self._publish(clusters)
            yield from self._merge(clusters, publish=first)
            first = False
            self._publish(clusters)

    def _splitting_level(self, part: _SuperInstance) -> Generator[tuple[int, int], bool, int]:
        # Algorithm 3: halves of halves until an answer is "together".
        level, whole = 0, part
        while True:
            halves = self._split(part, 2)
            if len(halves) == 1:
                break
            together = yield from self._ask(halves[0].representative, halves[1].representative)
            if together:
                break
            level += 1
            halves = [half for half in halves if len(half.rows) > 1]
            if not halves:
                break
            part = halves[int(self._rng.integers(len(halves)))]
        return min(len(whole.rows), 2 ** max(level, 1))

    def _merge(self, clusters: list[_Cluster], *, publish: bool) -> Generator[tuple[int, int], bool, None]:
        # Algorithm 2: the nearest clusters first, from the start after every merge.
        merged, near = True, dict[tuple[int, int], tuple[float, int, int]]()
        while merged:
            merged = False
            pairs = [(a, b) for i, a in enumerate(clusters) for b in clusters[i + 1 :]]
            for a, b in pairs:
                if (id(a), id(b)) not in near:
                    near[id(a), id(b)] = self._nearest(a, b)
            for a, b in sorted(pairs, key=lambda pair: near[id(pair[0]), id(pair[1])][0]):
                if self._apart(a, b):
                    continue
                _, i, j = near[id(a), id(b)]
                together = yield from self._ask(i, j)
                if together:
                    a.parts += b.parts
                    clusters.remove(b)
                    near = {pair: found for pair, found in near.items() if id(a) not in pair}
                    merged = True
                if publish:
                    self._publish(clusters)
                if together:
                    break

    def _apart(self, a: _Cluster, b: _Cluster) -> bool:
        """Whether some answer keeps two clusters apart."""
        return any(
            self._known.get(ordered(p.representative, q.representative)) is False
            for p in a.parts
            for q in b.parts
        )

    def _nearest(self, a: _Cluster, b: _Cluster) -> tuple[float, int, int]:
        """Distance of the nearest super-instances of two clusters, and their representatives."""
        first, second = np.stack([p.mean for p in a.parts]), np.stack([q.mean for q in b.parts])
        away = ((first[:, None] - second[None]) ** 2).sum(axis=2)
        row, column = np.unravel_index(int(away.argmin()), away.shape)
        return float(away[row, column]), a.parts[row].representative, b.parts[column].representative

    def _super_instance(self, rows: IntpArray) -> _SuperInstance:
        points = self._X[rows]
        mean = points.mean(axis=0)
        return _SuperInstance(rows, mean, int(rows[((points - mean) ** 2).sum(axis=1).argmin()]))

    def _split(self, part: _SuperInstance, n_pieces: int) -> list[_SuperInstance]:
        points = self._X[part.rows]
        n_pieces = min(n_pieces, len(np.unique(points, axis=0)))
        if n_pieces < 2:
            return [part]
        seed = int(self._rng.integers(2**31))
        with threads_here():
            labels = KMeans(n_pieces, n_init=10, random_state=seed).fit(points).labels_
        return [self._super_instance(part.rows[labels == c]) for c in np.unique(labels)]

    def _publish(self, clusters: list[_Cluster]) -> None:
        labels = np.zeros(len(self._X), dtype=np.int32)
        for number, cluster in enumerate(clusters):
            for part in cluster.parts:
                labels[part.rows] = number
        self.labels_ = number_clusters(labels)[0]


class RandomPairs(_Rival):
    """Pairs drawn at random, given to ``relabel`` of a fitted clusterer.

    Parameters
    ----------
    model : ParetoClustering or ParetoBagClustering
        Fitted; it is not changed.
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
    >>> from moo_clustering.interactive import RandomPairs, simulate
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
        """Draw a pair that was not asked about."""
        n = len(self._model.labels_)
        self._pending: tuple[int, int] | None = None
        while len(self._asked) < n * (n - 1) // 2:
            i, j = self._rng.choice(n, 2, replace=False).tolist()
            if ordered(i, j) not in self._asked:
                self._pending = ordered(i, j)
                self._asked.add(self._pending)
                return

    def _next_samples(self) -> tuple[int, ...] | None:
        return self._pending

    def answer(self, answer: str) -> Self:
        """Answer the question by "together", "apart" or "unknown"."""
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
        """The partition after all answers so far, found when it is asked for."""
        if self._stale:
            must, cannot = self._links[True] or None, self._links[False] or None
            self._model.relabel(must_link=must, cannot_link=cannot)
            self._stale = False
        return self._model.labels_


class UncertainLabels(_Rival):
    """Names of the samples whose class label spreading is least certain of (least margin).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : int, default=0
        Seed of the first sample, and while only one class is known.
    n_neighbors : int, default=10

    Attributes
    ----------
    question : Question or None
    labels_ : ndarray of shape (n_samples,), int32
        One cluster before the first answers.

    References
    ----------
    D. Zhou et al.: Learning with local and global consistency. NIPS 2003; B. Settles:
    Active learning literature survey, 2009, section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.interactive import UncertainLabels, simulate
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
        """Answer the question by the name of a class or "unknown"."""
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
