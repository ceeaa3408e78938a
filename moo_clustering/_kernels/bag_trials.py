"""All values that one gene of a bag partition could take, scored in one pass over the instances."""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.bag_radii import above_rounding, bag_maximum, moved_chunk_maxima
from moo_clustering._kernels.bag_types import FTWCV, TWCV
from moo_clustering._kernels.bag_values import inverse_distance, ratio
from moo_clustering._kernels.borrowed import borrowed


@borrowed()
def score_moves(j, arrays, task, state, trial):  # type: ignore[no-untyped-def]
    """trial.values[l] = objective with bag j in cluster l, for all l; O(n + K^3), or O(K) for FTWCV."""
    _moved_norms(j, arrays, state, trial)
    _pair_costs(j, task, state, trial)
    if task.objective == FTWCV:
        _ftwcv_moves(j, arrays, task, state, trial)
        return
    _moved_spreads(j, arrays, task, state, trial)
    home = np.int64(state.labels[j])
    for k in range(state.counts.shape[0]):
        if k == home:
            trial.values[k] = state.numbers[0]
        elif task.objective == TWCV:
            kept = state.spreads.sum() - state.spreads[home] - state.spreads[k]
            trial.values[k] = kept + trial.spreads[home] + trial.spreads[k] + trial.entering[k]
        else:
            trial.values[k] = _davies_bouldin_after(j, k, arrays, state, trial)


@borrowed()
def _moved_norms(j, arrays, state, trial):  # type: ignore[no-untyped-def]
    """Centroids of the own cluster without bag j, and of every other cluster with it."""
    home, weight, square = np.int64(state.labels[j]), arrays.weights[j], arrays.pulls[j, j]
    for k in range(state.counts.shape[0]):
        sign = -1 if k == home else 1
        if state.counts[k] + sign == 0:
            trial.factor[k] = 0.0
            trial.norms[k] = 0.0
            continue
        mass = state.masses[k] + sign * weight
        trial.factor[k] = 2.0 / mass
        trial.norms[k] = (state.inner[k, k] + 2.0 * sign * state.pulls[k, j] + square) / (mass * mass)


@borrowed()
def _pair_costs(j, task, state, trial):  # type: ignore[no-untyped-def]
    trial.costs[:] = 0.0
    for p in range(task.pair_start[j], task.pair_start[j + 1]):
        trial.costs[state.labels[task.pair_bag[p]]] += task.pair_weight[p]


@borrowed()
def _moved_spreads(j, arrays, task, state, trial):  # type: ignore[no-untyped-def]
    """Spreads of the clusters after the move, and the radius that bag j would have in each."""
    home, row = np.int64(state.labels[j]), arrays.products[j]
    for c in range(state.chunk_label.shape[0]):
        k = state.chunk_label[c]
        trial.scale[c] = trial.factor[k]
        trial.pull[c] = -trial.factor[k] if k == home else trial.factor[k]
    moved_chunk_maxima(arrays.squares, state.own, row, trial.scale, trial.pull, trial.best)
    trial.spreads[:] = 0.0
    for b in range(state.labels.shape[0]):
        if b != j:
            k = state.labels[b]
            square = bag_maximum(trial.best, arrays.chunk_start, b) + trial.norms[k]
            square = above_rounding(square, arrays)
            trial.spreads[k] += square if task.objective == TWCV else np.sqrt(square)
    first, last = arrays.chunk_start[j], arrays.chunk_start[j + 1]
    for k in range(state.counts.shape[0]):
        if k == home:
            continue
        farthest = -np.inf
        for s in range(row.shape[0]):
            for c in range(first, last):
                product = state.projections[k, s, c] + row[s, c]
                farthest = max(farthest, arrays.squares[s, c] - trial.factor[k] * product)
        square = above_rounding(farthest + trial.norms[k], arrays)
        trial.entering[k] = square if task.objective == TWCV else np.sqrt(square)


@borrowed()
def _davies_bouldin_after(j, to, arrays, state, trial):  # type: ignore[no-untyped-def]
    """Davies-Bouldin after bag j has moved to cluster ``to``."""
    home, n_clusters = np.int64(state.labels[j]), state.counts.shape[0]
    live, total = 0, 0.0
    for k in range(n_clusters):
        if _count_after(k, home, to, state) == 0:
            continue
        live += 1
        worst, spread = 0.0, _spread_after(k, home, to, state, trial)
        for c in range(n_clusters):
            if c != k and _count_after(c, home, to, state) > 0:
                if k in (home, to) or c in (home, to):
                    closeness = _closeness_after(j, k, c, home, to, arrays, state, trial)
                else:
                    closeness = state.closeness[k, c]
                worst = max(worst, ratio(spread + _spread_after(c, home, to, state, trial), closeness))
        total += worst
    return total / live if live > 1 else np.inf


@borrowed()
def _count_after(k, home, to, state):  # type: ignore[no-untyped-def]
    if k == home:
        return state.counts[k] - 1
    return state.counts[k] + 1 if k == to else state.counts[k]


@borrowed()
def _spread_after(k, home, to, state, trial):  # type: ignore[no-untyped-def]
    """Mean radius of a cluster after the move."""
    if k == home:
        return trial.spreads[k] / (state.counts[k] - 1)
    if k == to:
        return (trial.spreads[k] + trial.entering[k]) / (state.counts[k] + 1)
    return state.spreads[k] / state.counts[k]


@borrowed()
def _closeness_after(j, k, c, home, to, arrays, state, trial):  # type: ignore[no-untyped-def]
    """One over the distance of two centroids, at least one of which changes."""
    product = state.inner[k, c]
    if k in (home, to) and c in (home, to):
        product += state.pulls[home, j] - state.pulls[to, j] - arrays.pulls[j, j]
    elif k == home or c == home:
        product -= state.pulls[c if k == home else k, j]
    else:
        product += state.pulls[c if k == to else k, j]
    norm_k = trial.norms[k] if k in (home, to) else state.norms[k]
    norm_c = trial.norms[c] if c in (home, to) else state.norms[c]
    mass_k = 2.0 / trial.factor[k] if k in (home, to) else state.masses[k]
    mass_c = 2.0 / trial.factor[c] if c in (home, to) else state.masses[c]
    return inverse_distance(norm_k, norm_c, product / (mass_k * mass_c))


@borrowed()
def _ftwcv_moves(j, arrays, task, state, trial):  # type: ignore[no-untyped-def]
    home = np.int64(state.labels[j])
    gain = _part(j, home, -1, arrays, task, state, trial) - _part(j, home, 0, arrays, task, state, trial)
    for k in range(state.counts.shape[0]):
        trial.values[k] = state.numbers[0]
        if k != home:
            gain_k = _part(j, k, 1, arrays, task, state, trial) - _part(j, k, 0, arrays, task, state, trial)
            trial.values[k] -= gain + gain_k


@borrowed()
def _part(j, k, sign, arrays, task, state, trial):  # type: ignore[no-untyped-def]
    """What cluster k takes off the constant, with bag j added (1), taken away (-1) or neither (0)."""
    count = state.counts[k] + sign
    if count == 0:
        return 0.0
    if task.literal:
        return (state.spreads[k] + sign * task.terms[j]) / count
    if sign == 0:
        return state.norms[k] * state.masses[k]
    return trial.norms[k] * (state.masses[k] + sign * arrays.weights[j])
