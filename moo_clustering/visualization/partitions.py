"""Plots of partitions, similarity matrices, constraints and leading terms."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator

from moo_clustering._arrays import integer, optional_package, spawn_seeds
from moo_clustering._data import checked_array, checked_graph, checked_integers, checked_table
from moo_clustering._docs import documented
from moo_clustering._messages import shortened
from moo_clustering._types import FloatArray, Int64Array, IntpArray, SeedLike
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.results import result_of
from moo_clustering.validity.external import encode
from moo_clustering.visualization import figures

if TYPE_CHECKING:
    # These imports are for type checking only, because reports use the figures' data without matplotlib.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Colour, width and dashes of the lines for each kind of constraint. The kinds can be distinguished without
# colour, too. Lines are thin for satisfied and thick for violated constraints. Must-links are dark, and
# satisfied cannot-links are light.
_STROKES: dict[tuple[str, bool], tuple[str, float, Any]] = {
    ("must-link", True): ("#004488", 1.0, "-"),
    ("cannot-link", True): ("#997700", 0.9, (0, (1.0, 2.0))),
    ("must-link", False): ("#004488", 2.0, (0, (5.0, 2.0))),
    ("cannot-link", False): ("#bb3322", 2.0, (0, (5.0, 1.2, 1.0, 1.2))),
}


@dataclass(frozen=True, eq=False)
class PartitionData:
    """Data drawn by :func:`plot_partition`.

    Parameters
    ----------
    positions : ndarray of shape (n_points, 2)
    axes : tuple of two str
        Axis labels.
    clusters : ndarray of shape (n_points,)
        Each point's index into ``names``.
    names : tuple of str
    sizes : tuple of int
        Number of samples in each cluster, including those not drawn.
    share : float or None
        Share of the variance explained by two principal components. None if features are plotted.
    rows : ndarray of shape (n_points,)
        Row indices of the drawn samples, in ascending order.
    """

    positions: FloatArray
    axes: tuple[str, str]
    clusters: IntpArray
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    share: float | None
    rows: IntpArray


@documented()
def partition_data(
    X: Any,
    labels: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
) -> PartitionData:
    """Compute positions of samples: one or two features or, if there are more, two principal components.

    Takes O(n_samples n_features^2) time.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,), int, or fitted estimator
        Cluster labels, with -1 for noise, or an estimator with ``labels_``.
    feature_names : sequence of str, optional
    cluster_names : sequence of str, optional
        Names of clusters 0, 1, ... Default: their numbers.
    max_points : int, default=5000
        Maximum number of samples to draw. If there are more, samples are selected at even intervals.

    Raises
    ------
    ValueError
        If shapes do not match, if X has no features, or if X contains non-finite values.
    """
    labels = checked_integers(labels.labels_ if isinstance(labels, BaseEstimator) else labels, "labels")
    table: Any = checked_table(X, accept_sparse="csr")
    if labels.shape != (table.shape[0],):
        raise ValueError(
            f"X and labels must have the same number of samples, got shapes {table.shape} and {labels.shape}"
        )
    integer("max_points", max_points)
    positions, axes, share = feature_plane(table, feature_names)
    shown = _evenly(len(labels), max_points)
    found, clusters, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if found[0] < 0:  # noise comes last, so that cluster styles stay the same
        found, sizes, clusters = np.roll(found, -1), np.roll(sizes, -1), (clusters - 1) % len(found)
    names = found if cluster_names is None else [cluster_names[max(label, 0)] for label in found]
    named = ["noise" if label < 0 else str(name) for label, name in zip(found, names, strict=True)]
    return PartitionData(
        positions[shown], axes, clusters[shown], tuple(named), tuple(map(int, sizes)), share, shown
    )


def _evenly(n: int, most: int) -> IntpArray:
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


@documented(figures.PLOT, partition_data)
def plot_partition(
    X: Any,
    labels: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot samples as points with the colours and markers of their clusters."""
    data = partition_data(
        X, labels, feature_names=feature_names, cluster_names=cluster_names, max_points=max_points
    )
    with figures.drawing(ax, path, (6.4, 4.6)) as panel:
        draw_partition(panel, data, title)
    return figures.figure_of(panel)


