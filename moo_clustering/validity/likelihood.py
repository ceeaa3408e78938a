"""Exact integrated classification likelihood: models of data, the index, and moves and merges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.special import betaln, gammaln
from sklearn.cluster import KMeans

from moo_clustering._arrays import choice, integer, number_clusters, positive, quoted, require_squares
from moo_clustering._data import checked_graph, checked_integers, checked_table
from moo_clustering._docs import documented
from moo_clustering._kernels import likelihood as kernels
from moo_clustering._parallel import one_thread
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntpArray, Labels, SeedLike
from moo_clustering.validity import base

Read = Callable[[FloatArray], FloatArray]


class Block(NamedTuple):
    """Columns with one kind of model, prepared for :mod:`moo_clustering._kernels.likelihood`."""

    kind: int
    read: Read  # function that extracts these columns' values from a table
    X: FloatArray
    points: FloatArray  # points that represent the samples in k-means
    levels: Int64Array  # number of categories per column
    priors: FloatArray
    shape: tuple[float, float, float]
    constants: FloatArray
    n_statistics: int


@dataclass(frozen=True)
class LikelihoodModel:
    """Base class for distributions of data conditional on clusters. Parameters have conjugate priors."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, float) or (field.name == "dof" and value is not None):
                positive(field.name, value)
            elif isinstance(field.default, LikelihoodModel) and not isinstance(value, type(field.default)):
                kind = type(field.default).__name__
                raise TypeError(f"{field.name} must be a {kind}, got {quoted(value)}")

    def terms(self, data: Any) -> TableTerms | GraphTerms:
        """Check the data, and prepare computations of marginal likelihoods."""
        X = checked_table(data)
        return TableTerms(self.blocks(X), X.shape[1])

    def blocks(self, X: FloatArray) -> list[Block]:
        """Prepare the columns of a table. Models of graphs return an empty list."""
        return []


@dataclass(frozen=True)
class GaussianModel(LikelihoodModel):
    """Gaussian clusters with full or diagonal covariance matrices.

    Inverses of full covariance matrices have a Wishart prior with ``dof`` degrees of freedom and a diagonal
    scale matrix with entries 1 / (``scale`` times column variance). In diagonal matrices, inverse variances
    have a gamma prior with shape ``dof`` and rate ``scale`` times column variance. The mean of a cluster has
    a Gaussian prior, whose mean is the data mean, and whose covariance is the cluster's covariance divided by
    ``tau``. Clusters may have fewer samples than columns. Constant columns are ignored. Priors and defaults
    are the same as for ``Gmm`` and (for standardised columns) ``DiagGmm`` in the R package greed 0.6.1.

    Parameters
    ----------
    covariance : {"full", "diagonal"}
        Type of the cluster covariance matrices.
    tau : float, default=0.01
        Weight of the prior mean, in samples.
    dof : float, optional
        Degrees of freedom; for "full" and d columns, above d - 1. Default: 1 for "diagonal", d for "full".
    scale : float, default=0.1
        Ratio of the prior variances to the data variances.
    """

    covariance: Literal["full", "diagonal"] = "full"
    _: KW_ONLY
    tau: float = 0.01
    dof: float | None = None
    scale: float = 0.1

    def blocks(self, X: FloatArray) -> list[Block]:
        """Prepare numeric columns."""
        full = choice("covariance", self.covariance, ("full", "diagonal")) == "full"
        require_squares(X)
        spread = X.std(axis=0, ddof=min(1, len(X) - 1))
        columns, sizes = np.flatnonzero((np.ptp(X, axis=0) > 0) & (spread > 0)), np.arange(1, len(X) + 2)
        d, mean, scale = len(columns), X[:, columns].mean(axis=0), spread[columns]
        dof = float(self.dof or (d if full else 1))
        if full and d and dof <= d - 1:
            raise ValueError(f"dof must exceed {d - 1} (non-constant columns minus 1), got {dof:g}")
        priors = np.full(d, self.scale)
        if full:
            halves = (dof - np.arange(d)[:, np.newaxis]) / 2
            terms = (gammaln(halves + sizes / 2) - gammaln(halves)).sum(axis=0)
            terms -= 0.5 * sizes * d * np.log(np.pi)
        else:
            terms = d * (gammaln(dof + sizes / 2) - gammaln(dof)) - 0.5 * sizes * d * np.log(2 * np.pi)
        terms += (0.5 if full else 1.0) * dof * np.log(priors).sum()
        # The last term corrects for the standardisation of the columns.
        terms += 0.5 * d * np.log(self.tau / (self.tau + sizes)) - sizes * np.log(scale).sum()

        read = partial(_standardised, columns, mean, scale)
        kind, n_statistics = (kernels.FULL, d + d * d) if full else (kernels.DIAGONAL, 2 * d)
        values, constants = read(X), np.append(0.0, terms)[np.newaxis]
        shape, levels = (self.tau, dof, 0.0), np.zeros(d, dtype=np.int64)
        return [Block(kind, read, values, values, levels, priors, shape, constants, n_statistics)]


