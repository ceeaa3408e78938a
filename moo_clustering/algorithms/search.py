"""The loop that runs all searches, :func:`drive`: progress bar, history, checkpoints, Ctrl-C handling."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from os import PathLike
from typing import Any, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
import pandas as pd
from deap import tools
from numpy.typing import ArrayLike, NDArray
from pymoo.core.callback import Callback
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import integer, warn_caller
from moo_clustering._docs import documented
from moo_clustering._messages import progress_bar
from moo_clustering.persistence import (
    START_OVER,
    ArchiveError,
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
    to_json,
)

Result = TypeVar("Result")
Seed = int | np.random.SeedSequence | np.random.Generator | None
State = tuple[dict[str, Any], dict[str, Any]]


def drive(
    search: Search,
    *,
    n_gen: int,
    recorder: Recorder | None = None,
    verbose: bool = False,
    description: str = "",
    objective_names: Sequence[str] | None = None,
    signs: ArrayLike | None = None,
    checkpoint: Checkpoint | str | PathLike[str] | None = None,
) -> bool:
    """Run a search for ``n_gen`` generations, or until it ends by itself.

    In the main thread, Ctrl-C ends the search after the current generation and a final checkpoint, with an
    InterruptedSearchWarning. A second Ctrl-C raises a KeyboardInterrupt immediately. SIGTERM and SIGHUP have
    the same effects as Ctrl-C if they have the same handler as SIGINT. If the search finds no new
    individuals, it ends with an ExhaustedSearchWarning.

    Raises a ValueError or TypeError if a checkpoint is requested for a search that cannot be saved, or if the
    checkpoint contains more than ``n_gen`` generations. Raises an ArchiveError or CheckpointMismatchError if
    the file is not a readable checkpoint of this run. A MemoryError names the last saved generation.

    Parameters
    ----------
    search : Search
        Search that has not been started or restored.
    n_gen : int
        Number of generations after the initial population, including generations before the run was resumed.
        A resumed run may have a larger ``n_gen`` than the interrupted run.
    recorder : Recorder, optional
        Records the objectives of every generation, and is saved in checkpoints.
    verbose : bool, default=False
        Show a progress bar on stderr.
    description : str, default=""
        Text shown before the progress bar.
    objective_names : sequence of str, optional
        Objective names for the progress bar. Default: ``f1``, ``f2``, ...
    signs : array-like of shape (n_objectives,), optional
        -1 for maximised objectives, which the search negates, and 1 for minimised objectives. Only the
        progress bar uses the signs.
    checkpoint : Checkpoint or path, optional
        File written at the start, every ``checkpoint.every`` generations and at the end. With
        ``checkpoint.resume``, the run continues bit-identically from an existing file. A path means
        ``Checkpoint(path)``.

    Returns
    -------
    bool
        Whether the search was interrupted.
    """
    n_gen = integer("n_gen", n_gen, 0)
    if checkpoint is not None and not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint(checkpoint)
    saver = Saver(checkpoint, search, recorder)
    with InterruptGuard() as guard:
        resumed = saver.resume()
        if search.generation > n_gen:
            raise ValueError(
                f"n_gen must be at least {search.generation}, the number of generations in the "
                f"checkpoint; got {n_gen}"
            )
        progress = Progress(
            n_gen=n_gen,
            done=search.generation,
            verbose=verbose,
            description=description,
            objective_names=objective_names,
            signs=signs,
        )
        with closing(progress):
            if not resumed:
                if recorder is not None:
                    recorder.begin(getattr(search, "seed", None))
                search.start()
            _observe(search, recorder, progress)
            saver.save_if_due()
            try:
                while search.generation < n_gen and not search.exhausted and not guard.requested:
                    if getattr(search, "finished", False):
                        break
                    before = search.generation
                    search.advance()
                    if search.generation > before:
                        _observe(search, recorder, progress)
                        saver.save_if_due()
            except MemoryError as error:
                raise saver.out_of_memory(error) from error
            saver.save()
    _warn(search, n_gen, guard.requested, checkpoint)
    return guard.requested


class Plan(NamedTuple):
    """A search that has not started, with its number of generations and the names of its objectives."""

    search: Any
    n_gen: int
    objective_names: Sequence[str] | None = None


# A fit is a generator that yields the plan of each search and resumes when that search has run.
Plans = Generator[Plan, None, Result]


def complete(plans: Plans[Result]) -> Result:
    """Run all searches of a fit, and return the result of the fit."""
    while True:
        try:
            next(plans)
        except StopIteration as end:
            result: Result = end.value
            return result


def _observe(search: Search, recorder: Recorder | None, progress: Progress) -> None:
    F = search.objectives()
    if recorder is not None:
        recorder.record(search.generation, F)
    progress.show(search.generation, F)


def _warn(search: Search, n_gen: int, interrupted: bool, checkpoint: Checkpoint | None) -> None:
    if search.exhausted and search.generation < n_gen:
        warn_caller(
            f"the search stopped after generation {search.generation} of {n_gen}, because it found no new "
            "individuals (the search space may be nearly exhausted, or the variation too weak)",
            ExhaustedSearchWarning,
        )
    if interrupted:
        where = f"; resume from checkpoint {checkpoint.path}" if checkpoint is not None else ""
        warn_caller(
            f"the search was interrupted after {search.generation} of {n_gen} generations; the best "
            f"result so far is returned{where}",
            InterruptedSearchWarning,
        )


class InterruptGuard:
    """Context in which the first Ctrl-C sets ``requested``, and the second raises a KeyboardInterrupt."""

    # The guard has no effect outside the main thread, or if SIGINT is ignored or handled outside Python. If
    # guards are nested, a signal stops the searches of all guards. If ``requested`` is initially true, the
    # first signal raises a KeyboardInterrupt.

    def __init__(self, requested: bool = False) -> None:
        self.requested = requested
        self._previous: Any = None
        self._numbers: list[int] = []

    def __enter__(self) -> Self:
        previous = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or previous in (None, signal.SIG_IGN):
            return self
        self._previous = previous
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and (
                number == signal.SIGINT or signal.getsignal(number) == previous != signal.SIG_DFL
            ):
                self._numbers.append(number)
                signal.signal(number, self.handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number in self._numbers:
            signal.signal(number, self._previous)
        self._previous, self._numbers = None, []

    def request(self, number: int = signal.SIGINT) -> None:
        """Ask this search and all outer searches to stop after the current generation."""
        self.requested = True
        if self._outer is not None:
            self._outer.request(number)

    def handle(self, number: int, frame: object) -> None:
        """Request a stop at the first signal, and raise a KeyboardInterrupt at the second."""
        if not self.requested:
            self.request(number)
        elif self._outer is not None:
            self._outer.handle(number, frame)
        else:
            raise KeyboardInterrupt

    @property
    def _outer(self) -> Any:
        """Guard or command whose signal handler this guard has replaced, or None for any other handler."""
        outer = getattr(self._previous, "__self__", None)
        return outer if hasattr(outer, "request") and hasattr(outer, "handle") else None


class Progress:
    """Progress bar on stderr, which shows objectives multiplied by ``signs``."""

    def __init__(
        self,
        *,
        n_gen: int,
        done: int,
        verbose: bool,
        description: str,
        objective_names: Sequence[str] | None,
        signs: ArrayLike | None = None,
    ) -> None:
        self._names = objective_names
        self._signs = 1.0 if signs is None else np.asarray(signs, dtype=np.float64)
        options: Any = {"total": n_gen, "initial": done, "desc": description or None, "unit": "gen"}
        self._bar = progress_bar(**options, leave=True) if verbose else None

    def show(self, done: int, F: NDArray[np.float64]) -> None:
        """Update the bar for ``done`` completed generations and the population's objectives ``F``."""
        if self._bar is None or self._bar.disable:
            return
        names = self._names or [f"f{i + 1}" for i in range(F.shape[1])]
        best = F.min(axis=0) * self._signs
        text = ", ".join(f"{name}={value:.4g}" for name, value in zip(names, best, strict=True))
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Close the bar."""
        if self._bar is not None:
            self._bar.close()


class Recorder(Callback):
    """Objective values of every generation, recorded by :func:`drive`, :func:`evolve` or ``minimize``.

    With ``minimize``, prefer ``callback=Recorder()`` to ``save_history=True``, which copies the algorithm and
    the problem in every generation. Generation 0 is the initial population. A new run deletes the previous
    history. Memory use is O(n_generations * n_individuals * n_objectives).

    Parameters
    ----------
    signs : array-like of shape (n_objectives,), optional
        -1 for maximised objectives, which the search negates; used by :meth:`to_frame`. Default: 1.

    Attributes
    ----------
    F : list of ndarray of shape (n_individuals, n_objectives)
        Minimised objective values of each generation's population, including infeasible individuals.
    generations : list of int
    seconds : list of float
        Seconds from the start of the run to each generation, including the time before a checkpoint.
    seed : int, dict or None
        Seed of the run, if known.
    """

    def __init__(self, signs: ArrayLike | None = None) -> None:
        super().__init__()
        self.signs = signs
        self.begin()

    def begin(self, seed: object = None) -> None:
        """Delete the recorded run, store the new seed (int, SeedSequence or None), and restart the clock."""
        self.F: list[NDArray[np.float64]] = []
        self.generations: list[int] = []
        self.seconds: list[float] = []
        self.seed = seed_to_json(seed)
        self._origin = time.perf_counter()

    def record(self, generation: int, F: NDArray[np.float64]) -> None:
        """Store a copy of a generation's objectives ``F``; do nothing if the generation is already stored."""
        if self.generations and generation <= self.generations[-1]:
            return
        self.F.append(np.array(F, dtype=np.float64))
        self.generations.append(int(generation))
        self.seconds.append(time.perf_counter() - self._origin)

    def _update(self, algorithm: Any) -> None:
        generation = algorithm.n_gen - 1
        if generation == 0:
            self.begin(algorithm.seed)
            self._origin -= time.time() - algorithm.start_time
        self.record(generation, algorithm.pop.get("F"))

    def to_frame(self, objective_names: Sequence[str] | None = None) -> pd.DataFrame:
        """Convert the history to a DataFrame with one row per generation.

        The columns are ``generation``, ``seconds``, ``front_size`` (number of non-dominated individuals) and
        ``best_<objective>`` (the lowest value, or the highest value of a maximised objective). By default,
        ``objective_names`` are ``f1``, ``f2``, ...; a wrong number of names raises a ValueError.
        """
        n_objectives = self.F[0].shape[1] if self.F else len(objective_names or ())
        names = list(objective_names or (f"f{i + 1}" for i in range(n_objectives)))
        if len(names) != n_objectives:
            raise ValueError(
                f"objective_names must have one name per objective ({n_objectives}), got {len(names)}"
            )
        front = partial(NonDominatedSorting().do, only_non_dominated_front=True)
        columns: dict[str, Any] = {
            "generation": np.array(self.generations, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
            "front_size": np.array([len(front(F)) if len(F) else 0 for F in self.F], dtype=np.int64),
        }
        best = np.array([F.min(axis=0) for F in self.F]).reshape(len(self.F), n_objectives)
        if self.signs is not None:
            best = best * np.asarray(self.signs, dtype=np.float64)
        return pd.DataFrame(columns | {f"best_{name}": best[:, i] for i, name in enumerate(names)})

    def state(self) -> State:
        """Return arrays and JSON-serialisable metadata for :meth:`restore`."""
        arrays = {
            "F": np.concatenate(self.F) if self.F else np.empty((0, 0)),
            "sizes": np.array([len(F) for F in self.F], dtype=np.int64),
            "generations": np.array(self.generations, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
        }
        return arrays, {"seed": self.seed}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a saved state; the clock continues from the last recorded time."""
        self.begin()
        self.seed = meta["seed"]
        ends = np.cumsum(arrays["sizes"])
        self.F = [F.copy() for F in np.split(arrays["F"], ends[:-1])] if len(ends) else []
        self.generations = arrays["generations"].tolist()
        self.seconds = arrays["seconds"].tolist()
        self._origin -= self.seconds[-1] if self.seconds else 0.0


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """Return a generator's state as JSON-serialisable data."""
    return to_json(rng.bit_generator.state)


def set_rng_state(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Restore a generator in place, or raise a ValueError if the state is from another bit-generator type."""
    kind, saved = type(rng.bit_generator).__name__, state["bit_generator"]
    if kind != saved:
        raise ValueError(f"the saved random state is from {saved}, but the generator is {kind}")
    rng.bit_generator.state = _as_arrays(state)


def rng_from_state(state: Mapping[str, Any]) -> np.random.Generator:
    """Return a new generator with a saved state."""
    name = state["bit_generator"]
    kind = None if name == "BitGenerator" else vars(np.random).get(name)
    if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
        raise ValueError(f"the saved random state is from the unknown generator {name!r}")
    rng = np.random.Generator(kind(0))
    set_rng_state(rng, state)
    return rng


def seed_to_json(seed: object) -> Any:
    """Convert a seed to JSON: an integer, or the entropy and spawn key of a SeedSequence."""
    if isinstance(seed, np.random.SeedSequence):
        return {"entropy": to_json(seed.entropy), "spawn_key": to_json(seed.spawn_key)}
    if isinstance(seed, (int, np.integer)):
        return int(seed)
    return None


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_arrays(item) for key, item in value.items()}
    return np.asarray(value, dtype=np.uint64) if isinstance(value, list) else value


class Search(Protocol):
    """Protocol for evolutionary searches that :func:`drive` can run.

    A search may also have ``check_resumable()``, which is called before a run with a checkpoint, and raises a
    ValueError if the search cannot be saved. When the optional attribute ``finished`` becomes True,
    :func:`drive` stops without a warning.
    """

    @property
    def generation(self) -> int:
        """Number of completed generations: 0 after the evaluation of the initial population."""

    @property
    def exhausted(self) -> bool:
        """Whether the search has ended because it found no new individuals."""

    def start(self) -> None:
        """Create and evaluate the initial population."""

    def advance(self) -> None:
        """Unless the search is exhausted, run one generation and increment ``generation``."""

    def objectives(self) -> NDArray[np.float64]:
        """Return the population's minimised objectives, shape (n_individuals, n_objectives)."""

    def state(self) -> State:
        """Return arrays and JSON-serialisable metadata for :meth:`restore`."""

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a state instead of calling :meth:`start`."""


@runtime_checkable
class Checkpointable(Protocol):
    """Protocol for operators, survivals and algorithms (pymoo or DEAP) that save their own state."""

    def checkpoint_state(self) -> State:
        """Return arrays and JSON-serialisable metadata."""

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore the state that :meth:`checkpoint_state` returned."""


class Saver:
    """Writes and reads checkpoints of a search and its recorder; has no effect without a checkpoint."""

    def __init__(self, checkpoint: Checkpoint | None, search: Search, recorder: Recorder | None) -> None:
        self._checkpoint, self._search, self._recorder = checkpoint, search, recorder
        self._saved: int | None = None
        if checkpoint is not None and hasattr(search, "check_resumable"):
            search.check_resumable()

    def resume(self) -> bool:
        """Restore search and recorder if requested and if the file exists; return whether this happened."""
        if self._checkpoint is None or not self._checkpoint.resume:
            return False
        if (loaded := load_checkpoint(self._checkpoint)) is None:
            return False
        arrays, meta = loaded
        try:
            self._search.restore(within("search", arrays), meta["search"])
            self._saved = self._search.generation
            if self._recorder is not None and meta["recorder"] is not None:
                self._recorder.restore(within("recorder", arrays), meta["recorder"])
            elif self._recorder is not None:
                self._recorder.begin(getattr(self._search, "seed", None))
        except MemoryError:
            raise
        except ValueError as error:
            raise ArchiveError(f"{self._checkpoint.path} cannot be resumed: {error}") from error
        except Exception as error:  # damaged arrays can cause errors of any type
            raise ArchiveError(
                f"{self._checkpoint.path} is a damaged checkpoint ({type(error).__name__}: {error}); "
                f"{START_OVER}"
            ) from error
        return True

    def save_if_due(self) -> None:
        """Write a checkpoint if the generation is a multiple of ``checkpoint.every``."""
        if self._checkpoint is not None and self._search.generation % self._checkpoint.every == 0:
            self.save()

    def save(self) -> None:
        """Write a checkpoint unless this generation has already been saved."""
        # Only the first checkpoint may raise an error, because a disk that fills up later must not end the
        # run.
        if self._checkpoint is None or self._saved == self._search.generation:
            return
        arrays, meta = self._search.state()
        arrays, meta = prefixed("search", arrays), {"search": meta, "recorder": None}
        if self._recorder is not None:
            history, meta["recorder"] = self._recorder.state()
            arrays |= prefixed("recorder", history)
        try:
            save_checkpoint(self._checkpoint, arrays, meta)
        except OSError as error:
            if self._saved is None:
                raise
            warn_caller(
                f"checkpoint {self._checkpoint.path} could not be written at generation "
                f"{self._search.generation} ({error}); it still contains generation {self._saved}",
                RuntimeWarning,
            )
        else:
            self._saved = self._search.generation

    def out_of_memory(self, error: MemoryError) -> MemoryError:
        """Return an error whose message also names the generation and the last checkpoint."""
        kept = "nothing is saved, because no checkpoint was requested"
        if self._checkpoint is not None:
            where = f"checkpoint {self._checkpoint.path}"
            kept = f"{where} has no generations yet"
            if self._saved is not None:
                kept = f"resume from generation {self._saved} in {where}"
        said = str(error) or "memory ran out"
        return MemoryError(f"{said} (after generation {self._search.generation}; {kept})")


def prefixed(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Rename each array to ``prefix/name``."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arrays to which :func:`prefixed` added the prefix, under their original names."""
    start = f"{prefix}/"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


class InterruptedSearchWarning(UserWarning):
    """A search was stopped by Ctrl-C and returned its best solutions so far."""


class ExhaustedSearchWarning(UserWarning):
    """A search ended early because it found no new individuals."""


@documented()
def finite_statistics() -> tools.Statistics:
    """Return DEAP Statistics (min, avg, std, max) of the first objective's finite values (NaN if none)."""
    statistics = tools.Statistics(_first_value)
    for name, function in (("min", np.min), ("avg", np.mean), ("std", np.std), ("max", np.max)):
        statistics.register(name, partial(_of_finite, function))
    return statistics


def finite_min_and_mean(values: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Return the minimum and the mean of each column's finite values."""
    if np.isfinite(values).all():
        return values.min(axis=0).tolist(), values.mean(axis=0).tolist()
    return [_of_finite(np.min, column) for column in values.T], [
        _of_finite(np.mean, column) for column in values.T
    ]


def _first_value(individual: Any) -> float:
    return float(individual.fitness.values[0])


def _of_finite(function: Callable[[Any], Any], values: Any) -> float:
    values = np.asarray(values, dtype=np.float64)
    finite = values[np.isfinite(values)]
    # The mean and the standard deviation can overflow, because penalties may be near the largest float.
    with np.errstate(over="ignore"):
        return float(function(finite)) if len(finite) else float("nan")


class NotStorableError(TypeError):
    """A value cannot be stored in a checkpoint."""


def to_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Convert dictionaries with different keys and types of values to arrays and JSON metadata."""
    # Values may be arrays of numbers or strings, scalars, strings or None. For any other value, a
    # NotStorableError names the key. Values with the same key, type and shape are stored in one array. If
    # only some dictionaries contain such a value, the indices of these dictionaries are stored, too.
    groups: dict[tuple[Any, ...], tuple[list[int], list[Any]]] = {}
    for i, row in enumerate(rows):
        for key, value in row.items():
            where, values = groups.setdefault((key, *_kind(key, value)), ([], []))
            where.append(i)
            values.append(value)
    arrays: dict[str, NDArray[Any]] = {}
    columns = []
    for (key, kind, *_), (where, values) in groups.items():
        name = _free_name(key, arrays)
        column = {"key": key, "kind": kind, "values": None, "rows": None}
        if kind != "none":
            column["values"] = name
            arrays[name] = _stack(key, kind, values)
        if len(where) < len(rows):
            column["rows"] = f"{name}.rows"
            arrays[f"{name}.rows"] = np.array(where, dtype=np.int64)
        columns.append(column)
    return arrays, {"n_rows": len(rows), "columns": columns}


def from_columns(arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Restore the dictionaries that :func:`to_columns` converted, with the original types of values."""
    rows: list[dict[str, Any]] = [{} for _ in range(meta["n_rows"])]
    for column in meta["columns"]:
        where = arrays[column["rows"]].tolist() if column["rows"] else range(len(rows))
        values = _unstack(column["kind"], arrays.get(column["values"]), len(where))
        for i, value in zip(where, values, strict=True):
            rows[i][column["key"]] = value
    return rows


def _kind(key: str, value: Any) -> tuple[Any, ...]:
    if value is None:
        return ("none",)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return ("array", value.dtype.str, value.shape)
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return ("scalar", value.dtype.str)
    if type(value) in (bool, int, float, str):
        return (type(value).__name__,)
    raise NotStorableError(
        f"{key!r} of an individual has type {type(value).__name__}, but only numbers, strings and "
        "their arrays can be saved"
    )


def _stack(key: str, kind: str, values: list[Any]) -> NDArray[Any]:
    if kind == "array":
        return np.stack([np.asarray(value) for value in values])
    if kind == "int":
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError as error:
            raise NotStorableError(f"{key!r} of an individual is an integer of more than 64 bits") from error
    return np.array(values)


def _unstack(kind: str, array: Any, n_rows: int) -> list[Any]:
    if kind == "none":
        return [None] * n_rows
    if kind == "array":
        return [np.array(value) for value in array]  # a view would keep the whole array in memory
    return list(array) if kind == "scalar" else array.tolist()


def _free_name(key: str, taken: Mapping[str, Any]) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", key) or "_"
    candidate, n = name, 1
    while candidate in taken or f"{candidate}.rows" in taken:
        n += 1
        candidate = f"{name}.{n}"
    return candidate
