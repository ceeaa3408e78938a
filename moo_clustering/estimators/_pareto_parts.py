"""ParetoClustering for partitioned tables: rows with labels or pairs, and labels of all rows."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import quoted, spawn_seeds
from moo_clustering._data import is_partitioned
from moo_clustering._targets import partial_targets
from moo_clustering._types import BoolArray, Int64Array, IntArray, Labels
from moo_clustering.algorithms.search import Plans
from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints
from moo_clustering.estimators._base import PartLabelsMixin, RowLabels, checked_parts
from moo_clustering.estimators._pareto_pool import NO_ROWS, PooledSamples
from moo_clustering.estimators._pareto_selection import SideInformation, Solution, read_side_information
from moo_clustering.parts import Parts, lazy_labels

# The number of rows with labels or pairs is limited, because these rows are read into memory.
_MOST_KNOWN = 100_000


def known_rows(
    n_rows: int, y: Any, must_link: Any, cannot_link: Any
) -> tuple[Int64Array, tuple[Any, Int64Array | None, Int64Array | None]]:
    """Return the indices of the rows with labels or pairs, and the labels and pairs of these rows.

    ``y`` contains the classes of all rows, or maps row indices to classes. Each returned pair
    holds two positions in the returned array of row indices. Labels and pairs are None if there are none.
    """
    numbers, classes = NO_ROWS, []
    if isinstance(y, Mapping):
        for number in y:
            whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
            if not whole or not 0 <= number < n_rows:
                raise ValueError(
                    f"y must map row indices from 0 to {n_rows - 1} to classes, got {quoted(number)}"
                )
        numbers = np.array(sorted(y), dtype=np.int64)
        classes = [y[number] for number in numbers.tolist()]
    elif y is not None:
        targets = partial_targets(y, n_rows)
        if targets.multilabel:
            raise ValueError("y must contain one class per row, or map row indices to classes")
        numbers, codes = targets.indicators.nonzero()
        classes = targets.classes[codes].tolist()
    pairs = PairwiseConstraints(must_link, cannot_link, n_samples=n_rows)
    rows = np.unique(np.concatenate([numbers, pairs.must_link.ravel(), pairs.cannot_link.ravel()]))
    if not len(rows):
        return NO_ROWS, (None, None, None)
    if len(rows) > _MOST_KNOWN:
        raise ValueError(
            f"y and pairs must name at most {_MOST_KNOWN} rows of a partitioned table, got {len(rows)}"
        )
    labels: Any = None
    if y is not None:
        labels = np.full(len(rows), -1, dtype=object)
        labels[np.searchsorted(rows, numbers)] = classes
        labels = labels.tolist()
    must, cannot = (np.searchsorted(rows, each) for each in (pairs.must_link, pairs.cannot_link))
    of_rows = None if must_link is None else must, None if cannot_link is None else cannot
    return rows.astype(np.int64), (labels, *of_rows)


def with_known_rows(samples: PooledSamples, table: Parts, numbers: Int64Array) -> PooledSamples:
    """Add table rows with labels or pairs to the samples. The table is read at most once."""
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
        beyond = samples.outlying_at(positions[:, 0], distances[:, 0], scaled)
        outliers, scaled = np.append(outliers, beyond), np.concatenate([landmarks, scaled])
    changes = {"scaled": scaled, "outliers": outliers, "known_rows": numbers}
    return replace(samples, n_samples=len(places), landmark_of=places, **changes)


class PooledLabels:
    """Callable that predicts the labels of rows.

    Rows with labels or pairs get the labels ``of_known``. The mask ``marked`` selects the clusters whose
    outliers are labelled -1.
    """

    def __init__(
        self,
        samples: PooledSamples,
        solution: Solution,
        marked: BoolArray | None,
        of_known: IntArray | None = None,
        preparer: Any = None,
        columns: Any = None,
    ) -> None:
        m, of_points = samples.n_points, samples.per_point(solution.labels)
        self.marked, self.preparer, self.columns = marked, preparer, columns
        self.solution = solution._replace(labels=of_points, probabilities=None, known=None)
        self.known: tuple[Int64Array, IntArray] | None = None
        if samples.known_rows is not None and of_known is not None and len(of_known):
            self.known = samples.known_rows, of_known
        # Replace unneeded arrays by None, not by empty arrays, whose hashes can differ.
        omitted: dict[str, Any] = dict.fromkeys(("pool", "scaled", "rows", "far_rows", "known_rows"))
        if samples.landmark_of is not None:
            omitted |= {"landmark_of": np.arange(m, dtype=np.int32)}
        self.samples = replace(samples, graph=sp.csr_array((m, m)), **omitted)

    def __call__(self, rows: Any) -> Labels:
        if self.preparer is not None:
            import pandas as pd  # slow import

            rows = np.asarray(self.preparer.transform(pd.DataFrame(rows, columns=self.columns)))
        labels = self.solution.clusters(self.samples, rows)
        if self.marked is not None:
            labels[self.samples.outlying(rows) & self.marked[labels]] = -1
        return labels

    def of_part(self, rows: Any, start: int) -> Labels:
        labels = self(rows)
        if self.known is not None:
            numbers, known = self.known
            here = (numbers >= start) & (numbers < start + len(labels))
            labels[numbers[here] - start] = known[here]
        return labels


def _outliers(rows: Any, samples: PooledSamples) -> Labels:
    return samples.outlying(rows).astype(np.int32)


def _landmarks(rows: Any, samples: PooledSamples) -> Labels:
    return samples.nearest(rows, 1)[0][:, 0].astype(np.int32)


class PartsMixin(PartLabelsMixin):
    def report(self: Any, path: Any, X: Any = None, **options: Any) -> Any:
        """Write an HTML report. For a partitioned table, the report shows the landmarks.

        See :meth:`ReportMixin.report`. After a fit to a partitioned table, the default of ``X`` is
        ``landmarks_``, and all numbers in the report except those in the headline count landmarks, not rows.
        """
        return super().report(path, *self._shown_landmarks(X, options), **options)  # type: ignore[misc]

    def show(self: Any, X: Any = None, **options: Any) -> None:
        """Display the report in a notebook or the browser; see :meth:`report`."""
        super().show(*self._shown_landmarks(X, options), **options)  # type: ignore[misc]

    def _shown_landmarks(self: Any, X: Any, options: dict[str, Any]) -> tuple[Any]:
        """Return ``X`` or, for partitioned tables, the landmarks. Set defaults of the report ``options``."""
        check_is_fitted(self)
        if self._samples.counts is None or X is not None:
            return (X,)
        options.setdefault("sample_kind", "landmark")
        names, landmarks = vars(self).get("feature_names_in_", ()), self.landmarks_
        # Landmarks of reduced rows consist of components, not table features.
        options.setdefault("feature_names", [*names] if len(names) == landmarks.shape[1] else None)
        return (landmarks,)

    def _reads_parts(self: Any, X: Any) -> bool:
        """Return whether X is a partitioned table. Raise a ValueError if an option does not support it."""
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
            raise ValueError(f"{found} does not support a partitioned table; remove it, or fit a sample")
        return found is None  # otherwise, small Dask and Zarr arrays are read into memory

    def _fit_parts(self: Any, table: Parts, *supervision: Any) -> Plans[None]:
        if table.n_rows < 2:
            raise ValueError(f"{type(self).__name__} requires at least 2 rows, got {table.n_rows}")
        known, supervision, side = self._known_rows(table.n_rows, *supervision)
        self._check_data(table)
        if self.checkpoint is not None or self.resume:
            self._checkpoint_for()
        checked_parts(self, table, reset=True).verbose |= bool(self.verbose)
        *seeds, pool_seed = spawn_seeds(self.random_state, 4)
        vars(self)["preparer_"] = None
        pooled = self._pooled(table, True, pool_seed)
        ks: Any = self.k_range
        while True:
            samples = with_known_rows(pooled(ks), table, known)
            assert samples.counts is not None
            opened = replace(table, far_share=float(samples.counts.outliers.sum() / table.n_rows))
            vars(self).update(parts_=opened, _samples=samples, _seeds=seeds)
            extended = side.extended(0, before=samples.n_points)
            ks = yield from self._select(extended, *supervision, ks=ks if self._grows(side) else None)
            if not ks:
                return

    def _known_rows(
        self: Any, n_rows: int, *supervision: Any
    ) -> tuple[Int64Array, tuple[Any, ...], SideInformation]:
        rows, supervision = known_rows(n_rows, *supervision)
        self._check_number(n_rows)
        options = {"novel": self.novel, "pairs": self.pairs}
        try:
            return rows, supervision, read_side_information(len(rows), *supervision, **options)
        except InconsistentConstraintsError as error:
            raise error._renumbered(rows) from None

    def _read_known_rows(self: Any, *supervision: Any) -> SideInformation:
        rows, _, side = self._known_rows(self.parts_.n_rows, *supervision)
        vars(self)["_samples"] = with_known_rows(self._samples, self.parts_, rows)
        return side.extended(0, before=self._samples.n_points)

    def _label(self: Any, *, of_fit: bool = False) -> Any:
        if not hasattr(self._samples.nearest, "scaling"):
            return RowLabels(self)
        marked = self._has_inliers if self.noise == "label" else None
        known = self._labels_of_samples[self._samples.n_points :] if of_fit else None
        columns = None if self.preparer_ is None else list(self.feature_names_in_)
        return PooledLabels(self._samples, self._solution, marked, known, self.preparer_, columns)

    def _required_rows(self: Any) -> Any:
        # The sample must contain at least one row of each landmark.
        return self._samples.counts.first

    def _with_rows(self: Any, rows: NDArray[Any], labels: Labels) -> Any:
        if "alternatives_" not in vars(self):
            self._restore()  # restores scores and alternatives, which pickles omit
        found: Any = super()._with_rows(rows, labels)
        samples, nearest = self._samples, _landmarks(rows, self._samples)
        of_rows = {"scaled": samples.transform(rows), "outliers": samples.outlying(rows)}
        of_rows |= {"rows": None, "counts": None, "known_rows": NO_ROWS}
        found._samples = replace(samples, n_samples=len(rows), landmark_of=nearest, **of_rows)

        def expanded(solution: Solution) -> Solution:
            of_rows = samples.per_point(solution.labels)[nearest]
            return solution._replace(labels=of_rows, probabilities=None, known=None)

        found._solution = expanded(self._solution)
        found._solutions = {name: expanded(each) for name, each in self._solutions.items()}
        for name in {"control_labels_", "random_control_labels_"} & vars(self).keys():
            vars(found)[name] = vars(self)[name][nearest]
        return found

    def _described_alternatives(self: Any, names: Any) -> Any:
        # After ``_with_rows``, keep the alternatives, because their cluster sizes count all table rows.
        has_rows = self._samples.known_rows is not None and self._samples.counts is None
        return self.alternatives_ if has_rows else super()._described_alternatives(names)  # type: ignore[misc]

    def _of_rows(self: Any, what: str) -> Any:
        kind = _outliers if what == "outliers" else _landmarks
        return lazy_labels(self.parts_, partial(kind, samples=self._label().samples))