@dataclass(frozen=True)
class LatentClassModel(LikelihoodModel):
    """Categorical columns that are independent within each cluster (latent class analysis).

    In each cluster, the category probabilities of each column have a symmetric Dirichlet prior. Categories
    are integers, but columns with at most two distinct values may contain any numbers. Same as ``Lca`` in the
    R package greed.

    Parameters
    ----------
    beta : float, default=1.0
        Parameter of the Dirichlet prior.
    """

    beta: float = 1.0

    def blocks(self, X: FloatArray) -> list[Block]:
        """Prepare categorical columns."""
        known = [np.unique(column) for column in X.T]
        for values in known:
            checked_integers(values[2:], "categories", "; use their positions in the sorted distinct values")
        read = partial(_codes, known)
        levels, codes = np.array([len(values) for values in known], dtype=np.int64), read(X)
        sizes, weights = np.arange(len(X) + 2), self.beta * levels[:, np.newaxis]
        each = (gammaln(weights) - gammaln(sizes + weights)).sum(axis=0) - gammaln(self.beta) * levels.sum()
        constants = np.array([each, gammaln(sizes + self.beta)])
        points = np.concatenate([np.eye(m)[codes[:, j].astype(int)] for j, m in enumerate(levels)], axis=1)
        shape, priors, total = (0.0, 0.0, self.beta), np.zeros(len(levels)), int(levels.sum())
        return [Block(kernels.CATEGORIES, read, codes, points, levels, priors, shape, constants, total)]


@documented(LatentClassModel)
@dataclass(frozen=True)
class MultinomialModel(LikelihoodModel):
    """Counts, such as word counts, with a multinomial distribution in each cluster.

    The probabilities in each cluster have a symmetric Dirichlet prior. Same as ``MoM`` in the R package
    greed, but with the multinomial coefficients, which do not depend on the partition.
    """

    beta: float = 1.0

    def blocks(self, X: FloatArray) -> list[Block]:
        """Prepare columns of counts."""
        d, beta, values = X.shape[1], float(self.beta), _counts(X)
        lengths = values.sum(axis=1, keepdims=True)
        # Only the sum of the logarithms of the coefficients matters, so it is spread evenly over the samples.
        each = (gammaln(lengths + 1).sum() - gammaln(values + 1).sum()) / len(values)
        constants, shape = each * np.arange(len(values) + 2.0)[np.newaxis], (0.0, float(gammaln(beta)), beta)
        points, zeros = np.sqrt(values / np.maximum(lengths, 1.0)), np.zeros(d)
        levels = zeros.astype(np.int64)
        return [Block(kernels.COUNTS, _counts, values, points, levels, zeros, shape, constants, d)]


@dataclass(frozen=True)
class MixedModel(LikelihoodModel):
    """Numeric and categorical columns that are independent of each other given the cluster.

    Parameters
    ----------
    numbers, categories : GaussianModel, LatentClassModel
        Models for the numeric and the categorical columns.
    categorical : sequence of int, optional
        Categorical columns. Default: columns with at most two distinct values, such as the category
        indicators created by :func:`~moo_clustering.datasets.prepare_table`.
    """

    numbers: GaussianModel = GaussianModel()
    categories: LatentClassModel = LatentClassModel()
    categorical: Sequence[int] | None = None

    def blocks(self, X: FloatArray) -> list[Block]:
        """Prepare numeric and categorical columns."""
        places = np.arange(X.shape[1])
        if self.categorical is None:
            few = np.array([len(np.unique(column)) <= 2 for column in X.T])
        else:
            given = checked_integers(self.categorical, "categorical", ndim=(1,))
            if len(wrong := np.setdiff1d(given, places)):
                raise ValueError(f"categorical must contain indices from 0 to {places[-1]}, got {wrong[0]}")
            few = np.isin(places, given)
        found: list[Block] = []
        for model, own in ((self.numbers, places[~few]), (self.categories, places[few])):
            if len(own):
                (block,) = model.blocks(X[:, own])
                found.append(block._replace(read=partial(_of_columns, own, block.read)))
        return found


