"""Describe a fit in tables and text: clusters, alternatives, predictions and controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.cli.job import Job
from moo_clustering.cli.samples import AreaSamples, TextSamples
from moo_clustering.cli.terminal import aligned, printable_line, shortened
from moo_clustering.descriptions import (
    ClusterDescriptions,
    ComparedColumns,
    ComparedTerms,
    cluster_indicators,
    of_rows,
    with_unit,
)
from moo_clustering.drift import crosstable
from moo_clustering.interactive.shown import ShownSamples
from moo_clustering.persistence import write_archive
from moo_clustering.results import ClusteringResult, Coassociation, PoolResult, result_of, with_user_names

if TYPE_CHECKING:
    from moo_clustering.bags import Bags
    from moo_clustering.cli.samples import LabelUse, Samples
    from moo_clustering.datasets import Documents

TERMS, PARTITION = "terms.png", "partition.png"
MOST_PLACES = 1000  # maximum number of samples for multidimensional scaling and for pictures of the pool
_TITLE = 80  # number of characters shown of a document without a title
# Headings, widths in characters and maximum number of rows of the cluster table on a terminal.
_HEADS = {
    "contrasts": "contrasts (nearest cluster)", "classes": "leading classes", "features": "leading features"
}  # fmt: skip
_WIDTHS = {
    "name": 48, "class": 48, "contrasts": 90, "document": 20, "title": 30, "terms": 40, "classes": 40,
    "features": 60,
}  # fmt: skip
_SHOWN = 20
# Clusters are sorted by a column if nearly every cluster contains a single value of this column. The column
# must have at most _VALUES values, and a share _PURE of the rows the most frequent value of their cluster.
_VALUES, _PURE = 10, 0.95
PROBABILITIES, PREDICTIONS, ROC = "probabilities.csv", "predictions.csv", "roc.png"
# Subspace methods list at most this many features and classes per cluster, and plot this many clusters.
_FEATURES, _CLASSES, _DRAWN = 10, 5, 24
# Indices that require all distances between bags are computed only up to this much work and this many bags.
# The work is the number of multiplications for the distances.
MOST_WORK, MOST_BAGS = 2e11, 5000
# ``fit`` writes this file, from which ``ask`` creates its questions. The file states its format and version.
QUESTIONS, QUESTIONS_FORMAT, QUESTIONS_VERSION = "questions.npz", "moo_clustering questions", 1
# The file contains at most _MOST_CELLS table cells. Fits of more than MOST_ASKED_BAGS bags do not write it.
_MOST_CELLS, MOST_ASKED_BAGS = 4_000_000, 3_000


def describe(job: Job) -> Description:
    estimator, samples, result = job.estimator, job.samples, job.result
    scores = samples.scores(result.labels, job.labels)
    if samples.kind == "bag":
        indices = bag_indices_of(result, samples.X, estimator.get_params(deep=False).get("n_jobs"))
        found = Description({"indices": indices, "scores": scores})
        if result.pool is not None:
            describe_pareto(job, found, result.pool)
        return found
    if "leading_features" in dir(job.method.load()):  # the method weights the features of each cluster
        return describe_subspaces(job, scores)
    found = Description({"scores": scores, **result.record})
    if isinstance(samples, TextSamples):
        found.clusters = found.frames["clusters.csv"] = cluster_frame(samples, estimator)
        found.pictures[TERMS] = partial(draw_terms, text=samples, job=job)
    elif job.method.categorical:
        columns: Any = samples.columns()
        found.names = ComparedColumns(columns).describe(result.labels)
        found.clusters = column_frames(columns, samples.category_names, estimator.labels_, found.names)[0]
        found.frames["clusters.csv"] = mode_frame(job)
    elif samples.prepared is not None and result.pool is None:
        _describe_columns(found, samples, result)
    if result.pool is not None:
        describe_pareto(job, found, result.pool)
    if result.limits:
        found.record["limits"] = [
            {"name": limit.name, "requirement": limit.requirement, "violation": float(value)}
            for limit in result.limits
            for value in np.ravel(limit.violations(result.labels))
        ]
    if isinstance(samples, AreaSamples) and found.names is not None:
        names = found.names.names
        found.writers.append(partial(samples.save_regions, labels=result.labels, names=names))
    return found


def draw_partition(path: Path, job: Job, classes: Sequence[str] | None) -> None:
    from moo_clustering.visualization import plot_partition

    X, names = _places(job)
    shown = classes and [name or f"new, {cluster}" for cluster, name in enumerate(classes)]
    labels = job.estimator.labels_
    plot_partition(X, labels, feature_names=names, cluster_names=shown, title=job.title, path=path)


def _places(job: Job) -> tuple[Any, list[str]]:
    """Return the data to plot and their column names. Distances are converted to positions in the plane."""
    samples, estimator = job.samples, job.estimator
    X = samples.X
    if job.of_distances:
        from moo_clustering.visualization.partitions import scaled_to_plane

        positions, stress = scaled_to_plane(np.asarray(X))
        return positions, [f"first dimension of scaled distances (stress {stress:.2f})", "second dimension"]
    if (found := samples.coordinates()) is not None:
        return found
    from moo_clustering.estimators._pareto_landmarks import FeatureScaling

    scale: Any = "standard" if estimator.scale == "auto" else estimator.scale
    scale = "unit" if estimator.get_params(deep=False).get("metric") == "cosine" else scale
    scaling = FeatureScaling.of(X, scale, n_components=estimator.n_components)
    if scaling.components is None and 1 <= len(scaling.varying) <= 2:
        return X[:, scaling.varying], [samples.feature_names[column] for column in scaling.varying]
    return scaling.transform(X), list(samples.column_names)


def draw_pool(path: Path, coassociation: Callable[[int], Coassociation], title: str) -> None:
    """Plot the co-association matrix of the pool; if there are many samples, plot a subset."""
    from scipy.linalg import eigh

    from moo_clustering.visualization import plot_similarity

    together, labels, n_all, what = coassociation(MOST_PLACES)
    degree = np.sqrt(together.sum(axis=1))
    n, n_clusters = len(labels), int(labels.max()) + 1
    laplacian = np.eye(n) - together / np.outer(degree, degree)
    eigenvalues, vectors = eigh(laplacian, subset_by_index=[0, min(n, max(10, n_clusters + 2)) - 1])
    part = "" if n == n_all else f", {n} of {n_all} {what}"
    said = f"{title}: lighter if two {what} share a cluster in more partitions of the pool{part}"
    plot_similarity(together, labels, eigenvalues, vectors[:, :n_clusters], title=said, path=path)


def bag_indices_of(result: ClusteringResult, bags: Bags, n_jobs: int | None) -> dict[str, float | None]:
    """Return the validity indices of a result (None if undefined). For large data, omit silhouettes."""
    from moo_clustering.validity import BagDaviesBouldin, BagSDbw, bag_indices, bag_report

    bags = result.scaled(bags)
    if bags.n_bags <= MOST_BAGS and float(bags.n_instances) ** 2 * bags.n_features <= MOST_WORK:
        indices = bag_indices(bags, n_jobs=n_jobs)
    else:
        indices = {
            "davies_bouldin_bag": BagDaviesBouldin(undefined=np.inf, n_jobs=n_jobs).fit(bags),
            "sdbw_bag": BagSDbw(undefined=np.inf, n_jobs=n_jobs).fit(bags),
        }
    report = bag_report(None, result.labels, indices=indices)
    return {name: report[name] if math.isfinite(report[name]) else None for name in indices}


@dataclass
class Description:
    """Tables, arrays, files and pictures that describe a fit."""

    record: dict[str, Any]
    clusters: pd.DataFrame | None = None  # cluster table in the printed summary
    names: ClusterDescriptions | None = None
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)  # tables by file name
    arrays: dict[str, Any] = field(default_factory=dict)  # arrays for ``result.npz``
    # A writer saves files in a folder and returns their names. A picture is a function that draws a file.
    writers: list[Callable[[Path], list[str]]] = field(default_factory=list)
    pictures: dict[str, Callable[[Path], object]] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)  # additional arguments for ``report_content``


def cluster_frame(text: TextSamples, estimator: Any) -> pd.DataFrame:
    """Return the label, size, name, typical document with title, and contrasting terms of each cluster."""
    # The typical document of a cluster is its medoid. If the method has no medoids, it is the document with
    # the smallest cosine distance from the cluster mean. The report imports the plotting libraries, so it is
    # imported only here.
    from moo_clustering.visualization.report import describe as shown

    labels = np.asarray(estimator.labels_)
    samples = shown.Samples("sparse", text.weights, text.weights, tuple(text.feature_names), cosine=True)
    typical = shown.typical_rows(samples, labels, result_of(estimator).medoids)
    words = ComparedTerms(text.weights, text.feature_names).describe(labels)
    sizes = cluster_sizes(labels)
    return pd.DataFrame(
        {
            "cluster": cluster,
            "size": sizes[cluster],
            "name": words[cluster].name,
            "document": text.row_ids[typical[cluster][0]],
            "title": _title(text.source, typical[cluster][0]),
            "terms": " ".join(contrast.column for contrast in words[cluster].contrasts),
        }
        for cluster in np.flatnonzero(sizes)
    )


def _title(documents: Documents, row: int) -> str:
    title = documents.titles[row] if documents.titles is not None else ""
    return printable_line(title) or shortened(documents.texts[row][: 4 * _TITLE], _TITLE)


def draw_terms(path: Path, text: TextSamples, job: Job) -> None:
    from moo_clustering.visualization.partitions import plot_terms

    labels = np.asarray(job.estimator.labels_)
    sizes, label = cluster_sizes(labels), "mean tf-idf weight"
    totals = cluster_indicators(labels) @ sparse.csr_array(text.weights)
    means = sparse.diags_array(1.0 / np.maximum(sizes, 1)) @ totals
    plot_terms(means, text.feature_names, sizes=sizes, title=job.title, label=label, path=path)


def cluster_table(frame: pd.DataFrame) -> str:
    """Format the largest clusters for a terminal, and state the number of remaining clusters."""
    columns = [str(name) for name in frame if "features" not in frame or name not in ("document", "title")]
    widths = _WIDTHS | ({"name": 32} if "terms" in frame else {})
    largest = frame[columns].sort_values("size", ascending=False, kind="stable").head(_SHOWN)
    rows = [[_HEADS.get(name, name) for name in columns]]
    for row in largest.itertuples(index=False):
        rows.append([_cell(name, cell, widths.get(name)) for name, cell in zip(columns, row, strict=True)])
    right = [place for place, name in enumerate(columns) if name in ("cluster", "size", "impurity")]
    more = f"\n({len(frame) - _SHOWN} more clusters in clusters.csv)" if len(frame) > _SHOWN else ""
    return aligned(rows, right=right) + more


def _cell(name: str, value: Any, width: int | None) -> str:
    if name == "impurity":
        return f"{value:.2f}"
    if name == "features":  # each feature is followed by its weight, which is omitted
        value = " ".join(entry.rpartition(" (")[0] for entry in value.split("), "))
    elif name == "contrasts":  # the last contrasts are omitted if they do not fit
        while len(value) > _WIDTHS[name] and "; " in value:
            value = value.rpartition("; ")[0]
    return str(value) if width is None else shortened(value, width)


def mode_frame(job: Job) -> pd.DataFrame:
    """Return each cluster's label and size, and the mode of each attribute (numeric attributes: mean)."""
    estimator, names = job.estimator, job.samples.feature_names
    sizes = cluster_sizes(estimator.labels_)
    frame = pd.DataFrame({"cluster": np.arange(len(sizes)), "size": sizes})
    for feature, name in enumerate(names):
        column = f"{name} (attribute)" if name in ("cluster", "size", "name") else name
        frame[column] = [plain_cell(value) for value in estimator.modes_[:, feature]]
    return frame


