"""Cells (single runs) of an experiment, computed by any joblib backend and saved as soon as each finishes."""

from __future__ import annotations

import faulthandler
import hashlib
import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from joblib import delayed
from joblib.externals.loky.cloudpickle_wrapper import dumps, loads
from scipy import sparse
from sklearn import mixture
from sklearn.base import BaseEstimator, clone

from moo_clustering import controls as searches
from moo_clustering._arrays import QuotingError, knee, number_clusters
from moo_clustering._data import checked_array
from moo_clustering._messages import progress_bar
from moo_clustering._parallel import finished_calls, one_thread
from moo_clustering.algorithms import evolve
from moo_clustering.algorithms.deap_search import can_take
from moo_clustering.datasets import BUNDLED, Table, load_bundled, read_table
from moo_clustering.estimators._fronts import FrontMixin
from moo_clustering.persistence import is_temporary, locked, replacing, to_json
from moo_clustering.results import Front, Objective, result_of
from moo_clustering.validity.base import UNDEFINED

Key = Mapping[str, str | int | float]
Compute = Callable[[Key, Any], Any]
# Classes without a parameter ``n_clusters``, and the parameter that sets their number of clusters.
SIZES = dict.fromkeys((mixture.GaussianMixture, mixture.BayesianGaussianMixture), "n_components")
MEASURED = ("n_clusters", "seconds", "evaluations")
FORMAT, RESULTS = "moo_clustering cells", "results.jsonl"


class StoreError(QuotingError):
    """Raised if a file is not a store or belongs to an experiment with different parameters."""


class CellError(RuntimeError):
    """Raised if a cell fails; cells that finished earlier remain saved."""


def check_folder(folder: Path) -> None:
    """Raise a StoreError unless the folder does not exist yet, is empty, or contains cells."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file, not a folder; choose another folder")
    if not folder.exists() or (folder / RESULTS).exists():
        return
    if not all(is_temporary(entry.name) for entry in folder.iterdir()):
        raise StoreError(f"{folder} contains other files; choose another folder")


@contextmanager
def cells_of_folder(folder: Path, parameters: Mapping[str, Any]) -> Iterator[CellStore]:
    """Lock a folder, creating it if necessary, and open its cells."""
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder), CellStore(folder / RESULTS, parameters) as store:
        yield store


def run_cells(
    compute: Compute,
    cells: Sequence[Key],
    data: Callable[[Key], Any],
    store: CellStore,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
    description: str = "cells",
) -> bool:
    """Compute and save all cells missing from the store. Return False if Ctrl-C stopped this, else True."""
    # ``compute(key, data)`` must be importable by other processes, must return a JSON-serialisable value, and
    # must derive all randomness from the key. If ``compute`` fails, a CellError names the cell. To save
    # memory, ``data(key)`` is called just before the cell is computed.
    if not (missing := [key for key in cells if key not in store]):
        return True
    counts = {"total": len(cells), "initial": len(cells) - len(missing), "unit": "cell"}
    bar = progress_bar(desc=description, disable=not verbose, **counts)
    parent = os.getpid()
    calls = (delayed(_task)(compute, key, data(key), parent) for key in missing)
    # If the loop ends early, ``closing`` cancels the submitted cells.
    with bar, closing(finished_calls(calls, n_jobs=n_jobs)) as finished:
        try:
            for key, value in finished:
                store.add(key, value)
                bar.update()
        except KeyboardInterrupt:
            return False
    return True


def _task(compute: Compute, key: Key, data: Any, parent: int) -> tuple[Key, Any]:
    # A terminal interrupts all of its processes, but only the parent process should handle Ctrl-C.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return key, compute(key, data)
    except MemoryError:
        raise
    except Exception as error:
        raise CellError(f"the cell {dict(key)} failed: {type(error).__name__}: {error}") from error


def seed_of(*parts: str | int | float) -> np.random.SeedSequence:
    """Derive a seed from ``parts`` alone, independent of the order in which cells run."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())


