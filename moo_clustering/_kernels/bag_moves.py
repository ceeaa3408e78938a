"""A bag changes its cluster: rank-one updates of the state."""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.bag_types import FTWCV
from moo_clustering._kernels.bag_values import inverse_distance
from moo_clustering._kernels.borrowed import borrowed


@borrowed()
def move(j, to, arrays, task, state, trial):  # type: ignore[no-untyped-def]
    """Put bag j into cluster ``to``; ``trial`` must hold the scores of this gene."""
    home = np.int64(state.labels[j])
    state.numbers[0] = trial.values[to]
    state.numbers[1] = max(0.0, state.numbers[1] + trial.costs[to] - trial.costs[home])
    _move_inner(j, home, to, arrays, state)
    if task.objective == FTWCV:
        state.spreads[home] -= task.terms[j]
        state.spreads[to] += task.terms[j]
    else:
        state.spreads[home] = trial.spreads[home]
        state.spreads[to] = trial.spreads[to] + trial.entering[to]
        _move_projections(j, home, to, arrays, state, trial)
    weight = arrays.weights[j]
    state.labels[j] = to
    state.counts[home] -= 1
    state.counts[to] += 1
    state.masses[home] = state.masses[home] - weight if state.counts[home] > 0 else 0.0
    state.masses[to] += weight
    state.norms[home], state.norms[to] = trial.norms[home], trial.norms[to]
    for k in range(state.counts.shape[0]):
        for c in (home, to):
            if k != c and state.counts[k] > 0 and state.counts[c] > 0:
                product = state.inner[k, c] / (state.masses[k] * state.masses[c])
                state.closeness[k, c] = inverse_distance(state.norms[k], state.norms[c], product)
                state.closeness[c, k] = state.closeness[k, c]


@borrowed()
def _move_inner(j, home, to, arrays, state):  # type: ignore[no-untyped-def]
    square = arrays.pulls[j, j]
    at_home, there = state.pulls[home, j], state.pulls[to, j]
    state.inner[home, to] += at_home - there - square
    state.inner[to, home] = state.inner[home, to]
    for k in range(state.counts.shape[0]):
        if k not in (home, to):
            state.inner[home, k] -= state.pulls[k, j]
            state.inner[k, home] = state.inner[home, k]
            state.inner[to, k] += state.pulls[k, j]
            state.inner[k, to] = state.inner[to, k]
    state.inner[home, home] += square - 2.0 * at_home
    state.inner[to, to] += square + 2.0 * there
    left, entered, row = state.pulls[home], state.pulls[to], arrays.pulls[j]
    for b in range(row.shape[0]):
        left[b] -= row[b]
        entered[b] += row[b]


@borrowed()
def _move_projections(j, home, to, arrays, state, trial):  # type: ignore[no-untyped-def]
    row, first, last = arrays.products[j], arrays.chunk_start[j], arrays.chunk_start[j + 1]
    left, entered, change = state.projections[home], state.projections[to], trial.pull
    for c in range(change.shape[0]):
        k = state.chunk_label[c]
        change[c] = 1.0 if k == to else (-1.0 if k == home else 0.0)
    for s in range(row.shape[0]):
        for c in range(row.shape[1]):
            left[s, c] -= row[s, c]
            entered[s, c] += row[s, c]
            state.own[s, c] += change[c] * row[s, c]
    for c in range(first, last):
        state.chunk_label[c] = to
        for s in range(row.shape[0]):
            state.own[s, c] = entered[s, c]
