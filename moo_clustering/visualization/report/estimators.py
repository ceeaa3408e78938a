"""Reports on fitted estimators."""

import inspect
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline

from moo_clustering import results
from moo_clustering._arrays import integer, unit_rows, warn_caller
from moo_clustering._data import as_frame, checked_array, geometry_of, holds_tables, is_frame
from moo_clustering._docs import documented
from moo_clustering._messages import checked_path, distinct_names, quoted, shortened
from moo_clustering._types import BoolArray, Int32Array, Int64Array
from moo_clustering.algorithms.map_elites import PartitionArchive
from moo_clustering.bags import Bags, as_bags
from moo_clustering.constraints._checks import check_pairs
from moo_clustering.descriptions import (
    ClusterDescription,
    ClusterDescriptions,
    ComparedTerms,
    Heatmap,
    of_rows,
    with_columns,
)
from moo_clustering.drift import Drift, Reference, new_columns
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators._base import ReportMixin, feature_scaling
from moo_clustering.persistence import environment
from moo_clustering.results import ClusteringResult, Front, Objective, result_of, with_user_names
from moo_clustering.rules import ClusterRules, rules_of
from moo_clustering.visualization.report import content as contents
from moo_clustering.visualization.report import describe as describing


def write_report_of(
    estimator: Any, path: str | PathLike[str], X: Any = None, **options: Any
) -> contents.Report:
    """Write the report page of a fitted clusterer; see :func:`report_content` for the options."""
    # The import is delayed, because the page imports plotting libraries.
    from moo_clustering.visualization.report.page import write_report

    content, place = report_content(estimator, X, **options), checked_path(path).expanduser().resolve()
    write_report(content, place)
    return contents.Report(place)


def show_report_of(estimator: Any, X: Any = None, **options: Any) -> None:
    folder = Path(tempfile.mkdtemp(prefix="moo_clustering-"))
    try:
        report = write_report_of(estimator, folder / "report.html", X, **options)
    except BaseException:
        shutil.rmtree(folder)
        raise
    # IPython also runs in terminals, where its shell has no kernel.
    notebook: Any = sys.modules.get("IPython")
    if notebook is not None and "kernel" in dir(notebook.get_ipython()):
        sys.modules["IPython"].display.display(report)
        shutil.rmtree(folder)
    elif not report.open():
        warn_caller(f"could not open a browser; the report is {report.path}")