@dataclass(frozen=True)
class StochasticBlockModel(LikelihoodModel):
    """Graph in which the probability of a link depends on the clusters of the two nodes.

    The data are a square 0/1 matrix with a zero diagonal. Link probabilities within and between clusters have
    a Beta prior. Same as ``Sbm`` in the R package greed.

    Parameters
    ----------
    a, b : float, default=1.0
        Parameters of the Beta prior: ``a`` for present links, and ``b`` for absent links.
    directed : bool, optional
        Whether links are directed. Default: True if the matrix is asymmetric.
    """

    a: float = 1.0
    b: float = 1.0
    directed: bool | None = None

    def terms(self, data: Any) -> GraphTerms:
        """Check a graph, and prepare computations of marginal likelihoods."""
        choice("directed", self.directed, (None, True, False))
        S = csr_array(checked_graph(data, "the graph", symmetric=False))
        S.eliminate_zeros()
        if (S.data != 1).any():
            weight = S.data[S.data != 1][0]
            raise ValueError(f"the graph must have weights 0 and 1, got {weight:g}; pass 1.0 * (graph > 0)")
        if (loops := S.diagonal()).any():
            raise ValueError(f"the graph must not have self-loops, got one at row {int(loops.argmax())}")
        directed = abs(S - S.T).nnz > 0
        if directed and self.directed is False:
            raise ValueError("the graph must be symmetric if directed=False; use directed=True")
        return GraphTerms(S, (self.a, self.b, bool(directed if self.directed is None else self.directed)))


MODELS: dict[str, LikelihoodModel] = {
    "auto": MixedModel(),
    "gaussian": GaussianModel(),
    "diagonal": GaussianModel("diagonal"),
    "categories": LatentClassModel(),
    "counts": MultinomialModel(),
    "sbm": StochasticBlockModel(),
}


