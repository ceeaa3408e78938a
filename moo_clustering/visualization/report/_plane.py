"""The map of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization._plane import components, feature_plane, landmark_plane, scaled_to_plane
from moo_clustering.visualization.report._content import PlaneMap
from moo_clustering.visualization.report._sampled_distances import SampledDistances
from moo_clustering.visualization.report._samples import Samples

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

# Samples whose positions are refined by majorisation, and those that the others are placed by.
_REFINED, _LANDMARKS = 300, 1000
_COMPONENTS = ("first principal component", "second principal component")
_SCALED = ("first dimension", "second dimension")


def shown_rows(n_samples: int, kept: Rows, max_points: int, rng: np.random.Generator) -> Rows:
    """All samples, or those that are kept and others at random, ``max_points`` if so many suffice."""
    if n_samples <= max_points:
        return np.arange(n_samples)
    chosen = np.zeros(n_samples, dtype=bool)
    chosen[kept] = True
    others = np.flatnonzero(~chosen)
    more = min(max(0, max_points - int(chosen.sum())), len(others))
    chosen[rng.choice(others, more, replace=False)] = True
    return np.flatnonzero(chosen)


def plane_map(samples: Samples, rows: Rows, distances: SampledDistances) -> PlaneMap:
    """Positions of some samples.

    Parameters
    ----------
    samples : Samples
    rows : ndarray
        Samples to show, ascending.
    distances : SampledDistances
    """
    positions, axes, note = _positions(samples, rows, distances)
    return PlaneMap(positions, rows.astype(np.int64), axes, _noted(note, len(rows), samples.n_samples))


def given_map(embedding: Floats, rows: Rows) -> PlaneMap:
    """Some of the positions that were given."""
    note = _noted("Positions as given", len(rows), len(embedding))
    return PlaneMap(embedding[rows], rows.astype(np.int64), ("first coordinate", "second coordinate"), note)


def checked_embedding(embedding: Any, n_samples: int) -> Floats:
    """Positions of all samples.

    Raises
    ------
    ValueError
        Wrong shape, or values that are not finite.
    """
    try:
        found = np.asarray(embedding, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("embedding must hold numbers, two for each sample") from None
    if found.shape != (n_samples, 2):
        raise ValueError(
            f"embedding must have two numbers for each of {n_samples} samples, got shape {found.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        raise ValueError(
            f"embedding must be finite; {len(bad)} of {n_samples} samples have NaN or infinity, the first is "
            f"sample {bad[0]}"
        )
    return found


def _positions(
    samples: Samples, rows: Rows, distances: SampledDistances
) -> tuple[Floats, tuple[str, str], str]:
    if samples.given is not None:
        return _scaled_distances(samples.given, rows, distances)
    if samples.bags is not None:
        if len(distances.rows) == samples.n_samples <= _LANDMARKS:
            return _scaled_distances(distances.D, rows, distances, "Hausdorff distances")
        points, share = components(samples.points, len(samples.points))
        return points[rows], _COMPONENTS, f"Principal components of bag means, {share:.0%} of the variance"
    if samples.table.shape[1] <= 2:
        positions, axes, _ = feature_plane(samples.table, samples.feature_names)
        return positions[rows], axes, "Features as they are"
    if samples.points.shape[1] > 2:
        positions, _, found = feature_plane(samples.points)
        share = 1.0 if found is None else found
    else:  # the others do not vary
        positions, share = components(samples.points, samples.n_samples)
    return positions[rows], _COMPONENTS, f"Principal components, {share:.0%} of the variance"


def _scaled_distances(
    D: Floats, rows: Rows, distances: SampledDistances, what: str = "the distances given"
) -> tuple[Floats, tuple[str, str], str]:
    if len(D) <= _REFINED:
        positions, stress = scaled_to_plane((D + D.T) / 2.0)
        return positions[rows], _SCALED, f"Scaling of {what}, stress {stress:.2f}"
    landmarks = distances.rows
    if len(landmarks) > _LANDMARKS:
        landmarks = landmarks[np.linspace(0, len(landmarks) - 1, _LANDMARKS).astype(np.intp)]
    between = D[np.ix_(landmarks, landmarks)]
    to_landmarks = (D[np.ix_(rows, landmarks)] + D[np.ix_(landmarks, rows)].T) / 2.0
    return landmark_plane(to_landmarks, (between + between.T) / 2.0), _SCALED, f"Classical scaling of {what}"


def _noted(note: str, n_shown: int, n_samples: int) -> str:
    if n_shown == n_samples:
        return f"{note}."
    return (
        f"{note}. {n_shown} of {n_samples} samples: those in constraints and those typical of clusters, and "
        "others at random."
    )