@documented()
def report_content(
    estimator: Any,
    X: Any = None,
    *,
    title: str | None = None,
    sample_names: Sequence[str] | None = None,
    sample_texts: Sequence[str] | None = None,
    sample_kind: str | None = None,
    feature_names: Sequence[str] | None = None,
    columns: pd.DataFrame | None = None,
    units: Mapping[str, str] | None = None,
    class_names: Sequence[str] | None = None,
    y: ArrayLike | None = None,
    must_link: ArrayLike | None = None,
    cannot_link: ArrayLike | None = None,
    embedding: ArrayLike | None = None,
    geometry: Any = None,
    roc_curves: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    left_out: pd.DataFrame | None = None,
    facts: Sequence[tuple[str, str]] = (),
    options: Mapping[str, Any] | None = None,
    max_points: int = 5000,
    max_described: int = 100,
    random_state: int = 0,
) -> contents.ReportContent:
    """Create the report content for a fitted clusterer.

    For S solutions of n samples with d features, takes O(m^2 K) time for the silhouettes of m <= 2000
    samples, where K is the total number of clusters in all solutions, O(S^2 n) time for agreement (computed
    on a subset if n is large), O(n d) time per described solution, and O(S n + m^2 + S^2) memory. Raises a
    NotFittedError if the estimator has no ``labels_``, and a ValueError if data or names do not match.

    Parameters
    ----------
    estimator : fitted clusterer
        Estimator with ``labels_`` from this package or scikit-learn, a pipeline that ends with such an
        estimator, or a :class:`~moo_clustering.algorithms.PartitionArchive`. It is not modified.
    X : array-like, sparse matrix, DataFrame, Bags or list of 2-d arrays, optional
        Data or distances used in the fit. For a pipeline, its input. Without X, the report has no map, and
        shows only cluster sizes.
    title : str, optional
        Page title. Default: the name of the estimator.
    sample_names : sequence of str, optional
        Names of the samples. Default: names of bags, the index of a DataFrame, or row indices.
    sample_texts : sequence of str, optional
        Text that identifies each sample.
    sample_kind : str, optional
        Noun for a sample. Default: ``"bag"`` for bags, ``"document"`` if there are texts, or ``"sample"``.
    feature_names : sequence of str, optional
    columns : DataFrame of shape (n_samples, n_columns), optional
        Columns used to name and describe the clusters. Default: the columns of X.
    units : mapping of str to str, optional
    class_names : sequence of str, optional
        Names of the classes 0, 1, ... in ``y``.
    y : array-like of shape (n_samples,), optional
        Partial labels used in the fit, with -1 for unlabelled samples.
    must_link, cannot_link : array-like of shape (n_pairs, 2), optional
        Pairs used in the fit.
    embedding : array-like or DataFrame of shape (n_samples, 2), optional
        Positions on the map. Axes are named after the columns of a DataFrame. Default: principal components.
    geometry : sequence of polygons, optional
        One shapely polygon per sample, for a map of areas. Default: the geometry of a GeoDataFrame X.
    roc_curves : mapping of name to (fpr, tpr), optional
        False and true positive rates of ROC curves to show in the report.
    left_out : DataFrame of shape (n_samples, n_columns), optional
        Columns that were not used in the fit, such as known classes, to compare with the clusters.
    facts : sequence of (str, str), optional
        Additional facts for the header of the report.
    options : mapping of str to object, optional
        Options to list in the header. Default: the parameters that differ from their defaults.
    max_points : int, default=5000
        Maximum number of samples on the map. Samples in constraints and typical samples are shown first.
    max_described : int, default=100
        Maximum number of solutions whose clusters are described. The result and rules' solutions come first.
    random_state : int, default=0
        Seed for all random selections.
    """
    if isinstance(estimator, Pipeline):
        table, X, estimator = X, None if X is None else estimator[:-1].transform(X), estimator[-1]
        columns = table if columns is None and isinstance(table, pd.DataFrame) else columns
    result = _of_archive(estimator) if isinstance(estimator, PartitionArchive) else result_of(estimator)
    run = contents.run_solutions(result, class_names)
    labels = run.labels
    n = labels.shape[1]
    if geometry is None and (own := geometry_of(X)) is not None:
        geometry, X = own, X.drop(columns=own.name)
    must, cannot = (
        np.empty((0, 2), dtype=np.int64) if pairs is None else check_pairs(pairs, n, name)
        for pairs, name in ((must_link, "must_link"), (cannot_link, "cannot_link"))
    )
    supervision = {"y": checked_partial_labels(y, n), "must_link": must, "cannot_link": cannot}
    positions = None if embedding is None else checked_array(embedding, "embedding", np.float64)
    if positions is not None and positions.shape != (n, 2):
        raise ValueError(f"embedding must have shape ({n}, 2), got {positions.shape}")
    integer("max_points", max_points), integer("max_described", max_described, 0)
    given: Any = (("left_out", left_out, "row"), ("sample_texts", sample_texts, "text"))
    for name, each, unit in given:
        if each is not None and len(each) != n:
            raise ValueError(f"{name} must have one {unit} per sample ({n}), got {len(each)}")
    texts = None if sample_texts is None else [str(text) for text in sample_texts]
    read = _read(estimator, result, X, feature_names, columns, units)
    samples = read if isinstance(read, describing.Samples) else None
    if samples is None and is_frame(X):
        warn_caller(str(read))
    names = checked_names(sample_names, X, n)
    of_bags = samples is not None and samples.bags is not None
    kind = sample_kind or ("bag" if of_bags else "sample" if texts is None else "document")
    features_title = f"leading {'terms' if kind == 'document' else 'features'}, by mean weight"
    rng = np.random.default_rng(random_state)
    to_result, agreement, agreement_note = describing.agreement(labels, run.chosen, rng)
    clusters: describing.Clusters = {}
    heatmaps: dict[int, Heatmap] = {}
    silhouettes, notes = np.full(len(labels), np.nan), list[str]()
    if samples is not None:
        samples = samples.with_distances(int(np.maximum(labels.max(axis=1) + 1, 0).sum()), rng)
        clusters, heatmaps, silhouettes, notes = describing.describe(samples, run, labels, max_described)
        chosen_facts = clusters.get(run.chosen, [])
        _add_rules(chosen_facts, samples, labels[run.chosen])
        if samples.table is not None and len(labels) == 1:
            features_title = _weighed(result, chosen_facts, samples) or features_title
    kept = np.concatenate([must.ravel(), cannot.ravel(), describing.kept_typical(clusters, max_points)])
    rows = describing.shown_rows(n, np.unique(kept).astype(np.intp), max_points, rng)
    shown = None
    if geometry is not None:
        shown = describing.area_map(geometry, n, rows)
    elif positions is not None:
        axes = list(embedding.columns) if isinstance(embedding, pd.DataFrame) else None
        shown = describing.given_map(positions, rows, axes)
    elif samples is not None:
        shown = describing.plane_map(samples, rows)
    if shown is not None and samples is not None:
        shown = replace(shown, columns=describing.map_columns(samples, rows, heatmaps.get(run.chosen)))
    end = " and others for comparison" if len(labels) > 1 else ", so there is no choice"
    no_front = f"There is no front, because the method returns one solution{end}."
    missing = [*([] if result.has_front else [no_front]), *run.notes]
    missing += [str(read)] if samples is None else []
    missing += ["There is no map of the samples."] if shown is None else []
    missing += notes
    versions = environment()
    decisive = ("moo_clustering", "numpy", "scipy", "scikit-learn", "pymoo", "deap", "python")
    shown_columns = contents.solution_columns(result, run, labels, supervision)
    shown_columns.append(contents.Column("silhouette", silhouettes, greater_is_better=True))
    if len(labels) > 1:
        shown_columns.append(contents.Column(contents.TO_RESULT, to_result))
    shown_columns = [column for column in shown_columns if np.isfinite(column.values).any()]
    figures = describing.panels(
        result, samples, labels[run.chosen], clusters.get(run.chosen, []),
        features_title=features_title, sample_names=names, sample_kind=kind,
    )  # fmt: skip
    archive = result.archive
    maps = [describing.archive_panel(archive, labels)] if archive and len(archive.names) == 2 else []
    n_distinct = len(np.unique(relabel_by_first_appearance(labels + 1), axis=0))
    return contents.ReportContent(
        title=title or type(estimator).__name__,
        names=run.names,
        labels=labels,
        sample_names=names,
        facts=[
            *run_facts(estimator, result, samples, (must, cannot), options),
            *facts,
            ("solutions", f"{len(labels)}" + f", {n_distinct} of them distinct" * (n_distinct < len(labels))),
            (contents.MADE_WITH, ", ".join(f"{name} {versions[name]}" for name in decisive)),
        ],
        sample_kind=kind,
        sample_texts=texts,
        columns=shown_columns,
        chosen=run.chosen,
        rules=run.rules,
        cluster_names=_cluster_names(run, clusters, result),
        map=shown,
        clusters=clusters,
        heatmaps=heatmaps,
        features_title=features_title,
        must_link=must,
        cannot_link=cannot,
        agreement=agreement,
        agreement_note=agreement_note,
        history=None if (history := result.history()) is None or not len(history) else history,
        panels=[*maps, *figures, *([describing.roc_panel(roc_curves)] if roc_curves else [])],
        missing=missing,
        confidence=float("nan") if result.pool is None else result.pool.confidence,
        cuts=contents.cuts(result, run, shown_columns),
        left_out=describing.left_out_columns(left_out),
        limits=contents.limit_rows(labels, result.limits),
        doubts=describing.doubts(result, labels[run.chosen]),
    )


