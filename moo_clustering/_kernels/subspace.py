"""Kernels for SISC sweeps, with the paper's step and equation numbers: weights, fuzzy memberships, sums."""

import numpy as np

from moo_clustering._kernels.partitions import add_scaled
from moo_clustering._kernels.threads import borrowed

# Smallest argument of a logarithm. It replaces a ``floor`` of 0.
_TINY = np.finfo(np.float64).tiny


@borrowed()
def _power(w, exponent):
    # For the default exponents, square roots are ten times as fast.
    if exponent == 0.25:
        return np.sqrt(np.sqrt(w))
    if exponent == 1.5:
        return w * np.sqrt(w)
    if exponent == 2.0:
        return w * w
    return w**exponent


@borrowed(error_model="numpy")
def _dispersion_row(sums, binary, k, masses, kept, shift, centers):
    """Compute a feature's centroids by equation (11), and write its dispersions to the first k ``sums``."""
    for t in range(k):
        mass = masses[t]
        z = sums[t] / mass if mass > 0.0 else kept[t] - shift
        centers[t] = z + shift
        spread = mass * z * (1.0 - z) if binary else sums[2 * k + t] - mass * z * z
        sums[t] = spread if spread > 0.0 else 0.0


@borrowed(error_model="numpy")
def _chi_row(sums, k, sizes, spreads, frequency, n, scale):
    """Write a feature's chi-square statistics to the second k ``sums``."""
    rest = frequency * (n - frequency)
    for t in range(k):
        difference = n * sums[k + t] - sizes[t] * frequency
        below = spreads[t] * rest
        sums[k + t] = scale * difference * difference / below if below > 1e-12 else 0.0


@borrowed()
def weigh_features(
    sums, binary, masses, sizes, spreads, blame, frequencies, varying, shift, old, n, scale, gamma, floor,
    power, features, centers, logs, least, totals, chi_totals,
):  # fmt: skip
    """Run steps 1, 4 and 5 of a sweep for some features, without normalising the weights."""
    # Each row of ``sums`` contains three sums per cluster, over the samples with x != 0: the sum of w^f x, of
    # w and, unless ``binary``, of w^f x^2. ``sums`` is overwritten. ``masses``, ``sizes``, ``spreads`` and
    # ``blame`` are S_l, S'_l, S'_l (n - S'_l) and 1 + Imp_l. ``shift`` has been subtracted from the features.
    # A cluster without mass keeps its ``old`` centroid. The function writes the centroids to ``centers``, the
    # logarithms of the weights lambda to ``logs``, and each cluster's smallest M to ``least``. M is then
    # divided by its smallest value. ``totals`` and ``chi_totals`` receive the resulting sums of lambda and of
    # lambda^q chi.
    k = masses.shape[0]
    least[:] = np.inf
    totals[:] = 0.0
    chi_totals[:] = 0.0
    for r in range(features.shape[0]):
        i = features[r]
        row = sums[r]
        _dispersion_row(row, binary, k, masses, old[i if old.shape[0] > 1 else 0], shift[i], centers[i])
        _chi_row(row, k, sizes, spreads, frequencies[i], n, scale)
        if not varying[i]:
            continue
        for t in range(k):
            value = max(row[t] * blame[t] + gamma * row[k + t], floor, _TINY)
            row[t] = value
            least[t] = min(least[t], value)
    for r in range(features.shape[0]):
        i = features[r]
        if not varying[i]:
            logs[i] = -np.inf
            continue
        row = sums[r]
        for t in range(k):
            # M is divided by its smallest value, because M^-power would overflow for q near 1.
            ratio = least[t] / row[t]
            relative = _power(ratio, power) if ratio > 0.0 else 0.0
            totals[t] += relative
            # Here, lambda^q is lambda / M, because q / (q - 1) = 1 + 1 / (q - 1).
            chi_totals[t] += relative * ratio * row[k + t]
            logs[i, t] = -power * np.log(row[t])


@borrowed()
def weight_panel(centers, logs, tops, exponent, shift, binary, lo, hi, panel, constants):
    """Compute the terms that features lo..hi-1 contribute to the distances in step 6."""
    # With g = (lambda / exp(tops))^q, a distance is the sum of g (z - x)^2. ``panel`` receives g (1 - 2 z) if
    # x is binary, and otherwise [-2 g z | g]. ``constants`` receives the sum of g z^2 over these features.
    k = tops.shape[0]
    constants[:] = 0.0
    for i in range(lo, hi):
        for t in range(k):
            g = np.exp(exponent * (np.float64(logs[i, t]) - tops[t]))
            z = np.float64(centers[i, t]) - shift[i]
            constants[t] += g * z * z
            if binary:
                panel[i, t] = g * (1.0 - 2.0 * z)
            else:
                panel[i, t] = -2.0 * g * z
                panel[i, k + t] = g


@borrowed()
def fuzzy_panel(memberships, fuzziness, lo, hi, panel, masses, sizes):
    k = memberships.shape[1]
    masses[:] = 0.0
    sizes[:] = 0.0
    for j in range(lo, hi):
        for t in range(k):
            panel[j, t] = _power(np.float64(memberships[j, t]), fuzziness)
            panel[j, k + t] = memberships[j, t]
            # The rounded weights are summed, because the numerators of the centroids are computed from them.
            masses[t] += panel[j, t]
            sizes[t] += panel[j, k + t]