@documented(figures.PLOT, partition_data)
def plot_regions(
    geometry: Any,
    labels: ArrayLike,
    *,
    changed: ArrayLike | None = None,
    cluster_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot a map of areas coloured by region.

    Raises a ValueError if the number of labels differs from the number of areas.

    Parameters
    ----------
    geometry : array-like of shape (n_areas, 2), or sequence of polygons
        Points, or shapely polygons such as the ``geometry`` column of a GeoDataFrame.
    changed : array-like of shape (n_areas,), bool, optional
        Areas to mark, such as ``Regions.changed_``.
    cluster_names : sequence of str, optional
        Region names. Default: ``cluster_names_`` if ``labels`` is an estimator that has names, or numbers.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    shapes: list[Any] = list(geometry)
    known: Mapping[int, str] = {}
    are_polygons = bool(shapes) and np.ndim(shapes[0]) == 0
    outlines = [_outline(shape) for shape in shapes] if are_polygons else []
    points: Any = [] if are_polygons else checked_array(shapes, "geometry", np.float64, ndim=(2,))
    if isinstance(labels, BaseEstimator):
        result = result_of(labels)
        labels, known = result.labels, result.user_names
    clusters = checked_integers(labels, "labels", ndim=(1,))
    if len(clusters) != len(shapes):
        raise ValueError(f"labels must have one region per area ({len(shapes)}), got {len(clusters)}")
    used = np.unique(clusters).tolist()
    names = [str(cluster_names[c] if cluster_names else known.get(c, c)) for c in used]
    with figures.drawing(ax, path, (6.4, 4.6)) as panel:
        for cluster, name in zip(used, names, strict=True):
            own = np.flatnonzero(clusters == cluster)
            look: Any = {"color": figures.look_of(cluster).color, "label": f"{name} ({len(own)})"}
            if are_polygons:
                rings = [Path(ring, closed=True) for i in own for ring in outlines[i]]
                panel.add_patch(PathPatch(Path.make_compound_path(*rings), **look))
            else:
                panel.scatter(points[own, 0], points[own, 1], s=26.0, marker="s", lw=0.0, **look)
        if changed is not None:
            marked = np.flatnonzero(changed)
            inside = [shapes[i].representative_point().coords[0][:2] for i in marked] if are_polygons else []
            x, y = (np.reshape(inside, (-1, 2)) if are_polygons else points[marked]).T
            panel.scatter(x, y, s=14.0, c="black", marker="x", lw=0.8, label="changed")
        panel.set(aspect="equal", xticks=[], yticks=[], frame_on=False)
        panel.set_title(title, parse_math=False)
        panel.autoscale_view()
        add_cluster_legend(panel, names, "areas")
    return figures.figure_of(panel)


def _outline(shape: Any) -> list[FloatArray]:
    """Return the rings of a polygon or multipolygon, oriented so that holes are not filled."""
    shapely = optional_package("shapely", "spatial", "maps of polygons")
    parts = shape.geoms if shape.geom_type == "MultiPolygon" else [shape]
    parts = [shapely.geometry.polygon.orient(part) for part in parts]
    return [np.asarray(ring.coords)[:, :2] for part in parts for ring in (part.exterior, *part.interiors)]


def draw_partition(ax: Axes, data: PartitionData, title: str) -> None:
    n = len(data.positions)
    draw_clusters(ax, data)
    # Column names may contain dollar signs, which matplotlib would parse as formulas.
    ax.set_xlabel(data.axes[0], parse_math=False)
    ax.set_ylabel(data.axes[1], parse_math=False)
    add_cluster_legend(ax, data.names, "samples")
    parts = [title] if title else []
    if data.share is not None:
        parts.append(f"two components ({data.share:.0%} of the variance)")
    if sum(data.sizes) > n:
        parts.append(f"{n} of {sum(data.sizes)} samples")
    ax.set_title(", ".join(parts), parse_math=False)


def draw_clusters(ax: Axes, data: Any) -> float:
    """Draw the points of a PartitionData or BagEmbeddingData by cluster, and return the marker size."""
    n = len(data.positions)
    area, alpha = (26.0, 0.85) if n <= 300 else (10.0, 0.6)
    for cluster, name in enumerate(data.names):
        x, y = data.positions[data.clusters == cluster].T
        look = figures.look_of(cluster)
        ax.scatter(
            x, y, s=area, c=look.color, marker=look.marker, alpha=alpha, linewidths=0.0,
            label=f"{name} ({data.sizes[cluster]})", rasterized=n > 2000,
        )  # fmt: skip
    return area


def add_cluster_legend(ax: Axes, names: Sequence[str], counted: str) -> None:
    if len(names) <= 24:  # more clusters cannot be distinguished
        place, size = (1.0, 0.5), 9.0 if len(names) <= 14 else 7.0
        title = f"cluster ({counted})"
        figures.add_legend(ax, loc="center left", bbox_to_anchor=place, title=title, fontsize=size)


@dataclass(frozen=True, eq=False)
class PairLines:
    """Pairs of one kind that are all satisfied or all violated.

    Parameters
    ----------
    kind : {"must-link", "cannot-link"}
    satisfied : bool
    pairs : ndarray of shape (n_drawn, 2), int64
        Sample indices of the drawn pairs.
    segments : ndarray of shape (n_drawn, 2, 2)
        Sample positions of the drawn pairs.
    count : int
        Number of pairs, including pairs that are not drawn.
    """

    kind: str
    satisfied: bool
    pairs: Int64Array
    segments: FloatArray
    count: int


@dataclass(frozen=True, eq=False)
class ConstraintsData:
    """Data drawn by :func:`plot_constraints`.

    Parameters
    ----------
    samples : PartitionData
        Positions of the drawn samples, including the samples at the ends of all lines.
    lines : tuple of four PairLines
        Satisfied must-links and cannot-links, then violated must-links and cannot-links.
    """

    samples: PartitionData
    lines: tuple[PairLines, ...]

    def count(self, kind: str, satisfied: bool) -> int:
        """Return the number of satisfied or violated pairs of a kind, including pairs that are not drawn."""
        return sum(each.count for each in self.lines if (each.kind, each.satisfied) == (kind, satisfied))


@documented(partition_data)
def constraints_data(
    X: Any,
    labels: ArrayLike,
    constraints: PairwiseConstraints,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
    max_pairs: int = 2000,
) -> ConstraintsData:
    """Compute sample positions, and lines for must-links and cannot-links.

    Samples at the ends of lines are always drawn, in addition to ``max_points`` samples. Takes O(n_pairs)
    time, and calls :func:`partition_data`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Data or embedding, from which :func:`partition_data` computes positions.
    constraints : PairwiseConstraints
        Constraints to draw. For partial labels, use ``PairwiseConstraints.from_partial_labels``.
    max_pairs : int, default=2000
        Maximum number of lines. Violated pairs have priority. Drawn pairs are selected at even intervals.

    Raises
    ------
    TypeError, ValueError
        If constraints have the wrong type or number of samples, or if :func:`partition_data` raises an error.
    """
    if not isinstance(constraints, PairwiseConstraints):
        raise TypeError(
            "constraints must be PairwiseConstraints, such as PairwiseConstraints.from_partial_labels(y), "
            f"got {type(constraints).__name__}"
        )
    integer("max_pairs", max_pairs, 0)
    given = labels.labels_ if isinstance(labels, BaseEstimator) else labels
    labels = checked_integers(given, "labels", ndim=(1,))
    if labels.shape != (constraints.n_samples,):
        raise ValueError(
            f"labels must have one label per sample of the constraints ({constraints.n_samples}), got "
            f"shape {labels.shape}"
        )
    found = {
        (kind, satisfied): pairs[(labels[pairs[:, 0]] == labels[pairs[:, 1]]) == (together == satisfied)]
        for satisfied in (True, False)
        for kind, pairs, together in (
            ("must-link", constraints.must_link, True),
            ("cannot-link", constraints.cannot_link, False),
        )
    }
    drawn, room = {}, max_pairs
    for satisfied in (False, True):
        first, second = (key for key in found if key[1] == satisfied)
        n_pairs, n_first = len(found[first]) + len(found[second]), len(found[first])
        places = _evenly(n_pairs, room)
        drawn[first] = found[first][places[places < n_first]]
        drawn[second] = found[second][places[places >= n_first] - n_first]
        room = max(0, room - n_pairs)
    ends = np.unique(np.concatenate([pairs.ravel() for pairs in drawn.values()]))
    names: Any = {"feature_names": feature_names, "cluster_names": cluster_names}
    placed = partition_data(X, labels, **names, max_points=len(labels))
    shown = np.union1d(_evenly(len(labels), integer("max_points", max_points)), ends)
    samples = replace(placed, positions=placed.positions[shown], clusters=placed.clusters[shown], rows=shown)
    lines = (PairLines(*key, drawn[key], placed.positions[drawn[key]], len(found[key])) for key in found)
    return ConstraintsData(samples, tuple(lines))


@documented(figures.PLOT, constraints_data)
def plot_constraints(
    X: Any,
    labels: ArrayLike,
    constraints: PairwiseConstraints,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    max_points: int = 5000,
    max_pairs: int = 2000,
    title: str = "",
    ax: Axes | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot samples in the colours of their clusters, with lines for must-links and cannot-links.

    Thin lines are satisfied pairs. Thick lines are violated pairs.
    """
    data = constraints_data(
        X, labels, constraints, feature_names=feature_names, cluster_names=cluster_names,
        max_points=max_points, max_pairs=max_pairs,
    )  # fmt: skip
    with figures.drawing(ax, path, (6.8, 5.4)) as panel:
        draw_partition(panel, data.samples, title)
        handles = [_draw_constraints(panel, each) for each in data.lines]
        clusters = panel.get_legend()
        panel.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=4.2, ncols=2,
            handlelength=3.6,
        )  # fmt: skip
        if clusters is not None:  # the second legend replaced this one
            panel.add_artist(clusters)
            clusters.set_clip_on(False)  # the layout reserves no space for clipped artists
        counts = [
            (kind, data.count(kind, True), data.count(kind, False)) for kind in ("must-link", "cannot-link")
        ]
        parts = [f"{good} of {good + bad} {kind}s" for kind, good, bad in counts if good + bad]
        summary = f"{' and '.join(parts)} satisfied" if parts else "no pairs"
        panel.set_title(f"{panel.get_title()}\n{summary}".strip(), parse_math=False)
    return figures.figure_of(panel)


def _draw_constraints(ax: Axes, lines: PairLines) -> Any:
    from matplotlib.collections import LineCollection

    color, width, dash = _STROKES[lines.kind, lines.satisfied]
    state = "satisfied" if lines.satisfied else "violated"
    more = "" if len(lines.pairs) == lines.count else f", {len(lines.pairs)} drawn"
    collection = LineCollection(
        list(lines.segments), colors=color, linewidths=width, linestyles=[dash],
        alpha=0.7 if lines.satisfied else 0.95, zorder=0.9 if lines.satisfied else 2.5,
        label=f"{lines.kind}, {state} ({lines.count}{more})",
    )  # fmt: skip
    ax.add_collection(collection)
    return collection


def scaled_to_plane(D: FloatArray, random_state: SeedLike = 0) -> tuple[FloatArray, float]:
    """Compute positions (n, 2) using metric multidimensional scaling; return them with their stress."""
    # SMACOF majorisation starts from classical scaling, which is usually better than random positions. The
    # result is rotated to its principal axes. Takes O(n^3) time.
    from sklearn.manifold import smacof

    start = _classical(D)
    if len(D) < 3 or not D.any():
        return start, _stress(start, D)
    seeds = spawn_seeds(random_state, 2 if len(D) <= 300 else 0)
    generators, width = map(np.random.default_rng, seeds), float(D.mean())
    starts = [start, *(rng.normal(scale=width, size=(len(D), 2)) for rng in generators)]
    found = [smacof(D, init=each, n_init=1)[0] for each in starts]
    best = min(found, key=lambda points: _stress(points, D))
    return components(best, len(best))[0], _stress(best, D)


def components(X: Any, n_fitted: int) -> tuple[FloatArray, float]:
    """Fit 2-d PCA to the first ``n_fitted`` rows; return scores of all rows and explained variance ratio."""
    # For sparse data, PCA is fitted to all rows. For dense data, signs make the largest coordinates positive.
    from sklearn.decomposition import PCA

    if sparse.issparse(X):
        if min(X.shape) > 3:
            pca = PCA(2, svd_solver="arpack", random_state=0).fit(X)
            share = float(pca.explained_variance_ratio_.sum())
            return np.asarray(pca.transform(X)), share if np.isfinite(share) else 1.0
        X = X.toarray()
    if not np.ptp(X[:n_fitted], axis=0).any():  # scikit-learn would divide by a variance of zero
        return np.zeros((len(X), 2)), 1.0
    pca = PCA(min(2, n_fitted, X.shape[1]), random_state=0).fit(X[:n_fitted])
    return _settled(pca.transform(X)), float(pca.explained_variance_ratio_.sum())


def feature_plane(
    table: Any, feature_names: Sequence[str] | None = None
) -> tuple[FloatArray, tuple[str, str], float | None]:
    """Return two features or principal components, the axis labels, and the explained variance ratio."""
    # If there is a single feature, the second coordinate is the row index. Without PCA, the ratio is None.
    if table.shape[1] > 2:
        positions, share = components(table, table.shape[0])
        return positions, ("first principal component", "second principal component"), share
    dense = table.toarray() if sparse.issparse(table) else table
    names = [f"x{column}" for column in range(dense.shape[1])] if feature_names is None else feature_names
    one = dense.shape[1] == 1
    positions = np.column_stack([dense[:, 0], np.arange(len(dense)) if one else dense[:, 1]])
    return positions, (str(names[0]), "row" if one else str(names[1])), None


def landmark_plane(to_landmarks: FloatArray, between_landmarks: FloatArray) -> FloatArray:
    """Position landmarks by classical scaling, and other points by their distances to the landmarks."""
    # ``to_landmarks`` has shape (n, n_landmarks). Euclidean distances between points in a plane are
    # reproduced exactly. Takes O(n_landmarks^3 + n n_landmarks) time. Source: de Silva and Tenenbaum, Sparse
    # multidimensional scaling using landmark points, 2004.
    axes = _classical(between_landmarks)
    lengths = (axes**2).sum(axis=0)
    back = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 1e-9 * lengths.max())
    means = (between_landmarks**2).mean(axis=0)
    return -0.5 * (to_landmarks**2 - means) @ back


def _classical(D: FloatArray) -> FloatArray:
    n = len(D)
    squares = D**2
    means = squares.mean(axis=0)
    gram = -0.5 * (squares - means - means[:, None] + means.mean())
    values, vectors = eigh(gram, subset_by_index=[max(0, n - 2), n - 1])
    return _settled((vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1])


def _settled(points: FloatArray) -> FloatArray:
    """Pad to two columns, with signs that do not depend on the linear-algebra library."""
    plane = np.zeros((len(points), 2))
    plane[:, : points.shape[1]] = points
    largest = plane[np.abs(plane).argmax(axis=0), [0, 1]]
    return plane * np.where(largest < 0.0, -1.0, 1.0)


def _stress(points: FloatArray, D: FloatArray) -> float:
    """Compute Kruskal's stress, sqrt(sum of squared errors of distances / sum of squared distances)."""
    wanted = squareform(D, checks=False)
    total = float((wanted**2).sum())
    return float(np.sqrt(((pdist(points) - wanted) ** 2).sum() / total)) if total > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class SimilarityData:
    """Data drawn by :func:`plot_similarity`.

    Parameters
    ----------
    blocks : ndarray of shape (n_blocks, n_blocks)
        Similarities, sorted by label. If there are more samples than blocks, means of blocks.
    order : ndarray of shape (n_samples,)
        Index of the sample at each position in the sorted matrix.
    boundaries : ndarray of shape (n_clusters + 1,)
        First position of each cluster in the sorted matrix, followed by n_samples.
    names : tuple of str
    eigenvalues : ndarray
    places : ndarray of shape (n_points,)
        Positions at which the eigenvectors are plotted.
    vectors : ndarray of shape (n_points, n_vectors)
        Values of the leading eigenvectors at these positions.
    """

    blocks: FloatArray
    order: Int64Array
    boundaries: Int64Array
    names: tuple[str, ...]
    eigenvalues: FloatArray
    places: Int64Array
    vectors: FloatArray


@documented()
def similarity_data(
    similarity: Any,
    labels: ArrayLike,
    eigenvalues: ArrayLike = (),
    embedding: ArrayLike | None = None,
    *,
    max_blocks: int = 600,
) -> SimilarityData:
    """Sort a similarity matrix and its eigenvectors by label.

    Takes O(nnz + n_samples log n_samples + max_blocks^2) time, where nnz is the number of stored values, and
    makes no dense copy of the matrix. Raises a ValueError if the shapes do not match.

    Parameters
    ----------
    similarity : sparse array, matrix or array-like of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,)
        Cluster labels, or known classes.
    eigenvalues : array-like, default=()
        Smallest eigenvalues of the Laplacian.
    embedding : array-like of shape (n_samples, n_vectors), optional
        Eigenvectors of the Laplacian. The first six are shown.
    max_blocks : int, default=600
        Maximum number of rows of the plotted matrix. If there are more samples, blocks are averaged.
    """
    matrix = sparse.csr_array(checked_graph(similarity, "similarity", symmetric=False))
    codes, found = encode(labels, "labels")
    n = len(codes)
    if matrix.shape != (n, n):
        raise ValueError(f"similarity must have shape ({n}, {n}) for {n} labels, got {matrix.shape}")
    integer("max_blocks", max_blocks)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(found)))
    places = np.unique(np.linspace(0, n - 1, min(n, 2000)).astype(np.int64))
    vectors = np.empty((len(places), 0))
    if embedding is not None:
        embedding = checked_array(embedding, "embedding", np.float64)
        if embedding.ndim != 2 or len(embedding) != n:
            raise ValueError(f"embedding must have shape ({n}, n_vectors), got {embedding.shape}")
        vectors = embedding[order[places], :6]
    # Block means are computed without a dense copy of the matrix. With n blocks, they are the reordered
    # entries.
    block = np.arange(n) * min(n, max_blocks) // n
    members, sizes = sparse.csr_array((np.ones(n), (block, order))), np.bincount(block)
    return SimilarityData(
        blocks=np.asarray((members @ matrix @ members.T).toarray() / np.outer(sizes, sizes)),
        order=order,
        boundaries=np.append(starts, n),
        names=tuple(map(str, found)),
        eigenvalues=checked_array(eigenvalues, "eigenvalues", np.float64, ndim=(1,)),
        places=places,
        vectors=vectors,
    )