@dataclass(eq=False, repr=False)
class IntegratedClassificationLikelihood(base.PopulationIndex):
    """Exact integrated classification likelihood (ICL), maximised.

    Joint log-probability of the data and the partition. The parameters and proportions of the clusters are
    integrated out. Partitions with different numbers of clusters can be compared without a penalty. For p
    individuals, takes O(p n_samples n_features) time. With full covariance matrices, takes O(p (n_samples + k
    n_features) n_features^2) time, and for graphs, O(p (n_links + k^2)) time. Sources: E. Côme, P. Latouche,
    Statistical Modelling 15 (2015); E. Côme, N. Jouvin, P. Latouche, C. Bouveyron, Advances in Data Analysis
    and Classification 15 (2021).

    Parameters
    ----------
    model : str or LikelihoodModel, default="auto"
        ``"auto"`` (a :class:`MixedModel`), ``"gaussian"``, ``"diagonal"``, ``"categories"``, ``"counts"``,
        ``"sbm"`` (the data are a graph), or a model instance, which may have other priors.
    alpha : float, default=1.0
        Parameter of the symmetric Dirichlet prior for the proportions.

    Examples
    --------
    >>> from moo_clustering.validity import IntegratedClassificationLikelihood
    >>> index = IntegratedClassificationLikelihood("categories").fit([[0], [0], [1], [1]])
    >>> index.evaluate([[0, 0, 0, 0], [0, 0, 1, 1]]).round(4)
    array([-3.4012, -5.5984])
    """

    name, greater_is_better = "icl", True

    model: str | LikelihoodModel = "auto"
    _: KW_ONLY
    alpha: float = 1.0

    def fit(self, data: ArrayLike) -> Self:
        model: Any = self.model
        if isinstance(model, str):
            model = MODELS[choice("model", model, MODELS)]
        if not isinstance(model, LikelihoodModel):
            allowed = ", ".join(map(repr, MODELS))
            raise TypeError(f"model must be a LikelihoodModel or one of {allowed}, got {quoted(model)}")
        positive("alpha", self.alpha)
        self._terms: TableTerms | GraphTerms = model.terms(data)
        self.n_samples_ = self._terms.n_samples
        return self

    def _score(self, population: base.Population) -> FloatArray:
        alpha, k = self.alpha, population.n_clusters
        filled = np.arange(population.sizes.shape[1]) < k[:, np.newaxis]
        each = np.where(filled, gammaln(alpha + population.sizes) - gammaln(alpha), 0.0).sum(axis=1)
        likelihoods = np.array([self._terms.value(row) for row in population.labels])
        found: FloatArray = likelihoods + each + gammaln(k * alpha) - gammaln(self.n_samples_ + k * alpha)
        return found

    def start(self, n_clusters: int, *, random_state: SeedLike = None) -> Labels:
        """Create an initial partition into at most ``n_clusters`` clusters by a single run of k-means.

        K-means uses standardised numbers, category indicators, square roots of relative counts, or the links
        of each node. Clusters are numbered by first appearance.
        """
        points = self._terms.points
        k = min(integer("n_clusters", n_clusters), len(np.unique(points, axis=0))) if points.size else 1
        if k == 1:
            return np.zeros(self.n_samples_, dtype=np.int32)
        seed = int(np.random.default_rng(random_state).integers(2**31))
        with one_thread():  # more threads are slower for small tables
            return number_clusters(KMeans(k, n_init=1, random_state=seed).fit_predict(points))[0]

    def swap(self, labels: ArrayLike, *, keep: bool = False, random_state: SeedLike = None) -> Labels:
        """Move samples between clusters, in random order, until the index stops increasing.

        ``labels`` is a partition of shape (n_samples,) with contiguous clusters. Each sample is visited at
        most 100 times. With ``keep``, no cluster becomes empty. Returns labels numbered by first appearance.
        """
        found, rng = self._partition(labels).copy(), np.random.default_rng(random_state)
        # ``times`` contains the step of each sample's last visit, and the step of each cluster's last change.
        times = np.full(len(found), -1), np.zeros(int(found.max()) + 1, dtype=np.int64)
        for _ in range(100):
            if self._terms.sweep(found, rng.permutation(len(found)), self.alpha, keep, times) == 0.0:
                break
        return number_clusters(found)[0]

    def merge(self, labels: ArrayLike, *, siblings: ArrayLike | None = None) -> tuple[Labels, FloatArray]:
        """Repeatedly merge the pair of clusters that yields the highest index, until no allowed pair is left.

        Starts from the k clusters in ``labels``, shape (n_samples,). Returns partitions into k, k - 1, ...
        clusters, shape (n_levels, n_samples), and the index of each. ``siblings``, shape (k, k), is True for
        pairs of clusters that may merge (default: all). A merged cluster keeps the partners of both parts.
        """
        start = self._partition(labels)
        k = int(start.max()) + 1
        allowed = np.ones((k, k), dtype=bool) if siblings is None else np.array(siblings, dtype=bool)
        if allowed.shape != (k, k):
            raise ValueError(f"siblings must have shape {(k, k)} for {k} clusters, got shape {allowed.shape}")
        pairs, gains = np.zeros((k, 2), dtype=np.int64), np.zeros(k)
        steps = self._terms.merge(start, self.alpha, allowed | allowed.T, pairs, gains)
        number, levels = np.arange(k), [number_clusters(start)[0]]
        for kept, joined in pairs[:steps]:
            number[number == joined] = kept
            levels.append(number_clusters(number[start])[0])
        return np.array(levels), self.evaluate(start)[0] + np.append(0.0, gains[:steps].cumsum())

    def log_predictive(self, labels: ArrayLike, X: ArrayLike) -> FloatArray:
        """Compute log predictive densities of new samples in each cluster, plus log(alpha + cluster size).

        ``labels``, shape (n_samples,), is a partition of the fitted samples. Returns an array of shape (n,
        n_clusters) for ``X`` of shape (n, n_features). Raises a ValueError if the data are a graph.
        """
        if isinstance(self._terms, GraphTerms):
            raise ValueError("log_predictive requires a table model, but the index was fitted to a graph")
        return self._terms.predictive(self._partition(labels), self.alpha, checked_table(X))

    def _partition(self, labels: ArrayLike) -> Labels:
        rows = self._population(np.asarray(labels)).labels
        if len(rows) != 1:
            raise ValueError(f"labels must contain a single partition, got {len(rows)}")
        return rows[0]


