"""What makes clusters in subspaces good, every value to be minimised."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from moo_clustering._targets import Targets
from moo_clustering.subspace import SubspaceOptions, Sweep, impurity
from moo_clustering.subspace._class_shares import labelled_shares, overall_shares

Objective = Callable[[Sweep, Targets, SubspaceOptions], float]


def dispersion(done: Sweep, targets: Targets, options: SubspaceOptions) -> float:
    """sum_lj w_lj^f d_jl / n: how far documents are from centroids in the subspaces of these (F1)."""
    terms = done.memberships**options.fuzziness * done.distances
    return float(terms.sum(dtype=np.float64)) / len(terms)


def mean_impurity(done: Sweep, targets: Targets, options: SubspaceOptions) -> float:
    """sum_l S'_l Imp_l / n over labelled documents, by their final memberships (F2).

    Impurities are relative to that of all labelled documents, whatever the normalisation in the sweeps.
    """
    shares, sizes = labelled_shares(done.memberships, targets)
    n_labelled = len(targets.rows)
    values = impurity(shares, overall_shares(targets), sizes, n_labelled, targets.multilabel, "mean")
    return float(sizes @ values) / n_labelled


def cluster_count(done: Sweep, targets: Targets, options: SubspaceOptions) -> float:
    """Number of clusters (F3)."""
    return float(done.memberships.shape[1])


def weighted_chi_square(done: Sweep, targets: Targets, options: SubspaceOptions) -> float:
    """sum_li (m lambda_li)^q chi_li, chi as in the last sweep: weight on few, telling features (F3)."""
    return float(np.sum(done.chi_term))


OBJECTIVES: dict[str, Objective] = {
    "dispersion": dispersion,
    "impurity": mean_impurity,
    "n_clusters": cluster_count,
    "chi_square": weighted_chi_square,
}


def checked_objectives(objectives: Sequence[str]) -> tuple[str, ...]:
    """Names of objectives, each known and given once."""
    if isinstance(objectives, str):
        objectives = (objectives,)
    names = tuple(objectives)
    if not names:
        raise ValueError(f"objectives must name at least one of {', '.join(OBJECTIVES)}; got none.")
    for name in names:
        if not isinstance(name, str) or name not in OBJECTIVES:
            raise ValueError(f"objectives must be among {', '.join(OBJECTIVES)}; got {name!r}.")
    if len(set(names)) < len(names):
        raise ValueError(f"objectives must differ, got {names}.")
    return names
