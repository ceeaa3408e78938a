"""Genetic search over partitions of bags: objectives after moving single bags, and repair."""

from typing import NamedTuple

import numpy as np

from moo_clustering._arrays import AnyFloatArray, IntArray
from moo_clustering._kernels.bag_distances import (
    above_rounding,
    bag_maximum,
    cross_sums,
    moved_chunk_maxima,
    squared_radii,
)
from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.threads import borrowed

# Codes for the objectives, and for CHCMIC's parameter ``weights``, which converts objectives to
# probabilities.
DAVIES_BOULDIN, TWCV, FTWCV = 0, 1, 2
CONTRAST, SCALED, PRINTED_WEIGHTS, GREEDY = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def fill_empty(labels, distances, farthest):
    """Move to each empty cluster the bag that is farthest from its own centroid."""
    # If ``farthest`` is false, the bag nearest to its own centroid moves instead. The only bag of a cluster
    # never moves, and no bag moves twice. If several bags are tied, the bag with the lowest number moves.
    n_bags, n_clusters = distances.shape
    counts = np.zeros(n_clusters, np.int64)
    moved = np.zeros(n_bags, np.bool_)
    for b in range(n_bags):
        counts[labels[b]] += 1
    for k in range(n_clusters):
        if counts[k] > 0:
            continue
        chosen, best = -1, 0.0
        for b in range(n_bags):
            if moved[b] or counts[labels[b]] < 2:
                continue
            distance = distances[b, labels[b]] if farthest else -distances[b, labels[b]]
            if chosen < 0 or distance > best:
                chosen, best = b, distance
        if chosen >= 0:
            counts[labels[chosen]] -= 1
            labels[chosen] = k
            counts[k] = 1
            moved[chosen] = True


@njit(cache=True, nogil=True)
def place_groups(labels, distances, members, group_start, conflict_start, conflicts):
    """Assign each group to a single cluster, and conflicting groups to different clusters."""
    # A group stays if all of its bags are in one cluster, in which no conflicting group has been placed. Any
    # other group moves to the cluster with the smallest sum of distances. A cluster that contains a
    # conflicting group is considered only if all clusters contain one.
    n_clusters = distances.shape[1]
    n_groups = group_start.shape[0] - 1
    placed = np.full(n_groups, -1, np.int64)
    allowed = np.empty(n_clusters, np.bool_)
    for g in range(n_groups):
        first, last = group_start[g], group_start[g + 1]
        allowed[:] = True
        for p in range(conflict_start[g], conflict_start[g + 1]):
            if placed[conflicts[p]] >= 0:
                allowed[placed[conflicts[p]]] = False
        home = labels[members[first]]
        together = True
        for m in range(first + 1, last):
            together = together and labels[members[m]] == home
        if not (together and allowed[home]):
            home = _cheapest(distances, members[first:last], allowed)
            for m in range(first, last):
                labels[members[m]] = home
        placed[g] = home


@njit(cache=True, nogil=True)
def _cheapest(distances, members, allowed):
    """Return the allowed cluster with the lowest sum of distances, or the best of all if none is allowed."""
    best, least = -1, np.inf
    any_allowed = allowed.any()
    for k in range(distances.shape[1]):
        if any_allowed and not allowed[k]:
            continue
        cost = 0.0
        for m in range(members.shape[0]):
            cost += distances[members[m], k]
        if best < 0 or cost < least:
            best, least = k, cost
    return best


@njit(cache=True, nogil=True)
def fill_small(labels, distances, least, movable):
    """Fill clusters that have fewer than ``least`` bags with bags from larger clusters."""
    # Each move is the one that increases the sum of distances least. Only clusters with more than ``least``
    # bags lose bags. If a cluster has no centroid, the distances to it are infinite, and it receives the bags
    # that are farthest from their own centroids.
    n_bags, n_clusters = distances.shape
    counts = np.zeros(n_clusters, np.int64)
    for b in range(n_bags):
        counts[labels[b]] += 1
    for k in range(n_clusters):
        while counts[k] < least:
            chosen, best = -1, np.inf
            for b in range(n_bags):
                own = labels[b]
                if own == k or not movable[b] or counts[own] <= least:
                    continue
                loss = -distances[b, own]
                if np.isfinite(distances[b, k]):
                    loss += distances[b, k]
                if not np.isfinite(loss):
                    loss = 1e300
                if loss < best:
                    chosen, best = b, loss
            if chosen < 0:
                break
            counts[labels[chosen]] -= 1
            labels[chosen] = k
            counts[k] += 1