def _of_archive(archive: PartitionArchive) -> ClusteringResult:
    """Return a result that selects the best member of an archive and has all members as its front."""
    best = archive.best()
    objective = Objective(archive.quality_name, archive.greater_is_better)
    front = Front(archive.quality[:, np.newaxis], (objective,), archive.labels.__getitem__)
    return ClusteringResult(archive.labels[best], front, best, member_is_known=True, archive=archive)


def describe_of(
    estimator: Any,
    X: Any,
    *,
    columns: pd.DataFrame | None = None,
    feature_names: Sequence[str] | None = None,
    sample_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    n_contrasts: int | None = None,
    namer: Callable[[ClusterDescription], str] | None = None,
    read: describing.Samples | str | None = None,
) -> ClusterDescriptions:
    """Describe the clusters of a fitted clusterer; see the estimators' ``describe`` method."""
    result = result_of(estimator)
    if namer is not None and not callable(namer):
        raise TypeError(f"namer must be a function that accepts a description, got {quoted(namer)}")
    labels = contents.checked_labels(result.labels)
    read = _read(estimator, result, X, feature_names, columns) if read is None else read
    if isinstance(read, str):
        raise ValueError(read)
    names = checked_names(sample_names, X, len(labels)).tolist()
    sizes = np.bincount(labels[labels >= 0])
    compared, typical = read.compared, describing.typical_of(read, labels, result.medoids)
    if compared is None:
        found: Any = [ClusterDescription(k, int(size), f"cluster {k}") for k, size in enumerate(sizes)]
    else:
        found = compared.describe(labels, *([] if n_contrasts is None else [n_contrasts]))
    classes = result.cluster_names(class_names)
    classes = None if classes is None or len(classes) < len(sizes) else classes
    found = [
        replace(each, typical=rows, name=each.name if classes is None else classes[each.cluster])
        for each, rows in zip(found, typical, strict=True)
    ]
    described = ClusterDescriptions(found, names)
    if namer is not None:
        described = described.renamed(lambda each: result.user_names.get(each.cluster) or namer(each))
    return described.with_names(with_user_names(described.names, result.user_names))


