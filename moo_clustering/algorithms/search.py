"""The loop around any search: progress, history, checkpoints and an orderly Ctrl-C.

:func:`drive` runs whatever follows the :class:`Search` protocol; :class:`Recorder` keeps the history.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
import pandas as pd
from deap import tools
from numpy.typing import ArrayLike, NDArray
from pymoo.core.callback import Callback
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import integer, warn_caller
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
_BIT_GENERATORS = {
    kind.__name__: kind
    for kind in (np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)
}
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
    checkpoint: Checkpoint | None = None,
) -> bool:
    """Run a search until it has done ``n_gen`` generations or says that it is finished.

    Ctrl-C (in the main thread) lets the current generation finish, writes a last checkpoint where one
    is configured, and ends the search with what it has; a second Ctrl-C raises KeyboardInterrupt at
    once. So do SIGTERM and SIGHUP where they have the same handler as SIGINT; see :class:`InterruptGuard`.

    Parameters
    ----------
    search : Search
        Neither started nor restored yet.
    n_gen : int
        Generations after the initial population; 0 evaluates only that. A resumed search counts
        those it did before, and may be given more of them than it was at first.
    recorder : Recorder, optional
        Gets the objectives of every generation; its history is part of the checkpoint.
    verbose : bool, default=False
        Show a progress bar on stderr.
    description : str, default=""
        Text before the bar.
    objective_names : sequence of str, optional
        For the bar; ``f1``, ``f2``, ... by default.
    signs : array-like of shape (n_objectives,), optional
        For the bar, -1 for objectives that are maximised and negated in the search.
    checkpoint : Checkpoint, optional
        Where to save after the initial population, every ``every`` generations and at the end, and
        whether to go on from a file that is there. Going on gives bit for bit the result of a run
        that was never stopped.

    Returns
    -------
    bool
        Whether the search was interrupted.

    Raises
    ------
    TypeError, ValueError
        For a bad ``n_gen``, a search that cannot be saved although a checkpoint is wanted, or a
        checkpoint that has more than ``n_gen`` generations.
    ArchiveError, CheckpointMismatchError
        When the file is no readable checkpoint of this run.
    MemoryError
        With what is saved; nothing is written then, since that takes memory too.

    Warns
    -----
    InterruptedSearchWarning
        After Ctrl-C.
    ExhaustedSearchWarning
        When no new individuals could be made before ``n_gen`` generations were done.
    """
    n_gen = integer("n_gen", n_gen, 0)
    saver = Saver(checkpoint, search, recorder)
    with InterruptGuard() as guard:
        resumed = saver.resume()
        if search.generation > n_gen:
            raise ValueError(
                f"n_gen is {n_gen}, but the checkpoint already has {search.generation} generations; "
                f"n_gen must be at least that"
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
                while search.generation < n_gen and not _ended(search) and not guard.requested:
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


# A fit that yields every search before it runs it, so that a caller can use the search instead.
Plans = Generator[Plan, None, Result]


def complete(plans: Plans[Result]) -> Result:
    """Run a fit and all its searches, and return its result."""
    while True:
        try:
            next(plans)
        except StopIteration as end:
            result: Result = end.value
            return result


def _ended(search: Search) -> bool:
    return search.exhausted or bool(getattr(search, "finished", False))


def _observe(search: Search, recorder: Recorder | None, progress: Progress) -> None:
    F = search.objectives()
    if recorder is not None:
        recorder.record(search.generation, F)
    progress.show(search.generation, F)


def _warn(search: Search, n_gen: int, interrupted: bool, checkpoint: Checkpoint | None) -> None:
    if search.exhausted and search.generation < n_gen:
        warn_caller(
            f"no new individuals could be made after generation {search.generation} of {n_gen}; the search "
            f"ended there (the search space may be nearly used up, or the variation too weak)",
            ExhaustedSearchWarning,
        )
    if interrupted:
        where = f"; checkpoint {checkpoint.path} goes on from there" if checkpoint is not None else ""
        warn_caller(
            f"the search was interrupted after {search.generation} of {n_gen} generations; the best so far "
            f"is returned{where}",
            InterruptedSearchWarning,
        )


class InterruptGuard:
    """Context in which the first Ctrl-C sets ``requested`` and the second raises KeyboardInterrupt.

    SIGTERM and SIGHUP count as Ctrl-C if whoever runs the process gave them the same handler as SIGINT, as
    the command does; the guard sets handlers for no others. Signal handlers belong to the main thread:
    elsewhere the guard does nothing, and neither does it where SIGINT is ignored or handled outside Python.
    The previous handler always comes back. Guards nest: what interrupts the inner search also asks the outer
    ones to stop. A guard that is already ``requested`` raises at the first signal.
    """

    def __init__(self, requested: bool = False) -> None:
        self.requested = requested
        self._previous: Any = None
        self._numbers: list[int] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if previous is not None and previous is not signal.SIG_IGN:
                self._previous = previous
                named = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
                self._numbers = [
                    number
                    for number in named
                    if number is not None
                    and (number == signal.SIGINT or signal.getsignal(number) == previous != signal.SIG_DFL)
                ]
                for number in self._numbers:
                    signal.signal(number, self.handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._numbers:
            signal.signal(number, self._previous)
        self._previous, self._numbers = None, []

    def request(self, number: int = signal.SIGINT) -> None:
        """Ask this search and those around it to stop after the current generation."""
        self.requested = True
        outer = self._outer
        if outer is not None:
            outer.request(number)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if not self.requested:
            self.request(number)
        elif self._outer is not None:
            self._outer.handle(number, frame)
        else:
            raise KeyboardInterrupt

    @property
    def _outer(self) -> Any:
        """The guard, or the command, whose handler this one has replaced."""
        outer = getattr(self._previous, "__self__", None)
        return outer if hasattr(outer, "request") and hasattr(outer, "handle") else None


class Progress:
    """A bar on stderr: generations, rate, time left and the best value of each objective.

    It counts from ``done`` to ``n_gen`` generations after the text ``description``. Objectives are named
    ``f1``, ``f2``, ... by default; those whose natural values are greater where they are better have the
    sign -1.
    """

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
        """Move the bar to ``done`` generations with the population's objectives ``F``."""
        if self._bar is None or self._bar.disable:
            return
        names = self._names or [f"f{i + 1}" for i in range(F.shape[1])]
        best = F.min(axis=0) * self._signs
        text = ", ".join(f"{name}={value:.4g}" for name, value in zip(names, best, strict=True))
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self._bar is not None:
            self._bar.close()


