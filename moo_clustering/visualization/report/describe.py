"""Describe clusters by silhouettes, typical samples, leading features, and a map of the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering import descriptions
from moo_clustering._arrays import optional_package, unit_rows
from moo_clustering._data import as_frame, holds_tables, is_frame
from moo_clustering._parallel import one_thread
from moo_clustering._types import FloatArray, Int32Array, Int64Array, IntpArray, Labels
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.results import ClusteringResult, Coassociation
from moo_clustering.validity import pairwise_ari
from moo_clustering.visualization import partitions
from moo_clustering.visualization.bags import affordable_bags, bag_distance_data
from moo_clustering.visualization.report import content as contents
from moo_clustering.visualization.report.content import ClusterFacts, MapColumn, Panel, PlaneMap

if TYPE_CHECKING:
    import pandas as pd

    from moo_clustering.bags import Bags

# If n_solutions^2 * n_samples exceeds AGREEMENT_WORK, agreement is computed from at least AGREEMENT_ROWS
# samples. For more than MOST_SOLUTIONS solutions, only the agreement with the chosen one is computed.
AGREEMENT_WORK, AGREEMENT_ROWS, MOST_SOLUTIONS = 2e9, 500, 2000
N_FEATURES, N_TYPICAL = 10, 5  # leading features and typical samples per cluster
_MOST_COMPARED = 50_000
_CONTRASTS = 3
_MOST_VALUES = 50  # maximum number of categories in a column
_MOST_KNOWN = 12  # maximum number of categories in a column not used in the fit
_MOST_COLUMNS, _MOST_COLORS = 20, 30  # maximum number of columns in a heatmap, and of colourings of the map
_MOST_CELLS = 4000
# If the distances in the projection onto a plane correlate with those in the data by at least _FAITHFUL,
# t-SNE is omitted.
_FEWEST_EMBEDDED, _MOST_EMBEDDED, _PERPLEXITY, _ITERATIONS, _FAITHFUL = 10, 1000, 15.0, 300, 0.95
MOST_ROWS, FEWEST_ROWS, _DISTANCE_WORK, BLOCK_ITEMS = 2000, 100, 1e11, 4_000_000
MOST_SIDE = 300
_DRAWN = 8
_REFINED, _LANDMARKS = 300, 1000
Leading = tuple[tuple[str, float], ...]
RowNumbers = tuple[int, ...]
Clusters = dict[int, list[ClusterFacts]]
# Mean silhouette of a partition, mean silhouette of each cluster, and mean distance of each sample to the
# other samples in its cluster. Silhouettes are NaN for less than two clusters or too few samples.
Cohesion = tuple[float, FloatArray, FloatArray]
_COMPONENTS = ("first principal component", "second principal component")
_SCALED = ("first dimension", "second dimension")


def agreement(
    labels: Int32Array, chosen: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray | None, str]:
    """Compute the adjusted Rand indices of each solution with the chosen solution, and of all pairs.

    If there are too many solutions, the indices of all pairs are None. Also returns a note for the report.
    """
    n_solutions, n_samples = labels.shape
    note = "Adjusted Rand index: 1 for identical partitions, about 0 for unrelated partitions."
    if n_solutions > MOST_SOLUTIONS:
        why = f"because there are {n_solutions} solutions"
        note += f" Only the agreement with the chosen solution is shown, {why}."
        return pairwise_ari(labels, labels[[chosen]])[:, 0], None, note
    most = max(AGREEMENT_ROWS, int(AGREEMENT_WORK / n_solutions**2))
    if n_samples > most:
        labels = labels[:, np.sort(rng.choice(n_samples, most, replace=False))]
        note += f" Computed on a random subset of {most} of {n_samples} samples."
    table = pairwise_ari(labels)
    return table[chosen].copy(), table, note


def kept_typical(clusters: Clusters, most: int) -> IntpArray:
    """Return the typical samples of the first solution, and of the next solutions up to ``most`` samples."""
    found: set[int] = set()
    for facts in clusters.values():
        more = found.union(*(each.typical for each in facts))
        if len(more) > most and found:
            break
        found = more
    return np.array(sorted(found), dtype=np.intp)


def describe(
    samples: Samples, run: contents.Solutions, labels: Int32Array, max_described: int
) -> tuple[Clusters, dict[int, descriptions.Heatmap], FloatArray, list[str]]:
    """Describe the clusters of the result, of the solutions that rules select, and then of the others.

    Returns cluster facts and heatmaps by solution, silhouettes, and notes on estimated or omitted values.
    """
    found, notes = cohesions(samples, labels), []
    first = (run.chosen, *run.rules.values())
    places = list(dict.fromkeys((*first, *range(len(labels)))))[:max_described]
    n_seen, n = len(samples.rows), samples.n_samples
    if n_seen < n:
        what = "Silhouettes" if samples.has_means else "Silhouettes and typical samples"
        notes.append(f"{what} are computed from a random subset of {n_seen} of {n} samples.")
    if len(places) < len(labels):
        notes.append(f"Only the clusters of {len(places)} of {len(labels)} solutions are described.")
    return *_cluster_facts(samples, run, places, found), np.array([mean for mean, *_ in found]), notes


def _cluster_facts(
    samples: Samples, run: contents.Solutions, places: Sequence[int], cohesions: Sequence[Cohesion]
) -> tuple[Clusters, dict[int, descriptions.Heatmap]]:
    compared = samples.compared
    n_columns = 0 if samples.table is None or samples.kind == "sparse" else samples.table.shape[1]
    found, heatmaps, cells = {}, dict[int, descriptions.Heatmap](), 0
    for number, place in enumerate(places):
        solution, (_, silhouettes, to_own) = run.found[place], cohesions[place]
        near = None if samples.has_means else to_own
        typical = typical_rows(samples, solution.labels, solution.medoids, near)
        leading: list[Leading] = [()] * len(typical)
        if samples.kind == "sparse":
            leading = _leading_terms(samples, solution.labels)
        if compared is None or number * n_columns > _MOST_COMPARED:
            comparison = None
            words: Sequence[Any] = [descriptions.ClusterDescription(k, 0, "") for k in range(len(typical))]
        else:
            comparison = compared.compare(solution.labels)
            words = comparison.describe(N_FEATURES if samples.kind == "sparse" else _CONTRASTS)
        found[place] = [
            ClusterFacts(
                float(silhouette), rows, names, each.name, each.nearest,
                tuple((contrast.column, contrast.value, contrast.other) for contrast in each.contrasts),
            )
            for silhouette, rows, names, each in zip(silhouettes, typical, leading, words, strict=True)
        ]  # fmt: skip
        if comparison is None or (number and cells * max(samples.n_samples / 1000, 1) > _MOST_CELLS):
            continue
        heatmap = comparison.heatmap(_MOST_COLUMNS)
        cells += heatmap.levels.size
        heatmaps |= {place: heatmap} if heatmap.levels.size else {}
    return found, heatmaps


def _leading_terms(samples: Samples, labels: Int32Array) -> list[Leading]:
    totals = sparse.csr_array(descriptions.cluster_indicators(labels) @ samples.table)
    sizes = np.maximum(np.bincount(labels[labels >= 0], minlength=totals.shape[0]), 1)
    found: list[Leading] = []
    for cluster, size in enumerate(sizes.tolist()):
        row = sparse.csr_array(totals[[cluster]])
        columns, weights = row.indices, row.data / size
        if len(weights) > N_FEATURES:
            # All terms that tie with the last leading term are included, because the sort below breaks ties
            # by column.
            kept = weights >= np.partition(weights, -N_FEATURES)[-N_FEATURES]
            columns, weights = columns[kept], weights[kept]
        order = [i for i in np.lexsort((columns, -weights))[:N_FEATURES] if weights[i] > 0.0]
        found.append(tuple((samples.feature_names[columns[i]], float(weights[i])) for i in order))
    return found


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples in a report: rows, bags or distances."""

    kind: Literal["features", "sparse", "bags", "distances"]
    # Scaled features, unit rows for cosine distances, or means of scaled bags, of shape (n_samples,
    # n_features).
    points: Any = None  # None for distances
    table: Any = None  # original features or bag means, of the same shape
    feature_names: tuple[str, ...] = ()
    cosine: bool = False
    bags: Bags | None = None  # as scaled by the method
    given: FloatArray | None = None  # distances of shape (n_samples, n_samples)
    # Columns that describe the clusters, their units, and a function that extracts them from new samples.
    columns: pd.DataFrame | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    further: Callable[[Any], Any] | None = None
    # D contains the distances between the samples ``rows``, which are sorted and may be a random subset. Both
    # arrays are empty before :meth:`with_distances`.
    rows: IntpArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    D: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def n_samples(self) -> int:
        return len(self.given) if self.given is not None else int(self.points.shape[0])

    @property
    def has_means(self) -> bool:
        """Whether typical samples are nearest to the cluster mean, or else to the other members."""
        return self.kind in ("features", "sparse")

    @cached_property
    def compared(self) -> descriptions.ComparedColumns | descriptions.ComparedTerms | None:
        """Columns or terms that describe the clusters; None for distances."""
        if self.columns is not None:
            return descriptions.ComparedColumns(self.columns, self.units)
        if self.kind == "sparse":
            return descriptions.ComparedTerms(self.table, self.feature_names)
        if self.table is None:
            return None
        import pandas as pd

        return descriptions.ComparedColumns(pd.DataFrame(self.table, columns=list(self.feature_names)))

    def with_distances(self, n_clusters: int, rng: np.random.Generator) -> Samples:
        """Return a copy with distances. With many samples or clusters, a random subset is used."""
        most = int(np.clip(np.sqrt(_DISTANCE_WORK / max(n_clusters, 1)), FEWEST_ROWS, MOST_ROWS))
        if self.bags is not None:
            most = min(most, affordable_bags(self.bags))
        n = self.n_samples
        rows = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
        return replace(self, rows=rows, D=self.distances(rows))

    def distances(self, rows: IntpArray) -> FloatArray:
        if self.given is not None:
            D = self.given[np.ix_(rows, rows)]
            return (D + D.T) / 2.0
        if self.bags is not None:
            from moo_clustering.bags import bag_distances

            return bag_distances(self.bags[rows], kind="symmetric")
        chosen = self.points[rows]
        if self.cosine:
            products = chosen @ chosen.T
            return np.clip(1.0 - (products.toarray() if sparse.issparse(products) else products), 0.0, None)
        from sklearn.metrics import pairwise_distances

        return pairwise_distances(chosen)


