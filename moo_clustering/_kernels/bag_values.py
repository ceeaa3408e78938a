"""Objectives of one bag partition, from its state."""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.bag_radii import squared_radii
from moo_clustering._kernels.bag_sums import cross_sums
from moo_clustering._kernels.bag_types import DAVIES_BOULDIN, FTWCV, TWCV
from moo_clustering._kernels.borrowed import borrowed

# Squared distances of centroids below this part of their squared norms are rounding, and count as 0.
_COINCIDE = 1e-14


@borrowed()
def inverse_distance(norm_a, norm_b, product):  # type: ignore[no-untyped-def]
    """One over the distance of two centroids, inf where they coincide."""
    square = norm_a + norm_b - 2.0 * product
    if square <= max(1e-18, _COINCIDE * (norm_a + norm_b)):
        return np.inf
    return 1.0 / np.sqrt(square)


@borrowed()
def build_state(arrays, task, state, trial, radii):  # type: ignore[no-untyped-def]
    """Everything that follows from labels, counts, masses, projections and pulls."""
    n_clusters = state.counts.shape[0]
    cross_sums(state.labels, state.pulls, state.inner)
    for k in range(n_clusters):
        mass = state.masses[k]
        state.norms[k] = state.inner[k, k] / (mass * mass) if state.counts[k] > 0 else 0.0
    _closeness(state)
    state.spreads[:] = 0.0
    if task.objective == FTWCV:
        for b in range(state.labels.shape[0]):
            state.spreads[state.labels[b]] += task.terms[b]
    else:
        squared_radii(
            arrays,
            state.labels,
            state.projections,
            state.norms,
            state.masses,
            state.own,
            state.chunk_label,
            trial.scale,
            trial.best,
            radii,
        )
        for b in range(radii.shape[0]):
            state.spreads[state.labels[b]] += radii[b] if task.objective == TWCV else np.sqrt(radii[b])
    state.numbers[0] = current_value(task, state)
    state.numbers[1] = violation(task, state.labels)


@borrowed()
def _closeness(state):  # type: ignore[no-untyped-def]
    for k in range(state.counts.shape[0]):
        for c in range(k):
            if state.counts[k] > 0 and state.counts[c] > 0:
                product = state.inner[k, c] / (state.masses[k] * state.masses[c])
                state.closeness[k, c] = inverse_distance(state.norms[k], state.norms[c], product)
                state.closeness[c, k] = state.closeness[k, c]


@borrowed()
def current_value(task, state):  # type: ignore[no-untyped-def]
    """The objective, without penalty."""
    if task.objective == DAVIES_BOULDIN:
        return _davies_bouldin(state)
    if task.objective == TWCV:
        return state.spreads.sum()
    return task.constant - _cohesion(task, state)


@borrowed()
def _cohesion(task, state):  # type: ignore[no-untyped-def]
    """What FTWCV takes off its constant."""
    total = 0.0
    for k in range(state.counts.shape[0]):
        if state.counts[k] > 0:
            if task.literal:
                total += state.spreads[k] / state.counts[k]
            else:
                total += state.inner[k, k] / state.masses[k]
    return total


@borrowed()
def _davies_bouldin(state):  # type: ignore[no-untyped-def]
    live, total = 0, 0.0
    for k in range(state.counts.shape[0]):
        if state.counts[k] == 0:
            continue
        live += 1
        spread, worst = state.spreads[k] / state.counts[k], 0.0
        for c in range(state.counts.shape[0]):
            if c != k and state.counts[c] > 0:
                worst = max(worst, ratio(spread + state.spreads[c] / state.counts[c], state.closeness[k, c]))
        total += worst
    return total / live if live > 1 else np.inf


@borrowed()
def ratio(spread, closeness):  # type: ignore[no-untyped-def]
    """Sum of spreads over distance; inf where centroids coincide, whatever the spread."""
    return np.inf if closeness == np.inf else spread * closeness


@borrowed()
def violation(task, labels):  # type: ignore[no-untyped-def]
    """Violated part of the must-links plus that of the cannot-links."""
    total = task.pair_constant
    for b in range(labels.shape[0]):
        for p in range(task.pair_start[b], task.pair_start[b + 1]):
            other = task.pair_bag[p]
            if other > b and labels[other] == labels[b]:
                total += task.pair_weight[p]
    return max(0.0, total)


@borrowed()
def penalized(task, value, broken):  # type: ignore[no-untyped-def]
    """What is minimised."""
    return value * (1.0 + task.penalty * broken) if broken > 1e-12 else value
