"""Genes visited one after the other: draws by the value of every choice, and descent."""

from __future__ import annotations

import numpy as np
from numba import njit

from moo_clustering._kernels.bag_moves import move
from moo_clustering._kernels.bag_trials import score_moves
from moo_clustering._kernels.bag_types import CONTRAST, GREEDY, SCALED, State, Trial
from moo_clustering._kernels.bag_values import build_state, penalized
from moo_clustering._kernels.borrowed import borrowed


@njit(cache=True, nogil=True)
def sweep_population(  # type: ignore[no-untyped-def]
    arrays,
    task,
    labels,
    counts,
    masses,
    projections,
    pulls,
    genes,
    draws,
    limits,
    values,
    violations,
    trials,
    lo,
    hi,
):
    """Visit every gene of individuals lo..hi-1 for which ``genes`` is set, in order, once."""
    state, trial = _scratch(arrays, counts.shape[1])
    radii = np.empty(labels.shape[1])
    for i in range(lo, hi):
        state = _of(i, state, labels, counts, masses, projections, pulls)
        build_state(arrays, task, state, trial, radii)
        for j in range(labels.shape[1]):
            if genes[i, j]:
                trials[i] += _visit(j, draws[i, j], limits[i] - trials[i], arrays, task, state, trial)
        values[i], violations[i] = state.numbers[0], state.numbers[1]


@njit(cache=True, nogil=True)
def descend_population(  # type: ignore[no-untyped-def]
    arrays,
    task,
    labels,
    counts,
    masses,
    projections,
    pulls,
    order,
    limits,
    values,
    violations,
    trials,
    lo,
    hi,
):
    """Visit the genes in the given orders, again and again, until a whole round changes nothing."""
    state, trial = _scratch(arrays, counts.shape[1])
    radii = np.empty(labels.shape[1])
    for i in range(lo, hi):
        state = _of(i, state, labels, counts, masses, projections, pulls)
        build_state(arrays, task, state, trial, radii)
        unchanged, place, n_bags = 0, 0, labels.shape[1]
        while unchanged < n_bags and trials[i] < limits[i]:
            j = order[i, place]
            before = labels[i, j]
            trials[i] += _visit(j, 0.0, limits[i] - trials[i], arrays, task, state, trial)
            unchanged = unchanged + 1 if labels[i, j] == before else 0
            place = (place + 1) % n_bags
        values[i], violations[i] = state.numbers[0], state.numbers[1]


@njit(cache=True, nogil=True)
def value_population(arrays, task, labels, counts, masses, projections, pulls, values, violations, lo, hi):  # type: ignore[no-untyped-def]
    """Objectives (without penalty) and violations of individuals lo..hi-1."""
    state, trial = _scratch(arrays, counts.shape[1])
    radii = np.empty(labels.shape[1])
    for i in range(lo, hi):
        state = _of(i, state, labels, counts, masses, projections, pulls)
        build_state(arrays, task, state, trial, radii)
        values[i], violations[i] = state.numbers[0], state.numbers[1]


@njit(cache=True, nogil=True)
def _scratch(arrays, n_clusters):  # type: ignore[no-untyped-def]
    """Memory for one individual at a time."""
    n_slots, n_chunks = arrays.squares.shape
    k, n_bags = n_clusters, arrays.weights.shape[0]
    state = State(
        np.empty(n_bags, np.int32),
        np.empty(n_chunks, np.int32),
        np.empty((k, 0, 0)),
        np.empty((n_slots, n_chunks)),
        np.empty((k, 0)),
        np.empty((k, k)),
        np.empty(k),
        np.empty(k, np.int64),
        np.empty(k),
        np.zeros((k, k)),
        np.zeros(2),
        np.zeros(k),
    )
    trial = Trial(
        np.empty(n_chunks),
        np.empty(n_chunks),
        np.empty(n_chunks),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.zeros(k),
        np.empty(k),
        np.empty(k),
        np.empty(k),
    )
    return state, trial


@njit(cache=True, nogil=True)
def _of(i, state, labels, counts, masses, projections, pulls):  # type: ignore[no-untyped-def]
    """The state of individual i: its own rows of the arrays, and the scratch memory."""
    return State(
        labels[i],
        state.chunk_label,
        projections[i],
        state.own,
        pulls[i],
        state.inner,
        masses[i],
        counts[i],
        state.spreads,
        state.closeness,
        state.numbers,
        state.norms,
    )


@borrowed()
def _visit(j, draw, limit, arrays, task, state, trial):  # type: ignore[no-untyped-def]
    """Draw a cluster for bag j; returns the number of trial evaluations."""
    home, n_clusters = np.int64(state.labels[j]), state.counts.shape[0]
    if state.counts[home] <= task.least or n_clusters - 1 > limit:
        return 0
    score_moves(j, arrays, task, state, trial)
    for k in range(n_clusters):
        broken = state.numbers[1] + trial.costs[k] - trial.costs[home]
        trial.weights[k] = penalized(task, trial.values[k], broken)
    to = _lowest(trial.weights, home) if task.rule == GREEDY else _drawn(trial.weights, home, draw, task.rule)
    if to != home:
        move(j, to, arrays, task, state, trial)
    return n_clusters - 1


@borrowed()
def _lowest(values, home):  # type: ignore[no-untyped-def]
    """Cluster of the lowest value; the own one unless another is really lower, so that descent ends."""
    best, bound = home, values[home]
    if np.isfinite(bound):
        bound -= 1e-12 * abs(bound)
    for k in range(values.shape[0]):
        if values[k] < bound:
            best, bound = k, values[k]
    return best


@borrowed()
def _drawn(values, home, draw, rule):  # type: ignore[no-untyped-def]
    """Cluster drawn by weights that follow from the values, which are replaced by them."""
    lowest, highest = np.inf, -np.inf
    for k in range(values.shape[0]):
        if np.isfinite(values[k]):
            lowest, highest = min(lowest, values[k]), max(highest, values[k])
    total = 0.0
    for k in range(values.shape[0]):
        weight = 0.0
        if np.isfinite(values[k]):
            if rule == CONTRAST:
                weight = (highest - values[k]) + 0.5 * (highest - lowest)
                if highest == lowest:
                    weight = 1.0
            elif rule == SCALED:
                weight = 1.5 * highest - values[k] + 0.5
            else:
                weight = values[k]
        values[k] = weight
        total += weight
    if total <= 0.0:
        return home
    draw *= total
    for k in range(values.shape[0]):
        if values[k] > 0.0:
            home = k
            draw -= values[k]
            if draw < 0.0:
                break
    return home
