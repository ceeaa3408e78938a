"""One loop for every search: progress, history, checkpoints, Ctrl-C."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import closing
from numbers import Integral

from numpy.typing import ArrayLike

from moo_clustering.algorithms._interrupt import InterruptGuard
from moo_clustering.algorithms._progress import Progress
from moo_clustering.algorithms._recorder import Recorder
from moo_clustering.algorithms._saver import Saver
from moo_clustering.algorithms._search import Search
from moo_clustering.algorithms._warnings import ExhaustedSearchWarning, InterruptedSearchWarning
from moo_clustering.persistence import Checkpoint


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
    once.

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
        What stands before the bar.
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
    _check_n_gen(n_gen)
    saver = Saver(checkpoint, search, recorder)
    with InterruptGuard() as guard:
        resumed = saver.resume()
        if search.generation > n_gen:
            raise ValueError(
                f"n_gen is {n_gen}, but the checkpoint already has {search.generation} generations; "
                f"allowed are that many or more"
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


def _ended(search: Search) -> bool:
    return search.exhausted or bool(getattr(search, "finished", False))


def _check_n_gen(n_gen: object) -> None:
    if isinstance(n_gen, bool) or not isinstance(n_gen, Integral):
        raise TypeError(f"n_gen must be a non-negative integer, got {n_gen!r}")
    if n_gen < 0:
        raise ValueError(f"n_gen must be a non-negative integer, got {n_gen}")


def _observe(search: Search, recorder: Recorder | None, progress: Progress) -> None:
    F = search.objectives()
    if recorder is not None:
        recorder.record(search.generation, F)
    progress.show(search.generation, F)


def _warn(search: Search, n_gen: int, interrupted: bool, checkpoint: Checkpoint | None) -> None:
    if search.exhausted and search.generation < n_gen:
        warnings.warn(
            f"no new individuals could be made after generation {search.generation} of {n_gen}; the search "
            f"ended there (the search space may be nearly used up, or the variation too weak)",
            ExhaustedSearchWarning,
            stacklevel=3,
        )
    if interrupted:
        where = f"; checkpoint {checkpoint.path} goes on from there" if checkpoint is not None else ""
        warnings.warn(
            f"the search was interrupted after {search.generation} of {n_gen} generations; the best so far "
            f"is returned{where}",
            InterruptedSearchWarning,
            stacklevel=3,
        )
