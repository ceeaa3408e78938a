"""Weighted means of the logits of several models, each brought to the same mean and spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from moo_clustering.estimators.multi_label._sigmoid_shares import sigmoid_shares

Floats = NDArray[np.float64]

# Probabilities nearer to 0 or 1 have the logit of this one.
_LEAST = 1e-9


class LogitScale(NamedTuple):
    """Mean and standard deviation of the logits of every class, over the samples of a fit.

    Attributes
    ----------
    mean, spread : ndarray of shape (n_classes,)
        Spread 1 where all logits are equal.
    """

    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, logits: Floats) -> Self:
        """Of logits of shape (n_samples, n_classes)."""
        spread = logits.std(axis=0)
        # Equal values may differ from their mean in the last digit.
        return cls(logits.mean(axis=0), np.where(spread > 1e-12, spread, 1.0))


def logits(probabilities: NDArray[Any]) -> Floats:
    """Finite logits of probabilities."""
    inside: Floats = np.clip(np.asarray(probabilities, dtype=np.float64), _LEAST, 1.0 - _LEAST)
    return np.asarray(logit(inside), dtype=np.float64)


def mixed_logits(parts: Sequence[Floats], scales: Sequence[LogitScale], weights: Sequence[float]) -> Floats:
    """Weighted mean of standardised logits, on the weighted mean of their scales.

    Standardised logits are centred at 0, so that every class would have half of the samples above
    probability .5; on the mean scale probabilities stay those of a typical model. The order of samples
    in a class does not depend on that scale.

    Parameters
    ----------
    parts : sequence of n_models ndarrays of shape (n_samples, n_classes)
    scales : sequence of n_models LogitScale
    weights : sequence of n_models numbers that sum to 1

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    mean = sum(weight * scale.mean for weight, scale in zip(weights, scales, strict=True))
    spread = sum(weight * scale.spread for weight, scale in zip(weights, scales, strict=True))
    standard = sum(
        weight * (part - scale.mean) / scale.spread
        for weight, part, scale in zip(weights, parts, scales, strict=True)
    )
    return np.asarray(standard * spread + mean)


def probabilities_of(logits: Floats, multilabel: bool) -> Floats:
    """Sigmoids; where samples have one class, divided by the sum of their row."""
    return np.asarray(expit(logits)) if multilabel else sigmoid_shares(logits)
