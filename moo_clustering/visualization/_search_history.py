"""What is known of the course of a run, whatever recorded it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = ("generation", "gen", "sweep", "iteration", "iter")
_NOT_SHOWN = ("seconds", "nevals", "evals")
_SAID = {"gen": "generation", "iter": "iteration"}


class SearchHistory(NamedTuple):
    """Numbers and objective values of a run.

    Attributes
    ----------
    step : str
        What is counted.
    frame : DataFrame of shape (n_steps, n_curves)
        Numbers by step, which is the index.
    F : list of ndarray of shape (n_individuals, n_objectives)
        Minimised objective values of every step; empty if they were not kept.
    maximised : frozenset of str
        Objectives whose natural values are to be large.
    """

    step: str
    frame: pd.DataFrame
    F: Sequence[Floats] = ()
    maximised: frozenset[str] = frozenset()


def read_history(run: Any, names: Sequence[str] | None = None) -> SearchHistory:
    """The history of a fitted estimator, a recorder, a frame, a DEAP logbook or an array.

    Parameters
    ----------
    run : estimator, Recorder, DataFrame, deap.tools.Logbook or array-like of shape (n_steps,)
    names : sequence of str, optional
        Of the objectives of a recorder; those of the estimator by default.

    Raises
    ------
    TypeError, ValueError
        Without a history, or without a number in it.
    """
    if isinstance(run, pd.DataFrame):
        return _of_frame(run)
    if _is_recorder(run):
        return _of_recorder(run, names)
    if isinstance(run, list) and run and all(isinstance(row, Mapping) for row in run):
        return _of_logbook(run)
    if isinstance(run, np.ndarray | list | tuple):
        values = np.asarray(run, dtype=np.float64)
        if values.ndim != 1 or not len(values):
            raise ValueError(
                f"a history without names must have shape (n_steps,), at least one, got {values.shape}"
            )
        return SearchHistory("step", pd.DataFrame({"objective": values}, index=np.arange(1, len(values) + 1)))
    return _of_estimator(run, names)


def _of_estimator(run: Any, names: Sequence[str] | None) -> SearchHistory:
    name = type(run).__name__
    kept = (getattr(run, key, None) for key in ("history_", "logbook_", "objective_history_"))
    found: list[Any] = [each for each in kept if each is not None]
    for history in found:
        if not _is_recorder(history):
            read = read_history(history)
            return read._replace(step="sweep") if read.step == "step" else read
        if history.F:
            own = getattr(run, "objective_names_", None)
            return _of_recorder(history, own if names is None else names)
    if found:
        raise ValueError(f"the history of this {name} is empty: its run had nothing to search")
    if not hasattr(run, "fit"):
        raise TypeError(
            "a run must be a fitted estimator with history_ or logbook_, a Recorder, a DataFrame with a "
            f"column 'generation', a DEAP logbook or an array, got {name}"
        )
    raise ValueError(f"this {name} has no history_ and no logbook_; was it fitted, and does it search?")


def _is_recorder(run: Any) -> bool:
    return hasattr(run, "to_frame") and hasattr(run, "generations") and hasattr(run, "F")


def _of_recorder(recorder: Any, names: Sequence[str] | None) -> SearchHistory:
    if not recorder.F:
        raise ValueError("the recorder is empty: no run was recorded")
    n_objectives = recorder.F[0].shape[1]
    names = [f"f{i + 1}" for i in range(n_objectives)] if names is None or not len(names) else list(names)
    frame = recorder.to_frame(names)
    signs = np.ones(n_objectives) if recorder.signs is None else np.asarray(recorder.signs, dtype=np.float64)
    means = np.array([_finite_mean(F) for F in recorder.F]) * signs
    columns: dict[str, Any] = {}
    for i, name in enumerate(names):
        columns |= {f"best_{name}": frame[f"best_{name}"].to_numpy(), f"mean_{name}": means[:, i]}
    columns["front_size"] = frame["front_size"].to_numpy()
    return SearchHistory(
        "generation",
        pd.DataFrame(columns, index=frame["generation"].to_numpy()),
        recorder.F,
        frozenset(name for name, sign in zip(names, signs, strict=True) if sign < 0),
    )


def _finite_mean(F: Floats) -> Floats:
    finite = np.isfinite(F)
    total = np.where(finite, F, 0.0).sum(axis=0)
    counts = finite.sum(axis=0)
    return np.divide(total, counts, out=np.full(F.shape[1], np.nan), where=counts > 0)


def _of_frame(frame: pd.DataFrame) -> SearchHistory:
    step = next((name for name in _STEPS if name in frame.columns), None)
    if step is None:
        raise ValueError(f"frame must have a column 'generation', it has {list(frame.columns)}")
    numbers = frame.drop(columns=[step, *_NOT_SHOWN], errors="ignore").select_dtypes(["number", "bool"])
    if numbers.empty:
        raise ValueError("frame has no columns to draw")
    steps = frame[step].to_numpy()
    if len(np.unique(steps)) < len(steps):
        raise ValueError(f"the column {step!r} has a number more than once; give the runs one by one")
    numbers = numbers.astype(np.float64).set_index(steps).sort_index()
    numbers.columns = numbers.columns.map(str)
    return SearchHistory(_SAID.get(step, step), numbers)


def _of_logbook(logbook: Any) -> SearchHistory:
    rows = []
    for place, record in enumerate(logbook):
        row = dict(record)
        for chapter, entries in getattr(logbook, "chapters", {}).items():
            row |= {f"{key}_{chapter}": value for key, value in entries[place].items() if key not in row}
        rows.append(_single_numbers(row))
    return _of_frame(pd.DataFrame(rows))


def _single_numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Statistics of several objectives, a column each."""
    single: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, np.ndarray | list | tuple):
            single |= {f"{name}_f{i}": each for i, each in enumerate(np.ravel(value), 1)}
        else:
            single[name] = value
    return single
