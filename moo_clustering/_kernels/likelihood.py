"""Integrated likelihoods of clusters in tables and graphs: terms, moves of samples and merges.

A table model is a tuple ``(blocks, starts, priors, shapes, constants)``. Each row of ``blocks`` describes a
group of columns: kind, first column, number of columns, first statistic, row of ``constants``. A cluster's
statistics are sums over its samples. Each row of ``constants`` contains one value per cluster size. The row
after that of a group of categories contains ln Gamma(count + beta). Each row of ``shapes`` contains tau, the
degrees of freedom and beta of a group.
"""

import math

import numpy as np

from moo_clustering._kernels.caching import njit

FULL, DIAGONAL, CATEGORIES, COUNTS = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def add_sample(S, x, sign, blocks, starts):
    for b in range(blocks.shape[0]):
        kind, first, d, s = blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3]
        for i in range(d):
            value = x[first + i]
            if kind == CATEGORIES:
                S[starts[first + i] + int(value)] += sign
                continue
            S[s + i] += sign * value
            if kind == DIAGONAL:
                S[s + d + i] += sign * value * value
            elif kind == FULL:
                for j in range(i + 1):
                    S[s + d + i * d + j] += sign * value * x[first + j]


@njit(cache=True, nogil=True)
def cluster_term(n, S, x, sign, model, work):
    """Compute a cluster's log marginal likelihood after a sample x has been added or removed."""
    # S contains the statistics before the change, and n is the cluster size after it. ``sign`` is 1 if x is
    # added, -1 if it is removed, and 0 if nothing changes.
    if n == 0:
        return 0.0
    blocks, starts, priors, shapes, constants = model
    total = 0.0
    for b in range(blocks.shape[0]):
        kind, first, d, s, row = blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3], blocks[b, 4]
        tau, shape, beta = shapes[b, 0], shapes[b, 1], shapes[b, 2]
        total += constants[row, n]
        length, logs = 0.0, 0.0
        for i in range(d):
            value = x[first + i]
            if kind == CATEGORIES:
                start = starts[first + i]
                for c in range(starts[first + i + 1] - start):
                    count = S[start + c] + (sign if c == int(value) else 0.0)
                    total += constants[row + 1, int(count + 0.5)]
                continue
            own = S[s + i] + sign * value
            if kind == COUNTS:
                length += own
                total += math.lgamma(own + beta) - shape if own > 0.0 else 0.0
            elif kind == DIAGONAL:
                square = S[s + d + i] + sign * value * value - own * own / (n + tau)
                logs += math.log(priors[first + i] + 0.5 * max(square, 0.0))
            else:
                for j in range(i + 1):
                    other = x[first + j]
                    entry = S[s + d + i * d + j] + sign * value * other
                    entry -= own * (S[s + j] + sign * other) / (n + tau)
                    for m in range(j):
                        entry -= work[i, m] * work[j, m]
                    work[i, j] = entry / work[j, j] if j < i else 0.0
                # Except for rounding errors, a pivot is at least its prior, because the added matrix is
                # semidefinite.
                entry = priors[first + i] + max(entry, 0.0)
                work[i, i] = math.sqrt(entry)
                logs += 0.5 * math.log(entry)
        if kind == COUNTS:
            total -= math.lgamma(length + d * beta) - math.lgamma(d * beta)
        else:
            total -= (shape + (n if kind == FULL else 0.5 * n)) * logs
    return total


@njit(cache=True, nogil=True)
def sum_clusters(X, labels, model, work, sizes, stats, terms):
    sizes[:] = 0
    stats[:] = 0.0
    for i in range(X.shape[0]):
        sizes[labels[i]] += 1
        add_sample(stats[labels[i]], X[i], 1.0, model[0], model[1])
    for c in range(sizes.shape[0]):
        terms[c] = cluster_term(sizes[c], stats[c], X[0], 0.0, model, work)


@njit(cache=True, nogil=True)
def log_predictives(X, sizes, stats, terms, alpha, model, work, out):
    """Compute each new sample's log predictive density in each cluster, plus log(alpha + cluster size)."""
    for i in range(X.shape[0]):
        for c in range(sizes.shape[0]):
            joined = cluster_term(sizes[c] + 1, stats[c], X[i], 1.0, model, work)
            out[i, c] = joined - terms[c] + math.log(alpha + sizes[c])


@njit(cache=True, nogil=True)
def fewer_change(k, n, alpha):
    """Compute how the log prior changes from k to k - 1 clusters, except its terms for cluster sizes."""
    change = math.lgamma((k - 1) * alpha) - math.lgamma(k * alpha) + math.lgamma(alpha)
    return change + math.lgamma(n + k * alpha) - math.lgamma(n + (k - 1) * alpha)


