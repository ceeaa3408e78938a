"""The part of a sweep that goes by feature: centroids, chi-square, dispersion, weights.

References are to the steps of a sweep: 1 centroid, 4 chi-square, 5 weights, 6 distances. Sums over
features are left by block, for the caller to add in one order on any number of threads.
"""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.borrowed import borrowed

# Least number whose logarithm is taken, so that a floor of 0 is the limit of small floors.
_TINY = np.finfo(np.float64).tiny
# Denominators of chi-square up to this are taken as 0.
_NOTHING = 1e-12


@borrowed(error_model="numpy")
def _dispersion_row(sums, binary, k, masses, kept, shift, centers):  # type: ignore[no-untyped-def]
    """Centroid (11) of a feature; its dispersion takes the place of the first sums."""
    for t in range(k):
        mass = masses[t]
        z = sums[t] / mass if mass > 0.0 else kept[t] - shift
        centers[t] = z + shift
        spread = mass * z * (1.0 - z) if binary else sums[2 * k + t] - mass * z * z
        sums[t] = spread if spread > 0.0 else 0.0


@borrowed(error_model="numpy")
def _chi_row(sums, k, sizes, spreads, frequency, n, scale):  # type: ignore[no-untyped-def]
    """Chi-square of a feature takes the place of the second sums."""
    rest = frequency * (n - frequency)
    for t in range(k):
        difference = n * sums[k + t] - sizes[t] * frequency
        below = spreads[t] * rest
        sums[k + t] = scale * difference * difference / below if below > _NOTHING else 0.0


@borrowed()
def weigh_features(  # type: ignore[no-untyped-def]
    sums, binary, masses, sizes, spreads, blame, frequencies, varying, shift, old, n, scale, gamma,
    floor, power, lo, hi, centers, logs, least, totals, chi_totals,
):  # fmt: skip
    """Steps 1, 4 and 5 for features lo..hi-1, without the normalisation of the weights.

    Parameters
    ----------
    sums : ndarray of shape (hi - lo, 2 k or 3 k), float64
        Sums of w^f x, of w where x != 0, and, unless ``binary``, of w^f x^2; overwritten.
    masses, sizes, spreads, blame : ndarray of shape (k,)
        S_l, S'_l, S'_l (n - S'_l) and 1 + Imp_l.
    frequencies, shift : ndarray of shape (m,), float64
        Samples that have a feature; what was taken from its values before summing.
    old : ndarray of shape (m, k) or (1, k)
        Centroids of clusters without mass; one row of anything if all have mass.
    centers, logs : ndarray of shape (m, k)
        Receive centroids and log weights.
    least, totals, chi_totals : ndarray of shape (k,), float64
        Receive the least M of the block, and the sums of lambda and of lambda^q chi relative to its weight.
    """
    k = masses.shape[0]
    least[:] = np.inf
    totals[:] = 0.0
    chi_totals[:] = 0.0
    for r in range(hi - lo):
        i = lo + r
        row = sums[r]
        _dispersion_row(row, binary, k, masses, old[i if old.shape[0] > 1 else 0], shift[i], centers[i])
        _chi_row(row, k, sizes, spreads, frequencies[i], n, scale)
        if not varying[i]:
            continue
        for t in range(k):
            value = max(row[t] * blame[t] + gamma * row[k + t], floor, _TINY)
            row[t] = value
            least[t] = min(least[t], value)
    for r in range(hi - lo):
        i = lo + r
        if not varying[i]:
            logs[i] = -np.inf
            continue
        row = sums[r]
        for t in range(k):
            ratio = least[t] / row[t]
            relative = np.exp(power * np.log(ratio)) if ratio > 0.0 else 0.0
            totals[t] += relative
            # lambda^q = lambda M^-1, as q / (q - 1) = 1 + 1 / (q - 1)
            chi_totals[t] += relative * ratio * row[k + t]
            logs[i, t] = -power * np.log(row[t])


@borrowed()
def weight_panel(  # type: ignore[no-untyped-def]
    centers, logs, tops, exponent, shift, binary, lo, hi, panel, constants
):
    """Terms of the distances of step 6 by feature, for features lo..hi-1.

    With g = (lambda / exp(tops))^q, a distance is the sum of g (z - x)^2. For x of 0 and 1 the panel receives
    g (1 - 2 z), else [-2 g z | g]; ``constants`` receives the sum of g z^2 over these features.
    """
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
