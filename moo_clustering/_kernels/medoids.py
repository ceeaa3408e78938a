"""Loops over populations of medoid sets: assignment, medoids of clusters, assignment under constraints.

Medoids are integers of shape (n_individuals, k_max), padded with -1; labels have shape
(n_individuals, n_samples). Distances are float32 or float64 rows, C-contiguous. Kernels with ``lo, hi``
work on those individuals (or samples) only, so that callers can hand parts to threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Samples whose nearest distance and label stay near the processor while all medoids of a set pass by.
_CHUNK = 8192
# Reassociation lets a sum use all lanes of a vector unit; its order still depends on the shapes only.
_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def nearest_medoids(rows, index, nearest, labels, lo, hi):  # type: ignore[no-untyped-def]
    """Lower ``nearest[q, i]`` to the least distance to a medoid, ``labels`` to its position.

    ``rows[index[q, j]]`` are the distances of all samples to the medoid at position j of individual
    q; medoids with a negative index are passed over, so rows may come in blocks. Start with nearest
    = inf and labels above any position. Ties go to the lowest position. Two medoids at a time: the
    rows come from far away, the running minimum is at hand.
    """
    n = rows.shape[1]
    here = np.empty(index.shape[1], dtype=np.int32)
    for q in range(lo, hi):
        m = 0
        for j in range(index.shape[1]):
            if index[q, j] >= 0:
                here[m] = j
                m += 1
        for start in range(0, n, _CHUNK):
            stop = min(start + _CHUNK, n)
            best = nearest[q, start:stop]
            at = labels[q, start:stop]
            for t in range(0, m - 1, 2):
                j = here[t]
                k = here[t + 1]
                first = rows[index[q, j], start:stop]
                second = rows[index[q, k], start:stop]
                for i in range(stop - start):
                    other = second[i] < first[i]
                    d = second[i] if other else first[i]
                    position = k if other else j
                    closer = (d < best[i]) | ((d == best[i]) & (position < at[i]))
                    best[i] = d if closer else best[i]
                    at[i] = position if closer else at[i]
            if m % 2:
                j = here[m - 1]
                first = rows[index[q, j], start:stop]
                for i in range(stop - start):
                    d = first[i]
                    closer = (d < best[i]) | ((d == best[i]) & (j < at[i]))
                    best[i] = d if closer else best[i]
                    at[i] = j if closer else at[i]


@njit(cache=True, nogil=True)
def member_lists(labels, order, starts):  # type: ignore[no-untyped-def]
    """order[q, starts[q, c]:starts[q, c + 1]] = members of cluster c, ascending."""
    for q in range(labels.shape[0]):
        start = starts[q]
        start[:] = 0
        for i in range(labels.shape[1]):
            start[labels[q, i] + 1] += 1
        for c in range(1, start.shape[0]):
            start[c] += start[c - 1]
        # Filling moves every start to the next one; afterwards they are moved back.
        for i in range(labels.shape[1]):
            c = labels[q, i]
            order[q, start[c]] = i
            start[c] += 1
        for c in range(start.shape[0] - 1, 0, -1):
            start[c] = start[c - 1]
        start[0] = 0


@njit(cache=True, nogil=True)
def cluster_keys(labels, salts, keys):  # type: ignore[no-untyped-def]
    """keys[q, c] += salts of the members of cluster c, modulo 2^64: a hash of the set of members."""
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            c = labels[q, i]
            keys[q, c, 0] += salts[i, 0]
            keys[q, c, 1] += salts[i, 1]


@njit(cache=True, nogil=True, fastmath=_SUMS)
def cluster_totals(D, labels, order, starts, wanted, few, totals, lo, hi):  # type: ignore[no-untyped-def]
    """totals[q, i] = total distance of sample i to its own cluster, for samples lo..hi-1.

    Samples outside, individuals inside: a row of D stays near the processor while all individuals
    use it. Clusters of at most ``few`` members are added up over their members, greater ones over
    all samples with a mask, which needs no gather (labels of one byte are best); clusters that are
    not wanted are passed over.
    """
    n = D.shape[0]
    for i in range(lo, hi):
        row = D[i]
        for q in range(labels.shape[0]):
            at = labels[q]
            own = at[i]
            if not wanted[q, own]:
                continue
            members = order[q, starts[q, own] : starts[q, own + 1]]
            total = 0.0
            if members.shape[0] > few:
                for j in range(n):
                    total += row[j] if at[j] == own else 0.0
            else:
                for j in range(members.shape[0]):
                    total += row[members[j]]
            totals[q, i] = total


@njit(cache=True, nogil=True)
def least_total_members(totals, order, starts, wanted, relative, each, medoids):  # type: ignore[no-untyped-def]
    """medoids[q, c] = lowest id among the members with the least total, up to rounding.

    Totals within ``relative`` of the least, or within ``each`` for every member, count as equal.
    """
    for q in range(order.shape[0]):
        for c in range(wanted.shape[1]):
            if not wanted[q, c]:
                continue
            members = order[q, starts[q, c] : starts[q, c + 1]]
            least = np.inf
            for i in members:
                least = min(least, totals[q, i])
            limit = least * (1.0 + relative) + each * members.shape[0]
            for i in members:
                if totals[q, i] <= limit:
                    medoids[q, c] = i
                    break


@njit(cache=True, nogil=True)
def own_distances(D, medoids, labels, out):  # type: ignore[no-untyped-def]
    """out[q, i] = distance of sample i to the medoid of its cluster."""
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            out[q, i] = D[medoids[q, labels[q, i]], i]


@njit(cache=True, nogil=True)
def group_distances(rows, members, bounds, out):  # type: ignore[no-untyped-def]
    """out[r, g] = sum of rows[r] over the members of group g."""
    for r in range(rows.shape[0]):
        for g in range(bounds.shape[0] - 1):
            total = 0.0
            for t in range(bounds[g], bounds[g + 1]):
                total += rows[r, members[t]]
            out[r, g] = total


@njit(cache=True, nogil=True)
def assign_groups(  # type: ignore[no-untyped-def]
    costs, index, members, bounds, opponents, opponent_bounds, penalty, labels
):
    """Assign groups of samples to medoids, one after the other, avoiding those they must be apart from.

    Group g goes to the position with the fewest conflicting groups so far, then the least cost, then
    the lowest position; with a penalty >= 0, to that of the least cost plus penalty times conflicts.

    Parameters
    ----------
    costs : (n_medoids, n_groups) total distances of a group to a medoid
    index : (n_individuals, k_max) row of ``costs`` for every gene, -1 for padding
    members, bounds : members of group g are ``members[bounds[g]:bounds[g + 1]]``
    opponents, opponent_bounds : likewise the groups from which g must be apart
    labels : (n_individuals, n_samples), written for the members of groups only
    """
    n_groups = bounds.shape[0] - 1
    width = index.shape[1]
    chosen = np.empty(n_groups, dtype=np.int64)
    conflicts = np.empty(width, dtype=np.int64)
    for q in range(index.shape[0]):
        for g in range(n_groups):
            conflicts[:] = 0
            for t in range(opponent_bounds[g], opponent_bounds[g + 1]):
                if opponents[t] < g:
                    conflicts[chosen[opponents[t]]] += 1
            best = 0
            for j in range(1, width):
                if index[q, j] < 0:
                    break
                gain = costs[index[q, best], g] - costs[index[q, j], g]
                if penalty >= 0.0:
                    better = gain + penalty * (conflicts[best] - conflicts[j]) > 0.0
                elif conflicts[j] != conflicts[best]:
                    better = conflicts[j] < conflicts[best]
                else:
                    better = gain > 0.0
                if better:
                    best = j
            chosen[g] = best
            for t in range(bounds[g], bounds[g + 1]):
                labels[q, members[t]] = best