@njit(cache=True, nogil=True)
def size_change(own, other, k, n, alpha):
    """Compute how the log prior changes if a sample moves between clusters of size ``own`` and ``other``."""
    last = fewer_change(k, n, alpha) - math.lgamma(alpha) if own == 1 else 0.0
    return last + math.log(alpha + other) - math.log(alpha + own - 1)


@njit(cache=True, nogil=True)
def move_samples(X, order, labels, sizes, stats, terms, alpha, keep, times, model, work):
    """Move each sample to its best cluster, and return the total gain."""
    # With ``keep``, the last sample of a cluster never moves. ``times`` contains the time of each sample's
    # last visit and of each cluster's last change. If neither of two clusters has changed since the sample's
    # last visit, a move between them is not tried, because it cannot improve the objective.
    visited, changed = times
    k, gain, clock = np.count_nonzero(sizes), 0.0, max(visited.max(), changed.max())
    for i in order:
        x, g = X[i], labels[i]
        if sizes[g] == 1 and (keep or k == 1):
            continue
        clock, seen = clock + 1, visited[i]
        visited[i] = clock
        if changed.max() <= seen:
            continue
        left = cluster_term(sizes[g] - 1, stats[g], x, -1.0, model, work)
        best, to, term = 1e-9, -1, 0.0
        for h in range(sizes.shape[0]):
            if h == g or sizes[h] == 0 or max(changed[g], changed[h]) <= seen:
                continue
            joined = cluster_term(sizes[h] + 1, stats[h], x, 1.0, model, work)
            change = joined - terms[h] + left - terms[g]
            change += size_change(sizes[g], sizes[h], k, len(X), alpha)
            if change > best:
                best, to, term = change, h, joined
        if to >= 0:
            add_sample(stats[g], x, -1.0, model[0], model[1])
            add_sample(stats[to], x, 1.0, model[0], model[1])
            terms[g], terms[to] = left, term
            sizes[g] -= 1
            sizes[to] += 1
            labels[i] = to
            changed[g] = changed[to] = clock
            if sizes[g] == 0:
                k, changed[:] = k - 1, clock
            gain += best
    return gain


@njit(cache=True, nogil=True)
def best_merge(joint, sizes, alpha):
    """Find the allowed merge with the best change in objective. Its clusters are -1 if none is allowed."""
    best, x, y = -np.inf, -1, -1
    for g in range(sizes.shape[0]):
        for h in range(g + 1, sizes.shape[0]):
            if joint[g, h] > -np.inf:
                change = joint[g, h] + math.lgamma(alpha + sizes[g] + sizes[h])
                change -= math.lgamma(alpha + sizes[g]) + math.lgamma(alpha + sizes[h])
                if change > best:
                    best, x, y = change, g, h
    return best, x, y


@njit(cache=True, nogil=True)
def unite(x, y, sizes, allowed, joint):
    sizes[x] += sizes[y]
    sizes[y] = 0
    allowed[x] |= allowed[y]
    allowed[:, x] |= allowed[:, y]
    joint[y] = -np.inf
    joint[:, y] = -np.inf


@njit(cache=True, nogil=True)
def merge_clusters(X, sizes, stats, terms, alpha, allowed, model, work, pairs, gains):
    """Merge the best allowed pair of clusters repeatedly, and return the number of merges."""
    k, n = sizes.shape[0], sizes.sum()
    joint = np.full((k, k), -np.inf)
    fresh = -1
    for step in range(k - 1):
        for g in range(k):
            for h in range(g + 1, k):
                if allowed[g, h] and sizes[g] and sizes[h] and (fresh < 0 or g == fresh or h == fresh):
                    term = cluster_term(sizes[g] + sizes[h], stats[g] + stats[h], X[0], 0.0, model, work)
                    joint[g, h] = term - terms[g] - terms[h]
        best, x, y = best_merge(joint, sizes, alpha)
        if x < 0:
            return step
        pairs[step, 0], pairs[step, 1], gains[step] = x, y, best + fewer_change(k - step, n, alpha)
        terms[x] += terms[y] + joint[x, y]
        stats[x] += stats[y]
        unite(x, y, sizes, allowed, joint)
        fresh = x
    return k - 1


@njit(cache=True, nogil=True)
def pair_term(e, m, a, b):
    """Compute the log marginal likelihood of e links among m possible pairs under a Beta(a, b) prior."""
    norm = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.lgamma(a + e) + math.lgamma(b + m - e) - math.lgamma(a + b + m) - norm