def read_samples(
    result: ClusteringResult,
    X: Any,
    n_samples: int,
    feature_names: Sequence[str] | None = None,
    columns: pd.DataFrame | None = None,
    units: Mapping[str, str] | None = None,
) -> Samples | str:
    """Read the samples of a run, or return a message that explains why they cannot be shown.

    The clusters are described using ``columns`` or, if it is None, X. If ``units`` is None, ``prepare_table``
    parses the cells of ``columns``.
    """
    import pandas as pd

    from moo_clustering.bags import Bags
    from moo_clustering.datasets.prepare import PreparedTable, prepare_table

    if columns is not None and len(columns) != n_samples:
        raise ValueError(f"columns must have one row per sample ({n_samples}), got {len(columns)}")
    if X is None:
        return "No data were passed, so only the cluster sizes are known."
    read: PreparedTable | None = None
    if columns is not None and units is None:
        read = prepare_table(columns, scale="none", weights="equal", missing="median")
    is_table = is_frame(X)
    X = as_frame(X)[0] if is_table and not isinstance(X, pd.DataFrame) else X
    if result.preparer is not None and is_table:
        prepared = result.preparer.prepare(X)
        X, feature_names = prepared.X, feature_names or prepared.feature_names
        read = prepared if columns is None else read
    elif columns is None and isinstance(X, pd.DataFrame) and feature_names is None:
        columns = X
    shown: dict[str, Any] = {"columns": columns, "units": units or {}}
    if read is not None:
        further = lambda Z, preparer=read.preparer: preparer.prepare(Z).known_columns  # noqa: E731
        shown = {"columns": read.known_columns, "units": read.units, "further": further}
    if isinstance(X, Bags) or holds_tables(X):
        return replace(_bags(result, X, n_samples, feature_names), **shown)
    table, names = (sparse.csr_array(X).astype(np.float64), None) if sparse.issparse(X) else _dense(X)
    if table.ndim != 2 or table.shape[0] != n_samples:
        fitted = f"but the estimator was fitted on {n_samples} samples"
        raise ValueError(f"X has shape {table.shape}, {fitted}")
    stored = table.data if sparse.issparse(table) else table
    if not np.isfinite(stored).all():
        if is_table:
            return (
                "X is a table with missing cells, but the estimator was fitted on features; pass the "
                "features as X (in a pipeline, pipeline[:-1].transform(table)), and the table as columns."
            )
        return "The data contain missing or infinite values, so only the cluster sizes are known."
    if isinstance(result.metric, str) and result.metric == "precomputed":
        given = np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)
        if given.shape[0] != given.shape[1]:
            raise ValueError(f"X must be a square distance matrix, as in the fit, got shape {given.shape}")
        return Samples("distances", given=given, **shown)
    if not table.shape[1]:
        return "The data have no features, so only the cluster sizes are known."
    known = _names(feature_names if feature_names is not None else names, table.shape[1])
    kind: Literal["sparse", "features"] = "sparse" if sparse.issparse(table) else "features"
    points, cosine = table if kind == "sparse" else result.scaled(table), kind == "sparse"
    if cosine or result.metric == "cosine":
        points, cosine = unit_rows(points), True
    return Samples(kind, points, table, known, cosine, **shown)


