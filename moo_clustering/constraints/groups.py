"""Constraints implied by labels and pairs: groups of samples, and groups that must be separated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from moo_clustering._arrays import BoolArray, Int64Array, Shared, number_clusters
from moo_clustering._data import checked_integers
from moo_clustering.constraints import _checks

_SPELLED_OUT = 3


@dataclass(frozen=True, eq=False)
class ConstraintGroups(Shared):
    """All constraints implied by partial labels and pairs. Takes O(n_samples + n_conflicts) memory.

    Parameters
    ----------
    groups : ndarray of shape (n_samples,), int64, read-only
        Group of each sample, or -1 for samples without constraints.
    conflicts : ndarray of shape (n_conflicts, 2), int64, read-only
        Pairs of groups g < h that must not share a cluster. The pairs are in lexicographic order.

    Attributes
    ----------
    n_groups : int
        Number of groups, including groups with a single sample.
    """

    groups: Int64Array
    conflicts: Int64Array
    n_groups: int = field(init=False)
    _keys: Int64Array = field(init=False, repr=False)
    _neighbors: tuple[Int64Array, Int64Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        groups = checked_integers(self.groups, "groups").astype(np.int64)
        if groups.ndim != 1 or not len(groups) or groups.min() < -1:
            raise ValueError("groups must be a 1-d array of integers of at least -1, one per sample")
        n_groups = int(groups.max()) + 1
        pairs = _checks.check_pairs(self.conflicts, n_groups, "conflicts", "groups")
        keys = _checks.distinct(_checks.pair_keys(pairs, max(1, n_groups)))
        conflicts = _checks.keys_to_pairs(keys, max(1, n_groups))
        both = np.concatenate([conflicts, conflicts[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        neighbors = np.searchsorted(both[:, 0], np.arange(n_groups + 1)), both[:, 1]
        for array in (groups, conflicts):
            array.setflags(write=False)
        values = {"groups": groups, "conflicts": conflicts, "n_groups": n_groups}
        vars(self).update(values, _keys=keys, _neighbors=neighbors)

    @property
    def n_samples(self) -> int:
        """Number of samples in the data set."""
        return len(self.groups)

    @property
    def is_empty(self) -> bool:
        """Whether all partitions are allowed: no group has more than one sample, and no groups conflict."""
        return not len(self.conflicts) and not (self._sizes() > 1).any()

    def _sizes(self) -> Int64Array:
        return np.bincount(self.groups + 1, minlength=1)[1:]

    def members(self) -> list[Int64Array]:
        """Return the members of each group with at least two samples, in the order of the groups."""
        order = np.argsort(self.groups, kind="stable")[np.count_nonzero(self.groups < 0) :]
        return [part for part in np.split(order, np.cumsum(self._sizes())[:-1]) if len(part) > 1]

    def forbidden(self, i: ArrayLike, j: ArrayLike) -> BoolArray:
        """Return whether samples i and j must be separated. Arrays of samples are broadcast.

        Takes O(log n_conflicts) time per pair.
        """
        g, h = np.broadcast_arrays(self.groups[np.asarray(i)], self.groups[np.asarray(j)])
        if not len(self._keys):
            return np.zeros(g.shape, dtype=np.bool_)
        # If a sample has no group, the key of its pair is negative and therefore not found.
        wanted = np.minimum(g, h) * self.n_groups + np.maximum(g, h)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.asarray(self._keys[place] == wanted)

    def forbidden_with(self, i: int) -> BoolArray:
        """Return a mask of the samples that must be separated from sample i. Takes O(n_samples) time."""
        in_conflict = np.zeros(self.n_groups + 1, dtype=np.bool_)
        group = self.groups[i]
        if group >= 0:
            starts, neighbors = self._neighbors
            in_conflict[neighbors[starts[group] : starts[group + 1]]] = True
        # A sample without a group has the number -1 and selects the last entry, which is always False.
        return in_conflict[self.groups]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstraintGroups):
            return NotImplemented
        same_groups = np.array_equal(self.groups, other.groups)
        return same_groups and np.array_equal(self.conflicts, other.conflicts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"ConstraintGroups(n_samples={self.n_samples}, n_groups={self.n_groups}, "
            f"conflicts=<{len(self.conflicts)} pairs of groups>)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.groups, self.conflicts)


def refuse_contradictions(
    component: Int64Array, hubs: Int64Array, cannot: Int64Array, links: Int64Array, classes: Int64Array
) -> None:
    """Raise an error if a component contains both samples of a cannot-link, or samples of two classes."""
    by_component = hubs[np.argsort(component[hubs], kind="stable")]
    merged = np.column_stack([by_component[:-1], by_component[1:]])
    conflicts = np.concatenate([merged, cannot])
    inside = component[conflicts[:, 0]] == component[conflicts[:, 1]]
    if not inside.any():
        return
    conflicts, graph = conflicts[inside], _link_graph(links, len(component))
    n_merged = int(inside[: len(merged)].sum())
    joining = "must-links and classes" if (classes >= 0).any() else "must-links"
    reasons = []
    for k, (i, j) in enumerate(conflicts[:_SPELLED_OUT].tolist()):
        claim = f"cannot-link ({i}, {j})"
        if k < n_merged:
            claim = f"samples {i} (class {classes[i]}) and {j} (class {classes[j]}) differ in y"
        reasons.append(f"{claim}, but {joining} join {_chain(graph, i, j)}")
    raise InconsistentConstraintsError(conflicts, reasons)


class InconsistentConstraintsError(ValueError):
    """Raised for constraints that contradict each other.

    Parameters
    ----------
    conflicts : array-like of shape (n_conflicts, 2)
        Pairs of samples that both must and must not share a cluster. They are stored as an int64 array.
    reasons : sequence of str
        One explanation for each of the first conflicts. The message only counts the remaining conflicts.
    """

    def __init__(self, conflicts: ArrayLike, reasons: Sequence[str]) -> None:
        self.conflicts: Int64Array = np.asarray(conflicts, dtype=np.int64).reshape(-1, 2)
        self._reasons = tuple(reasons)
        shown = self._reasons[:_SPELLED_OUT]
        message = "contradictory constraints: " + "; ".join(shown)
        if (left := len(self.conflicts) - len(shown)) > 0:
            message += f"; and {left} more"
        super().__init__(message)

    def _renumbered(self, samples: Int64Array) -> InconsistentConstraintsError:
        """Return this error with each sample number i replaced by ``samples[i]``, except class numbers."""
        number = partial(re.sub, r"(?<!class )\b\d+\b", lambda found: str(samples[int(found[0])]))
        return type(self)(samples[self.conflicts], [*map(number, self._reasons)])

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling would pass only the message, so that errors of workers could not be restored.
        return type(self), (self.conflicts, self._reasons)


def connected(links: Int64Array, n_samples: int) -> Int64Array:
    """Return the component of each sample. Components are numbered in the order of their first samples."""
    component = csgraph.connected_components(_link_graph(links, n_samples), directed=False)[1]
    # SciPy numbers components in this order, but its documentation does not guarantee the order.
    return number_clusters(component)[0].astype(np.int64)


def _link_graph(links: Int64Array, n_samples: int) -> Any:
    return sparse.csr_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n_samples, n_samples))


def _chain(graph: Any, start: int, end: int) -> str:
    """Return a shortest path between two samples as text, such as ``3 - 5 - 9``. Long paths are shortened."""
    before = csgraph.breadth_first_order(graph, start, directed=False)[1]
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    names = list(map(str, path[::-1]))
    return " - ".join(names if len(names) <= 8 else [*names[:4], "...", *names[-3:]])
