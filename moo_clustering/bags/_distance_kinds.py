"""Several distances between the same bags at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags._as_bags import as_bags
from moo_clustering.bags._distances import bag_distances
from moo_clustering.bags._energy_distance import energy_from_means
from moo_clustering.bags._joint_distances import joint_distances
from moo_clustering.bags._sliced import sliced_directions, sliced_quantile_embedding

Floats = NDArray[np.float64]
DistanceKind = Literal["symmetric", "average", "energy", "sliced"]

DISTANCE_KINDS: tuple[str, ...] = get_args(DistanceKind)


def bag_distance_kinds(
    A: Any,
    B: Any = None,
    *,
    kinds: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    directions: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> dict[str, Floats]:
    """Symmetric distances of all bags of ``A`` to all bags of ``B``, of several kinds at once.

    Parameters
    ----------
    A : Bags or anything :func:`as_bags` takes
    B : Bags, anything :func:`as_bags` takes, or None, default=None
        None: the bags of ``A`` among themselves.
    kinds : sequence of {"symmetric", "average", "energy", "sliced"}, default=all
        With d(a, b) the Euclidean distance of two instances:

        - ``"symmetric"``: the greater of the two directed Hausdorff distances.
        - ``"average"``: the mean over a of the smallest d over b, the mean over b of the smallest d
          over a, and of both the mean.
        - ``"energy"``: see :func:`energy_distance`.
        - ``"sliced"``: Euclidean distance of :func:`sliced_quantile_embedding`.
    directions : array-like of shape (n_directions, n_features), optional
        For ``"sliced"``; random ones if not given. Distances to new bags need the same ones.
    rng : numpy.random.Generator, optional
        For the directions.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    dict of str to ndarray of shape (n_bags_A, n_bags_B), float64
        In the order of ``kinds``. With ``B=None`` symmetric, and exactly 0 on the diagonal.

    Raises
    ------
    ValueError
        An unknown kind, bags of different widths, or values so large that their squares overflow.

    Notes
    -----
    O(n_A n_B d) time for n_A and n_B instances of d features, in one pass over blocks for the first three
    kinds; no table of all pairs of instances is ever held. ``"sliced"`` adds O(n_bags_A n_bags_B 1500).

    Examples
    --------
    >>> from moo_clustering.bags import bag_distance_kinds
    >>> D = bag_distance_kinds([[[0], [1]], [[1], [3]], [[10]]], kinds=("symmetric", "average"))
    >>> D["symmetric"].tolist()
    [[0.0, 2.0, 10.0], [2.0, 0.0, 9.0], [10.0, 9.0, 0.0]]
    >>> D["average"].tolist()
    [[0.0, 0.75, 9.25], [0.75, 0.0, 7.5], [9.25, 7.5, 0.0]]
    """
    check_kinds(kinds)
    a, b = as_bags(A), None if B is None else as_bags(B)
    out: dict[str, Floats] = {}
    nearest, mean = "symmetric" in kinds or "average" in kinds, "energy" in kinds
    if nearest or mean:
        joint = joint_distances(a, b, nearest=nearest, mean=mean, n_jobs=n_jobs)
        out = {"symmetric": joint.symmetric, "average": joint.average}
        if mean:
            out["energy"] = energy_from_means(joint, same=b is None)
    if "sliced" in kinds:
        if directions is None:
            directions = sliced_directions(a.n_features, np.random.default_rng() if rng is None else rng)
        vectors = [
            sliced_quantile_embedding(part, directions=directions) for part in (a, b) if part is not None
        ]
        # Every vector a bag of one instance.
        out["sliced"] = bag_distances(*vectors, kind="min_min", n_jobs=n_jobs)
    return {kind: out[kind] for kind in kinds}


def check_kinds(kinds: Sequence[str], *, name: str = "kinds") -> None:
    """Refuse unknown kinds of distances."""
    allowed = ", ".join(map(repr, DISTANCE_KINDS))
    if isinstance(kinds, str):
        raise ValueError(f"{name} must be a sequence of {allowed}, got the text {kinds!r}")
    for kind in kinds:
        if kind not in DISTANCE_KINDS:
            near = did_you_mean(str(kind), DISTANCE_KINDS)
            raise ValueError(f"{name} may be {allowed}, got {kind!r}{near}")
