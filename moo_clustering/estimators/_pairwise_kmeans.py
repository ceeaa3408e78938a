"""K-means that pays for violated must-links and cannot-links."""

from __future__ import annotations

import numpy as np

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._distortions import Distortion, Features
from moo_clustering.estimators._pairwise_base import PairwiseKMeans
from moo_clustering.estimators._penalized_kmeans import Penalties


class PCKMeans(PairwiseKMeans):
    """K-means in which every violated pair costs the same.

    Minimises J = sum of the distortions to the centres + ``w`` per must-link between clusters +
    ``w_cannot`` per cannot-link within one. The first centres are those of must-link components.

    Parameters
    ----------
    n_clusters : int
        From 1 to n_samples.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distortion: the squared distance to the mean, or 1 - cos to the mean direction. Rows of zeros
        are at cosine distance 1 from everything.
    w : float, optional
        Cost of a violated must-link; the mean distortion to a single centre by default, or 1 where that
        is 0.
    w_cannot : float, optional
        Cost of a violated cannot-link; ``w`` by default.
    n_init : int, default=10
        Runs with other random orders and, where must-links give too few, other random first centres;
        the one with the least J counts.
    max_iter : int, default=100
        Rounds of a run.
    conflicts : {"raise", "keep"}, default="raise"
        Whether pairs that contradict each other are an error, or pull both ways.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first samples.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Unit vectors for ``metric="cosine"``.
    n_clusters_ : int
        Clusters that have samples.
    objective_ : float
        J.
    inertia_ : float
        Its first part, the sum of the distortions.
    objective_history_ : ndarray of shape (n_iter_,)
        J after every round; never rises.
    n_iter_ : int
    n_features_in_, feature_names_in_

    Notes
    -----
    A round assigns the samples one after another in random order (iterated conditional modes) and
    moves the centres: O(n_samples n_clusters n_features + n_pairs) time, O(n_samples n_clusters +
    n_pairs) memory. Sparse data stay sparse. All pairs of labelled samples count: n labels make
    n(n-1)/2.

    References
    ----------
    S. Basu, A. Banerjee, R. Mooney, "Active semi-supervision for pairwise constrained clustering", SIAM
    International Conference on Data Mining (2004), section 2.

    Examples
    --------
    >>> from moo_clustering.estimators import PCKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]]
    >>> PCKMeans(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> PCKMeans(2, w=100.0, random_state=0).fit_predict(X, must_link=[(2, 3)])
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    """

    def _penalties(self, X: Features, pairs: PairwiseConstraints, distortion: Distortion) -> Penalties:
        w = self.w
        if w is None:
            one = np.zeros(X.shape[0], dtype=np.int32)
            center = distortion.centers(X, one, np.zeros((1, X.shape[1])))
            w = float(distortion.distances(X, center).mean()) or 1.0
        w_cannot = w if self.w_cannot is None else self.w_cannot
        return Penalties(
            pairs.must_link,
            np.full(len(pairs.must_link), float(w)),
            pairs.cannot_link,
            np.full(len(pairs.cannot_link), float(w_cannot)),
        )


class HMRFKMeans(PairwiseKMeans):
    """K-means in which violated pairs cost by distance: a hidden Markov random field.

    Minimises J = sum of the distortions to the centres + ``w`` d(i, j) per must-link between clusters +
    ``w_cannot`` (d_max - d(i, j)) per cannot-link within one, d being the distortion between two samples
    and d_max the largest in the data: the farther apart must-linked samples are, and the nearer
    cannot-linked ones, the more there is to correct. The first centres are those of must-link
    components.

    Parameters
    ----------
    n_clusters : int
        From 1 to n_samples.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distortion: the squared distance to the mean, or 1 - cos to the mean direction. Rows of zeros
        are at cosine distance 1 from everything.
    w : float, optional
        Factor of the cost of violated must-links, 1 by default.
    w_cannot : float, optional
        Factor of the cost of violated cannot-links; ``w`` by default.
    n_init : int, default=10
        Runs with other random orders and, where must-links give too few, other random first centres;
        the one with the least J counts.
    max_iter : int, default=100
        Rounds of a run.
    conflicts : {"raise", "keep"}, default="raise"
        Whether pairs that contradict each other are an error, or pull both ways.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first samples.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Unit vectors for ``metric="cosine"``.
    n_clusters_ : int
        Clusters that have samples.
    objective_ : float
        J.
    inertia_ : float
        Its first part, the sum of the distortions.
    objective_history_ : ndarray of shape (n_iter_,)
        J after every round; never rises.
    n_iter_ : int
    n_features_in_, feature_names_in_

    Notes
    -----
    As :class:`PCKMeans`. With cannot-links, d_max takes up to O(n_samples^2 n_features) time, once; only
    samples far enough from the mean are compared.

    References
    ----------
    S. Basu, M. Bilenko, R. Mooney, "A probabilistic framework for semi-supervised clustering", KDD
    (2004), without its learning of the distortion.

    Examples
    --------
    >>> from moo_clustering.estimators import HMRFKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]]
    >>> HMRFKMeans(2, random_state=0).fit_predict(X, must_link=[(2, 3)])
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    """

    def _penalties(self, X: Features, pairs: PairwiseConstraints, distortion: Distortion) -> Penalties:
        w = 1.0 if self.w is None else self.w
        w_cannot = w if self.w_cannot is None else self.w_cannot
        apart = distortion.within(X, pairs.cannot_link)
        largest = distortion.largest(X) if len(apart) else 0.0
        return Penalties(
            pairs.must_link,
            w * distortion.within(X, pairs.must_link),
            pairs.cannot_link,
            w_cannot * np.maximum(largest - apart, 0.0),
        )
