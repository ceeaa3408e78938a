"""The course of the search of a fitted estimator as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def history_frame(estimator: Any) -> pd.DataFrame | None:
    """The course of the search, a generation or sweep a row; None without one."""
    history = getattr(estimator, "history_", None)
    if history is None:
        return None
    if isinstance(history, pd.DataFrame):
        return history
    if isinstance(history, np.ndarray):
        return pd.DataFrame({"sweep": np.arange(1, len(history) + 1), "objective": history})
    frame: pd.DataFrame = history.to_frame(getattr(estimator, "objective_names_", None))
    return frame


def bag_history(estimator: Any) -> pd.DataFrame | None:
    """The logbook of the search, a generation or an update of centres a row; None without a search."""
    if not hasattr(estimator, "logbook_"):
        recorder = getattr(estimator, "history_", None)
        return None if recorder is None else recorder.to_frame(estimator.objective_names_)
    frame = pd.DataFrame(list(estimator.logbook_)).rename(columns={"gen": "generation", "iter": "generation"})
    seconds = getattr(getattr(estimator, "history_", None), "seconds", ())
    if len(seconds) == len(frame):
        frame.insert(1, "seconds", seconds)
    return frame