@njit(cache=True, nogil=True)
def links_term(E, sizes, g, h, a, b, directed):
    """Compute the log marginal likelihood of the links between clusters g and h, or within g if h = g."""
    if g == h:
        parts = 1 if directed else 2
        return pair_term(E[g, g] / parts, sizes[g] * (sizes[g] - 1) // parts, a, b)
    total = pair_term(E[g, h], sizes[g] * sizes[h], a, b)
    return total + pair_term(E[h, g], sizes[g] * sizes[h], a, b) if directed else total


@njit(cache=True, nogil=True)
def touching(E, sizes, g, h, a, b, directed):
    """Compute the log marginal likelihood of all links that touch cluster g or another cluster h."""
    total = links_term(E, sizes, g, h, a, b, directed)
    for c in range(sizes.shape[0]):
        total += links_term(E, sizes, g, c, a, b, directed) if c != h else 0.0
        total += links_term(E, sizes, h, c, a, b, directed) if c != g else 0.0
    return total


@njit(cache=True, nogil=True)
def move_links(E, sizes, g, h, out, into):
    # ``out`` and ``into`` count the node's links to and from each cluster.
    sizes[g] -= 1
    sizes[h] += 1
    E[g] -= out
    E[h] += out
    E[:, g] -= into
    E[:, h] += into


@njit(cache=True, nogil=True)
def move_nodes(rows, columns, order, labels, sizes, E, alpha, keep, a, b, directed):
    """Move each node to its best cluster, as :func:`move_samples` does, and return the total gain."""
    k, gain = np.count_nonzero(sizes), 0.0
    out, into = np.zeros(sizes.shape[0]), np.zeros(sizes.shape[0])
    for i in order:
        g = labels[i]
        if sizes[g] == 1 and (keep or k == 1):
            continue
        out[:] = 0.0
        into[:] = 0.0
        for other in rows[1][rows[0][i] : rows[0][i + 1]]:
            out[labels[other]] += 1.0
        for other in columns[1][columns[0][i] : columns[0][i + 1]]:
            into[labels[other]] += 1.0
        best, to = 1e-9, -1
        for h in range(sizes.shape[0]):
            if h == g or sizes[h] == 0:
                continue
            change = size_change(sizes[g], sizes[h], k, len(labels), alpha)
            change -= touching(E, sizes, g, h, a, b, directed)
            move_links(E, sizes, g, h, out, into)
            change += touching(E, sizes, g, h, a, b, directed)
            move_links(E, sizes, h, g, out, into)
            if change > best:
                best, to = change, h
        if to >= 0:
            k -= sizes[g] == 1
            move_links(E, sizes, g, to, out, into)
            labels[i] = to
            gain += best
    return gain


@njit(cache=True, nogil=True)
def shared_change(E, sizes, g, h, c, a, b, directed):
    """Compute how merging g and h changes the log marginal likelihood of their links with cluster c."""
    m = (sizes[g] + sizes[h]) * sizes[c]
    change = pair_term(E[g, c] + E[h, c], m, a, b)
    if directed:
        change += pair_term(E[c, g] + E[c, h], m, a, b)
    change -= links_term(E, sizes, g, c, a, b, directed)
    return change - links_term(E, sizes, h, c, a, b, directed)


@njit(cache=True, nogil=True)
def merge_change(E, sizes, g, h, a, b, directed):
    parts, both = 1 if directed else 2, sizes[g] + sizes[h]
    inside = E[g, g] + E[h, h] + E[g, h] + E[h, g]
    change = pair_term(inside / parts, both * (both - 1) // parts, a, b)
    change -= links_term(E, sizes, g, g, a, b, directed) + links_term(E, sizes, h, h, a, b, directed)
    change -= links_term(E, sizes, g, h, a, b, directed)
    for c in range(sizes.shape[0]):
        if c != g and c != h:
            change += shared_change(E, sizes, g, h, c, a, b, directed)
    return change


@njit(cache=True, nogil=True)
def merge_nodes(sizes, E, alpha, allowed, a, b, directed, pairs, gains):
    """Merge clusters of a graph repeatedly, as :func:`merge_clusters` does for a table."""
    # A merge also changes the gains of other pairs, because their links with the merged clusters change.
    k, n = sizes.shape[0], sizes.sum()
    joint = np.full((k, k), -np.inf)
    x, y = -1, -1
    for step in range(k - 1):
        for g in range(k):
            for h in range(g + 1, k):
                if allowed[g, h] and sizes[g] and sizes[h] and (x < 0 or g == x or h == x):
                    joint[g, h] = merge_change(E, sizes, g, h, a, b, directed)
        best, x, y = best_merge(joint, sizes, alpha)
        if x < 0:
            return step
        pairs[step, 0], pairs[step, 1], gains[step] = x, y, best + fewer_change(k - step, n, alpha)
        others = joint > -np.inf
        others[x], others[:, x], others[y], others[:, y] = False, False, False, False
        for g, h in np.argwhere(others):
            for c in (x, y):
                joint[g, h] -= shared_change(E, sizes, g, h, c, a, b, directed)
        E[x] += E[y]
        E[:, x] += E[:, y]
        E[y], E[:, y] = 0.0, 0.0
        unite(x, y, sizes, allowed, joint)
        for g, h in np.argwhere(others):
            joint[g, h] += shared_change(E, sizes, g, h, x, a, b, directed)
    return k - 1