@njit(cache=True, nogil=True)
def settle_pairs(labels, costs, pair_start, pair_bag, pair_weight, violation, penalty):
    """Move single bags as long as this reduces the sum of costs times (1 + penalty * violation)."""
    # ``violation`` is the constraint violation of the initial labels. Each pair in the same cluster
    # contributes its ``pair_weight`` to the violation.
    n_bags, n_clusters = costs.shape
    total = 0.0
    for b in range(n_bags):
        total += costs[b, labels[b]]
    shared = np.empty(n_clusters)
    changed = True
    while changed:
        changed = False
        for b in range(n_bags):
            if pair_start[b] == pair_start[b + 1]:
                continue
            shared[:] = 0.0
            for p in range(pair_start[b], pair_start[b + 1]):
                shared[labels[pair_bag[p]]] += pair_weight[p]
            home = labels[b]
            best, least = home, total * (1.0 + penalty * violation) * (1.0 - 1e-12)
            for k in range(n_clusters):
                value = (total - costs[b, home] + costs[b, k]) * (
                    1.0 + penalty * (violation + shared[k] - shared[home])
                )
                if k != home and value < least:
                    best, least = k, value
            if best != home:
                total += costs[b, best] - costs[b, home]
                violation += shared[best] - shared[home]
                labels[b] = best
                changed = True


@njit(cache=True, nogil=True)
def sweep_population(arrays, task, labels, sums, genes, draws, limits, values, violations, trials, lo, hi):
    trial = _new_trial(arrays, sums[0].shape[1])
    for i in range(lo, hi):
        state = _new_state(i, arrays, task, labels, sums, trial)
        for j in range(labels.shape[1]):
            if genes[i, j]:
                trials[i] += _visit(j, draws[i, j], limits[i] - trials[i], arrays, task, state, trial)
        values[i], violations[i] = state.numbers[0], state.numbers[1]


@njit(cache=True, nogil=True)
def descend_population(arrays, task, labels, sums, order, limits, values, violations, trials, lo, hi):
    """Visit each individual's genes in the given order until a full round changes no gene."""
    trial = _new_trial(arrays, sums[0].shape[1])
    for i in range(lo, hi):
        state = _new_state(i, arrays, task, labels, sums, trial)
        unchanged, place, n_bags = 0, 0, labels.shape[1]
        while unchanged < n_bags and trials[i] < limits[i]:
            j = order[i, place]
            before = labels[i, j]
            trials[i] += _visit(j, 0.0, limits[i] - trials[i], arrays, task, state, trial)
            unchanged = unchanged + 1 if labels[i, j] == before else 0
            place = (place + 1) % n_bags
        values[i], violations[i] = state.numbers[0], state.numbers[1]


@njit(cache=True, nogil=True)
def _new_trial(arrays, k):
    a, b = np.empty((3, arrays.squares.shape[1])), np.zeros((7, k))
    return Trial(a[0], a[1], a[2], b[0], b[1], b[2], b[3], b[4], b[5], b[6])


@njit(cache=True, nogil=True)
def _new_state(i, arrays, task, labels, sums, trial):
    """Build the search state of individual i, which shares memory with row i of ``labels`` and ``sums``."""
    counts, masses, projections, pulls = sums[0][i], sums[1][i], sums[2][i], sums[3][i]
    k, n_chunks, radii = counts.shape[0], arrays.squares.shape[1], np.empty(labels.shape[1])
    own, chunk_label = np.empty(arrays.squares.shape), np.empty(n_chunks, np.int32)
    inner, closeness = np.empty((k, k)), np.zeros((k, k))
    spreads, norms, numbers = np.zeros(k), np.zeros(k), np.zeros(2)
    placed = labels[i], chunk_label, projections, own, pulls, inner, masses, counts
    state = State(*placed, spreads, closeness, numbers, norms)
    cross_sums(labels[i], pulls, inner)
    for c in range(k):
        norms[c] = inner[c, c] / (masses[c] * masses[c]) if counts[c] > 0 else 0.0
    for c in range(k):
        for other in range(c):
            _update_closeness(c, other, arrays, state)
    if task.objective == FTWCV:
        for b in range(labels.shape[1]):
            spreads[labels[i, b]] += task.terms[b]
    else:
        scale, best = trial.scale, trial.best
        squared_radii(arrays, labels[i], projections, norms, masses, own, chunk_label, scale, best, radii)
        for b in range(labels.shape[1]):
            spreads[labels[i, b]] += radii[b] if task.objective == TWCV else np.sqrt(radii[b])
    numbers[0], numbers[1] = _current_value(arrays, task, state, trial), _violation(task, labels[i])
    return state