class CellStore:
    """JSON Lines file. The first line has an experiment's parameters; every further line has a cell."""

    # ``add`` returns after the line is on the disk. Opening a file removes an incomplete last line of a
    # killed run. If the file is not a store or has different parameters, a StoreError is raised.

    def __init__(self, path: Path, parameters: Mapping[str, Any]) -> None:
        self.path = path
        wanted = to_json(parameters, "parameters")
        if path.exists():
            given, self._values, length = read_cells(path)
            check_same(path, given, wanted)
            os.truncate(path, length)
        else:
            self._values = {}
            with replacing(path) as file:
                file.write(_line({"format": FORMAT, "parameters": wanted}))
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115

    def __contains__(self, key: Key) -> bool:
        return name_of_cell(key) in self._values

    def __len__(self) -> int:
        return len(self._values)

    def add(self, key: Key, value: Any) -> None:
        held = to_json(value, "value")
        record = {"key": to_json(key, "key"), "value": held}
        self._append(_line({**record, "crc32": _checksum(record)}))
        self._values[name_of_cell(key)] = held

    def _append(self, line: bytes) -> None:
        """Append a line. If this fails, the file is left unchanged."""
        length = os.fstat(self._file.fileno()).st_size
        try:
            # On a full disk, a write can store part of a line without an error. Writing the rest then fails.
            written = self._file.write(line)
            while written < len(line):
                written += self._file.write(line[written:])
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._file.fileno(), length)
            error.filename = str(self.path)
            raise

    def forget(self, found: Callable[[Any], bool]) -> None:
        """Drop each cell if ``found(value)`` is True for its value. Dropped cells can be added again."""
        self._values = {name: value for name, value in self._values.items() if not found(value)}

    def values(self, keys: Iterable[Key]) -> list[Any]:
        """Return the JSON values of finished cells. Raises a KeyError if a cell is unfinished."""
        return [self._values[name_of_cell(key)] for key in keys]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def read_cells(path: Path) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Return the parameters, the values by cell name, and the total length of the complete lines in bytes."""
    content = path.read_bytes()
    length = content.rfind(b"\n") + 1
    head, *lines = content[:length].split(b"\n")[:-1] or [b""]
    try:
        header = json.loads(head)
        if header["format"] != FORMAT:
            raise ValueError("another format")
        parameters: dict[str, Any] = header["parameters"]
        if not isinstance(parameters, dict):
            raise TypeError("parameters must be named")
        records = [json.loads(line) for line in lines]
        values = {name_of_cell(record["key"]): record["value"] for record in records}
        # Files written by older versions have no checksums.
        unchanged = [record.get("crc32", checksum := _checksum(record)) == checksum for record in records]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path} does not contain cells of an experiment; choose another folder") from error
    if not all(unchanged):
        raise StoreError(
            f"{path}, line {unchanged.index(False) + 2} was modified (its checksum differs); remove the line "
            "to compute its cell again, or choose another folder"
        )
    return parameters, values, length


def name_of_cell(key: Key) -> str:
    return json.dumps(to_json(key, "key"), sort_keys=True)


def _checksum(record: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps([record["key"], record["value"]]).encode())


def check_same(path: Path, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    was, now = ({name: json.dumps(value) for name, value in each.items()} for each in (given, wanted))
    shown = [(name, was.get(name, "not set"), now.get(name, "no value")) for name in {**was, **now}]
    if differences := [f"{name} was {old}, got {new}" for name, old, new in shown if old != new]:
        said = f"{path} was created with different parameters: {'; '.join(differences)}"
        raise StoreError(f"{said}; choose another folder")


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


class Score(NamedTuple):
    """Score of labels, computed using either the classes or the features."""

    function: Callable[..., float]
    greater: bool
    by_classes: bool

    def value(self, X: Any, y: Any, labels: Any) -> float:
        if self.by_classes:
            X, labels = y[y >= 0], labels[y >= 0]
        value = float(self.function(X, labels)) if len(labels) else float("nan")
        # If a validity index is undefined for the labels, its absolute value is at least ``UNDEFINED``.
        return float("nan") if abs(value) >= UNDEFINED else value


class Job(NamedTuple):
    """Arguments of a cell. Methods receive only the features; classes are used only to score the labels."""

    method: Any
    X: Any
    y: Any
    scores: dict[str, Score]
    n_clusters: int | None
    timeout: float | None


def compute_cell(key: Key, job: Job) -> dict[str, Any]:
    """Compute a cell's value: status, scores and measurements or, after a failure, status and reason."""
    if job.timeout is None:
        return _computed(key, job)
    start, places = time.perf_counter(), os.pathsep.join(place or os.getcwd() for place in sys.path)
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    env, sent = {**os.environ, "PYTHONPATH": places}, dumps((dict(key), job))
    done = subprocess.run(command, input=sent, stdout=subprocess.PIPE, env=env, check=False)
    if done.stdout:
        return dict(json.loads(done.stdout))
    if done.returncode == 1 and time.perf_counter() - start >= job.timeout:
        return {"status": "timed out", "error": f"not finished after {job.timeout:g} seconds"}
    return {"status": "failed", "error": f"the process ended with exit code {done.returncode}"}


