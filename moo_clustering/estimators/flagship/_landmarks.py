"""Few rows that stand for many."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans

FloatArray = NDArray[np.float64]

_PASSES = 10
_BATCH = 10_000
_CHUNK = 100_000


class Landmarks(NamedTuple):
    """Means of the samples that are nearest to the same centre.

    Attributes
    ----------
    rows : ndarray of shape (n_landmarks, n_features)
    landmark_of : ndarray of shape (n_samples,), int32
    """

    rows: FloatArray
    landmark_of: NDArray[np.int32]


def find_landmarks(X: FloatArray, n_landmarks: int, seed: int) -> Landmarks:
    """At most ``n_landmarks`` of them, by mini-batch k-means from random rows.

    Every landmark counts the same afterwards: dense regions are thinned out, which helps clusters of
    uneven mass.

    Notes
    -----
    O(n_samples n_landmarks n_features) time for each of ten passes; O(n_samples) memory beside the data
    and a batch of distances.
    """
    centers = (
        MiniBatchKMeans(
            n_landmarks,
            init="random",
            n_init=1,
            max_iter=_PASSES,
            batch_size=min(len(X), _BATCH),
            # Sums over all samples, which depend on the number of threads, decide nothing.
            max_no_improvement=None,
            tol=0.0,
            compute_labels=False,
            random_state=seed,
        )
        .fit(X)
        .cluster_centers_
    )
    nearest = _nearest(X, centers)
    used, landmark_of = np.unique(nearest, return_inverse=True)
    numbers: NDArray[np.int32] = landmark_of.reshape(-1).astype(np.int32)
    return Landmarks(landmark_means(X, numbers, len(used)), numbers)


def _nearest(X: FloatArray, centers: FloatArray) -> NDArray[np.intp]:
    half = 0.5 * np.einsum("ij,ij->i", centers, centers)
    nearest = np.empty(len(X), dtype=np.intp)
    step = max(1, _CHUNK * 100 // len(centers))
    for low in range(0, len(X), step):
        nearest[low : low + step] = (X[low : low + step] @ centers.T - half).argmax(axis=1)
    return nearest


def landmark_means(X: Any, landmark_of: NDArray[np.integer[Any]], n_landmarks: int) -> Any:
    """Mean row of the samples of every landmark; sparse if X is."""
    counts = np.bincount(landmark_of, minlength=n_landmarks)
    # Clusterers of scikit-learn refuse sparse rows with indices of 64 bits.
    columns = np.arange(len(landmark_of), dtype=np.int32)
    members = (1.0 / counts[landmark_of], (landmark_of.astype(np.int32), columns))
    mean_of = sp.csr_array(members, shape=(n_landmarks, len(landmark_of)))
    return mean_of @ X