def _read(estimator: Any, result: ClusteringResult, X: Any, *more: Any) -> describing.Samples | str:
    """Read the samples X, and warn if their order or values differ from the training data."""
    n, is_own = len(result.labels), isinstance(estimator, ReportMixin)
    is_sized = isinstance(X, pd.DataFrame | np.ndarray) or sparse.issparse(X)
    if is_own and "_n_partitioned" in vars(estimator) and is_sized and X.shape[0] != n:
        raise ValueError(
            f"X has shape {X.shape}, but the estimator was fitted on {n} samples; pass the rows of the fit, "
            "followed by those of update"
        )
    read = describing.read_samples(result, X, n, *more)
    stored = estimator._stored_rows() if is_own else None
    if stored is None or isinstance(read, str) or read.kind not in ("features", "sparse"):
        return read
    is_prepared = result.preparer is not None and is_frame(X)
    if is_prepared or read.table.shape[1] == estimator.n_features_in_:
        rows, own = stored[0], stored[1](read.table)
        limit = 1e-6 * float(np.abs(rows).max(initial=0))
        places = np.flatnonzero(np.abs(own - rows).max(axis=1) > limit)
        # Without a preparer, X may be in other units, so most of the differing rows must be training rows.
        moved = [(np.abs(rows - row).max(axis=1) <= limit).any() for row in own[places[:100]]]
        if len(places) and (is_prepared or np.mean(moved) > 0.5):
            warn_caller(
                f"row {places[0]} of X differs from row {places[0]} of the fit, so the descriptions may be "
                "wrong; pass the rows of the fit in their original order, or use predict_table for other rows"
            )
    return read