class Recorder(Callback):
    """Objective values of every generation, for :func:`drive`, :func:`evolve` and pymoo's ``minimize``.

    In place of pymoo's ``save_history=True``, which deep-copies algorithm and problem every
    generation. Given to ``minimize`` as ``callback=Recorder()``, it counts generations as this
    package does: 0 is the initial population. One recorder holds one run; a new run starts it afresh.

    Parameters
    ----------
    signs : array-like of shape (n_objectives,), optional
        -1 for objectives that are maximised and negated in the search, for :meth:`to_frame`; default
        all 1.

    Attributes
    ----------
    F : list of ndarray of shape (n_individuals, n_objectives)
        Minimised objective values of the population, feasible or not.
    generations : list of int
    seconds : list of float
        Seconds since the start of the run; a resumed run goes on from the time it had used.
    seed : int, dict or None
        Seed of the run, as far as it is known.

    Notes
    -----
    Memory O(n_generations * n_individuals * n_objectives).
    """

    def __init__(self, signs: ArrayLike | None = None) -> None:
        super().__init__()
        self.signs = signs
        self.begin()

    def begin(self, seed: object = None) -> None:
        """Forget the previous run and start the clock.

        Parameters
        ----------
        seed : int, SeedSequence or None, default=None
        """
        self.F: list[NDArray[np.float64]] = []
        self.generations: list[int] = []
        self.seconds: list[float] = []
        self.seed = seed_to_json(seed)
        self._origin = time.perf_counter()

    def record(self, generation: int, F: NDArray[np.float64]) -> None:
        """Keep a copy of one generation's objective values, unless it was recorded before.

        Parameters
        ----------
        F : ndarray of shape (n_individuals, n_objectives)
        """
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
        """One row for each generation.

        Parameters
        ----------
        objective_names : sequence of str, optional
            ``f1``, ``f2``, ... by default.

        Returns
        -------
        DataFrame
            Columns ``generation``, ``seconds``, ``front_size`` (individuals that no other dominates) and
            ``best_<objective>`` (natural value: the smallest, or the greatest where the sign is -1).

        Raises
        ------
        ValueError
            When there are more or fewer names than objectives.
        """
        n_objectives = self.F[0].shape[1] if self.F else len(objective_names or ())
        names = list(objective_names or (f"f{i + 1}" for i in range(n_objectives)))
        if len(names) != n_objectives:
            raise ValueError(f"objective_names has {len(names)} names for {n_objectives} objectives")
        columns: dict[str, Any] = {
            "generation": np.array(self.generations, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
            "front_size": np.array([_front_size(F) for F in self.F], dtype=np.int64),
        }
        best = np.array([F.min(axis=0) for F in self.F]).reshape(len(self.F), n_objectives)
        if self.signs is not None:
            best = best * np.asarray(self.signs, dtype=np.float64)
        return pd.DataFrame(columns | {f"best_{name}": best[:, i] for i, name in enumerate(names)})

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on."""
        arrays = {
            "F": np.concatenate(self.F) if self.F else np.empty((0, 0)),
            "sizes": np.array([len(F) for F in self.F], dtype=np.int64),
            "generations": np.array(self.generations, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
        }
        return arrays, {"seed": self.seed}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state; the clock goes on from the last recorded time."""
        self.begin()
        self.seed = meta["seed"]
        ends = np.cumsum(arrays["sizes"])
        self.F = [F.copy() for F in np.split(arrays["F"], ends[:-1])] if len(ends) else []
        self.generations = arrays["generations"].tolist()
        self.seconds = arrays["seconds"].tolist()
        self._origin -= self.seconds[-1] if self.seconds else 0.0


def _front_size(F: NDArray[np.float64]) -> int:
    return len(NonDominatedSorting().do(F, only_non_dominated_front=True)) if len(F) else 0


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """State of a generator, JSON-able."""
    return to_json(rng.bit_generator.state)


def set_rng_state(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator into a saved state, in place, so that whoever holds it goes on from there.

    Raises a ValueError when the state is of another kind of bit generator.
    """
    kind, saved = type(rng.bit_generator).__name__, state["bit_generator"]
    if kind != saved:
        raise ValueError(f"the saved random state is of {saved}, the generator here is {kind}")
    rng.bit_generator.state = _as_arrays(state)


def rng_from_state(state: Mapping[str, Any]) -> np.random.Generator:
    """New generator in a saved state."""
    if state["bit_generator"] not in _BIT_GENERATORS:
        raise ValueError(f"the saved random state is of {state['bit_generator']!r}, which is not known here")
    rng = np.random.Generator(_BIT_GENERATORS[state["bit_generator"]](0))
    set_rng_state(rng, state)
    return rng


def seed_to_json(seed: object) -> Any:
    """A seed as JSON: integers as they are, seed sequences by entropy and spawn key."""
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
    """An evolutionary search, one generation at a time, for :func:`drive`.

    A search may further offer ``check_resumable()``, which :func:`drive` calls before any work when a
    checkpoint is wanted, and which raises ValueError for a search whose state cannot be saved; and an
    attribute ``finished``, true when it has come to its end as planned (its evaluations are used up),
    upon which :func:`drive` stops without a warning.
    """

    @property
    def generation(self) -> int:
        """Completed generations; 0 after the initial population is evaluated."""

    @property
    def exhausted(self) -> bool:
        """Whether no new individuals can be made, so that advancing is pointless."""

    def start(self) -> None:
        """Make and evaluate the initial population."""

    def advance(self) -> None:
        """Do one generation; ``generation`` grows by one unless the search turns out exhausted."""

    def objectives(self) -> NDArray[np.float64]:
        """Minimised objective values of the population, shape (n_individuals, n_objectives)."""

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on."""

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state, in place of :meth:`start`."""


@runtime_checkable
class Checkpointable(Protocol):
    """A survival, operator, algorithm or step that saves its own state.

    Where these two methods exist, they take the place of looking at the object's attributes.
    """

    def checkpoint_state(self) -> State:
        """Arrays and JSON-able metadata."""

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over what :meth:`checkpoint_state` returned."""


class Saver:
    """Writes and reads the checkpoints of one search and its recorder; without a checkpoint it does neither.

    A ValueError is raised when a checkpoint is wanted and the search says that it cannot be saved.
    """

    def __init__(self, checkpoint: Checkpoint | None, search: Search, recorder: Recorder | None) -> None:
        self._checkpoint = checkpoint
        self._search = search
        self._recorder = recorder
        self._saved: int | None = None
        check_resumable = getattr(search, "check_resumable", None)
        if checkpoint is not None and check_resumable is not None:
            check_resumable()

    def resume(self) -> bool:
        """Restore search and recorder where that is wanted and there is a file to do it from."""
        if self._checkpoint is None or not self._checkpoint.resume:
            return False
        loaded = load_checkpoint(self._checkpoint)
        if loaded is None:
            return False
        try:
            self._restore(*loaded)
        except MemoryError:
            raise
        except ValueError as error:
            raise ArchiveError(f"{self._checkpoint.path} cannot be gone on from: {error}") from error
        except Exception as error:  # whatever searches, operators and numpy say to parts that do not fit
            raise ArchiveError(
                f"{self._checkpoint.path} is a damaged checkpoint ({type(error).__name__}: {error}); "
                f"{START_OVER}"
            ) from error
        return True

    def _restore(self, arrays: dict[str, Any], meta: dict[str, Any]) -> None:
        self._search.restore(within("search", arrays), meta["search"])
        self._saved = self._search.generation
        if self._recorder is not None:
            if meta["recorder"] is not None:
                self._recorder.restore(within("recorder", arrays), meta["recorder"])
            else:
                self._recorder.begin(getattr(self._search, "seed", None))

    def save_if_due(self) -> None:
        """Write a checkpoint when the generation is a multiple of ``every``."""
        if self._checkpoint is not None and self._search.generation % self._checkpoint.every == 0:
            self.save()

    def save(self) -> None:
        """Write a checkpoint unless this generation has one.

        A failure to write the first one is an error: nothing is lost yet. Later ones (a disk that
        filled up) only warn, since the search in memory is worth more than the file.
        """
        if self._checkpoint is None or self._saved == self._search.generation:
            return
        arrays, meta = self._state()
        try:
            save_checkpoint(self._checkpoint, arrays, meta)
        except OSError as error:
            if self._saved is None:
                raise
            warn_caller(
                f"checkpoint {self._checkpoint.path} could not be written at generation "
                f"{self._search.generation} ({error}); it still holds generation {self._saved}",
                RuntimeWarning,
            )
        else:
            self._saved = self._search.generation

    def out_of_memory(self, error: MemoryError) -> MemoryError:
        """The error with when it happened and what is saved."""
        kept = "nothing is saved, as no checkpoint was asked for"
        if self._checkpoint is not None:
            where = f"checkpoint {self._checkpoint.path}"
            kept = f"{where} has no generation yet"
            if self._saved is not None:
                kept = f"{where} holds generation {self._saved}, resuming goes on there"
        said = str(error) or "memory ran out"
        return MemoryError(f"{said} (after generation {self._search.generation}; {kept})")

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        arrays, meta = self._search.state()
        arrays = prefixed("search", arrays)
        wrapped: dict[str, Any] = {"search": meta, "recorder": None}
        if self._recorder is not None:
            history, wrapped["recorder"] = self._recorder.state()
            arrays |= prefixed("recorder", history)
        return arrays, wrapped


def prefixed(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays under ``prefix/name``."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the arrays that :func:`prefixed` named, under their names of before."""
    start = f"{prefix}/"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


class InterruptedSearchWarning(UserWarning):
    """A search was stopped with Ctrl-C; the best so far was kept."""


class ExhaustedSearchWarning(UserWarning):
    """A search could make no new individuals before it had done its generations."""


def finite_statistics() -> tools.Statistics:
    """``deap.tools.Statistics`` min, avg, std and max of the finite among the fitness values.

    For one objective, in natural values; NaN where no value is finite.

    Returns
    -------
    deap.tools.Statistics
    """
    statistics = tools.Statistics(_first_value)
    for name, function in (("min", np.min), ("avg", np.mean), ("std", np.std), ("max", np.max)):
        statistics.register(name, partial(_of_finite, function))
    return statistics


def finite_min_and_mean(values: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Minimum and mean of the finite values in each column."""
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
    # Penalties near the largest number have a mean and a spread beyond it.
    with np.errstate(over="ignore"):
        return float(function(finite)) if len(finite) else float("nan")


class NotStorableError(TypeError):
    """A value that has no place in a checkpoint."""


def to_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Columns of a table whose rows may lack keys and mix types.

    Values are numeric or string arrays of any shape, numpy scalars, bool, int, float, str or None; others are
    a NotStorableError that names the key. There is one array for each key, type and shape, one with row
    numbers where some rows lack it, and the rest that :func:`from_columns` needs.
    """
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
    """The rows that :func:`to_columns` was given, with the same types."""
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
        f"{key!r} of an individual is a {type(value).__name__}; only numbers, strings and arrays of them "
        f"can be saved"
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
        return [np.array(value) for value in array]  # copies: no individual keeps all others alive
    return list(array) if kind == "scalar" else array.tolist()


def _free_name(key: str, taken: Mapping[str, Any]) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", key) or "_"
    candidate, n = name, 1
    while candidate in taken or f"{candidate}.rows" in taken:
        n += 1
        candidate = f"{name}.{n}"
    return candidate
