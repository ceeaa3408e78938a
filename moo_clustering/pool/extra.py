"""User-supplied candidate partitions for a pool: labels and clusterers."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from moo_clustering._arrays import FloatArray, Int64Array, IntpArray, quoted
from moo_clustering._data import checked_array, unmasked
from moo_clustering.pool import families as clusterings

Extra = Any
"""A clusterer, or a pair (family, labels), or a pair (family, clusterer)."""
Candidates = list[tuple[str, clusterings.Partition]]
_FORMS = "a clusterer, (family, labels) or (family, clusterer)"


def extra_partitions(
    extra_candidates: Iterable[Extra] | None,
    X: Any,
    *,
    n_samples: int,
    landmark_of: ArrayLike | None = None,
    rng: np.random.Generator,
    metric: str = "euclidean",
    failures: clusterings.Failures | None = None,
) -> Candidates:
    """Collect candidate partitions from user-supplied labels and clusterers.

    Raises a ValueError or TypeError if the form of an entry, or the length or type of labels, is invalid.
    Negative labels are noise. If X is a dense numeric table, noise joins the cluster of the nearest clustered
    sample. Otherwise, noise forms a separate cluster. Clusterers that fail and partitions with fewer than two
    clusters are omitted with a UserWarning. Source: ParetoClustering (agreement between algorithm families).

    Parameters
    ----------
    extra_candidates : iterable, optional
        Entries ``(family, labels)``, ``(family, clusterer)``, or clusterers, whose class names are their
        families. Labels have shape (n_samples,) or (n_landmarks,), or one such row per partition. Clusterers
        are cloned, seeded if ``random_state`` is None, and fitted. All ``pareto_labels_`` are used.
    X : array-like of shape (n_landmarks, n_features)
        Landmarks or, if there are none, samples. Clusterers are fitted to them.
    n_samples : int
        Number of samples.
    landmark_of : array-like of shape (n_samples,), optional
        Landmark of each sample. The most frequent label of a landmark's samples (the lowest if tied) is used.
    rng : numpy.random.Generator
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Whether X contains features or distances.
    failures : dict, optional
        Dictionary to which the reasons of failures are added under the family. Default: a warning lists them.

    Returns
    -------
    candidates : list of (family, labels of shape (n_landmarks,))
        Candidates in the order of ``extra_candidates``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import DBSCAN
    >>> from moo_clustering.pool import extra_partitions
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [5.9]])
    >>> extra_partitions([DBSCAN(eps=0.5, min_samples=2)], X, n_samples=5, rng=np.random.default_rng(0))
    [('DBSCAN', array([0, 0, 1, 1, 1]))]
    """
    candidates: Candidates = []
    found: clusterings.Failures = {} if failures is None else failures
    X = unmasked(X, "X")
    landmarks = None if landmark_of is None else _checked_landmarks(landmark_of, n_samples)
    m = n_samples
    if landmarks is not None:
        m = max(X.shape[0] if hasattr(X, "shape") else len(X), int(landmarks.max()) + 1)
    table = _table(X, m)
    data = None if table is None else clusterings.PoolData(table, metric == "precomputed")
    for family, source in _entries(extra_candidates):
        # Draw a seed even for labels, so that replacing a clusterer by labels does not change the other
        # seeds.
        seed = int(rng.integers(2**31 - 1))
        if hasattr(source, "fit"):
            try:
                rows = _rows(family, _fitted(source, X, seed), {m})
            except Exception as error:
                found.setdefault(family, []).append(clusterings.reason_of(error))
                continue
        else:
            rows = _rows(family, source, {n_samples, m})
            if landmarks is not None and rows.shape[1] == n_samples:
                rows = np.stack([_commonest(_codes(row), landmarks, m) for row in rows])
        settled = [_settled(_codes(row), data) for row in rows]
        proper: list[clusterings.Partition] = [labels for labels in settled if (labels != labels[0]).any()]
        candidates += [(family, labels) for labels in proper]
        if not proper:
            found.setdefault(family, []).append("no partition with two or more clusters")
    if failures is None:
        clusterings.warn_of_failures(found)
    return candidates


def _checked_landmarks(landmark_of: ArrayLike, n_samples: int) -> IntpArray:
    landmarks = checked_array(landmark_of, "landmark_of")
    if landmarks.shape != (n_samples,) or landmarks.dtype.kind not in "iu" or landmarks.min(initial=0) < 0:
        raise ValueError(
            f"landmark_of must have one non-negative landmark number per sample, {n_samples} in all; "
            f"got shape {landmarks.shape} and dtype {landmarks.dtype}"
        )
    return landmarks.astype(np.intp)


def _table(X: Any, m: int) -> FloatArray | None:
    """Return X if it can be converted to a dense table of finite numbers with m rows, else None."""
    if issparse(X):
        return None
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if table.ndim != 2 or len(table) != m or not table.shape[1] or not np.isfinite(table).all():
        return None
    return table


def _entries(extra_candidates: Any) -> list[tuple[str, Any]]:
    if isinstance(extra_candidates, str) or not isinstance(extra_candidates, Iterable | None):
        raise TypeError(f"extra_candidates must be a list of {_FORMS}, got {quoted(extra_candidates)}")
    found = []
    for item in () if extra_candidates is None else extra_candidates:
        is_clusterer = hasattr(item, "fit") and not isinstance(item, type)
        pair = (type(item).__name__, item) if is_clusterer else item
        is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)
        if not is_pair or pair[1] is None or isinstance(pair[1], str | type):
            raise TypeError(f"every entry of extra_candidates must be {_FORMS}, got {quoted(item)}")
        found.append((pair[0], pair[1]))
    return found


def _rows(family: str, labels: Any, lengths: set[int]) -> NDArray[Any]:
    rows = np.atleast_2d(checked_array(labels, f"extra_candidates: labels of {family!r}"))
    if rows.ndim != 2 or rows.shape[1] not in lengths:
        raise ValueError(
            f"extra_candidates: labels of {family!r} must have length "
            f"{' or '.join(map(str, sorted(lengths)))}, got shape {np.shape(labels)}"
        )
    whole = rows.dtype.kind != "f" or (np.isfinite(rows).all() and (rows == np.rint(rows)).all())
    if not whole or rows.dtype.kind == "c" or (rows.dtype.kind == "O" and not _sortable(rows)):
        raise ValueError(
            f"extra_candidates: labels of {family!r} must be finite integers (negative for noise) or names"
        )
    return rows


def _sortable(rows: NDArray[Any]) -> bool:
    """Return whether all labels are numbers other than NaN, or all are strings."""
    try:
        return all((row == row).all() and len(np.unique(row)) > 0 for row in rows)
    except TypeError:
        return False


def _fitted(clusterer: Any, X: Any, seed: int) -> Any:
    fresh = clone(clusterer)
    parameters = fresh.get_params(deep=False)
    if "random_state" in parameters and parameters["random_state"] is None:
        fresh.set_params(random_state=seed)
    labels = fresh.fit_predict(X) if hasattr(fresh, "fit_predict") else fresh.fit(X).labels_
    front = getattr(fresh, "pareto_labels_", None)
    return labels if front is None or not len(front) else front


def _commonest(codes: Int64Array, landmarks: IntpArray, m: int) -> Int64Array:
    """Return the most frequent code of each landmark's samples, or -1 if all of them are noise."""
    clustered = codes >= 0
    n_codes = int(codes.max(initial=0)) + 1
    cells = landmarks[clustered] * n_codes + codes[clustered]
    counts = np.bincount(cells, minlength=m * n_codes).reshape(m, n_codes)
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1)


def _codes(labels: NDArray[Any]) -> Int64Array:
    """Return codes 0, 1, ... in the sorted order of the labels, and -1 for noise."""
    clustered = labels >= 0 if labels.dtype.kind in "if" else np.ones(len(labels), dtype=bool)
    codes = np.full(len(labels), -1, dtype=np.int64)
    codes[clustered] = np.unique(labels[clustered], return_inverse=True)[1]
    return codes


def _settled(labels: Int64Array, data: clusterings.PoolData | None) -> clusterings.Partition:
    if data is None:
        return np.where(labels < 0, labels.max(initial=-1) + 1, labels)
    return clusterings.without_noise(data, labels) if (labels >= 0).any() else np.zeros_like(labels)
