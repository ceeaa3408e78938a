"""One trial: hand a case to an estimator, and say what is wrong with what comes of it."""

from __future__ import annotations

import linecache
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import moo_clustering
from moo_clustering.bags import Bags

PACKAGE = Path(moo_clustering.__file__).parent
# Libraries whose checks are taken as they are: their sentences are those that users of scikit-learn know.
CHECKERS = (
    "sklearn/utils/",
    "sklearn/base.py",
    "sklearn/neighbors/",  # and the next two: names of metrics
    "sklearn/metrics/",
    "scipy/spatial/distance.py",
    "pandas/core/",
    "joblib/",
)
# Documented: without labels in the fit there are no classes to predict.
WITHOUT_LABELS = ("requires a fit with labels", "was fitted without labels")
FINITE = ("cluster_centers_", "inertia_", "pareto_front_", "objectives_", "front_", "components_")


@dataclass
class Outcome:
    """What came of a trial: ``"fitted"``, ``"refused"`` or ``"failed"``, and why."""

    kind: str
    reason: str
    seconds: float


def try_case(setting: Any, case: Any) -> Outcome:
    """Fit, predict, and judge."""
    began = time.process_time()
    before = fingerprint([case.X, case.fit, case.new])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kind, reason = _run(setting, case)
    if kind != "failed" and fingerprint([case.X, case.fit, case.new]) != before:
        kind, reason = "failed", "the input was changed"
    # scikit-learn's search for infinities adds those of both signs, with a warning, before it refuses them.
    checked = kind == "refused" and "sklearn/utils/" in reason
    leaks = [] if checked else [w for w in caught if issubclass(w.category, RuntimeWarning)]
    if kind != "failed" and leaks:
        kind, reason = "failed", f"{leaks[0].message} in {leaks[0].filename}:{leaks[0].lineno}"
    return Outcome(kind, reason, time.process_time() - began)


def _run(setting: Any, case: Any) -> tuple[str, str]:
    try:
        model = setting.make(**case.options).fit(case.X, **case.fit)
    except Exception as error:
        return _judged(error)
    try:
        fault = _faults(model, case, setting)
    except Exception as error:
        kind, reason = _judged(error)
        return ("failed" if case.new is None else kind), f"after the fit: {reason}"
    return ("failed", fault) if fault else ("fitted", "")


def _judged(error: Exception) -> tuple[str, str]:
    """Whether an error is a sentence that someone wrote for users."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    told = f"{type(error).__name__}: {str(error)[:200]} ({frame.filename}:{frame.lineno}: {line})"
    # Subclasses of ValueError among them: no sentence of ours is one of these.
    stray = isinstance(error, IndexError | KeyError | np.linalg.LinAlgError | UnicodeError)
    if stray or not isinstance(error, ValueError | TypeError) or len(str(error)) < 15:
        return "failed", told
    ours = Path(frame.filename).is_relative_to(PACKAGE) and line.startswith("raise")
    if ours or any(checker in frame.filename for checker in CHECKERS):
        return "refused", told
    return "failed", f"not a sentence of ours: {told}"


def _faults(model: Any, case: Any, setting: Any) -> str:
    n = count(case)
    if setting.clusters:
        fault = _partition_fault(model.labels_, n)
        if fault:
            return fault
        n_clusters = getattr(model, "n_clusters_", None)
        if n_clusters is not None and n_clusters != len(np.unique(model.labels_)):
            return f"n_clusters_ is {n_clusters}, and there are {len(np.unique(model.labels_))}"
    for name in FINITE:
        value = getattr(model, name, None)
        if value is not None and not np.isfinite(_numbers(value)).all():
            return f"{name} is not finite: {value!r}"
    return _prediction_fault(model, case, n)


def _numbers(value: Any) -> np.ndarray:
    if sp.issparse(value):
        return value.data
    return value.instances if isinstance(value, Bags) else np.asarray(value, dtype=float)


def _partition_fault(labels: Any, n: int) -> str:
    if not isinstance(labels, np.ndarray) or labels.dtype.kind != "i":
        return f"labels_ are no integers: {labels!r}"
    if labels.shape != (n,):
        return f"labels_ have shape {labels.shape}, not ({n},)"
    found = np.unique(labels)
    complete = np.array_equal(found, np.arange(len(found)))
    return "" if complete else f"clusters are {found}"


def _prediction_fault(model: Any, case: Any, n: int) -> str:
    own = case.new is None
    new = case.X if own else case.new
    rows = {key: case.fit[key] for key in ("groups", "offsets") if own and key in case.fit}
    length = n if own else count(type(case)(case.new))
    for method in ("predict", "predict_proba", "transform", "decision_function"):
        if not hasattr(model, method) or (rows and method in ("predict", "predict_proba") and _fixed(model)):
            continue
        try:
            made = getattr(model, method)(new, **rows)
        except ValueError as error:
            if own and any(sentence in str(error) for sentence in WITHOUT_LABELS):
                continue
            raise
        made = made.toarray() if sp.issparse(made) else np.asarray(made)
        if len(made) != length:
            return f"{method} gave {len(made)} rows for {length}"
        if made.dtype.kind == "f" and not np.isfinite(made).all():
            return f"{method} gave values that are not finite: {made!r}"
        if method == "predict_proba" and made.size and not (made.min() >= 0 and made.max() <= 1 + 1e-6):
            return f"predict_proba gave {made.min()} to {made.max()}"
    return ""


def _fixed(model: Any) -> bool:
    """Whether ``predict`` takes nothing but X."""
    return type(model).__name__ == "ParetoBagClustering"


def count(case: Any) -> int:
    """Samples, or bags."""
    X, fit = case.X, case.fit
    if "offsets" in fit:
        return len(fit["offsets"]) - 1
    if "groups" in fit:
        return len(set(fit["groups"]))
    return len(X) if isinstance(X, Bags | list | tuple) else (*X.shape, 1)[0]


def fingerprint(value: Any) -> Any:
    """Everything of an input that a fit might change."""
    if isinstance(value, dict):
        return [(key, fingerprint(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [type(value), *map(fingerprint, value)]
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.kind == "O" else value.tobytes()
        return (value.shape, value.strides, value.flags.writeable, value.dtype.str, content)
    if sp.issparse(value):
        parts = ("data", "indices", "indptr", "row", "col", "rows")
        return [type(value), value.shape, *(fingerprint(getattr(value, part, None)) for part in parts)]
    if isinstance(value, pd.DataFrame | pd.Series):
        return [str(value.index), *map(str, np.ravel(value.dtypes)), value.to_json(default_handler=str)]
    if isinstance(value, Bags):
        return [fingerprint(value.instances), fingerprint(value.offsets)]
    return repr(value)