@borrowed()
def _update_closeness(k, c, arrays, state):
    if state.counts[k] > 0 and state.counts[c] > 0:
        product = state.inner[k, c] / (state.masses[k] * state.masses[c])
        closeness = _inverse_distance(state.norms[k], state.norms[c], product, arrays.rounding)
        state.closeness[k, c] = state.closeness[c, k] = closeness


@borrowed()
def _current_value(arrays, task, state, trial):
    if task.objective == DAVIES_BOULDIN:
        return _davies_bouldin(0, -1, -1, arrays, state, trial)
    if task.objective == TWCV:
        return state.spreads.sum()
    total = 0.0
    for k in range(state.counts.shape[0]):
        if state.counts[k] > 0:
            if task.literal:
                total += state.spreads[k] / state.counts[k]
            else:
                total += state.inner[k, k] / state.masses[k]
    return task.constant - total


@borrowed()
def _ratio(spread, closeness):
    """Return ``spread * closeness``, or inf if the closeness is infinite, even if the spread is 0."""
    return np.inf if closeness == np.inf else spread * closeness


@borrowed()
def _violation(task, labels):
    """Return the fraction of violated must-links plus the fraction of violated cannot-links."""
    total = task.pair_constant
    for b in range(labels.shape[0]):
        for p in range(task.pair_start[b], task.pair_start[b + 1]):
            other = task.pair_bag[p]
            if other > b and labels[other] == labels[b]:
                total += task.pair_weight[p]
    return max(0.0, total)


@borrowed()
def _inverse_distance(norm_a, norm_b, product, rounding):
    square = norm_a + norm_b - 2.0 * product
    # A squared distance below this fraction of the squared norms is a rounding error. If both centroids are
    # at the mean of all bags, the squared norms are also rounding errors, of at most ``rounding``.
    if square <= 1e-14 * max(rounding, norm_a + norm_b):
        return np.inf
    return 1.0 / np.sqrt(square)


@borrowed()
def _visit(j, draw, limit, arrays, task, state, trial):
    """Move bag j to a randomly drawn cluster or, if the rule is GREEDY, to the best one."""
    home, n_clusters = np.int64(state.labels[j]), state.counts.shape[0]
    if state.counts[home] <= task.least or n_clusters - 1 > limit:
        return 0
    score_moves(j, arrays, task, state, trial)
    for k in range(n_clusters):
        value, broken = trial.values[k], state.numbers[1] + trial.costs[k] - trial.costs[home]
        trial.weights[k] = value * (1.0 + task.penalty * broken) if broken > 1e-12 else value
    to = _lowest(trial.weights, home) if task.rule == GREEDY else _drawn(trial.weights, home, draw, task.rule)
    if to != home:
        move(j, to, arrays, task, state, trial)
    return n_clusters - 1


@borrowed()
def _lowest(values, home):
    """Return the cluster with the lowest value, or ``home`` if its value is as low up to rounding errors."""
    best, bound = home, values[home]
    if np.isfinite(bound):
        bound -= 1e-12 * abs(bound)
    for k in range(values.shape[0]):
        if values[k] < bound:
            best, bound = k, values[k]
    return best


@borrowed()
def _drawn(values, home, draw, rule):
    """Draw a cluster with a probability proportional to its weight. ``rule`` computes weights from values."""
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


@borrowed()
def move(j, to, arrays, task, state, trial):
    """Move bag j to cluster ``to``, using the results of :func:`score_moves` for this bag in ``trial``."""
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
            if k != c:
                _update_closeness(k, c, arrays, state)


@borrowed()
def _move_inner(j, home, to, arrays, state):
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
def _move_projections(j, home, to, arrays, state, trial):
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


@borrowed()
def score_moves(j, arrays, task, state, trial):
    """Set trial.values[k] to the objective after bag j has moved to cluster k."""
    _moved_norms(j, arrays, state, trial)
    trial.costs[:] = 0.0
    for p in range(task.pair_start[j], task.pair_start[j + 1]):
        trial.costs[state.labels[task.pair_bag[p]]] += task.pair_weight[p]
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
            trial.values[k] = _davies_bouldin(j, home, k, arrays, state, trial)


@borrowed()
def _moved_norms(j, arrays, state, trial):
    """Compute the squared norm of each centroid after bag j has left its own cluster or joined another."""
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
def _moved_spreads(j, arrays, task, state, trial):
    """Compute each cluster's spread without bag j, and the bag's radius, around the moved centroids."""
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
def _davies_bouldin(j, home, to, arrays, state, trial):
    """Compute the Davies-Bouldin index after bag j has moved from cluster ``home`` to cluster ``to``."""
    # If both clusters are -1, no bag moves.
    n_clusters, live, total = state.counts.shape[0], 0, 0.0
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
                worst = max(worst, _ratio(spread + _spread_after(c, home, to, state, trial), closeness))
        total += worst
    return total / live if live > 1 else np.inf


