"""One partition from the runs of an ensemble."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.consensus import best_half, cspa, hbgf, hgpa, mcla, select_pareto
from moo_clustering.consensus._cspa import check_memory
from moo_clustering.encodings import relabel_by_first_appearance

Labels = NDArray[np.int32]
Consensus = Callable[..., ArrayLike]

CONSENSUS: dict[str, Consensus] = {"mcla": mcla, "cspa": cspa, "hgpa": hgpa, "hbgf": hbgf}


def chosen_runs(
    selection: str,
    labels: Labels,
    losses: NDArray[np.float64],
    n_clusters: int,
    B: Any,
    choose: str,
    seed: np.random.SeedSequence,
) -> NDArray[np.intp]:
    """Runs that take part in the consensus."""
    if selection == "none" or len(labels) < 2:
        return np.arange(len(labels))
    if selection == "best_half":
        return best_half(labels)
    picked = select_pareto(
        labels,
        n_clusters,
        losses=losses,
        min_runs=min(5, len(labels)),
        choose=choose,  # type: ignore[arg-type]
        X=B if choose == "i2" else None,
        random_state=np.random.default_rng(seed),
    )
    return picked.runs


def check_pairs(consensus: str | Consensus, n_documents: int, max_memory: int) -> None:
    """Refuse before the runs, not after them, to compare more pairs than there is memory for.

    Raises
    ------
    ValueError
    """
    if consensus == "cspa":
        check_memory(n_documents, "average", None, max_memory)


def consensus_partition(
    consensus: str | Consensus,
    labels: Labels,
    n_clusters: int,
    seed: np.random.SeedSequence,
    max_memory: int,
) -> tuple[Labels, NDArray[np.float64]]:
    """Clusters 0, 1, ... in the order of their first documents, and how documents are associated.

    MCLA brings its own association: the mean over the members of a meta-cluster. Of other functions it
    is :func:`association`.

    Raises
    ------
    ValueError
        A consensus function of the user returns something else than one label per document.
    """
    rng = np.random.default_rng(seed)
    if consensus == "mcla":
        found, rows = mcla(labels, n_clusters, random_state=rng, return_association=True)
        return found, rows[: int(found.max()) + 1]
    function = consensus if callable(consensus) else CONSENSUS[consensus]
    options: dict[str, Any] = {"max_memory": max_memory} if consensus == "cspa" else {}
    returned = function(labels, n_clusters, random_state=rng, **options)
    try:
        result = np.asarray(returned)
        got = f"{result.dtype} of shape {result.shape}"
    except ValueError:
        # Such as a pair of labels and something else.
        result, got = np.empty(0), repr(type(returned).__name__)
    if result.shape != (labels.shape[1],) or result.dtype.kind not in "iu":
        raise ValueError(
            f"consensus must return one integer label for each of {labels.shape[1]} documents, got {got}"
        )
    if result.min() < 0:
        raise ValueError(f"consensus must return labels from 0 on, got {result.min()}")
    # Labels of any size, in numbers that are small.
    codes = np.unique(result, return_inverse=True)[1]
    found = relabel_by_first_appearance(codes[None])[0]
    return found, association(labels, found)


def association(labels: Labels, partition: Labels) -> NDArray[np.float64]:
    """How often, on average over a cluster's members and the runs, a document is with them.

    Parameters
    ----------
    labels : ndarray of shape (n_runs, n_documents)
    partition : ndarray of shape (n_documents,)
        Clusters without gaps.

    Returns
    -------
    ndarray of shape (n_clusters, n_documents), 0 to 1
    """
    n_clusters = int(partition.max()) + 1
    sizes = np.bincount(partition)
    out = np.zeros((n_clusters, len(partition)))
    for run in labels:
        counts = np.zeros((n_clusters, int(run.max()) + 1))
        np.add.at(counts, (partition, run), 1.0)
        out += (counts / sizes[:, None])[:, run]
    return out / len(labels)
