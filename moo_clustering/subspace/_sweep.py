"""One sweep of semi-supervised subspace clustering (SISC, SISC-ML; SCAD2 without its two terms)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._targets import Targets
from moo_clustering.subspace._class_shares import LabelledShares, labelled_shares, overall_shares
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._distances import prepare
from moo_clustering.subspace._impurity import impurity
from moo_clustering.subspace._memberships import as_memberships, update
from moo_clustering.subspace._options import SubspaceOptions
from moo_clustering.subspace._sparse import Floats
from moo_clustering.subspace._weights import weigh


class Sweep(NamedTuple):
    """State after a sweep.

    Attributes
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
        New memberships; rows sum to 1.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
        Centroids; logarithms of the weights lambda, -inf for features that are the same in all samples.
    shares : ndarray of shape (n_clusters, n_classes)
        Shares of classes in the new memberships: what predictions are made of.
    impurities : ndarray of shape (n_clusters,)
        Those of the memberships handed in, with which weights, new memberships and objective were found.
    distances : ndarray of shape (n_samples, n_clusters), float64
        With (m lambda)^q.
    chi_term : ndarray of shape (n_clusters,)
        Sum over features of (m lambda)^q chi.
    objective : float
        Equation (2) with m lambda for lambda, at the new memberships.
    change : float
        Greatest change of a membership.
    """

    memberships: Floats
    centers: Floats
    log_weights: Floats
    shares: NDArray[np.float64]
    impurities: NDArray[np.float64]
    distances: NDArray[np.float64]
    chi_term: NDArray[np.float64]
    objective: float
    change: float


def sweep(
    data: SubspaceData,
    targets: Targets,
    memberships: NDArray[np.floating[Any]],
    options: SubspaceOptions,
    *,
    centers: NDArray[np.floating[Any]] | None = None,
) -> Sweep:
    """Centroids, impurities, chi-square, weights, distances and new memberships, once, in this order.

    Parameters
    ----------
    data : SubspaceData
    targets : Targets
        Classes of some, all or none of the samples.
    memberships : ndarray of shape (n_samples, n_clusters)
    options : SubspaceOptions
    centers : ndarray of shape (n_features, n_clusters), optional
        Centroids that clusters without any mass keep; the mean of the data by default.

    Returns
    -------
    Sweep

    Notes
    -----
    O((non-zeros + samples + features) * clusters) time in three products with the sparse data, taken in two
    passes; O((samples + features) * clusters) memory. Results do not depend on the number of threads.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, equations (1) to
    (11).
    """
    given = as_memberships(memberships, data)
    check_targets(targets, data)
    return sweep_from(data, targets, given, labelled_shares(given, targets), options, centers)[0]


def sweep_from(
    data: SubspaceData,
    targets: Targets,
    memberships: Floats,
    labelled: LabelledShares,
    options: SubspaceOptions,
    centers: NDArray[np.floating[Any]] | None,
) -> tuple[Sweep, LabelledShares]:
    """A sweep of checked input, from and to memberships together with their shares of classes."""
    n_labelled = len(targets.rows)
    impurities = impurity(
        labelled.shares,
        overall_shares(targets),
        labelled.sizes,
        n_labelled,
        targets.multilabel,
        options.impurity,
    )
    chi_total = float(data.n if options.chi_scale == "n" else n_labelled)
    weighted = weigh(data, memberships, impurities, options, centers, chi_total)
    weights = prepare(data, weighted.centers, weighted.log_weights, options.weight_exponent)
    new = update(data, weights, impurities, memberships, options)
    del weights  # as large as the centroids
    after = labelled_shares(new.memberships, targets)
    state = Sweep(
        memberships=new.memberships,
        centers=weighted.centers,
        log_weights=weighted.log_weights,
        shares=after.shares,
        impurities=impurities,
        distances=new.distances,
        chi_term=weighted.chi_term,
        objective=new.loss + options.gamma * float(weighted.chi_term.sum()),  # Eq. 2
        change=new.change,
    )
    return state, after


def check_targets(targets: Targets, data: SubspaceData) -> None:
    """Refuse targets of another number of samples."""
    if len(targets.labelled) != data.n:
        raise ValueError(f"targets must be of {data.n} samples, as the data; got {len(targets.labelled)}")
