"""The checkpoint of an estimator's run and what it must not be mixed up with."""

from __future__ import annotations

from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from moo_clustering.persistence import Checkpoint, fingerprint

# A run may be resumed with other values of these; longer runs continue shorter ones.
_FREE = frozenset({"n_gen", "n_jobs", "verbose", "checkpoint", "checkpoint_every", "resume"})


def checkpoint_for(estimator: BaseEstimator, *data: Any) -> Checkpoint | None:
    """Checkpoint of a fit of ``estimator`` on ``data``, or None if none is asked for.

    Parameters
    ----------
    estimator : BaseEstimator
        With parameters ``checkpoint``, ``checkpoint_every``, ``resume`` and ``random_state``.
    *data : array-like or None
        Everything the result depends on besides the parameters.
    """
    if estimator.checkpoint is None:
        if estimator.resume:
            raise ValueError("resume=True needs checkpoint, the file to resume from.")
        return None
    if not isinstance(estimator.random_state, Integral):
        raise ValueError(
            "checkpoint needs an integer random_state, without which a resumed run could not equal an "
            f"uninterrupted one; got random_state={estimator.random_state!r}."
        )
    parameters = {
        name: _plain(value) for name, value in estimator.get_params(deep=False).items() if name not in _FREE
    }
    identity = {
        "method": type(estimator).__name__,
        "parameters": parameters,
        "data": fingerprint(*(None if part is None else np.asarray(part) for part in data)),
    }
    return Checkpoint(
        path=Path(estimator.checkpoint),
        every=estimator.checkpoint_every,
        identity=identity,
        resume=estimator.resume,
    )


def _plain(value: Any) -> Any:
    """Parameters as JSON knows them; arrays by their fingerprint, functions by their name."""
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    if isinstance(value, np.ndarray) or (
        isinstance(value, tuple | list) and any(isinstance(part, np.ndarray | list | tuple) for part in value)
    ):
        parts = value if isinstance(value, tuple | list) else [value]
        return fingerprint(*(np.asarray(part) for part in parts))
    return value.item() if isinstance(value, np.generic) else value
