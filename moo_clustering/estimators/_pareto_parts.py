"""ParetoClustering of tables in parts: landmarks, rows with labels or pairs, and labels of all rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import integer_seed, quoted, spawn_seeds
from moo_clustering._data import is_partitioned, warn_of_lengths
from moo_clustering._targets import partial_targets
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntArray, Labels
from moo_clustering.algorithms.search import Plans
from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints
from moo_clustering.estimators import _pareto_landmarks as placement
from moo_clustering.estimators._base import PartLabelsMixin, RowLabels, checked_parts
from moo_clustering.estimators._pareto_pool import (
    PooledSamples,
    RowCounts,
    TableNeighbors,
    check_scaled,
    extra_candidates_of,
    placed_table,
    samples_of,
)
from moo_clustering.estimators._pareto_selection import SideInformation, Solution, read_side_information
from moo_clustering.parts import Parts, lazy_labels
from moo_clustering.parts.statistics import grain, on_grain, survey

# Size of the sample that determines the landmarks: as in memory, but smaller for very wide tables.
_MOST_SAMPLED, _LEAST_SAMPLED, _MOST_VALUES = 250_000, 20_000, 1 << 25
# Largest number of rows with labels or pairs, which are read into memory.
_MOST_KNOWN = 100_000
# Row numbers of known rows if there are no labels or pairs.
NO_ROWS: Int64Array = np.zeros(0, dtype=np.int64)


def pooled_parts(
    table: Parts,
    *,
    extra: Any,
    seed: np.random.SeedSequence,
    placing: Any,
    min_size: int | None,
    **options: Any,
) -> Callable[[Any], PooledSamples]:
    """Place landmarks of all rows in three passes; return a function that builds their pool for a k_range.

    ``placing`` contains the options of :func:`placed_table`.
    """
    # A uniform sample determines scale, landmarks and rare groups, as in memory. Landmarks then become exact
    # means of all their rows. If the sample contains all rows, one pass is enough, as for a fit in memory.
    n, seeds = table.n_rows, seed.spawn(3)
    least = max(_LEAST_SAMPLED, placing["n_landmarks"])
    size = min(n, _MOST_SAMPLED, max(least, _MOST_VALUES // table.n_features))
    looked = survey(table, size, seed=integer_seed(seeds[1]))
    rows = looked.rows[np.argsort(looked.numbers)]
    if placing["scale"] == "unit":
        warn_of_lengths(rows, "rows of X" if len(rows) == n else "sampled rows of X")
    scaling, placed, far = placed_table(rows, seed=integer_seed(seeds[0]), n_rows=n, **placing)
    scaling = replace(scaling, by_row=True)
    check_scaled(scaling, scaling.transform(np.stack([looked.low, looked.high])))
    points, rare, n_clusters = placed.points, placed.rare, options["n_clusters"] or 0
    limits = np.full(len(points), np.inf) if placed.limits is None else placed.limits
    search = _search(scaling, points, limits, far, rare, n_clusters)
    if len(rows) < n:
        extent = float(np.ptp(points[~far], axis=0).max())
        sums, inside, counts = table.map(
            _sums, search, extent, grain(extent, n), merge=_added, description="means of landmarks"
        )
        points = points + sums / np.maximum(inside, 1)[:, None]
        kept = np.flatnonzero(counts.rows)
        points, limits, far, counts = points[kept], limits[kept], far[kept], counts.of(kept)
        groups = np.full(len(points), -1, dtype=np.int32) if rare is None else rare[kept]
        uniform = counts.widest <= placement.rounding(points)
        rare = placement.settled_groups(points, groups, counts.rows, uniform, n)
        far = placement.Placement(points, rare=rare).far(far)
        search = _search(scaling, points, limits, far, rare, n_clusters)
        counts = table.map(_counts, search, merge=RowCounts.merged, description="rows of landmarks")
    else:
        counts = _counts(rows, 0, search)
    # Clusters are numbered by their first row.
    order = np.argsort(counts.first, kind="stable")[: np.count_nonzero(counts.rows)]
    points, limits, far, counts = points[order], limits[order], far[order], counts.of(order)
    rare = None if rare is None else rare[order]
    m = len(points)
    every = np.arange(m, dtype=np.int32)
    placed = placement.Placement(points, every, points, rare, None, limits, counts.rows)
    samples = samples_of(m, scaling, placed, far, min_size, options)
    samples = replace(samples, counts=counts, known_rows=NO_ROWS, outliers=counts.outliers == counts.rows)
    if not samples.vary:
        return lambda k_range: samples
    assert samples.features is not None
    tables = {"": samples.features}
    candidates = extra_candidates_of(extra, scaling.inverse(points), None, seeds[2])
    return lambda k_range: samples.with_pool(tables, candidates, {**options, "k_range": k_range})


def _search(
    scaling: placement.FeatureScaling,
    points: FloatArray,
    limits: FloatArray,
    far: BoolArray,
    rare: Labels | None,
    n_clusters: int,
) -> PooledSamples:
    """Return landmarks without a graph and a pool, for passes over the table."""
    m = len(points)
    counts = RowCounts(*np.zeros((3, m), dtype=np.intp), np.zeros(m))  # type: ignore[call-arg]
    return PooledSamples(
        m,
        sp.csr_array((m, m)),
        None,
        TableNeighbors(scaling, points, limits),
        points,
        np.arange(m, dtype=np.int32),
        transform=scaling.transform,
        far=far if m - far.sum() > n_clusters else None,
        rare=rare,
        counts=counts,
    )


def _assigned(rows: NDArray[Any], start: int, search: PooledSamples) -> tuple[Any, ...]:
    """Return the scaled rows, their landmarks, a mask of outliers, and counts per landmark."""
    assert search.transform is not None
    scaled = search.transform(rows)
    positions, distances = search.nearest.among(scaled, 1)  # type: ignore[attr-defined]
    at, away, m = positions[:, 0], distances[:, 0], search.n_points
    outlying = search.outlying_at(at, away, scaled.__getitem__)
    first, widest = np.full(m, np.iinfo(np.int64).max), np.zeros(m)
    np.minimum.at(first, at, start + np.arange(len(at)))
    np.maximum.at(widest, at, away)
    counts = np.bincount(at, minlength=m), np.bincount(at[outlying], minlength=m)
    return scaled, at, outlying, RowCounts(*counts, first, widest)


def _counts(rows: NDArray[Any], start: int, search: PooledSamples) -> RowCounts:
    found: RowCounts = _assigned(rows, start, search)[-1]
    return found


def _sums(rows: NDArray[Any], start: int, search: PooledSamples, extent: float, unit: float) -> Any:
    """Return exact sums of the differences between inliers and their landmarks, and numbers of rows."""
    assert search.features is not None
    (scaled, at, outlying, counts), m = _assigned(rows, start, search), search.n_points
    gaps = scaled - search.features[at]
    inside = ~outlying & (np.abs(gaps).max(axis=1) <= extent)
    at, gaps = at[inside], on_grain(gaps[inside], unit)
    sums = np.stack([np.bincount(at, column, minlength=m) for column in gaps.T], axis=1)
    return sums, np.bincount(at, minlength=m), counts


def _added(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1], a[2].merged(b[2])


# ---- Rows with labels or pairs ---------------------------------------------------------------------------


class KnownRows(NamedTuple):
    """Numbers of the rows with labels or pairs, their labels, and pairs of positions among them."""

    rows: Int64Array
    y: Any
    must_link: Int64Array | None
    cannot_link: Int64Array | None

    @property
    def supervision(self) -> tuple[Any, Any, Any]:
        """Labels and pairs of these rows only; all None if there are no such rows."""
        return (self.y, self.must_link, self.cannot_link) if len(self.rows) else (None, None, None)

    @classmethod
    def of(cls, n_rows: int, y: Any, must_link: Any, cannot_link: Any) -> "KnownRows":
        """Read ``y``, a class per row or a mapping from row numbers to classes, and pairs of row numbers."""
        numbers, classes = NO_ROWS, []
        if isinstance(y, Mapping):
            for number in y:
                whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
                if not whole or not 0 <= number < n_rows:
                    raise ValueError(
                        f"y must map row numbers from 0 to {n_rows - 1} to classes, got {quoted(number)}"
                    )
            numbers = np.array(sorted(y), dtype=np.int64)
            classes = [y[number] for number in numbers.tolist()]
        elif y is not None:
            targets = partial_targets(y, n_rows)
            if targets.multilabel:
                raise ValueError("y must contain one class per row, or map row numbers to classes")
            numbers, codes = targets.indicators.nonzero()
            classes = targets.classes[codes].tolist()
        pairs: list[Any] = [None, None]
        if must_link is not None:
            pairs[0] = PairwiseConstraints(must_link, n_samples=n_rows).must_link
        if cannot_link is not None:
            pairs[1] = PairwiseConstraints(None, cannot_link, n_samples=n_rows).cannot_link
        rows = np.unique(np.concatenate([numbers, *(each.ravel() for each in pairs if each is not None)]))
        if len(rows) > _MOST_KNOWN:
            raise ValueError(
                f"y and pairs must name at most {_MOST_KNOWN} rows of a table in parts, got {len(rows)}"
            )
        labels: Any = None
        if y is not None:
            labels = np.full(len(rows), -1, dtype=object)
            labels[np.searchsorted(rows, numbers)] = classes
            labels = labels.tolist()
        return cls(
            rows.astype(np.int64),
            labels,
            *(None if each is None else np.searchsorted(rows, each) for each in pairs),
        )


def with_known_rows(samples: PooledSamples, table: Parts, numbers: Int64Array) -> PooledSamples:
    """Replace the samples after the landmarks with rows of the table, in at most one pass."""
    m, landmarks = samples.n_points, samples.points_given
    assert landmarks is not None
    assert samples.counts is not None
    assert samples.transform is not None
    outliers = samples.counts.outliers == samples.counts.rows
    places, scaled = np.arange(m, dtype=np.int32), landmarks
    if len(numbers):
        scaled = samples.transform(table.rows(numbers).astype(np.float64))
        positions, distances = samples.nearest.among(scaled, 1)  # type: ignore[attr-defined]
        places = np.append(places, positions[:, 0])
        beyond = samples.outlying_at(positions[:, 0], distances[:, 0], scaled.__getitem__)
        outliers, scaled = np.append(outliers, beyond), np.concatenate([landmarks, scaled])
    return replace(
        samples,
        n_samples=len(places),
        landmark_of=places,
        scaled=scaled,
        outliers=outliers,
        known_rows=numbers,
    )


# ---- Labels of rows --------------------------------------------------------------------------------------


class PooledLabels:
    """Label rows as ``predict`` does, except known rows of the fit, whose labels are ``of_known``."""

    # ``of_points`` are the clusters of the points. Outliers in clusters of the mask ``marked`` become -1.

    def __init__(
        self,
        samples: PooledSamples,
        solution: Solution,
        marked: BoolArray | None,
        of_known: IntArray | None = None,
        preparer: Any = None,
        columns: Any = None,
    ) -> None:
        m = samples.n_points
        self.of_points, self.marked = samples.per_point(solution.labels), marked
        self.known: tuple[Int64Array, IntArray] | None = None
        if samples.known_rows is not None and of_known is not None and len(of_known):
            self.known = samples.known_rows, of_known
        self.model, self.classes = solution.model, solution.cluster_classes
        self.preparer, self.columns = preparer, columns
        # Omit arrays that only the selection requires.
        # They are None, because digests of empty arrays are not reproducible.
        omitted = dict.fromkeys(("pool", "scaled", "rows", "far_rows", "known_rows"))
        self.samples = replace(samples, graph=sp.csr_array((m, m)), **omitted)  # type: ignore[arg-type]

    def __call__(self, rows: Any) -> Labels:
        if self.preparer is not None:
            import pandas as pd  # slow import

            rows = np.asarray(self.preparer.transform(pd.DataFrame(rows, columns=self.columns)))
        labels = self._clusters(rows)
        if self.marked is not None:
            labels[self.samples.outlying(rows) & self.marked[labels]] = -1
        return labels

    def of_part(self, rows: Any, start: int) -> Labels:
        """Label rows of the fit; ``start`` is the number of the first row."""
        labels = self(rows)
        if self.known is not None:
            numbers, known = self.known
            here = (numbers >= start) & (numbers < start + len(labels))
            labels[numbers[here] - start] = known[here]
        return labels

    def _clusters(self, rows: Any) -> Labels:
        if self.model is None:
            return self.of_points[self.samples.nearest(rows, 1)[0][:, 0]]
        return self.model.clusters(self.samples, self.classes, rows)


def _outliers(rows: Any, samples: PooledSamples) -> Labels:
    return samples.outlying(rows).astype(np.int32)


def _landmarks(rows: Any, samples: PooledSamples) -> Labels:
    return samples.nearest(rows, 1)[0][:, 0].astype(np.int32)


# ---- The estimator ---------------------------------------------------------------------------------------


class PartsMixin(PartLabelsMixin):
    """Mixin of ParetoClustering for tables in parts."""

    def report(self: Any, path: Any, X: Any = None, **options: Any) -> Any:
        """Write an HTML report; after a fit to a table in parts, the report shows its landmarks.

        See :meth:`ReportMixin.report`. After a fit to a table in parts, the default of ``X`` is
        ``landmarks_``, and all numbers of the page except those in its headline count landmarks, not rows.
        """
        return super().report(path, *self._shown_landmarks(X, options), **options)  # type: ignore[misc]

    def show(self: Any, X: Any = None, **options: Any) -> None:
        """Display the page of :meth:`report` in a notebook or the browser."""
        super().show(*self._shown_landmarks(X, options), **options)  # type: ignore[misc]

    def _shown_landmarks(self: Any, X: Any, options: dict[str, Any]) -> tuple[Any]:
        """Return the default data of a page, and set its default options."""
        check_is_fitted(self)
        if self._samples.counts is None or X is not None:
            return (X,)
        options.setdefault("sample_kind", "landmark")
        names, landmarks = vars(self).get("feature_names_in_", ()), self.landmarks_
        # Reduced landmarks have components instead of the features of the table.
        options.setdefault("feature_names", [*names] if len(names) == landmarks.shape[1] else None)
        return (landmarks,)

    def _reads_parts(self: Any, X: Any) -> bool:
        """Return whether to read X in parts; raise a ValueError if an option does not support this."""
        if not is_partitioned(X):
            return False
        extra = [each[1] if isinstance(each, tuple) else each for each in self.extra_candidates or ()]
        faults = {
            'metric="precomputed"': self.metric == "precomputed",
            "views": bool(self.views),
            "extra_candidates with labels": not all(hasattr(each, "fit") for each in extra),
            'kernel="bags"': self.kernel == "bags",
            "start": self.start is not None,
        }
        found = next((name for name, fault in faults.items() if fault), None)
        if found is not None and isinstance(X, Parts):
            raise ValueError(f"{found} does not support a table in parts; change it, or fit a sample")
        # Dask and Zarr arrays are read into memory if they are small.
        return found is None

    def _fit_parts(self: Any, table: Parts, *supervision: Any) -> Plans[None]:
        """Fit the landmarks of a table in parts."""
        if table.n_rows < 2:
            raise ValueError(f"{type(self).__name__} requires at least 2 rows, got {table.n_rows}")
        known, side = self._known_rows(table.n_rows, *supervision)
        self._check_data(table)
        if self.checkpoint is not None or self.resume:
            self._checkpoint_for()
        checked_parts(self, table, reset=True).verbose |= bool(self.verbose)
        *seeds, pool_seed = spawn_seeds(self.random_state, 4)
        vars(self)["preparer_"] = None
        scale = self._scale_of_features()
        pooled = pooled_parts(
            table,
            placing={"scale": scale, "n_components": self.n_components, "n_landmarks": self.n_landmarks},
            extra=self.extra_candidates,
            min_size=self.min_cluster_size,
            seed=pool_seed,
            n_clusters=self._number,
            verbose=bool(self.verbose),
            **{name: getattr(self, name) for name in ("families", "n_neighbors", "n_jobs")},
        )
        ks: Any = self.k_range
        while True:
            samples = with_known_rows(pooled(ks), table, known.rows)
            assert samples.counts is not None
            opened = replace(table, far_share=float(samples.counts.outliers.sum() / table.n_rows))
            vars(self).update(parts_=opened, _samples=samples, _seeds=seeds)
            extended = side.extended(0, before=samples.n_points)
            ks = yield from self._select(extended, *known.supervision, ks=ks if self._grows(side) else None)
            if not ks:
                return

    def _known_rows(self: Any, n_rows: int, *supervision: Any) -> tuple[KnownRows, SideInformation]:
        known = KnownRows.of(n_rows, *supervision)
        self._check_number(n_rows)
        options = {"novel": self.novel, "pairs": self.pairs}
        try:
            return known, read_side_information(len(known.rows), *known.supervision, **options)
        except InconsistentConstraintsError as error:
            raise error._renumbered(known.rows) from None

    def _read_known_rows(self: Any, *supervision: Any) -> SideInformation:
        """Read other labels and pairs, and the rows to which they refer."""
        known, side = self._known_rows(self.parts_.n_rows, *supervision)
        vars(self)["_samples"] = with_known_rows(self._samples, self.parts_, known.rows)
        extended: SideInformation = side.extended(0, before=self._samples.n_points)
        return extended

    @property
    def _marks_outliers(self: Any) -> BoolArray:
        """Mask of the clusters whose outliers are noise: all clusters with at least one inlier."""
        labels, samples = self._solution.labels, self._samples
        marks = np.full(int(labels.max()) + 1, samples.counts is None)
        marks[labels[~samples.far_samples]] = True
        return marks

    def _label(self: Any, *, of_fit: bool = False) -> Any:
        if not hasattr(self._samples.nearest, "scaling"):
            return RowLabels(self)
        marked = self._marks_outliers if self.noise == "label" else None
        known = self._labels_of_samples[self._samples.n_points :] if of_fit else None
        columns = None if self.preparer_ is None else list(self.feature_names_in_)
        return PooledLabels(self._samples, self._solution, marked, known, self.preparer_, columns)

    def _required_rows(self: Any) -> Any:
        # Every landmark must have a row in the sample.
        return self._samples.counts.first

    def _with_rows(self: Any, rows: NDArray[Any], labels: Labels) -> Any:
        if "alternatives_" not in vars(self):
            self._restore()  # saved models have no scores and alternatives
        found: Any = super()._with_rows(rows, labels)
        samples = self._samples
        nearest = samples.nearest(rows, 1)[0][:, 0].astype(np.int32)
        found._samples = replace(
            samples,
            n_samples=len(rows),
            landmark_of=nearest,
            scaled=samples.transform(rows),
            rows=None,
            outliers=samples.outlying(rows),
            counts=None,
            known_rows=NO_ROWS,
        )

        def expanded(solution: Solution) -> Solution:
            of_rows = samples.per_point(solution.labels)[nearest]
            return solution._replace(labels=of_rows, probabilities=None, known=None)

        found._solution = expanded(self._solution)
        found._solutions = {name: expanded(each) for name, each in self._solutions.items()}
        for name in {"control_labels_", "random_control_labels_"} & vars(self).keys():
            vars(found)[name] = vars(self)[name][nearest]
        return found

    def _described_alternatives(self: Any, names: Any) -> Any:
        # After ``_with_rows``, the sizes still count all rows.
        has_rows = self._samples.known_rows is not None and self._samples.counts is None
        return self.alternatives_ if has_rows else super()._described_alternatives(names)  # type: ignore[misc]

    def _of_rows(self: Any, what: str) -> Any:
        """Return the mask of outliers or the landmarks of the rows of the fit, lazily."""
        kind = _outliers if what == "outliers" else _landmarks
        return lazy_labels(self.parts_, partial(kind, samples=self._label().samples))
