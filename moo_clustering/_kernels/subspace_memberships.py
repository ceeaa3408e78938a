"""The part of a sweep that goes by sample: powers of memberships, distances, new memberships."""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.borrowed import borrowed


@borrowed()
def _power(w, exponent):  # type: ignore[no-untyped-def]
    if exponent == 1.5:
        return w * np.sqrt(w)
    if exponent == 2.0:
        return w * w
    return w**exponent


@borrowed()
def fuzzy_panel(memberships, fuzziness, lo, hi, panel, masses, sizes):  # type: ignore[no-untyped-def]
    """panel = [W^f | W] for samples lo..hi-1; ``masses`` and ``sizes`` receive the column sums of the two."""
    k = memberships.shape[1]
    masses[:] = 0.0
    sizes[:] = 0.0
    for j in range(lo, hi):
        for t in range(k):
            panel[j, t] = _power(np.float64(memberships[j, t]), fuzziness)
            panel[j, k + t] = memberships[j, t]
            # what was rounded to the type of the panel, so that centroids are means
            masses[t] += panel[j, t]
            sizes[t] += panel[j, k + t]


@borrowed()
def finish_distances(constants, scales, tolerance, distances):  # type: ignore[no-untyped-def]
    """Add the constants to the products with the panel; what is left of a cancellation becomes 0."""
    for r in range(distances.shape[0]):
        for t in range(constants.shape[0]):
            value = distances[r, t] + constants[t]
            distances[r, t] = scales[t] * value if value > tolerance * constants[t] else 0.0


@borrowed(error_model="numpy")
def _soften_row(distances, factors, power, out):  # type: ignore[no-untyped-def]
    """Memberships (8) of one sample; returns the least N and the sum of (least / N)^(1 / (f - 1))."""
    k = distances.shape[0]
    least = np.inf
    zeros = 0
    for t in range(k):
        if distances[t] == 0.0:
            zeros += 1
        least = min(least, distances[t] * factors[t])
    if zeros > 0:
        for t in range(k):
            out[t] = 1.0 / zeros if distances[t] == 0.0 else 0.0
        return 0.0, 1.0
    total = 0.0
    for t in range(k):
        ratio = least / (distances[t] * factors[t])
        value = np.exp(power * np.log(ratio)) if ratio > 0.0 else 0.0
        out[t] = value
        total += value
    for t in range(k):
        out[t] /= total
    return least, total


@borrowed()
def soften_rows(distances, factors, power, lo, hi, spare, out):  # type: ignore[no-untyped-def]
    """Memberships of samples lo..hi-1."""
    for j in range(lo, hi):
        _soften_row(distances[j], factors, power, spare)
        for t in range(spare.shape[0]):
            out[j, t] = spare[t]


@borrowed(error_model="numpy")
def update_rows(  # type: ignore[no-untyped-def]
    distances, factors, blame, power, fuzziness, old, lo, hi, spare, out, losses
):
    """Memberships of samples lo..hi-1, the sum of w^f d (1 + Imp) and the greatest change."""
    loss = 0.0
    change = 0.0
    for j in range(lo, hi):
        row = distances[j]
        least, total = _soften_row(row, factors, power, spare)
        part = 0.0
        for t in range(spare.shape[0]):
            w = spare[t]
            if w > 0.0 and row[t] > 0.0:
                # w^f = w (least / N) total^(1 - f)
                part += w * (least / (row[t] * factors[t])) * (row[t] * blame[t])
            change = max(change, abs(w - old[j, t]))
            out[j, t] = w
        loss += part * total ** (1.0 - fuzziness)
    losses[0] = loss
    losses[1] = change
