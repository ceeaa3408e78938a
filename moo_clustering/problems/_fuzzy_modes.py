"""MOGA(pi, sep): fuzzy clusters around modes, compact and far apart."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem
from threadpoolctl import ThreadpoolController

from moo_clustering._parallel import n_threads
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.problems._fuzzy_memberships import compactness, memberships, powered, separation
from moo_clustering.problems._mode_spaces import SPACES, ModeSpace

FloatArray = NDArray[np.float64]
Metric = Literal["hamming", "euclidean"]

# Samples looked at at once; sums over the samples are sums over such blocks, whatever the population.
_SAMPLES = 512
# Numbers of 8 bytes held at once in all threads: 256 MB. Blocks that stay near the cache are faster.
_LARGEST, _BLOCK = 1 << 25, 1 << 20
# Numbers per mode and sample: distances, memberships, their powers, a product.
_COPIES = 4
# Below this many memberships a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 18


class FuzzyModesProblem(Problem):
    """Modes of fuzzy clusters that are compact (pi) and far apart (sep).

    Genes are the attributes of K modes, one mode after the other. Evaluation assigns the samples to the
    modes in degrees, replaces each mode by that of its fuzzy cluster, scores these and writes them back
    into the individuals (``out["X"]``, which pymoo's evaluator stores).

    - ``pi``, minimised: sum over the clusters of the mean distance of their members from the mode.
    - ``sep``, maximised: distances of the modes from each other, those of near ones weighing most.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Category codes 0, 1, ... of every attribute, or numbers with ``metric="euclidean"``.
    n_clusters : int
        K, from 1 to n_samples. With 1, sep is 0.
    metric : {"hamming", "euclidean"}, default="hamming"
        Number of attributes that differ, or Euclidean distance.
    m : float, default=2
        Above 1; memberships get crisp towards 1.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Attributes
    ----------
    space : ModeSpace
        The data, what values an attribute has, and distances.
    n_clusters, n_features, n_samples : int
    objective_names : tuple of str
        A name for every column of ``F``; ``F`` holds (pi, -sep).

    Raises
    ------
    ValueError, TypeError
        For data or parameters out of range. Evaluation refuses genes that are no category or not finite.

    Notes
    -----
    A population of P individuals costs O(P K N C) time, C being the number of all categories or features,
    in matrix products for categories, and at most 256 MB in blocks of samples and individuals.
    Memberships and objectives are float64, Hamming distances exact in float32. Equal genotypes, also with
    their modes in another order, get equal objectives bit for bit, in any company and on any number of
    threads.

    Two equal modes, and modes that no sample is nearest to, are legal.

    pymoo stores genes as float64: pass ``res.X`` through :meth:`modes` or :meth:`decode`. Deep copies
    (``save_history=True`` makes one a generation) share everything.

    References
    ----------
    A. Mukhopadhyay, U. Maulik, S. Bandyopadhyay, "Multiobjective genetic algorithm-based fuzzy clustering
    of categorical attributes", IEEE Transactions on Evolutionary Computation 13 (2009).

    Examples
    --------
    >>> X = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [2, 1, 2], [2, 2, 2]]
    >>> problem = FuzzyModesProblem(X, 2)
    >>> problem.natural(problem.evaluate(np.array([[0, 0, 1, 2, 1, 2]]))).round(4)
    array([[0.8646, 6.    ]])
    """

    objective_names = ("pi", "sep")

    def __init__(
        self,
        X: ArrayLike,
        n_clusters: int,
        *,
        metric: Metric = "hamming",
        m: float = 2.0,
        n_jobs: int | None = None,
    ) -> None:
        if metric not in get_args(Metric):
            raise ValueError(f"metric must be one of {get_args(Metric)}, got {metric!r}.")
        _check_numbers(n_clusters, m)
        self.space: ModeSpace = SPACES[metric](X)
        self.n_samples, self.n_features = self.space.data.shape
        if not 1 <= n_clusters <= self.n_samples:
            raise ValueError(f"n_clusters must be from 1 to n_samples={self.n_samples}, got {n_clusters}.")
        self.n_clusters = int(n_clusters)
        self.metric: Metric = metric
        self.m = float(m)
        self.n_jobs = n_jobs
        super().__init__(
            n_var=self.n_clusters * self.n_features,
            n_obj=2,
            xl=np.tile(self.space.lower, self.n_clusters),
            xu=np.tile(self.space.upper, self.n_clusters),
            vtype=self.space.dtype.type,
        )

    def modes(self, X: ArrayLike) -> NDArray[Any]:
        """Genotypes such as ``res.X`` as modes, shape (n_individuals, n_clusters, n_features).

        int32 codes, rounded where they are not whole, or float64. One genotype of shape (n_var,) is a
        population of one.
        """
        genes = np.atleast_2d(np.asarray(X))
        if genes.ndim != 2 or genes.shape[1] != self.n_var:
            raise ValueError(f"X must have {self.n_var} genes per individual, got shape {genes.shape}.")
        numbers = genes if genes.dtype.kind in "iuf" else genes.astype(np.float64)
        return self.space.checked(numbers.reshape(-1, self.n_clusters, self.n_features))

    def memberships(self, X: ArrayLike) -> FloatArray:
        """Degrees u_ik, shape (n_individuals, n_clusters, n_samples)."""
        modes = self.modes(X)
        u = np.empty((len(modes), self.n_clusters, self.n_samples))
        for rows in self._individuals(len(modes)):
            for part in self._samples():
                u[rows, :, part] = memberships(self.space.distances(modes[rows], part), self.m)
        return u

    def decode(self, X: ArrayLike) -> NDArray[np.int32]:
        """Partitions (n_individuals, n_samples): the nearest mode, of several the first.

        Clusters are numbered by first appearance; modes that no sample is nearest to are none.
        """
        return relabel_by_first_appearance(self.nearest(X))

    def nearest(self, X: ArrayLike) -> NDArray[np.int32]:
        """Number of the mode nearest to every sample, shape (n_individuals, n_samples); ties: the first."""
        modes = self.modes(X)
        labels = np.empty((len(modes), self.n_samples), dtype=np.int32)
        for rows in self._individuals(len(modes)):
            for part in self._samples():
                labels[rows, part] = self.space.distances(modes[rows], part).argmin(axis=1)
        return labels

    def canonical(self, X: ArrayLike) -> NDArray[Any]:
        """The genotypes with their modes in lexicographic order, which is all that their objectives see.

        For :class:`~moo_clustering.operators.CanonicalDuplicates`.
        """
        modes = self.modes(X)
        sorted_modes = np.take_along_axis(modes, _sorted_modes(modes)[:, :, None], axis=1)
        return sorted_modes.reshape(len(modes), self.n_var)

    def modes_of(self, labels: ArrayLike) -> NDArray[Any]:
        """Modes of the clusters 0..k-1 of a partition (n_samples,), shape (k, n_features).

        The most frequent category of every attribute, of several the first; or the mean.
        """
        given = np.asarray(labels)
        k = int(given.max()) + 1
        modes = np.tile(self.space.lower, (1, k, 1))
        sums, total = np.zeros((1, k, self.space.width)), np.zeros((1, k))
        for part in self._samples():
            member = (given[part] == np.arange(k)[:, None]).astype(np.float64)[None]
            sums += self.space.sums(member, part)
            total += member.sum(axis=2)
        return self.space.update(sums, total, modes)[0]

    def natural(self, F: ArrayLike) -> FloatArray:
        """(pi, sep) of objectives as pymoo minimises them, shape (..., 2)."""
        values = np.asarray(F, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != 2:
            raise ValueError(f"F must have 2 columns, one per objective; got shape {values.shape}.")
        return values * (1.0, -1.0)

    def draw(self, positions: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        """A random value for each of the given genes: any category, or uniform in the attribute's range."""
        return self.space.draw(positions % self.n_features, rng)

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        modes = self.modes(X)
        order = _sorted_modes(modes)
        modes = np.take_along_axis(modes, order[:, :, None], axis=1)
        first, inverse = distinct_rows(modes.reshape(len(modes), self.n_var))
        improved, F = self._improve(modes[first])
        # Modes keep the places they had.
        back = np.argsort(order, axis=1)[:, :, None]
        written = np.take_along_axis(improved[inverse], back, axis=1)
        out["X"] = written.reshape(len(written), self.n_var)
        out["F"] = F[inverse]

    def _improve(self, modes: NDArray[Any]) -> tuple[NDArray[Any], FloatArray]:
        parts = [modes[rows] for rows in self._individuals(max(len(modes), 1))]
        with _blas().limit(limits=1, user_api="blas"):
            workers = min(n_threads(self.n_jobs), len(parts))
            if workers > 1:
                with ThreadPoolExecutor(workers) as pool:
                    results = list(pool.map(self._score, parts))
            else:
                results = [self._score(part) for part in parts]
        return np.concatenate([part[0] for part in results]), np.concatenate([part[1] for part in results])

    def _score(self, modes: NDArray[Any]) -> tuple[NDArray[Any], FloatArray]:
        """New modes and their objectives."""
        shape = modes.shape[:2]
        sums, total = np.zeros((*shape, self.space.width)), np.zeros(shape)
        for part in self._samples():
            u_m = powered(memberships(self.space.distances(modes, part), self.m), self.m)
            sums += self.space.sums(u_m, part)
            total += u_m.sum(axis=2)
        modes = self.space.update(sums, total, modes)
        scatter, size = np.zeros(shape), np.zeros(shape)
        for part in self._samples():
            distances = self.space.distances(modes, part)
            u = memberships(distances, self.m)
            size += u.sum(axis=2)
            distances *= powered(u, self.m)
            scatter += distances.sum(axis=2)
        pi, sep = compactness(scatter, size), separation(self.space.between(modes), self.m)
        return modes, np.column_stack([pi, -sep])

    def _samples(self) -> Iterator[slice]:
        for lo in range(0, self.n_samples, _SAMPLES):
            yield slice(lo, min(lo + _SAMPLES, self.n_samples))

    def _individuals(self, n_individuals: int) -> Iterator[slice]:
        """Blocks of bounded memory; as many as threads where these are worth it."""
        k, threads = self.n_clusters, n_threads(self.n_jobs)
        items = k * (_COPIES * min(self.n_samples, _SAMPLES) + 3 * self.space.width + 2 * k)
        step = max(1, min(_BLOCK, _LARGEST // threads) // items)
        if n_individuals * k * self.n_samples >= _WORTH_A_THREAD:
            step = min(step, -(-n_individuals // threads))
        for lo in range(0, n_individuals, step):
            yield slice(lo, lo + step)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nothing here changes what it gives; pymoo copies problems with the algorithm's history.
        return copy.copy(self)


def _check_numbers(n_clusters: Any, m: Any) -> None:
    if isinstance(m, bool) or not isinstance(m, Real):
        raise TypeError(f"m must be a number, got {m!r}.")
    if not 1.0 < float(m) < np.inf:
        raise ValueError(f"m must be above 1 and finite, got {m}.")
    if isinstance(n_clusters, bool) or not isinstance(n_clusters, Integral):
        raise TypeError(f"n_clusters must be an integer, got {n_clusters!r}.")


def _sorted_modes(modes: NDArray[Any]) -> NDArray[np.intp]:
    """Lexicographic order of the modes of every individual, shape (n_individuals, n_modes)."""
    order: NDArray[np.intp] = np.lexsort(np.moveaxis(modes, 2, 0)[::-1])
    return order


@cache
def _blas() -> ThreadpoolController:
    # Products split among threads may differ in their last bits; blocks run side by side instead.
    return ThreadpoolController()