class TableTerms:
    """Marginal likelihoods of a table's clusters. K-means of the ``points`` yields initial partitions."""

    def __init__(self, blocks: Sequence[Block], n_columns: int) -> None:
        self._reads, self._n_columns = [block.read for block in blocks], n_columns
        self._X = np.ascontiguousarray(np.concatenate([block.X for block in blocks], axis=1))
        self.points = np.concatenate([block.points for block in blocks], axis=1)
        self.n_samples = len(self._X)
        layout, starts, column, statistic, row = [], [0], 0, 0, 0
        for block in blocks:
            layout.append((block.kind, column, block.X.shape[1], statistic, row))
            starts[-1] = statistic
            starts += (statistic + np.cumsum(block.levels)).tolist()
            column, row = column + block.X.shape[1], row + len(block.constants)
            statistic += block.n_statistics
        self._n_statistics, width = statistic, max(block.X.shape[1] for block in blocks)
        model = (
            np.array(layout, dtype=np.int64),
            np.array(starts, dtype=np.int64),
            np.concatenate([block.priors for block in blocks]),
            np.array([block.shape for block in blocks]),
            np.concatenate([block.constants for block in blocks]),
        )
        self._model = model, np.zeros((width, width) if kernels.FULL in model[0][:, 0] else (0, 0))

    def value(self, labels: Labels) -> float:
        """Return the log marginal likelihood of a partition."""
        return float(self._state(labels)[2].sum())

    def sweep(self, labels: Labels, order: IntpArray, alpha: float, keep: bool, times: Any) -> float:
        """Move samples in place, and return the increase in the index."""
        state = self._state(labels)  # recomputed, to discard rounding errors from earlier moves
        return float(kernels.move_samples(self._X, order, labels, *state, alpha, keep, times, *self._model))

    def merge(
        self, labels: Labels, alpha: float, allowed: BoolArray, pairs: Int64Array, gains: FloatArray
    ) -> int:
        """Write merged pairs and gains to ``pairs`` and ``gains``, and return the number of merges."""
        state = self._state(labels)
        return int(kernels.merge_clusters(self._X, *state, alpha, allowed, *self._model, pairs, gains))

    def predictive(self, labels: Labels, alpha: float, X: FloatArray) -> FloatArray:
        if X.shape[1] != self._n_columns:
            raise ValueError(f"X has {X.shape[1]} columns, but the index was fitted to {self._n_columns}")
        rows, state = np.concatenate([read(X) for read in self._reads], axis=1), self._state(labels)
        out = np.empty((len(rows), len(state[0])))
        kernels.log_predictives(np.ascontiguousarray(rows), *state, alpha, *self._model, out)
        return out

    def _state(self, labels: Labels) -> tuple[Int64Array, FloatArray, FloatArray]:
        k = int(labels.max()) + 1
        sizes, stats, terms = np.zeros(k, dtype=np.int64), np.zeros((k, self._n_statistics)), np.zeros(k)
        kernels.sum_clusters(self._X, labels, *self._model, sizes, stats, terms)
        return sizes, stats, terms


class GraphTerms:
    """Marginal likelihoods of a graph's clusters, with the same methods as :class:`TableTerms`."""

    def __init__(self, S: csr_array, prior: tuple[float, float, bool]) -> None:
        self._S, self._prior, self.n_samples = S, prior, S.shape[0]
        columns = csr_array(S.T)
        self._links = (S.indptr, S.indices), (columns.indptr, columns.indices)

    @property
    def points(self) -> FloatArray:
        """Dense array of the links of each node, in both directions."""
        return np.concatenate([self._S.toarray(), self._S.T.toarray()], axis=1)

    def value(self, labels: Labels) -> float:
        (sizes, E), (a, b, directed) = self._state(labels), self._prior
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        each = betaln(a + E, b + pairs - E) - betaln(a, b)
        if directed:
            return float(each.sum())
        own = betaln(a + np.diag(E) / 2, b + np.diag(pairs - E) / 2) - betaln(a, b)
        return float(np.triu(each, 1).sum() + own.sum())

    def sweep(self, labels: Labels, order: IntpArray, alpha: float, keep: bool, times: Any) -> float:
        state = self._state(labels)
        return float(kernels.move_nodes(*self._links, order, labels, *state, alpha, keep, *self._prior))

    def merge(
        self, labels: Labels, alpha: float, allowed: BoolArray, pairs: Int64Array, gains: FloatArray
    ) -> int:
        state = self._state(labels)
        return int(kernels.merge_nodes(*state, alpha, allowed, *self._prior, pairs, gains))

    def _state(self, labels: Labels) -> tuple[Int64Array, FloatArray]:
        members = csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)))
        return np.bincount(labels), np.ascontiguousarray((members.T @ self._S @ members).toarray())


def _standardised(columns: Any, mean: FloatArray, scale: FloatArray, table: FloatArray) -> FloatArray:
    return (table[:, columns] - mean) / scale


def _codes(known: Sequence[FloatArray], table: FloatArray) -> FloatArray:
    """Replace each category by its position in the known categories of the column, or by -1 if unknown."""
    codes = np.full((len(table), len(known)), -1.0)
    for j, values in enumerate(known):
        place = np.searchsorted(values[:-1], table[:, j])
        codes[:, j] = np.where(values[place] == table[:, j], place, -1)
    return codes


def _of_columns(own: IntpArray, read: Read, table: FloatArray) -> FloatArray:
    return read(table[:, own])


def _counts(table: FloatArray) -> FloatArray:
    if table.min() < 0:
        raise ValueError(f"counts must be non-negative, got {table.min():g}")
    return np.asarray(checked_integers(table, "counts"), dtype=np.float64)