def explain_of(
    estimator: Any,
    X: Any,
    *,
    max_conditions: int | None = None,
    columns: pd.DataFrame | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    namer: Callable[[ClusterDescription], str] | None = None,
) -> ClusterRules:
    """Find rules for the clusters of a fitted clusterer; see the estimators' ``explain`` method."""
    result = result_of(estimator)
    labels = contents.checked_labels(result.labels)
    read = _read(estimator, result, X, feature_names, columns)
    names = describe_of(estimator, X, class_names=class_names, namer=namer, read=read).names
    assert isinstance(read, describing.Samples)
    rules = _rules_of(read, labels, max_conditions=max_conditions, names=names)
    if rules is None:
        raise ValueError(
            "X contains distances, which have no columns for rules; pass columns with one row per sample"
        )
    return rules


def _rules_of(samples: describing.Samples, labels: NDArray[Any], **options: Any) -> ClusterRules | None:
    """Find rules for the clusters, or return None if only distances are known."""
    compared, n_features = samples.compared, len(samples.feature_names)
    columns, further = samples.columns, samples.further
    if isinstance(compared, ComparedTerms):
        places = compared.specific(labels, 200)
        names = distinct_names(samples.feature_names[place] for place in places)

        def occurrences(Z: Any) -> pd.DataFrame:
            if Z.shape[1] != n_features:
                raise ValueError(f"X must have {n_features} columns, got shape {Z.shape}")
            return pd.DataFrame(sparse.csr_array(Z)[:, places].toarray() > 0, columns=names)

        columns, further = occurrences(samples.table), occurrences
    elif columns is None and compared is not None:
        columns = pd.DataFrame(samples.table, columns=list(samples.feature_names))
        further = None if samples.bags is None else lambda Z: as_bags(Z).means()
    if columns is None:
        return None
    is_terms = isinstance(compared, ComparedTerms)
    return rules_of(labels, columns, further, units=samples.units, is_terms=is_terms, **options)


def _add_rules(facts: list[contents.ClusterFacts], samples: describing.Samples, labels: Int32Array) -> None:
    if 0 < len(facts) <= 20 and (found := _rules_of(samples, labels)) is not None:
        for rule in sorted(found.select().rules, key=lambda rule: -rule.recall):
            said = str(rule).removeprefix(f"{rule.name}: ")
            facts[rule.cluster] = replace(facts[rule.cluster], rules=(*facts[rule.cluster].rules, said))


def table_of(estimator: Any, X: Any, **options: Any) -> pd.DataFrame:
    """Return a table of the samples with their clusters; see the estimators' ``table`` method."""
    result, described = result_of(estimator), describe_of(estimator, X, **options)
    labels = contents.checked_labels(result.labels)
    if is_frame(X):
        frame = as_frame(X)[0]
    else:
        read = describing.read_samples(result, X, len(labels), options.get("feature_names"))
        if isinstance(read, describing.Samples) and read.kind == "features":
            frame = pd.DataFrame(read.table, columns=list(read.feature_names))
        else:
            frame = pd.DataFrame(index=checked_names(options.get("sample_names"), X, len(labels)))
    support = None if result.pool is None or result.pool.support is None else result.pool.support()
    return with_columns(frame, {"cluster": labels, **of_rows(labels, described, support)})


def _predicted(
    estimator: Any, X: Any, reference: Any, *, class_names: Any = None, namer: Any = None, **options: Any
) -> tuple[NDArray[Any], BoolArray, Reference, list[str]]:
    """Predict the clusters of new samples, and mark the samples that are unlike the training data.

    Returns the clusters, the marks, the training data and the names of the clusters.
    """
    if unknown := sorted(options.keys() - {"feature_names"}):
        raise TypeError(f"unknown option {unknown[0]!r}; pass class_names, feature_names or namer")
    if namer is not None and reference is None:
        raise ValueError("namer requires descriptions of the clusters; pass the training data as reference")
    result = result_of(estimator)
    labels_of_fit = contents.checked_labels(result.labels)
    names = result.cluster_names(class_names)
    if reference is not None:
        described = describe_of(estimator, reference, class_names=class_names, namer=namer, **options)
        names = described.names
    size = int(labels_of_fit.max(initial=-1)) + 1
    names = [f"cluster {k}" for k in range(size)] if names is None or len(names) < size else names
    labels = np.asarray(estimator.predict(X))
    if (stored := estimator._stored_rows()) is not None:
        rows, scale = stored
        known = Reference.of(rows, labels_of_fit)
        # Warnings about X are ignored, because ``predict`` has already issued them.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            new = scale(estimator._read(X, reset=False))
    elif reference is None:
        raise ValueError(
            f"this {type(estimator).__name__} does not store its training data; pass them as reference"
        )
    else:
        known, new = _compared_rows(estimator, result, labels_of_fit, X, reference)
    names = with_user_names(names, estimator.cluster_names_)
    return labels, known.unlike(new, labels), known, names


