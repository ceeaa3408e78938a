"""Sweeps that move groups of samples to the clusters their neighbours and pairs ask for."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def sweep_groups(  # type: ignore[no-untyped-def]
    labels,
    start,
    groups,
    members,
    ends,
    near_ptr,
    near,
    weights,
    votes,
    pair_ptr,
    paired,
    signs,
    scores,
    max_sweeps,
    keep,
):
    """Move groups, in order, to their best clusters until none moves; the number of sweeps.

    Group g has the samples members[ends[g]:ends[g + 1]], which share a label. ``labels`` change in place;
    ``start`` are the labels that count for staying. votes[i] is what a unit of weight in the row of i counts;
    ``scores`` is room for a number per cluster. With ``keep`` no cluster loses its last group.
    """
    n_clusters = scores.shape[0]
    for sweep in range(max_sweeps):
        moved = False
        for g in range(ends.shape[0] - 1):
            scores[:] = 0.0
            for t in range(ends[g], ends[g + 1]):
                i = members[t]
                scores[start[i]] += 0.5
                for e in range(near_ptr[i], near_ptr[i + 1]):
                    if groups[near[e]] != g:
                        scores[labels[near[e]]] += weights[e] * votes[i]
                for e in range(pair_ptr[i], pair_ptr[i + 1]):
                    if groups[paired[e]] != g:
                        scores[labels[paired[e]]] += signs[e]
            own = labels[members[ends[g]]]
            best = own
            for c in range(n_clusters):
                # Sums in another order differ in the last digits; they are ties nevertheless.
                if scores[c] > scores[best] + 1e-12:
                    best = c
            if best == own:
                continue
            if keep:
                size = 0
                for i in range(labels.shape[0]):
                    size += labels[i] == own
                if size == ends[g + 1] - ends[g]:
                    continue
            for t in range(ends[g], ends[g + 1]):
                labels[members[t]] = best
            moved = True
        if not moved:
            return sweep + 1
    return max_sweeps
