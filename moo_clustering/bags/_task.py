"""What is minimised over partitions of bags, as the compiled loops read it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.bag_types import DAVIES_BOULDIN, FTWCV, TWCV, Task
from moo_clustering.bags._geometry import BagGeometry
from moo_clustering.constraints import PairwiseConstraints

Objective = Literal["db", "twcv", "ftwcv"]
Reading = Literal["between", "printed", "printed_meansq"]

CODES = {"db": DAVIES_BOULDIN, "twcv": TWCV, "ftwcv": FTWCV}


def make_task(
    geometry: BagGeometry,
    objective: Objective,
    *,
    reading: Reading = "between",
    rule: int = 0,
    least: int = 0,
    constraints: PairwiseConstraints | None = None,
    penalty: float = 0.0,
) -> Task:
    """The objective with its constants.

    Parameters
    ----------
    geometry : BagGeometry
    objective : {"db", "twcv", "ftwcv"}
    reading : {"between", "printed", "printed_meansq"}, default="between"
        Of FTWCV.
    rule : int
        How genes are drawn.
    least : int
        Bags that no move may leave a cluster with fewer of.
    constraints : PairwiseConstraints, optional
    penalty : float
        The objective is multiplied by 1 + penalty * violation.
    """
    if objective not in get_args(Objective):
        raise ValueError(f"objective must be 'db', 'twcv' or 'ftwcv', got {objective!r}.")
    if reading not in get_args(Reading):
        raise ValueError(f"reading must be 'between', 'printed' or 'printed_meansq', got {reading!r}.")
    terms = np.zeros(geometry.n_bags)
    if objective == "ftwcv":
        if reading == "between":
            constant = float(geometry.weights @ np.einsum("bd,bd->b", geometry.means, geometry.means))
        else:
            terms = squared_norms(geometry, reading)
            constant = float(terms.sum())
    else:
        constant = 0.0
    start, bag, weight, free = signed_pairs(geometry.n_bags, constraints)
    literal = objective == "ftwcv" and reading != "between"
    return Task(
        CODES[objective], literal, constant, terms, rule, least, float(penalty), start, bag, weight, free
    )


def squared_norms(geometry: BagGeometry, reading: Reading) -> NDArray[np.float64]:
    """Of every bag, the mean squared norm of its instances, or the squared norm of their mean.

    In the coordinates of the bags: these readings depend on the origin.
    """
    if reading == "printed_meansq":
        means = geometry.means + geometry.center
        return np.asarray(np.einsum("bd,bd->b", means, means))
    bags = geometry.bags
    X = np.asarray(bags.instances, dtype=np.float64)
    squares = np.einsum("td,td->t", X, X)
    return np.asarray(np.add.reduceat(squares, bags.offsets[:-1]) / bags.sizes)


def signed_pairs(
    n_bags: int, constraints: PairwiseConstraints | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], float]:
    """Neighbours of every bag in the constraints, and what each adds to the violation when together.

    Shares of the must-links count below zero, since a must-link between bags that are together is not
    violated; the constant makes up for it.
    """
    if constraints is None or len(constraints) == 0:
        return np.zeros(n_bags + 1, np.int64), np.empty(0, np.int64), np.empty(0), 0.0
    must, cannot = constraints.must_link_weights, constraints.cannot_link_weights
    ends = np.concatenate([constraints.must_link, constraints.cannot_link])
    share = np.concatenate([-must / max(must.sum(), 1e-300), cannot / max(cannot.sum(), 1e-300)])
    one, other = np.concatenate([ends, ends[:, ::-1]]).T
    order = np.argsort(one, kind="stable")
    start = np.searchsorted(one[order], np.arange(n_bags + 1)).astype(np.int64)
    both = np.concatenate([share, share])[order]
    return start, np.ascontiguousarray(other[order]), both, float(must.sum() > 0)