@borrowed()
def _count_after(k, home, to, state):
    if k == home:
        return state.counts[k] - 1
    return state.counts[k] + 1 if k == to else state.counts[k]


@borrowed()
def _spread_after(k, home, to, state, trial):
    if k == home:
        return trial.spreads[k] / (state.counts[k] - 1)
    if k == to:
        return (trial.spreads[k] + trial.entering[k]) / (state.counts[k] + 1)
    return state.spreads[k] / state.counts[k]


@borrowed()
def _closeness_after(j, k, c, home, to, arrays, state, trial):
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
    return _inverse_distance(norm_k, norm_c, product / (mass_k * mass_c), arrays.rounding)


@borrowed()
def _ftwcv_moves(j, arrays, task, state, trial):
    home = np.int64(state.labels[j])
    gain = _part(j, home, -1, arrays, task, state, trial) - _part(j, home, 0, arrays, task, state, trial)
    for k in range(state.counts.shape[0]):
        trial.values[k] = state.numbers[0]
        if k != home:
            gain_k = _part(j, k, 1, arrays, task, state, trial) - _part(j, k, 0, arrays, task, state, trial)
            trial.values[k] -= gain + gain_k


@borrowed()
def _part(j, k, sign, arrays, task, state, trial):
    """Return cluster k's term of FTWCV with bag j added (``sign`` 1), removed (-1), or unchanged (0)."""
    count = state.counts[k] + sign
    if count == 0:
        return 0.0
    if task.literal:
        return (state.spreads[k] + sign * task.terms[j]) / count
    if sign == 0:
        return state.norms[k] * state.masses[k]
    return trial.norms[k] * (state.masses[k] + sign * arrays.weights[j])


class Task(NamedTuple):
    """Objective to minimise and the rule for choosing a bag's new cluster."""

    objective: int
    literal: bool  # FTWCV: subtract each cluster's mean of `terms`, not its weighted squared centroid norm
    constant: float  # constant of FTWCV, from which the terms of all clusters are subtracted
    terms: AnyFloatArray  # (N,) squared norm that represents each bag, only if `literal`
    rule: int
    least: int  # minimum number of bags in a cluster
    penalty: float  # the objective is multiplied by 1 + penalty * violation
    pair_start: IntArray  # (N + 1,) first pair of each bag
    pair_bag: IntArray  # other bag of each pair
    # Amount that each pair adds to the violation if its bags share a cluster. It is negative for must-links.
    pair_weight: AnyFloatArray
    pair_constant: float  # violation if no pair shares a cluster


class State(NamedTuple):
    """State of one individual, which is updated after every move."""

    labels: IntArray  # (N,)
    chunk_label: IntArray  # (C,)
    projections: AnyFloatArray  # (K, S, C) sum of `products` over each cluster's bags
    own: AnyFloatArray  # (S, C) entry of `projections` for each instance's own cluster
    pulls: AnyFloatArray  # (K, N) sum of `pulls` over each cluster's bags
    inner: AnyFloatArray  # (K, K) sum of `pulls` over all pairs of bags from two clusters
    masses: AnyFloatArray  # (K,) sum of each cluster's bag weights
    counts: IntArray  # (K,) number of bags in each cluster
    spreads: AnyFloatArray  # (K,) sum of radii, for TWCV of squared radii, and for FTWCV of `terms`
    closeness: AnyFloatArray  # (K, K) reciprocals of the distances between centroids
    numbers: AnyFloatArray  # (2,) unpenalised objective and violation
    norms: AnyFloatArray  # (K,) squared norms of centroids


class Trial(NamedTuple):
    """Values of the clusters if one bag moves: its own cluster loses it, and every other cluster gains it."""

    scale: AnyFloatArray  # (C,) argument of moved_chunk_maxima
    pull: AnyFloatArray  # (C,) argument of moved_chunk_maxima
    best: AnyFloatArray  # (C,) result of moved_chunk_maxima
    factor: AnyFloatArray  # (K,) 2 / mass after the move
    norms: AnyFloatArray  # (K,) squared norm of the centroid after the move
    spreads: AnyFloatArray  # (K,) sum of radii after the move, without the moved bag
    entering: AnyFloatArray  # (K,) radius (squared for TWCV) of the moved bag in each cluster
    costs: AnyFloatArray  # (K,) amount that the moved bag adds to the violation in each cluster
    values: AnyFloatArray  # (K,) unpenalised objective with the bag in each cluster
    weights: AnyFloatArray  # (K,) penalised objective, or weight with which the cluster is drawn