def _bags(result: ClusteringResult, X: Any, n_samples: int, feature_names: Sequence[str] | None) -> Samples:
    from moo_clustering.bags import as_bags

    bags = as_bags(X)
    if len(bags) != n_samples:
        raise ValueError(f"X has {len(bags)} bags, but the estimator was fitted on {n_samples} bags")
    scaled = result.scaled(bags)
    names = feature_names if feature_names is not None else bags.feature_names
    points, means = (np.asarray(each.means(), dtype=np.float64) for each in (scaled, bags))
    return Samples("bags", points, means, _names(names, bags.n_features), bags=scaled)


def _dense(X: Any) -> tuple[Any, list[str] | None]:
    """Return a numeric table with an indicator column per category, and its column names or None."""
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        rows = np.asarray(X)
        if rows.dtype.kind in "fiub":
            return rows.astype(np.float64), None
        X = pd.DataFrame(rows).infer_objects()
        X.columns = [f"x{column}" for column in range(X.shape[1])]
    numbers = [pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes]
    if all(numbers):
        return X.to_numpy(dtype=np.float64), [str(name) for name in X.columns]
    parts = []
    for place, is_number in enumerate(numbers):
        column, name = X.iloc[:, place].reset_index(drop=True), str(X.columns[place])
        if is_number:
            parts.append(column.astype(np.float64).rename(name))
        elif pd.api.types.is_datetime64_any_dtype(column):
            parts.append(pd.Series(column.to_numpy(dtype="datetime64[s]").astype(np.float64), name=name))
        else:
            most = column.value_counts().index[:_MOST_VALUES]
            column = column.where(column.isin(most))
            parts.append(pd.get_dummies(column, prefix=name, prefix_sep="=", dtype=np.float64))
    wide = pd.concat(parts, axis=1)
    return wide.to_numpy(dtype=np.float64), [str(name) for name in wide.columns]


