"""What a sweep of semi-supervised subspace clustering can be told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal

Normalisation = Literal["mean", "count", "none"] | None
ChiScale = Literal["n", "n_labelled"]
Init = Literal["labels", "seeds", "kmeans", "dirichlet", "equal"]
Aggregation = Literal["normalised", "sum", "membership"]

IMPURITIES = ("mean", "count", "none", None)
CHI_SCALES = ("n", "n_labelled")


@dataclass(frozen=True)
class SubspaceOptions:
    """Options of a sweep, checked.

    Parameters
    ----------
    fuzziness : float, default=1.5
        f > 1, exponent of the memberships.
    weight_exponent : float, default=5.0
        q > 1, exponent of the weights of features.
    gamma : float, default=0.5
        Weight of chi-square, at least 0.
    impurity : {"mean", "count", "none", None}, default="mean"
        Normalisation of the impurity of clusters; None: no impurity.
    impurity_in_membership : bool, default=True
        Whether impurity makes clusters farther, as in equation (10).
    chi_scale : {"n", "n_labelled"}, default="n"
        Total of the tables of which chi-square is taken.
    floor : float, default=1e-6
        Least dispersion of a feature in a cluster.

    Raises
    ------
    ValueError
        A value outside its range.
    """

    fuzziness: float = 1.5
    weight_exponent: float = 5.0
    gamma: float = 0.5
    impurity: Normalisation = "mean"
    impurity_in_membership: bool = True
    chi_scale: ChiScale = "n"
    floor: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("fuzziness", "weight_exponent"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and float(value) > 1 and math.isfinite(value)):
                raise ValueError(f"{name} must be a finite number above 1, got {value!r}")
        for name in ("gamma", "floor"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and float(value) >= 0 and math.isfinite(value)):
                raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
        if self.impurity not in IMPURITIES:
            raise ValueError(f"impurity must be 'mean', 'count', 'none' or None, got {self.impurity!r}")
        if self.chi_scale not in CHI_SCALES:
            raise ValueError(f"chi_scale must be 'n' or 'n_labelled', got {self.chi_scale!r}")