def serve() -> None:
    """Read a cell from stdin and write its value to stdout; the method's own output goes to stderr."""
    key, job = loads(sys.stdin.buffer.read())
    with os.fdopen(os.dup(1), "wb") as out, open(os.devnull, "w") as nothing:
        os.dup2(2, 1)
        # After the timeout, the process exits with code 1, even if compiled code does not return.
        faulthandler.dump_traceback_later(job.timeout, exit=True, file=nothing)
        value = _computed(key, job)
        faulthandler.cancel_dump_traceback_later()
        out.write(json.dumps(to_json(value)).encode())


def _computed(key: Key, job: Job) -> dict[str, Any]:
    # The data are copied, because a method may modify them in place.
    seed, X, start = int(key["seed"]), job.X.copy(), time.perf_counter()
    try:
        with one_thread(), _named_warnings(f"{key['method']} on {key['data']}, seed {seed}"):
            if "part" in key:
                return _controlled(job, X, seed)
            labels, evaluations, front = _clustered(job.method, X, seed, job.n_clusters)
        seconds, labels = time.perf_counter() - start, np.asarray(labels)
        if labels.shape != X.shape[:1]:
            raise ValueError(f"labels must have shape ({X.shape[0]},), one per sample; got {labels.shape}")
        labels, clusters = number_clusters(labels)
        scores = {name: score.value(job.X, job.y, labels) for name, score in job.scores.items()}
    except Exception as error:
        return {"status": "failed", "error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    measured = (len(clusters), seconds, evaluations)
    left = {} if front is None else {"front": front.values.tolist(), "objectives": [*front.objectives]}
    return {"status": "ok", **scores, **dict(zip(MEASURED, measured, strict=True)), **left}


@contextmanager
def _named_warnings(name: str) -> Iterator[None]:
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    finally:
        for each in caught:
            warnings.warn(f"{name}: {each.message}", each.category, stacklevel=2)


def _clustered(method: Any, X: Any, seed: int, n_clusters: int | None) -> tuple[Any, Any, Front | None]:
    """Fit a method, and return the labels, the number of evaluations and the front.

    If the method does not report them, the number of evaluations and the front are None.
    """
    if isinstance(method, tuple):
        problem = method[0](X)
        result = evolve(problem, method[1](problem), n_gen=method[2], seed=seed)
        if result.X is None:
            raise ValueError("the search found no feasible solution")
        F, genes = np.atleast_2d(result.F), np.atleast_2d(result.X)
        labels, names = problem.decode(genes), getattr(problem, "objective_names", None)
        signs = problem.natural(np.ones(F.shape[1])) if hasattr(problem, "natural") else np.ones(F.shape[1])
        names = names or [f"f{i + 1}" for i in range(len(signs))]
        objectives = [Objective(name, bool(sign < 0)) for name, sign in zip(names, signs, strict=True)]
        front = Front(signs * F, objectives, labels.__getitem__)
        return labels[knee(F)], int(result.algorithm.evaluator.n_eval), front
    if isinstance(method, BaseEstimator):
        model = _seeded(method, seed, n_clusters)
        labels = model.fit_predict(X)
        done = getattr(getattr(model, "result_", None), "algorithm", None)
        n_evals = getattr(model, "n_evaluations_", None) if done is None else done.evaluator.n_eval
        return labels, n_evals, result_of(model).front if isinstance(model, FrontMixin) else None
    options = {"seed": seed, "random_state": seed} | ({"n_clusters": n_clusters} if n_clusters else {})
    options = {name: value for name, value in options.items() if takes(method, name)}
    given = (X,) if can_take(method, X, **options) else (X, seed)
    return method(*given, **options), None, None


def _seeded(method: Any, seed: int, n_clusters: int | None) -> Any:
    """Return a clone with this seed and number of clusters, which are also set in pipeline steps."""
    model, given = clone(method), {}
    known = model.get_params()
    for name in known:
        owner, _, last = name.rpartition("__")
        if last == "random_state":
            given[name] = seed
        elif n_clusters and last == SIZES.get(type(known[owner] if owner else model), "n_clusters"):
            given[name] = n_clusters
    return model.set_params(**given)


def _controlled(job: Job, X: Any, seed: int) -> dict[str, Any]:
    options: dict[str, Any] = {"seeds": [seed], "y": job.y if (job.y >= 0).any() else None}
    if isinstance(job.method, tuple):
        problem = job.method[0](X)
        algorithm = job.method[1](problem)
        n_evals = algorithm.pop_size + job.method[2] * (algorithm.n_offsprings or algorithm.pop_size)
        found = searches.compare(problem, algorithm, n_evals=n_evals, n_clusters=job.n_clusters, **options)
    else:
        found = _seeded(job.method, seed, job.n_clusters).controls(X, **options)
    return {"status": "ok", "runs": found.runs.to_dict("list"), "curves": found.curves.to_dict("list")}


def takes(function: Any, name: str) -> bool:
    """Return whether a function has a parameter ``name`` that no ``functools.partial`` sets."""
    try:
        parameters = inspect.signature(function).parameters
        return name in parameters and name not in getattr(function, "keywords", ())
    except (TypeError, ValueError):
        return False


def features_and_classes(name: str, entry: Any, seed: int) -> tuple[Any, Any]:
    """Read a data set. If it is unreadable or no method can use it, raise a ValueError that names it."""
    try:
        X, y = _opened(entry, seed)
        X = X if isinstance(X, pd.DataFrame) or sparse.issparse(X) else checked_array(X, "X")
    except Exception as error:
        raise ValueError(f"data set {name!r} cannot be read: {error}") from error
    if X.ndim != 2 or 0 in X.shape or (isinstance(X, np.ndarray) and X.dtype.kind not in "biuf"):
        raise ValueError(
            f"data set {name!r} must have shape (n_samples, n_features), and contain numbers unless it is a "
            f"DataFrame, got {type(X).__name__} of shape {X.shape}"
        )
    if y is None:
        return X, np.full(X.shape[0], -1)
    if np.shape(y) != X.shape[:1]:
        said = f"has {X.shape[0]} samples, but classes of shape {np.shape(y)}"
        raise ValueError(f"data set {name!r} {said}")
    return X, np.where(np.asarray(np.asarray(y) == -1), -1, pd.factorize(np.asarray(y))[0])


def _opened(entry: Any, seed: int) -> tuple[Any, Any]:
    if callable(entry):
        return _opened(entry(random_state=seed) if takes(entry, "random_state") else entry(), seed)
    if isinstance(entry, str | PathLike):
        entry = load_bundled(entry) if entry in BUNDLED else read_table(entry)
    elif isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str | PathLike):
        entry = read_table(entry[0], labels=entry[1])
    if isinstance(entry, Table):
        return entry.X, entry.y
    if isinstance(entry, Mapping) and "data" in entry:
        return entry["data"], entry.get("target")
    return entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, None)