def _compared_rows(
    estimator: Any, result: ClusteringResult, labels: NDArray[Any], X: Any, reference: Any
) -> tuple[Reference, Any]:
    """Return the scaled training data as a reference, and the scaled new rows.

    For distances, the reference is the distance matrix, and each new row is replaced by its minimum.
    """
    read = describing.read_samples(result, reference, len(labels))
    if isinstance(read, str):
        raise ValueError(read)
    if read.kind == "distances":
        return Reference.of(read.given, labels, distances=True), np.asarray(X, dtype=float).min(axis=1)
    if read.kind == "sparse":
        new = sparse.csr_array(X).astype(np.float64)
    elif read.kind == "bags":
        new = as_bags(X).means()
    else:
        new = np.asarray(X if result.preparer is None else result.preparer.transform(X), dtype=float)
    if read.cosine:
        return Reference.of(unit_rows(read.table), labels), unit_rows(new)
    scale = estimator.get_params(deep=False).get("scale", "standard")
    scaled = feature_scaling(read.table, scale if scale in ("none", "minmax") else "standard")
    return Reference.of(scaled(read.table), labels), scaled(new)


def predict_table_of(estimator: Any, X: Any, reference: Any = None, **options: Any) -> pd.DataFrame:
    """Return a table of new samples with their clusters; see the estimators' ``predict_table`` method."""
    labels, unlike, _, names = _predicted(estimator, X, reference, **options)
    columns = options.get("feature_names")
    if not is_frame(X) and (isinstance(X, Bags) or sparse.issparse(X) or holds_tables(X)):
        frame = pd.DataFrame(index=range(len(labels)))
    elif is_frame(X) or columns is None:
        frame = as_frame(X)[0]
    else:
        frame = pd.DataFrame(X, columns=list(columns))
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        support = estimator._support_of(X)
    preparer = result_of(estimator).preparer
    unseen = () if preparer is None else preparer.prepare(X).unseen
    return with_columns(frame, {"cluster": labels, **new_columns(labels, names, unlike, support, unseen)})


def drift_of(estimator: Any, X: Any, reference: Any = None, **options: Any) -> Drift:
    """Compare new samples with the training data; see the estimators' ``drift`` method."""
    preparer, prepared = result_of(estimator).preparer, None
    with warnings.catch_warnings():
        if preparer is not None:
            prepared = preparer.prepare(X)
            # These warnings from ``predict`` are ignored, because the notes repeat them.
            warnings.filterwarnings("ignore", "column ", UserWarning)
        labels, unlike, known, names = _predicted(estimator, X, reference, **options)
    return Drift.of(labels, unlike, known.sizes, names, prepared)


def _cluster_names(
    run: contents.Solutions, facts: describing.Clusters, result: ClusteringResult
) -> dict[int, list[str]]:
    """Return the names of the clusters of each solution that has names.

    The user's names replace class names, and class names replace names from descriptions.
    """
    found = {place: [each.name for each in known] for place, known in facts.items()}
    found = {place: names for place, names in found.items() if any(names)}
    for place, solution in enumerate(run.found):
        if solution.cluster_names is not None and len(solution.cluster_names) > solution.labels.max():
            found[place] = solution.cluster_names
    if result.user_names:
        numbered = [f"cluster {cluster}" for cluster in range(int(result.labels.max()) + 1)]
        found[run.chosen] = with_user_names(found.get(run.chosen, numbered), result.user_names)
    return found