def cluster_sizes(labels: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Count the samples in clusters 0, 1, ..., ignoring outliers (-1)."""
    return np.bincount(labels[labels >= 0])


def plain_cell(value: Any) -> Any:
    """Convert an interval to text, and a whole number to int."""
    if isinstance(value, pd.Interval):
        if np.isinf(value.left):
            return "any" if np.isinf(value.right) else f"< {value.right:g}"
        return f">= {value.left:g}" if np.isinf(value.right) else f"[{value.left:g}, {value.right:g})"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    return value


def number_rows(record: Mapping[str, Any], number_reason: str) -> list[list[str]]:
    """Return lines that explain the number of clusters, and list other numbers with good scores."""
    number = record["result"]["n_clusters"]
    chosen = f"{number} cluster{'' if number == 1 else 's'}"
    if "attainment" in record:
        found = record["attainment"]
        if found["score"] is None:
            return [["chosen", f"{chosen}, too many to compute an attainment score"]]
        chosen += f" by attainment score {found['score']:.3f} (numbers up to {found['largest_number']})"
        rows = [["chosen", chosen]]
        if others := [f"{other['n_clusters']} ({other['score']:.3f})" for other in found["also_promising"]]:
            shown = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
            rows.append(["promising", f"also {shown}; select another with -k K --set select=attainment"])
        return rows
    return [["chosen", f"{chosen} {number_reason}"]] if number_reason else []


def limits_rows(record: Mapping[str, Any]) -> list[list[str]]:
    found = {each["name"]: each["violation"] for each in record.get("limits", ())}
    said = [f"{name} violated by {value:.3g}" if value else f"{name} holds" for name, value in found.items()]
    return [["limits", ", ".join(said)]] if said else []


def squares_rows(record: Mapping[str, Any]) -> list[list[str]]:
    if "sum_of_squares" not in record:
        return []
    squares = record["sum_of_squares"]
    value, searches = squares["inertia"], squares["local_searches"]
    rows = [["sum of squares", f"{value:.6g} after {searches} local search{'es' * (searches != 1)}"]]
    for name, other in squares.get("controls", {}).items():
        beside = f" ({100 * (other / value - 1):+.2f}%)" if value > 0 else ""
        rows.append([f"  {name}", f"{other:.6g}{beside}"])
    return rows


def describe_pareto(job: Job, found: Description, pool: PoolResult) -> None:
    result, samples = job.result, job.samples
    alternatives = pool.alternatives(samples.column_names or None)
    found.record |= _record(job, pool, alternatives)
    frames = found.frames
    frames["scores.csv"] = pool.scores.reset_index(drop=True).reset_index(names="member")
    if len(alternatives):
        frames["alternatives.csv"] = pd.DataFrame({"row": samples.row_ids, **result.alternatives})
        frames["alternatives_summary.csv"] = summary = alternatives.copy()
        summary.insert(0, "alternative", list(result.alternatives))
        found.arrays["alternative_labels"] = np.stack(list(result.alternatives.values()))
    if pool.probabilities is not None:
        frames[PROBABILITIES] = probability_frame(pool.probabilities, class_names(job, pool), samples.row_ids)
        found.arrays["probabilities"] = pool.probabilities
    if pool.labels is not None:
        found.arrays["pool_labels"] = pool.labels
    if (coassociation := pool.coassociation) is not None:
        found.pictures["similarity.png"] = partial(draw_pool, coassociation=coassociation, title=job.title)
    if job.sizes is None:
        # No questions are saved for partitioned tables, because answers would change labels in many files.
        found.writers.append(partial(save_questions, job=job))
    found.arrays |= pool.arrays
    if samples.kind == "bag":
        return
    classes, columns = cluster_classes(job, pool), samples.columns()
    if not job.of_distances or samples.n_samples <= MOST_PLACES:
        found.pictures[PARTITION] = partial(draw_partition, job=job, classes=classes)
    if columns is not None and not job.of_distances:
        _describe_columns(found, samples, result)
        if classes is not None and found.clusters is not None:
            for frame in (found.clusters, found.frames["clusters.csv"]):
                frame.insert(2, "class", [classes[k] for k in frame["cluster"]], allow_duplicates=True)
        if samples.prepared is not None:
            found.record["sorted_by"] = sorting_columns(columns, result.labels)


def _describe_columns(found: Description, samples: Samples, result: ClusteringResult) -> None:
    columns: Any = samples.columns()
    known, units = samples.described_columns()
    found.names = ComparedColumns(known, units).describe(result.labels)
    if result.user_names:
        found.names = found.names.with_names(with_user_names(found.names.names, result.user_names))
    both = column_frames(columns, samples.category_names, result.labels, found.names)
    found.clusters, found.frames["clusters.csv"] = both


def _record(job: Job, pool: PoolResult, alternatives: pd.DataFrame) -> dict[str, Any]:
    result, confidence, p_value = job.result, pool.confidence, pool.structure_p_value
    record: dict[str, Any] = {
        "confidence": confidence if math.isfinite(confidence) else None,
        "confidence_interval": list(pool.interval) if math.isfinite(confidence) else None,
        "structure_p_value": p_value if math.isfinite(p_value) else None,
        "verdict": pool.verdict,
        "verdict_remarks": list(pool.remarks),
        "granularity": pool.granularity(int(result.labels.max()) + 1) if pool.granularity else None,
        "granularities": dict(pool.granularities),
        "pool_size": 0 if pool.labels is None else len(pool.labels),
        "alternatives": alternatives.to_dict("records"),
    }
    if (classes := cluster_classes(job, pool)) is not None:
        record["classes"] = classes
    if pool.control_scores:
        from sklearn.metrics import adjusted_rand_score as ari

        pairs = {name.replace("-", "_"): labels for name, labels in result.controls.items()}
        record["controls"] = {
            "score": dict(pool.control_scores),
            "ari_to_labels": {name: float(ari(result.labels, labels)) for name, labels in pairs.items()},
            "scores": {name: job.samples.scores(labels) for name, labels in pairs.items()},
        }
    return record


def cluster_classes(job: Job, pool: PoolResult) -> list[str] | None:
    """Return each cluster's class name ("" for a new class). After a fit without labels, return None."""
    if pool.classes is None or pool.cluster_classes is None:
        return None if pool.classes is None else class_names(job, pool)
    names = [*class_names(job, pool), ""]
    return [names[place] for place in pool.cluster_classes]


def class_names(job: Job, pool: PoolResult) -> list[str]:
    names, codes = job.samples.partial_names, () if pool.classes is None else pool.classes
    return [names[code] if names else str(code) for code in codes]


def column_frames(
    columns: pd.DataFrame,
    category_names: tuple[str, ...],
    labels: NDArray[np.integer[Any]],
    described: ClusterDescriptions,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table of cluster names and contrasts, and a copy that adds typical values of all columns."""
    short = described.to_frame()[["cluster", "size", "name", "contrasts"]]
    short = short[short["size"] > 0].reset_index(drop=True)
    columns, labels = columns[labels >= 0], labels[labels >= 0]
    values: dict[str, list[Any]] = {}
    for name in columns.columns:
        show = _category if name in set(category_names) else _number
        title = f"{name} (column)" if name in short else str(name)
        values[title] = [show(columns[name][labels == cluster]) for cluster in short["cluster"]]
    return short, pd.concat([short, pd.DataFrame(values)], axis=1)


def _number(column: pd.Series[Any]) -> Any:
    if pd.api.types.is_datetime64_any_dtype(column):
        mean = column.to_numpy(dtype="datetime64[s]").astype(np.float64).mean()
        return str(np.datetime64(round(mean), "s").astype("datetime64[D]"))
    numbers = column.to_numpy(dtype=np.float64)
    return float(f"{float((numbers / len(numbers)).sum()):.6g}")


def _category(column: pd.Series[Any]) -> Any:
    # The categories are sorted, so that the first of several equally frequent categories is returned.
    codes, words = pd.factorize(column.to_numpy(dtype=object), sort=True)
    return words[np.bincount(codes[codes >= 0]).argmax()]


def described_rows(job: Job, found: Description) -> dict[str, NDArray[Any]]:
    """Describe the clusters, and return columns that describe the samples (see :func:`of_rows`)."""
    from moo_clustering.visualization.report.describe import read_samples, typical_of

    result, samples = job.result, job.samples
    labels = result.labels
    if found.names is None:
        found.names = ComparedColumns(*samples.described_columns()).describe(labels)
    shown: Any = read_samples(result, samples.X, len(labels))
    typical = typical_of(shown, labels, result.medoids)
    pairs = zip(found.names, typical, strict=True)
    found.names = ClusterDescriptions([replace(each, typical=rows) for each, rows in pairs])
    support = None if result.pool is None or result.pool.support is None else result.pool.support()
    return of_rows(labels, found.names, support)


def sorting_columns(columns: pd.DataFrame, labels: NDArray[np.integer[Any]]) -> list[str]:
    """Return the columns that have a single value in nearly every cluster, ignoring outliers."""
    found = []
    columns, labels = columns[labels >= 0], labels[labels >= 0]
    for name, column in columns.items():
        codes, values = pd.factorize(column.array)
        if 2 <= len(values) <= _VALUES:
            counts = crosstable(labels, codes, len(values))
            # A column in which nearly all rows have the same value says nothing about the clusters.
            if counts.max(axis=1).sum() >= _PURE * len(labels) > counts.sum(axis=0).max():
                found.append(str(name))
    return found


def describe_subspaces(job: Job, scores: dict[str, float]) -> Description:
    clusters = subspace_frame(job)
    names = {"feature_names": job.samples.feature_names, "class_names": job.class_names}
    arrays = {name: np.array(listed, dtype=str) for name, listed in names.items()}
    record = {"scores": scores, **job.result.record}
    found = Description(record, clusters, frames={"clusters.csv": clusters}, arrays=arrays)
    if job.samples.has_terms:
        found.pictures[TERMS] = partial(draw_leading, job=job)
    if job.labels is not None and job.labels.y is not None:
        describe_predictions(job, job.labels, found)
    return found


def subspace_frame(job: Job) -> pd.DataFrame:
    """Describe each non-empty cluster by its label, size, impurity, leading features and classes."""
    estimator = job.estimator
    sizes = np.bincount(estimator.labels_)
    clusters = np.flatnonzero(sizes)
    frame = pd.DataFrame({"cluster": clusters, "size": sizes[clusters]})
    if isinstance(job.samples, TextSamples):
        documents = cluster_frame(job.samples, estimator)
        frame[["document", "title"]] = documents[["document", "title"]].to_numpy()
    if (impurities := job.result.arrays().get("impurities")) is not None:
        frame["impurity"] = np.asarray(impurities)[clusters]
    if job.labels is not None and job.labels.y is not None:
        shares = np.asarray(estimator.class_shares_)[clusters]
        frame["classes"] = [_classes(job.class_names, row) for row in shares]
    weights = np.asarray(estimator.feature_weights_)[clusters]
    weights *= weights.shape[1]
    if not job.samples.has_terms:
        # Rank features by weight alone, because a small number can be as distinctive as a large number.
        order = np.argsort(-weights, axis=1, kind="stable")[:, :_FEATURES]
        leading = [found[row[found] > 0].tolist() for found, row in zip(order, weights, strict=True)]
    else:
        found = estimator.leading_features(_FEATURES)
        leading = [found[cluster] for cluster in clusters]
    frame["features"] = [
        _listed((job.samples.feature_names[column], row[column]) for column in columns)
        for columns, row in zip(leading, weights, strict=True)
    ]
    return frame


def _classes(names: list[str], shares: NDArray[Any]) -> str:
    order = np.argsort(-shares, kind="stable")[:_CLASSES]
    return _listed((names[place], shares[place]) for place in order if shares[place] > 0)


def _listed(entries: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{name} ({value:.2f})" for name, value in entries)


def draw_leading(path: Path, job: Job) -> None:
    """Plot each cluster's leading features. Bars show weight times difference from the overall mean."""
    from moo_clustering.visualization.figures import save_figure
    from moo_clustering.visualization.partitions import plot_terms

    estimator = job.estimator
    weights = np.asarray(estimator.feature_weights_)
    leading = estimator.leading_features(_FEATURES)
    rows = np.repeat(np.arange(len(leading)), [len(columns) for columns in leading])
    columns = np.array([column for found in leading for column in found], dtype=np.intp)
    X: Any = job.samples.X
    means = np.asarray(X.mean(axis=0)).ravel()
    excess = np.asarray(estimator.cluster_centers_)[rows, columns] - means[columns]
    values = weights.shape[1] * weights[rows, columns] * excess
    sizes = np.bincount(estimator.labels_, minlength=len(weights))
    table, names = sparse.csr_array((values, (rows, columns)), shape=weights.shape), job.samples.feature_names
    label = "weight (1: mean weight) times difference between cluster centre and overall mean"
    figure = plot_terms(table, names, sizes=sizes, max_clusters=_DRAWN, label=label)
    n_clusters = int(np.count_nonzero(sizes))
    which = f"{_DRAWN} of {n_clusters} clusters" if n_clusters > _DRAWN else "the clusters"
    title = f"{job.title}:\nleading features of {which} ({job.samples.kind}s)"
    figure.suptitle(title, parse_math=False)
    save_figure(figure, path)


def describe_predictions(job: Job, use: LabelUse, found: Description) -> None:
    """Add predicted labels and probabilities and, if labels are held out, scores and ROC curves."""
    estimator, X, ids = job.estimator, job.samples.X, job.samples.row_ids
    columns = use.columns if use.multilabel else np.asarray(estimator.classes_, dtype=np.intp)
    # ROC curves rank the samples by probability or, if ``aggregation`` is "sum", by votes. Labels that the
    # fit did not use have the score 0.
    scores = probabilities = np.zeros(use.given.shape)
    probabilities[:, columns] = estimator.predict_proba(X)
    if estimator.get_params(deep=False).get("aggregation") == "sum":
        votes = np.asarray(estimator.decision_function(X))
        scores = np.zeros(use.given.shape)
        scores[:, columns] = np.column_stack([-votes, votes]) if votes.ndim == 1 else votes
    predicted = np.asarray(estimator.predict(X))
    chosen = np.zeros(use.given.shape, dtype=bool)
    chosen[:, columns] = predicted > 0 if use.multilabel else predicted[:, np.newaxis] == columns
    found.record["prediction"] = scored = prediction_record(use, scores, chosen)
    found.frames[PROBABILITIES] = probability_frame(probabilities, use.names, ids)
    known = np.maximum(use.given, use.held_out) > 0
    status = np.where(use.is_given, "given", np.where(use.is_held_out, "held out", "unlabelled"))
    joined = {"predicted": _joined(chosen, use.names), "labels": _joined(known, use.names)}
    found.frames[PREDICTIONS] = pd.DataFrame({"row": ids, **joined, "status": status})
    if scored.get("macro_auc") is not None:
        from moo_clustering import visualization

        curves, areas = _roc_curves(use, scores, scored["auc"])
        options: Any = {"curves": curves, "aucs": areas, "title": job.title}
        found.pictures[ROC] = lambda path: visualization.plot_roc(path=path, **options)
        found.report["roc_curves"] = curves


def _joined(chosen: NDArray[np.bool_], names: tuple[str, ...]) -> list[str]:
    return [";".join(names[column] for column in np.flatnonzero(row)) for row in chosen]


def _roc_curves(
    use: LabelUse, scores: NDArray[np.float64], areas: dict[str, float | None]
) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the ROC curves of the worst and the best label, and the mean curve with the mean area."""
    from sklearn.metrics import roc_curve

    from moo_clustering.validity import mean_roc_curve

    gold, scores = use.held_out[use.is_held_out], scores[use.is_held_out]
    found = np.array([np.nan if area is None else area for area in areas.values()])
    n_labels = int(np.isfinite(found).sum())
    curves, exact = dict[str, Any](), dict[str, float]()
    if n_labels > 1:
        name = f"mean of {n_labels} labels"
        curves[name], exact[name] = mean_roc_curve(gold, scores), float(np.nanmean(found))
    for place, which in {int(np.nanargmin(found)): "worst", int(np.nanargmax(found)): "best"}.items():
        name = use.names[place]
        if n_labels > 1:
            name += f" ({which}, n={int(gold[:, place].sum())})"
        curves[name] = roc_curve(gold[:, place], scores[:, place])[:2]
    return curves, exact


def prediction_record(
    use: LabelUse, scores: NDArray[np.float64], chosen: NDArray[np.bool_]
) -> dict[str, Any]:
    from sklearn.metrics import f1_score

    from moo_clustering.validity import class_aucs

    scored = use.is_held_out
    record: dict[str, Any] = {"n_given": int(use.is_given.sum()), "n_scored": int(scored.sum())}
    if not scored.any():
        return record
    gold, scores, chosen = use.held_out[scored], scores[scored], chosen[scored]
    # If there is only one label, its area is undefined, because every sample has it.
    areas = class_aucs(gold, scores) if len(use.names) > 1 else np.full(len(use.names), np.nan)
    defined = np.isfinite(areas)
    record["macro_auc"] = float(areas[defined].mean()) if defined.any() else None
    record["n_labels_scored"] = int(defined.sum())
    if use.multilabel:
        record["micro_f1"] = float(f1_score(gold, chosen, average="micro", zero_division=0.0))
    else:
        record["accuracy"] = float((gold.astype(bool) == chosen).all(axis=1).mean())
        record["largest_class"] = float(gold.mean(axis=0).max())
    # The area for a label is None (undefined) if all or none of the scored samples have this label.
    exact = [float(area) if math.isfinite(area) else None for area in areas]
    return record | {"auc": dict(zip(use.names, exact, strict=True))}


def probability_frame(probabilities: NDArray[Any], names: Sequence[str], row_ids: Any) -> pd.DataFrame:
    """Return a table with a column ``row`` and one column per label; column names may repeat."""
    frame = pd.DataFrame(probabilities, columns=list(names))
    frame.insert(0, "row", row_ids, allow_duplicates=True)
    return frame


def save_questions(folder: Path, job: Job) -> list[str]:
    """Save the data from which ``ask`` continues without another fit, and return the file name."""
    # No questions can be asked after a fit with labels or pairs, without a pool, or of too many bags.
    model = job.estimator
    of_bags = bool(model._samples.kernels)
    if job.supervision or model.pool_ is None or (of_bags and model._samples.n_points > MOST_ASKED_BAGS):
        return []
    base = model._question_pool()
    positions, weights = (None, None) if base.nearest is None else base.nearest()
    shown, meta = _samples_to_show(job, np.sort(base.sample_of)).packed()
    found = {
        "pool": base.pool.labels,
        "score": base.score,
        "start": base.start,
        "representatives": base.sample_of,
        "features": base.features,
        "landmark_of": base.landmark_of,
        "nearest": positions,
        "nearest_weights": weights,
        "outliers": np.asarray(model.outliers_) if model.noise == "label" else None,
        "similarity": base.kernel.astype(np.float32) if of_bags else model._samples.graph,
    }
    arrays = {
        name: array.astype(np.min_scalar_type(int(array.max()))) if array.dtype.kind in "iu" else array
        for name, array in found.items()
        if array is not None
    }
    meta = {"format": QUESTIONS_FORMAT, "version": QUESTIONS_VERSION, "kind": job.samples.kind, "shown": meta}
    write_archive(folder / QUESTIONS, arrays | shown, meta, compressed=True)
    return [QUESTIONS]


def _samples_to_show(job: Job, rows: Any) -> ShownSamples:
    samples = job.samples
    given = samples.report_data()
    data: Any = samples.columns()
    if job.of_distances:
        data = None
    elif data is None:
        data = given["X"].means() if samples.kind == "bag" else given["X"]
    names = given.get("feature_names") or (given["X"].feature_names if samples.kind == "bag" else None) or ()
    most = max(1, _MOST_CELLS // len(rows))
    if data is not None and data.shape[1] > most and not sparse.issparse(data):
        data = data.iloc[:, :most] if isinstance(data, pd.DataFrame) else data[:, :most]
        names = names[:most]
    return ShownSamples.of(
        data,
        samples=rows,
        names=samples.row_names() or [f"row {number}" for number in samples.row_ids],
        feature_names=names,
        texts=samples.source.texts if isinstance(samples, TextSamples) else None,
        notes=samples.notes_of_rows,
        empty=None if samples.prepared is None else samples.prepared.missing,
        forms={name: with_unit("{}", unit) for name, unit in samples.described_columns()[1].items()},
    )
