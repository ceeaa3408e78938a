"""COBRAS, which asks questions about pairs, a baseline of the interactive sessions."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from moo_clustering._arrays import FloatArray, IntpArray, number_clusters
from moo_clustering._data import checked_table
from moo_clustering._parallel import threads_here
from moo_clustering.interactive import Question
from moo_clustering.interactive.questions import ordered

_WORDS = {"together": True, "apart": False}


@dataclass(eq=False)
class _SuperInstance:
    """Samples that are assumed to belong to one class, represented by the sample nearest to their mean."""

    rows: IntpArray
    mean: FloatArray
    representative: int


@dataclass(eq=False)
class _Cluster:
    """Super-instances that answers assign to one class."""

    parts: list[_SuperInstance] = field(default_factory=list)


class COBRAS:
    """Constraint-based repeated aggregation and splitting of k-means clusters by answers.

    Clusters consist of super-instances, and these of samples. Until no question is left, the largest
    super-instance is split; answers about its halves determine the number of pieces. Then all clusters are
    compared by their nearest super-instances, and merged if the answer is "together". ``labels_`` does not
    change until all comparisons after a split are made. Source: T. Van Craenendonck, S. Dumancic, E. Van
    Wolputte and H. Blockeel: COBRAS: Interactive clustering with pairwise queries. IDA 2018, algorithms 1 to
    3.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    random_state : int, default=0
        Seed of k-means and of the half that is split further.

    Attributes
    ----------
    question : Question or None
    labels_ : ndarray of shape (n_samples,), int32
        One cluster before the first answers.

    Notes
    -----
    An answer "unknown" counts as "apart". All answers are treated as correct. Takes O(n k d) time per split
    into k pieces.

    Examples
    --------
    >>> import numpy as np
    >>> from papers.cobras import COBRAS
    >>> cobras = COBRAS(np.array([[0.0], [0.1], [5.0], [5.1]]), random_state=0)
    >>> for _ in range(4):
    ...     if cobras.question is not None:
    ...         i, j = cobras.question.samples
    ...         cobras = cobras.answer("together" if (i < 2) == (j < 2) else "apart")
    >>> cobras.labels_.tolist()
    [0, 0, 1, 1]
    """

    mode: Literal["pairs", "names"] = "pairs"

    def __init__(self, X: ArrayLike, *, random_state: int = 0) -> None:
        self.n_answers = 0
        self._X: FloatArray = checked_table(X)
        self._rng = np.random.default_rng(random_state)
        self._known: dict[tuple[int, int], bool] = {}
        self.labels_ = np.zeros(len(self._X), dtype=np.int32)
        self._course = self._cluster()
        self._pending: tuple[int, int] | None = next(self._course, None)

    @property
    def question(self) -> Question | None:
        """The next question, or None if no question is left."""
        if self._pending is None:
            return None
        nothing = np.zeros(0, dtype=np.intp)
        return Question(self._pending, "sample", float("nan"), float("nan"), nothing, self.n_answers)

    def answer(self, answer: str) -> Self:
        """Answer the question with "together", "apart" or "unknown"."""
        if self._pending is None:
            raise ValueError("no question is left to answer.")
        self.n_answers += 1
        try:
            self._pending = self._course.send(_WORDS.get(answer, False))
        except StopIteration:
            self._pending = None
        return self

    def _ask(self, i: int, j: int) -> Generator[tuple[int, int], bool, bool]:
        """Return the answer about a pair, and ask only if it is unknown."""
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
        # Algorithm 3: split halves until an answer is "together".
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
        # Algorithm 2: compare the nearest clusters first, and start again after every merge.
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
        """Return whether an answer separates two clusters."""
        return any(
            self._known.get(ordered(p.representative, q.representative)) is False
            for p in a.parts
            for q in b.parts
        )

    def _nearest(self, a: _Cluster, b: _Cluster) -> tuple[float, int, int]:
        """Return the distance of the nearest super-instances of two clusters, and their representatives."""
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
