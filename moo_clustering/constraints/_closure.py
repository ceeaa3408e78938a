"""Transitive closure: must-link components, and cannot-links between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from moo_clustering.constraints._errors import InconsistentConstraintsError, first_conflicts, show_chain
from moo_clustering.constraints._pairs import Pairs, expand, keys_to_pairs, pair_keys, unrank_pairs
from moo_clustering.constraints._sampling import check_affordable

Ints = NDArray[np.int64]


def link_graph(links: Pairs, n_samples: int) -> Any:
    """Sparse adjacency of the pairs, each in one direction."""
    return sparse.csr_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n_samples, n_samples))


def connected(links: Pairs, n_samples: int) -> Ints:
    """Component of every sample, components numbered by their least sample."""
    component = csgraph.connected_components(link_graph(links, n_samples), directed=False)[1]
    # SciPy numbers them in this order too, but does not promise it.
    first = np.unique(component, return_index=True)[1]
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[component]


def chain(graph: Any, start: int, end: int) -> list[int]:
    """Samples of a shortest path between two samples of one component."""
    before = csgraph.breadth_first_order(graph, start, directed=False)[1]
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return path[::-1]


def refuse_conflicts(conflicts: Pairs, must_link: Pairs, n_samples: int) -> None:
    """Raise the error that shows how must-links join what a cannot-link separates."""
    if not len(conflicts):
        return
    graph = link_graph(must_link, n_samples)
    reasons = [
        f"cannot-link ({i}, {j}), but must-links join {show_chain(chain(graph, i, j))}"
        for i, j in first_conflicts(conflicts)
    ]
    raise InconsistentConstraintsError(conflicts, reasons)


class Closed(NamedTuple):
    """Every pair that follows from the given ones, with its weight."""

    must: Pairs
    must_weights: NDArray[np.float64]
    cannot: Pairs
    cannot_weights: NDArray[np.float64]


def close(
    must: Pairs,
    must_weights: NDArray[np.float64],
    cannot: Pairs,
    cannot_weights: NDArray[np.float64],
    component: Ints,
    max_pairs: int,
) -> Closed:
    """All pairs implied by must-links and by cannot-links that contradict no must-link.

    A given pair keeps its weight; an implied one gets the least weight it may rest on: of the
    must-links of the components, and of the cannot-links between the two components.
    """
    n_samples, n_components = len(component), int(component.max()) + 1
    size = np.bincount(component).astype(np.int64)
    member, start = np.argsort(component, kind="stable"), np.cumsum(size) - size
    weakest = np.full(n_components, np.inf)
    np.minimum.at(weakest, component[must[:, 0]], must_weights)

    lifted, apart = np.unique(pair_keys(component[cannot], n_components), return_inverse=True)
    left, right = keys_to_pairs(lifted, n_components).T
    between = np.minimum(weakest[left], weakest[right])
    np.minimum.at(between, apart, cannot_weights)

    n_within, n_across = size * (size - 1) // 2, size[left] * size[right]
    check_affordable(int(n_within.sum() + n_across.sum()), max_pairs)
    owner, rank = expand(n_within)
    a, b = unrank_pairs(rank)
    within = member[np.column_stack([start[owner] + a, start[owner] + b])]
    within_weights = _with_given(within, weakest[owner], must, must_weights, n_samples)
    owner, rank = expand(n_across)
    a, b = np.divmod(rank, size[right[owner]])
    across = member[np.column_stack([start[left[owner]] + a, start[right[owner]] + b])]
    across_weights = _with_given(across, between[owner], cannot, cannot_weights, n_samples)
    return Closed(within, within_weights, across, across_weights)


def _with_given(
    pairs: Pairs, weights: NDArray[np.float64], given: Pairs, given_weights: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    """Weights of the pairs, with those of the given pairs (sorted, all among them) put back."""
    if not len(given):
        return weights
    keys, given_keys = pair_keys(pairs, n), pair_keys(given, n)
    place = np.minimum(np.searchsorted(given_keys, keys), len(given_keys) - 1)
    return np.where(given_keys[place] == keys, given_weights[place], weights)