def _names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{column}" for column in range(n_features))
    if len(names) != n_features:
        raise ValueError(f"feature_names must have one name per feature ({n_features}), got {len(names)}")
    return tuple(map(str, names))


def cohesions(samples: Samples, labels: Int32Array) -> list[Cohesion]:
    """Compute the silhouettes of each partition; samples in no cluster (-1) are ignored."""
    # Takes O(n_rows^2 K) time, where K is the total number of clusters in all partitions.
    most = max(1, BLOCK_ITEMS // max(1, len(samples.rows)))
    block_of = np.cumsum(labels.max(axis=1) + 1) // most
    return [each for block in np.unique(block_of) for each in _block(samples, labels[block_of == block])]


def _block(samples: Samples, labels: Int32Array) -> list[Cohesion]:
    seen, numbers = labels[:, samples.rows], labels.max(axis=1) + 1
    starts = np.concatenate([[0], np.cumsum(numbers)])
    indicators = np.zeros((len(samples.rows), starts[-1]))
    for first, row in zip(starts[:-1], seen, strict=True):
        inside = np.flatnonzero(row >= 0)
        indicators[inside, first + row[inside]] = 1.0
    totals = samples.D @ indicators
    return [
        _cohesion(totals[:, first : first + k], row, np.bincount(full[full >= 0], minlength=k))
        for first, k, row, full in zip(starts[:-1], numbers, seen, labels, strict=True)
    ]


def _cohesion(totals: FloatArray, seen: Int32Array, full_sizes: NDArray[Any]) -> Cohesion:
    k = totals.shape[1]
    to_own = np.zeros(len(seen))
    inside = np.flatnonzero(seen >= 0)
    own = seen[inside]
    sizes = np.bincount(own, minlength=k)
    places = np.arange(len(inside)), own
    means = totals[inside]
    within = means[places] / np.maximum(sizes[own] - 1, 1)
    to_own[inside] = within
    if np.count_nonzero(sizes) < 2:
        return np.nan, np.full(k, np.nan), to_own
    with np.errstate(invalid="ignore", divide="ignore"):
        means = means / sizes
    means[:, sizes == 0] = np.inf
    means[places] = np.inf
    nearest = means.min(axis=1)
    greater = np.maximum(within, nearest)
    values = np.zeros(len(inside))
    np.divide(nearest - within, greater, out=values, where=(greater > 0.0) & (sizes[own] > 1))
    of_clusters = np.bincount(own, weights=values, minlength=k) / np.maximum(sizes, 1)
    of_clusters[(sizes == 0) | ((sizes == 1) & (full_sizes > 1))] = np.nan
    return float(values.mean()), of_clusters, to_own


def typical_of(samples: Samples, labels: Int32Array, medoids: Any) -> list[RowNumbers]:
    """Compute the distances that :func:`typical_rows` requires, and return its result."""
    if samples.has_means:
        return typical_rows(samples, labels, medoids)
    samples = samples.with_distances(int(labels.max(initial=-1)) + 1, np.random.default_rng(0))
    return typical_rows(samples, labels, medoids, cohesions(samples, labels[None])[0][2])


def typical_rows(
    samples: Samples, labels: Labels, medoids: Int64Array | None, to_own: FloatArray | None = None
) -> list[RowNumbers]:
    """Return the samples nearest to the mean of each cluster (on ties, the lowest rows).

    ``to_own`` can contain the mean distance from each of ``samples.rows`` to the other samples in its
    cluster. The samples with the smallest mean distances are then returned. Medoids, if any, come first.
    """
    n_clusters, rows = int(labels.max()) + 1, np.arange(len(labels)) if to_own is None else samples.rows
    keys = _from_means(samples, labels) if to_own is None else to_own
    # The distances are rounded, so that identical samples tie.
    order = np.lexsort((rows, np.round(keys, 12), labels[rows]))
    starts = np.searchsorted(labels[rows[order]], np.arange(n_clusters + 1)).tolist()
    found = [tuple(rows[order[start:stop][:N_TYPICAL]].tolist()) for start, stop in pairwise(starts)]
    if medoids is None or len(medoids) != n_clusters:
        return found
    own = np.asarray(medoids)
    if not np.array_equal(labels[own], np.arange(n_clusters)):
        return found
    return [
        (int(medoid), *(row for row in nearest if row != medoid))[:N_TYPICAL]
        for medoid, nearest in zip(own, found, strict=True)
    ]


def _from_means(samples: Samples, labels: Int32Array) -> FloatArray:
    """Return keys that sort the samples of each cluster by their distance to the cluster mean."""
    points, members = samples.points, descriptions.cluster_indicators(labels)
    sizes = np.maximum(np.bincount(labels[labels >= 0], minlength=members.shape[0]), 1)
    totals = members @ points
    keys = np.zeros(len(labels))
    if sparse.issparse(points):
        # Rows are zero or have unit length, so a larger product with the mean implies a smaller distance.
        order = members.indices
        for cluster, (start, stop) in enumerate(pairwise(members.indptr.tolist())):
            inside = order[start:stop]
            mean = totals[[cluster]].toarray().ravel() / sizes[cluster]
            keys[inside] = -(points[inside] @ mean)
        return keys
    means = totals / sizes[:, None]
    inside = np.flatnonzero(labels >= 0)
    difference = points[inside] - means[labels[inside]]
    keys[inside] = np.einsum("ij,ij->i", difference, difference)
    return keys


def left_out_columns(columns: pd.DataFrame | None) -> list[contents.LeftOut]:
    """Return columns with 2 to 12 distinct values, and numeric columns binned at their quartiles."""
    import pandas as pd

    found: list[contents.LeftOut] = []
    for name, cells in () if columns is None else columns.items():
        texts = np.where(cells.isna(), "", cells.astype(str).str.strip())
        known = texts[texts != ""]
        numbers = pd.to_numeric(pd.Series(known), errors="coerce").to_numpy(dtype=np.float64)
        values = pd.Series(known).value_counts().index.tolist()
        if np.isfinite(numbers).sum() > len(known) / 2:  # numbers precede other texts
            order = pd.to_numeric(pd.Series(values), errors="coerce").fillna(np.inf)
            values = [values[place] for place in np.argsort(order.to_numpy(), kind="stable")]
        if len(values) > _MOST_KNOWN and np.isfinite(numbers).all():
            # The page shows the quartiles with the same rounding.
            limits = np.unique([float(f"{limit:.3g}") for limit in np.quantile(numbers, [0.25, 0.5, 0.75])])
            shown = [descriptions.human_number(limit) for limit in limits]
            between = [f"{low} to below {high}" for low, high in pairwise(shown)]
            values = [f"below {shown[0]}", *between, f"{shown[-1]} or more"]
            known = np.array(values)[np.searchsorted(limits, numbers, side="right")]
        if 2 <= len(values) <= _MOST_KNOWN:
            codes = np.full(len(texts), -1, dtype=np.int64)
            codes[texts != ""] = [values.index(text) for text in known]
            found.append((str(name), values, codes))
    return found


def doubts(result: ClusteringResult, labels: Labels) -> list[contents.Doubt]:
    """Return up to 60 samples for which the pool supports another cluster more than their own cluster."""
    if result.pool is None or result.pool.support is None:
        return []
    support, inside = np.array(result.pool.support()), np.flatnonzero(labels >= 0)
    if not labels.max(initial=-1) < support.shape[1] > 1:
        return []
    own = support[inside, labels[inside]]
    support[inside, labels[inside]] = -1.0
    other = support[inside].argmax(axis=1)
    most = support[inside, other]
    order = np.argsort(own - most, kind="stable")
    order = order[(own + 1e-9 < most)[order]][:60]
    found = zip(inside[order], labels[inside[order]], other[order], own[order], most[order], strict=True)
    return [(int(row), int(a), int(b), float(share), float(rest)) for row, a, b, share, rest in found]


def panels(
    result: ClusteringResult,
    samples: Samples | None,
    labels: Labels,
    facts: Sequence[ClusterFacts],
    *,
    features_title: str,
    sample_names: NDArray[np.str_],
    sample_kind: str,
) -> list[Panel]:
    """Return the available panels for the result. ``facts`` describes the clusters of the result."""
    found = []
    if samples is not None and samples.bags is not None:
        found.append(_bag_distances(samples, labels, sample_names))
    found += similarity_panels(result.similarity, labels, result.eigenvalues)
    if result.pool is not None and result.pool.coassociation is not None:
        found.append(pool_panel(result.pool.coassociation(MOST_SIDE)))
    if samples is not None and samples.kind == "sparse":
        sizes = np.bincount(labels[labels >= 0], minlength=len(facts))
        for cluster in np.sort(np.argsort(-sizes, kind="stable")[:_DRAWN]):
            if features := facts[cluster].features:
                note = f"{sizes[cluster]} {sample_kind}{'' if sizes[cluster] == 1 else 's'}"
                terms, weights = zip(*features, strict=True)
                title = f"Cluster {cluster}: {features_title}"
                found.append(Panel("bars", title, note, x=terms, y=weights, axes=("", "weight")))
    return found


def _bag_distances(samples: Samples, labels: Labels, names: NDArray[np.str_]) -> Panel:
    data = bag_distance_data(samples.D, labels[samples.rows], max_bags=MOST_SIDE)
    shown = samples.rows[data.order]
    places = [str(name) for name in names[shown]]
    note = "Bags are ordered by cluster, and the most central bag of each cluster comes first."
    if len(shown) < len(labels):
        note += f" Only {len(shown)} of {len(labels)} bags are shown."
    note += f" {_spans(data.names, data.boundaries)}"
    return Panel("matrix", "Hausdorff distances between bags", note, places, places, matrix=data.distances)


def similarity_panels(similarity: Any, labels: Labels, eigenvalues: Any) -> list[Panel]:
    """Return panels with the similarity matrix (sorted by cluster) and the eigenvalues of its Laplacian."""
    if similarity is None or similarity.shape != (len(labels), len(labels)):
        return []
    eigenvalues = () if eigenvalues is None else eigenvalues
    data = partitions.similarity_data(similarity, labels, eigenvalues, max_blocks=MOST_SIDE)
    n_blocks = len(data.blocks)
    note = "Samples are ordered by cluster."
    if n_blocks < len(labels):
        side = f"{len(labels) / n_blocks:.0f}"
        note += f" Each dot is the mean of about {side} x {side} similarities."
    note += f" {_spans(data.names, data.boundaries * n_blocks // len(labels))}"
    found = [Panel("matrix", "Similarity of samples", note, matrix=data.blocks)]
    if len(data.eigenvalues):
        numbers = np.arange(1, len(data.eigenvalues) + 1, dtype=np.float64)
        line, axes = {"eigenvalue": (numbers, data.eigenvalues)}, ("number", "eigenvalue")
        note = "A large gap after the k-th eigenvalue supports k clusters."
        title = "Smallest eigenvalues of the Laplacian"
        found.append(Panel("lines", title, note, series=line, axes=axes))
    return found


def pool_panel(found: Coassociation) -> Panel:
    together, labels, n_all, what = found
    order = np.argsort(labels, kind="stable")
    names, starts = np.unique(labels[order], return_index=True)
    part = "" if len(labels) == n_all else f" Only {len(labels)} of {n_all} are shown."
    what = "Samples" if what == "samples" else "Landmarks, which represent many samples,"
    spans = _spans([str(name) for name in names], np.append(starts, len(labels)))
    title, note = "Share of the pool that joins two samples", f"{what} are ordered by cluster.{part}"
    return Panel("matrix", title, f"{note} {spans}", matrix=together[np.ix_(order, order)])


def archive_panel(archive: Any, labels: Labels) -> Panel:
    """Return a panel with the cells of an archive with two descriptors; ``labels`` are the solutions."""
    places = {row.tobytes(): place for place, row in enumerate(relabel_by_first_appearance(labels + 1))}
    found = [places.get(row.tobytes(), -1) for row in relabel_by_first_appearance(archive.labels + 1)]
    (x, y), (columns, rows) = archive.edges, archive.cells.T
    matrix, solutions = np.full((len(y) - 1, len(x) - 1), np.nan), np.full((len(y) - 1, len(x) - 1), -1)
    matrix[rows, columns], solutions[rows, columns] = archive.quality, found
    names = [name.replace("n_clusters", "number of clusters").replace("_", " ") for name in archive.names]
    better, quality = "higher" if archive.greater_is_better else "lower", archive.quality_name
    return Panel(
        "matrix", "Map of clusterings",
        f"The colour of a cell shows the {quality.replace('_', ' ')} of its best clustering ({better} is "
        f"better). {len(rows)} of {matrix.size} cells contain a clustering. Press a cell to select its "
        "clustering.",
        x=_intervals(x), y=_intervals(y)[::-1], matrix=matrix[::-1], solutions=solutions[::-1],
        axes=(names[0], names[1]),
    )  # fmt: skip


def _intervals(edges: FloatArray) -> list[str]:
    """Name each interval by its ends or, if each interval contains one integer, by that integer."""
    if (np.diff(edges) == 1).all() and edges[0] % 1 == 0.5:
        return [f"{low + 0.5:.0f}" for low in edges[:-1]]
    return [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]


def roc_panel(curves: Any) -> Panel:
    """Return a panel with ROC curves and areas; see :func:`~moo_clustering.visualization.roc_data`."""
    from moo_clustering.visualization.fronts import roc_data

    data, chance = roc_data(curves), np.array([0.0, 1.0])
    found = zip(data.names, data.curves, data.aucs, strict=True)
    series = {f"{name} (area {area:.3f})": curve for name, curve, area in found}
    series["chance"] = chance, chance
    note = "The curves show the predictions for labels that were withheld from the fit."
    axes = "false positive rate", "true positive rate"
    return Panel("lines", "ROC curves", note, series=series, axes=axes)


def _spans(names: Sequence[str], boundaries: NDArray[Any]) -> str:
    """Return a text with the first and last position of each cluster, or "" for more than 24 clusters."""
    if len(names) > 24:
        return ""
    places = zip(names, pairwise(boundaries.tolist()), strict=True)
    spans = [f"{name} ({start + 1} to {stop})" for name, (start, stop) in places if stop > start]
    return f"Clusters and their positions: {', '.join(spans)}." if spans else ""


def shown_rows(n_samples: int, kept: IntpArray, max_points: int, rng: np.random.Generator) -> IntpArray:
    """Select all samples or, if they exceed ``max_points``, the samples ``kept`` and random other samples."""
    if n_samples <= max_points:
        return np.arange(n_samples)
    others = np.setdiff1d(np.arange(n_samples), kept)
    more = min(max(0, max_points - len(kept)), len(others))
    return np.union1d(kept, rng.choice(others, more, replace=False))


def plane_map(samples: Samples, rows: IntpArray) -> PlaneMap:
    positions, axes, note = _positions(samples, rows)
    note, is_projected = _noted(note, len(rows), samples.n_samples), axes in (_COMPONENTS, _SCALED)
    neighbors = _embedded(samples, rows, positions) if is_projected else None
    return PlaneMap(positions, rows.astype(np.int64), axes, note, neighbors)


def _embedded(samples: Samples, rows: IntpArray, plane: FloatArray) -> FloatArray | None:
    """Return t-SNE positions, or None if ``plane`` already preserves the distances well.

    The positions of omitted samples are NaN.
    """
    from sklearn.manifold import TSNE
    from sklearn.metrics import pairwise_distances

    known = np.isin(rows, samples.rows)
    places = np.arange(len(rows)) if samples.bags is None else np.flatnonzero(known)
    if len(places) > _MOST_EMBEDDED:
        places = places[np.linspace(0, len(places) - 1, _MOST_EMBEDDED).astype(np.intp)]
    inside = np.searchsorted(samples.rows, rows[places])
    D = samples.D[np.ix_(inside, inside)] if known[places].all() else samples.distances(rows[places])
    start = plane[places]
    if len(places) < _FEWEST_EMBEDDED or not D.any() or not start.std(axis=0).all():
        return None
    if np.corrcoef(pairwise_distances(start).ravel(), D.ravel())[0, 1] >= _FAITHFUL:
        return None
    np.fill_diagonal(D, 0.0)
    start, perplexity = 1e-4 * start / start[:, 0].std(), min(_PERPLEXITY, (len(places) - 1) / 3.0)
    tsne = TSNE(metric="precomputed", init=start, perplexity=perplexity, max_iter=_ITERATIONS, random_state=0)
    positions = np.full((len(rows), 2), np.nan)
    with one_thread():
        positions[places] = tsne.fit_transform(D)
    return positions


def map_columns(samples: Samples, rows: IntpArray, heatmap: descriptions.Heatmap | None) -> list[MapColumn]:
    """Return the columns by which samples on a map can be coloured. The heatmap's columns come first."""
    first = [] if heatmap is None else [column for column, _ in heatmap.columns]
    found = [] if samples.compared is None else samples.compared.columns(first, _MOST_COLORS)
    return [
        MapColumn(
            each.name,
            np.where(each.codes >= 0, each.codes if each.values else each.numbers, np.nan)[rows],
            tuple(each.values),
            "date" if each.detail else each.unit,
        )
        for each in found
        if len(each.values) <= _MOST_VALUES
    ]


def given_map(positions: FloatArray, rows: IntpArray, names: Sequence[Any] | None) -> PlaneMap:
    axes, what = ("first coordinate", "second coordinate"), "Positions"
    if names is not None:
        axes, what = (str(names[0]), str(names[1])), "Columns"
    note = _noted(f"{what} as passed", len(rows), len(positions))
    return PlaneMap(positions[rows], rows.astype(np.int64), axes, note)


def area_map(geometry: Any, n_samples: int, rows: IntpArray) -> PlaneMap:
    """Return a map with a point inside each area. If all areas are shown, add simplified outlines."""
    shapely = optional_package("shapely", "spatial", "maps of areas", "Otherwise, omit geometry.")
    polygons = np.asarray(geometry, dtype=object)
    if len(polygons) != n_samples or not shapely.is_geometry(polygons).all():
        raise ValueError(f"geometry must have one polygon per sample ({n_samples}), got {len(polygons)}")
    centres = shapely.get_coordinates(shapely.point_on_surface(polygons))
    shown = PlaneMap(centres[rows], rows.astype(np.int64), ("x", "y"))
    if len(rows) < n_samples:
        return replace(shown, note=_noted("Each point lies inside its area", len(rows), n_samples))
    low, high = np.reshape(shapely.total_bounds(polygons), (2, 2))
    rings = []
    for place, one in enumerate(shapely.simplify(polygons, float((high - low).max()) / 2000)):
        for ring in shapely.get_rings(shapely.get_parts(one)):
            points = shapely.get_coordinates(ring)
            rings += [np.column_stack([np.full(len(points), float(place)), points]), np.full((1, 3), np.nan)]
    return replace(shown, outlines=np.concatenate(rings) if rings else None)


def _positions(samples: Samples, rows: IntpArray) -> tuple[FloatArray, tuple[str, str], str]:
    if samples.given is not None:
        return _scaled_distances(samples.given, rows, samples.rows, "the passed distances")
    if samples.bags is not None:
        if len(samples.rows) == samples.n_samples <= _LANDMARKS:
            return _scaled_distances(samples.D, rows, samples.rows, "Hausdorff distances")
        points, share = partitions.components(samples.points, len(samples.points))
        return points[rows], _COMPONENTS, f"Principal components of bag means ({share:.0%} of the variance)"
    if samples.table.shape[1] <= 2:
        positions, axes, _ = partitions.feature_plane(samples.table, samples.feature_names)
        return positions[rows], axes, "The axes are unscaled features"
    # ``points`` can have fewer columns than ``table``, because scaling removes constant features.
    positions, share = partitions.components(samples.points, samples.n_samples)
    return positions[rows], _COMPONENTS, f"Principal components ({share:.0%} of the variance)"


def _scaled_distances(
    D: FloatArray, rows: IntpArray, landmarks: IntpArray, what: str
) -> tuple[FloatArray, tuple[str, str], str]:
    if len(D) <= _REFINED:
        positions, stress = partitions.scaled_to_plane((D + D.T) / 2.0)
        return positions[rows], _SCALED, f"Multidimensional scaling of {what} (stress {stress:.2f})"
    if len(landmarks) > _LANDMARKS:
        landmarks = landmarks[np.linspace(0, len(landmarks) - 1, _LANDMARKS).astype(np.intp)]
    between = D[np.ix_(landmarks, landmarks)]
    to_landmarks = (D[np.ix_(rows, landmarks)] + D[np.ix_(landmarks, rows)].T) / 2.0
    plane = partitions.landmark_plane(to_landmarks, (between + between.T) / 2.0)
    return plane, _SCALED, f"Classical scaling of {what}"


def _noted(note: str, n_shown: int, n_samples: int) -> str:
    if n_shown == n_samples:
        return f"{note}."
    return (
        f"{note}. Not all samples are shown: samples in constraints and typical samples of clusters come "
        "first, then randomly selected samples."
    )