@documented(figures.PLOT, similarity_data)
def plot_similarity(
    similarity: Any,
    labels: ArrayLike,
    eigenvalues: ArrayLike = (),
    embedding: ArrayLike | None = None,
    *,
    title: str = "",
    max_blocks: int = 600,
    ax: Axes | Sequence[Axes] | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot a similarity matrix sorted by label (white: most similar), and eigenvalues and eigenvectors.

    Raises a ValueError if shapes do not match, or if the number of axes is not 1 to 3. Source: PESC, Fig. 5.

    Parameters
    ----------
    ax : matplotlib axes or sequence of up to three axes, optional
        Axes for the matrix, the eigenvalues and the eigenvectors. Default: a new figure.
    """
    data = similarity_data(similarity, labels, eigenvalues, embedding, max_blocks=max_blocks)
    with figures.house_style():
        if ax is None:
            figure = figures.new_figure(10.0, 5.2)
            grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1.0], height_ratios=[1.0, 1.4])
            axes = [figure.add_subplot(cell) for cell in (grid[:, 0], grid[0, 1], grid[1, 1])]
            figure.suptitle(title, parse_math=False)
        else:
            axes = list(np.ravel(np.asarray(ax, dtype=object)))
            if not 1 <= len(axes) <= 3:
                raise ValueError(f"ax must contain 1 to 3 axes, got {len(axes)}")
            figure = figures.figure_of(axes[0])
        for panel, draw in zip(axes, (_draw_matrix, _draw_eigenvalues, _draw_vectors), strict=False):
            draw(panel, data)
        figures.save_figure(figure, path)
    return figure


def _draw_matrix(ax: Axes, data: SimilarityData) -> None:
    n, exact = len(data.order), len(data.order) == len(data.blocks)
    # The colour range is limited, because a few very large entries could make all others look dark.
    positive = data.blocks[data.blocks > 0]
    top = float(np.quantile(positive, 0.95)) if len(positive) else 1.0
    extent, how = (-0.5, n - 0.5, n - 0.5, -0.5), "nearest" if exact else "antialiased"
    ax.imshow(data.blocks, cmap="gray", vmin=0.0, vmax=top, extent=extent, interpolation=how)
    for spine in ax.spines.values():
        spine.set_visible(True)
    inner = data.boundaries[1:-1] - 0.5
    if len(data.names) <= 30:
        for place in inner:
            ax.axhline(place, color="#ee7733", linewidth=0.6, alpha=0.8)
            ax.axvline(place, color="#ee7733", linewidth=0.6, alpha=0.8)
        middle = (data.boundaries[:-1] + data.boundaries[1:] - 1) / 2
        ax.set_xticks(middle, data.names, parse_math=False)
        ax.set_yticks(middle, data.names, parse_math=False)
        ax.tick_params(length=0)
    side = f"{n / len(data.blocks):.0f}"
    size = "" if exact else f" (each dot is the mean of about {side} x {side})"
    ax.set(xlabel=f"samples ordered by cluster{size}", title=f"Similarity of {n} samples")


def _draw_eigenvalues(ax: Axes, data: SimilarityData) -> None:
    numbers = np.arange(1, len(data.eigenvalues) + 1)
    ax.plot(numbers, data.eigenvalues, color="0.7", linewidth=1.0)
    first = numbers <= len(data.names)
    ax.plot(numbers[first], data.eigenvalues[first], "o", color="#4477aa", label="one per cluster")
    if not first.all():
        ax.plot(numbers[~first], data.eigenvalues[~first], "o", mfc="white", color="#4477aa", label="next")
        ax.legend(loc="upper left")
    if len(numbers) <= 20:
        ax.set_xticks(numbers)
    ax.set_title("Smallest eigenvalues of the Laplacian")


def _draw_vectors(ax: Axes, data: SimilarityData) -> None:
    for number, vector in enumerate(data.vectors.T, start=1):
        ax.plot(data.places, vector, ".", markersize=3.0, label=str(number))
    for place in data.boundaries[1:-1] - 0.5:
        ax.axvline(place, color="0.75", linewidth=0.8, zorder=0)
    ax.set(xlim=(-0.5, len(data.order) - 0.5), xlabel="samples ordered by cluster")
    n_vectors = data.vectors.shape[1]
    ax.set_title("Embedding: leading eigenvectors" if n_vectors else "No embedding")
    if n_vectors > 1:
        ax.legend(ncols=n_vectors, loc="upper center", bbox_to_anchor=(0.5, -0.2), markerscale=3.0)


@dataclass(frozen=True, eq=False)
class TermData:
    """Data drawn by :func:`plot_terms`.

    Parameters
    ----------
    clusters : ndarray of shape (n_shown,)
        Row indices of the clusters shown, in ascending order.
    sizes : ndarray of shape (n_shown,) or None
        Number of documents in each cluster shown.
    terms : list of tuple of str
        Leading terms of each cluster, in decreasing order of weight.
    weights : list of ndarray
    n_clusters : int
    """

    clusters: Int64Array
    sizes: Int64Array | None
    terms: list[tuple[str, ...]]
    weights: list[FloatArray]
    n_clusters: int


@documented()
def term_data(
    topics: Any,
    terms: ArrayLike | None = None,
    *,
    sizes: ArrayLike | None = None,
    n_terms: int = 10,
    max_clusters: int = 24,
) -> TermData:
    """Select the terms with the largest positive weights in each topic (on ties, the lowest columns).

    Parameters
    ----------
    topics : array-like or sparse matrix of shape (n_clusters, n_terms_in_all)
        Term weights, such as ``cluster_weights_`` or ``components_``.
    terms : array-like of shape (n_terms_in_all,), optional
        Term names. Default: column indices.
    sizes : array-like of shape (n_clusters,), optional
        Number of documents in each cluster. Empty clusters are not shown.
    n_terms : int, default=10
        Number of terms per cluster.
    max_clusters : int, default=24
        Maximum number of clusters to show: the largest clusters or, without ``sizes``, the first clusters.

    Raises
    ------
    ValueError
        If shapes do not match, if ``n_terms`` or ``max_clusters`` is below 1, or if a weight is not finite.
    """
    given = checked_table(topics, "topics", features=False, accept_sparse="csr")
    n_clusters, n_all = given.shape
    names = list(map(str, range(n_all) if terms is None else checked_array(terms, "terms").tolist()))
    counts = None if sizes is None else checked_integers(sizes, "sizes").astype(np.int64)
    if len(names) != n_all:
        raise ValueError(f"terms must have one name per column ({n_all}), got {len(names)}")
    if counts is not None and counts.shape != (n_clusters,):
        raise ValueError(f"sizes must have shape ({n_clusters},), got {counts.shape}")
    integer("n_terms", n_terms)
    integer("max_clusters", max_clusters)
    shown = np.arange(n_clusters)
    if counts is not None:
        shown = shown[counts > 0]
        shown = shown[np.argsort(-counts[shown], kind="stable")]
    shown = np.sort(shown[:max_clusters])
    weights = given[shown].toarray() if sparse.issparse(given) else given[shown]
    order = np.argsort(-weights, axis=1, kind="stable")[:, :n_terms]
    kept = [columns[row[columns] > 0] for row, columns in zip(weights, order, strict=True)]
    return TermData(
        clusters=shown,
        sizes=None if counts is None else counts[shown],
        terms=[tuple(names[column] for column in columns) for columns in kept],
        weights=[row[columns] for row, columns in zip(weights, kept, strict=True)],
        n_clusters=n_clusters,
    )


@documented(figures.PLOT, term_data)
def plot_terms(
    topics: Any,
    terms: ArrayLike | None = None,
    *,
    sizes: ArrayLike | None = None,
    n_terms: int = 10,
    max_clusters: int = 24,
    title: str = "",
    label: str = "weight",
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Plot the leading terms of each cluster as bars on a common scale.

    Parameters
    ----------
    label : str, default="weight"
        Name of the plotted quantity.
    """
    data = term_data(topics, terms, sizes=sizes, n_terms=n_terms, max_clusters=max_clusters)
    n_shown = len(data.clusters)
    n_rows = max(1, -(-n_shown // 4))
    n_columns = max(1, -(-n_shown // n_rows))
    most = max((len(found) for found in data.terms), default=1)
    with figures.house_style():
        width = max(2.6 * n_columns, 4.5)
        figure = figures.new_figure(width, n_rows * (0.55 + 0.19 * max(most, 2)) + 0.6)
        axes = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True)
        for place, ax in enumerate(axes.flat[:n_shown]):
            _draw_terms(ax, data, place, most)
            ax.tick_params(labelbottom=place + n_columns >= n_shown)
        for ax in axes.flat[n_shown:]:
            ax.set_visible(False)
        figure.supxlabel(label, fontsize="medium")
        shown = "the" if n_shown == data.n_clusters else f"{n_shown} of {data.n_clusters}"
        heading = f"{title}: leading" if title else "Leading"
        heading += f" terms of {shown} clusters{'' if data.sizes is None else ' (documents)'}"
        figure.suptitle(textwrap.fill(heading, int(11 * width)), parse_math=False)
        figures.save_figure(figure, path)
    return figure


def _draw_terms(ax: Axes, data: TermData, place: int, most: int) -> None:
    weights, cluster = data.weights[place], int(data.clusters[place])
    rows = np.arange(len(weights))
    ax.barh(rows, weights, color="#4477aa", height=0.72)
    ax.set_yticks(rows, [shortened(term, 24) for term in data.terms[place]], parse_math=False)
    ax.set_ylim(most - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=4)
    size = "" if data.sizes is None else f" ({data.sizes[place]})"
    ax.set_title(f"{cluster}{size}", loc="left", fontweight="bold")
    if not len(weights):
        ax.text(0.5, 0.5, "no terms", transform=ax.transAxes, ha="center", va="center", color="0.5")


@documented(figures.PLOT)
def plot_archive(
    archive: Any, *, title: str = "", ax: Axes | None = None, path: str | PathLike[str] | None = None
) -> Figure:
    """Plot an archive with two descriptors as a heat map. A cell shows the quality of its best partition.

    Raises a ValueError if the archive is empty or does not have exactly two descriptors.

    Parameters
    ----------
    archive : PartitionArchive
        Archive to plot: attribute ``archive_`` of :class:`~moo_clustering.algorithms.MapElites` after a run.
    """
    if (n := len(archive.names)) != 2 or not len(archive.cells):
        got = f"{n} and {len(archive.cells)}"
        raise ValueError(f"archive must have 2 descriptors and at least 1 member, got {got}")
    (x, y), (columns, rows), quality = archive.edges, archive.cells.T, archive.quality
    names = [name.replace("n_clusters", "number of clusters").replace("_", " ") for name in archive.names]
    values = np.full((len(y) - 1, len(x) - 1), np.nan)
    values[rows, columns] = quality
    with figures.drawing(ax, path, (6.4, 4.6)) as panel:
        # Brighter colours mean better values, even if the quality is minimised.
        cmap = "viridis" if archive.greater_is_better else "viridis_r"
        mesh: Any = panel.pcolormesh(x, y, values, cmap=cmap, edgecolors="white", linewidth=0.5)
        figures.figure_of(panel).colorbar(mesh, ax=panel, label=archive.quality_name.replace("_", " "))
        form = ".2f" if np.abs(quality).max() < 10 else ".0f"
        for row, column, value in zip(rows, columns, quality, strict=True) if len(rows) <= 150 else ():
            color = "black" if (mesh.norm(value) > 0.5) == archive.greater_is_better else "white"
            place = x[column : column + 2].mean(), y[row : row + 2].mean()
            panel.annotate(f"{value:{form}}", place, ha="center", va="center", fontsize=6, color=color)
        locator: Any = panel.xaxis.get_major_locator()
        locator.set_params(integer=archive.names[0] == "n_clusters")
        cells = f"{len(rows)} of {values.size} cells"
        panel.set(xlabel=names[0], ylabel=names[1])
        panel.set_title(f"{title}, {cells}" if title else cells, parse_math=False)
    return figures.figure_of(panel)