@borrowed()
def finish_distances(constants, scales, tolerance, distances):
    """Add the constants to the products with the panel, and multiply the sums by ``scales``."""
    # A sum that is only a rounding error from cancellation is replaced by 0.
    for r in range(distances.shape[0]):
        for t in range(constants.shape[0]):
            value = distances[r, t] + constants[t]
            distances[r, t] = scales[t] * value if value > tolerance * constants[t] else 0.0


@borrowed(error_model="numpy")
def _soften_row(distances, factors, power, out):
    """Compute a sample's memberships by equation (8)."""
    # With N = distance * factor, the function returns the least N and the sum of (least N / N)^power.
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
        value = _power(ratio, power) if ratio > 0.0 else 0.0
        out[t] = value
        total += value
    for t in range(k):
        out[t] /= total
    return least, total


@borrowed()
def soften_rows(distances, factors, power, lo, hi, spare, out):
    for j in range(lo, hi):
        _soften_row(distances[j], factors, power, spare)
        for t in range(spare.shape[0]):
            out[j, t] = spare[t]


@borrowed(error_model="numpy")
def update_rows(distances, factors, blame, power, fuzziness, old, lo, hi, spare, out, losses):
    """Compute memberships, and write a weighted sum of distances and the largest change to ``losses``."""
    # The sum contains w^f d (1 + Imp) for each membership w and distance d.
    loss = 0.0
    change = 0.0
    for j in range(lo, hi):
        row = distances[j]
        least, total = _soften_row(row, factors, power, spare)
        part = 0.0
        for t in range(spare.shape[0]):
            w = spare[t]
            if w > 0.0 and row[t] > 0.0:
                # Here, w^f is w (least / N) total^(1 - f). The last factor is applied to the sum of a row.
                part += w * (least / (row[t] * factors[t])) * (row[t] * blame[t])
            change = max(change, abs(w - old[j, t]))
            out[j, t] = w
        loss += part * total ** (1.0 - fuzziness)
    losses[0] = loss
    losses[1] = change


@borrowed()
def _add_four(p0, p1, p2, p3, out):
    for t in range(out.shape[0]):
        out[t] += (np.float64(p0[t]) + np.float64(p1[t])) + (np.float64(p2[t]) + np.float64(p3[t]))


@borrowed()
def multiply_rows(indptr, indices, values, panel, rows, height, places, out):
    # If ``values`` is empty, all stored entries are 1. The panel is then read in tiles of ``height`` rows,
    # which stay in the cache for all matrix rows. The height does not affect the result. ``places`` is
    # scratch space with one number per row.
    out[:] = 0.0
    for r in range(rows.shape[0]):
        places[r] = indptr[rows[r]]
        if values.shape[0] > 0:
            for z in range(places[r], indptr[rows[r] + 1]):
                add_scaled(panel[indices[z]], np.float64(values[z]), out[r])
    if values.shape[0] > 0:
        return
    for bound in range(height, panel.shape[0] + height, height):
        for r in range(rows.shape[0]):
            z, stop, into = places[r], indptr[rows[r] + 1], out[r]
            while z + 4 <= stop and indices[z] < bound:
                one, two, three = panel[indices[z]], panel[indices[z + 1]], panel[indices[z + 2]]
                _add_four(one, two, three, panel[indices[z + 3]], into)
                z += 4
            while stop - 4 < z < stop and indices[z] < bound:
                add_scaled(panel[indices[z]], 1.0, into)
                z += 1
            places[r] = z


@borrowed()
def feature_moments(indptr, indices, values, panel, k, rows, out):
    """Sum w^f x, w and w^f x^2 for each feature over the samples that have the feature."""
    # ``panel`` is [W^f | W] with shape (n_samples, 2 k), and the matrix rows are features.
    for r in range(rows.shape[0]):
        out[r] = 0.0
        for z in range(indptr[rows[r]], indptr[rows[r] + 1]):
            x, p, into = np.float64(values[z]), panel[indices[z]], out[r]
            for t in range(k):
                product = x * p[t]
                into[t] += product
                into[k + t] += p[k + t]
                into[2 * k + t] += x * product


@borrowed()
def quadratic_rows(indptr, indices, values, panel, k, lo, hi, out):
    """Set out[r] to the sum of x P[j] + x^2 R[j] over the entries x in columns j of matrix row lo + r."""
    # ``panel`` is [P | R].
    for r in range(hi - lo):
        out[r] = 0.0
        for z in range(indptr[lo + r], indptr[lo + r + 1]):
            x, p, into = np.float64(values[z]), panel[indices[z]], out[r]
            for t in range(k):
                into[t] += x * (np.float64(p[t]) + x * np.float64(p[k + t]))


@borrowed()
def label_moments(indptr, indices, values, labels, lo, hi, sums, squares):
    for r in range(hi - lo):
        sums[r] = 0.0
        squares[r] = 0.0
        for z in range(indptr[lo + r], indptr[lo + r + 1]):
            x = 1.0 if values.shape[0] == 0 else np.float64(values[z])
            label = labels[indices[z]]
            sums[r, label] += x
            squares[r, label] += x * x