def _weighed(
    result: ClusteringResult, facts: list[contents.ClusterFacts], samples: describing.Samples
) -> str:
    """Add the weights of the most distinctive features to ``facts``, and return a heading or ""."""
    weights = result.feature_weights
    if weights is None or result.leading_features is None:
        return ""
    leading = result.leading_features(describing.N_FEATURES, range(weights.shape[1]))
    for cluster, fact in enumerate(facts):
        relative = weights.shape[1] * weights[cluster]
        found = [(samples.feature_names[j], float(relative[j])) for j in leading[cluster]]
        facts[cluster] = replace(fact, features=tuple(found))
    return "most distinctive features and their weights in the cluster (1: mean weight)"


def checked_partial_labels(y: Any, n_samples: int) -> Int64Array | None:
    """Return classes (-1: unlabelled). None for label sets, or if all non-integer labels are missing."""
    if y is None:
        return None
    found = checked_array(y, "y")
    if found.ndim not in (1, 2) or len(found) != n_samples:
        raise ValueError(f"y must have one entry per sample ({n_samples}), got shape {found.shape}")
    if found.ndim == 2:
        return None
    if found.dtype.kind in "iub":
        return np.maximum(found.astype(np.int64), -1)
    known = np.array([not (e is None or e == -1 or e == "-1" or e != e) for e in found.tolist()])
    codes = np.full(n_samples, -1, dtype=np.int64)
    codes[known] = np.unique(found[known].astype(str), return_inverse=True)[1]
    return codes if known.any() else None


def checked_names(names: Sequence[Any] | None, X: Any, n_samples: int) -> NDArray[np.str_]:
    """Return sample names. Default: names of bags, names of the rows of a table, or row indices."""
    if names is None and isinstance(X, Bags) and X.bag_ids is not None:
        names = X.bag_ids
    elif names is None and (isinstance(X, pd.DataFrame) or is_frame(X)):
        names = as_frame(X)[0].index.tolist()
    found = np.array([str(name) for name in (range(n_samples) if names is None else names)], dtype=np.str_)
    if len(found) != n_samples:
        raise ValueError(f"sample_names must have one name per sample ({n_samples}), got {len(found)}")
    return found


def run_facts(
    estimator: Any,
    result: ClusteringResult,
    samples: describing.Samples | None,
    pairs: tuple[Int64Array, Int64Array],
    options: Mapping[str, Any] | None = None,
) -> list[tuple[str, str]]:
    """Return facts about a run, such as its method, changed options, and number of samples."""
    facts = [*result.facts, ("method", type(estimator).__name__)]
    parameters = {} if isinstance(estimator, PartitionArchive) else estimator.get_params(deep=False)
    if parameters:
        shown = changed_options(estimator) if options is None else options
        changed = ", ".join(f"{name}={value}" for name, value in shown.items())
        facts.append(("parameters", f"{changed}; others: defaults" if changed else "defaults"))
    if "random_state" in parameters:
        facts.append(("seed", shortened(repr(parameters["random_state"]), 60)))
    facts.append(("samples", str(len(result.labels))))
    if samples is not None and samples.bags is not None:
        facts.append(("instances", str(samples.bags.n_instances)))
    if samples is not None and samples.table is not None:
        facts.append(("features", str(samples.table.shape[1])))
    counted = zip(("must-links", "cannot-links"), map(len, pairs), strict=True)
    facts += [(name, str(count)) for name, count in counted if count]
    if (found := results.recall_text(result.neighbor_recall)) is not None:
        facts.append(("neighbours", found))
    if result.interrupted:
        facts.append(("interrupted", "the search was stopped early"))
    return facts


def changed_options(estimator: Any) -> dict[str, str]:
    """Return the parameters (except random_state) that affect the result and differ from their defaults."""
    signature = inspect.signature(type(estimator).__init__).parameters
    apart = {"verbose", "checkpoint", "checkpoint_every", "resume", "n_jobs", "random_state"}
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        usual = signature[name].default if name in signature else None
        said, expected = (shortened(repr(each), 60) for each in (value, usual))
        if name not in apart and said != expected:
            found[name] = said
    return found
