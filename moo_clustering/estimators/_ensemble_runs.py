"""The runs of an ensemble of factorisations, saved as they come."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from moo_clustering.factorization import NMFRuns, labels_from_factors, map_nmf
from moo_clustering.persistence import ArchiveError, Checkpoint, load_checkpoint, save_checkpoint
from moo_clustering.persistence._checkpoint import START_OVER


class EnsembleRuns(NamedTuple):
    """What is kept of every run, and the topics of the best.

    Attributes
    ----------
    labels : ndarray of shape (n_runs, n_documents), int32
    losses : ndarray of shape (n_runs,)
    n_iter : ndarray of shape (n_runs,)
    topics : ndarray of shape (n_clusters, n_terms)
        Of the run of the least loss.
    """

    labels: NDArray[np.int32]
    losses: NDArray[np.float64]
    n_iter: NDArray[np.int64]
    topics: NDArray[np.float64]


def ensemble_runs(
    B: Any,
    n_clusters: int,
    seeds: Sequence[np.random.SeedSequence],
    *,
    normalise: bool,
    checkpoint: Checkpoint | None = None,
    verbose: bool = False,
    **options: Any,
) -> EnsembleRuns:
    """Factorise B once for every seed; runs that a checkpoint holds are not made again.

    Parameters
    ----------
    B : sparse matrix of shape (n_documents, n_terms)
    n_clusters : int
    seeds : sequence of SeedSequence
    normalise : bool
        See :func:`labels_from_factors`.
    checkpoint : Checkpoint, optional
        Written after every ``checkpoint.every`` runs.
    verbose : bool
        Show a progress bar on stderr.
    **options
        Of :func:`map_nmf`.
    """

    def summary(runs: NMFRuns) -> EnsembleRuns:
        labels = [labels_from_factors(U, V, normalise) for U, V in zip(runs.U, runs.V, strict=True)]
        topics = np.ascontiguousarray(runs.U[runs.best].T, dtype=np.float64)
        return EnsembleRuns(np.stack(labels).astype(np.int32), runs.losses, runs.n_iter, topics)

    done = _saved(checkpoint, len(seeds))
    kept = _count(done)
    step = len(seeds) if checkpoint is None else checkpoint.every
    with tqdm(total=len(seeds), initial=_count(done), disable=not verbose, unit="run") as bar:
        while (first := _count(done)) < len(seeds):
            batch = seeds[first : first + step]
            parts = map_nmf(summary, B, n_clusters, seeds=batch, **options)
            done = _joined([*([] if done is None else [done]), *parts])
            bar.update(len(batch))
            if checkpoint is not None:
                kept = _save(checkpoint, done, kept)
    if done is None:
        raise ValueError("an ensemble needs at least one run")
    return done


def _save(checkpoint: Checkpoint, done: EnsembleRuns, kept: int) -> int:
    """Number of runs on the disk afterwards; once there are some, a failure to write only warns."""
    try:
        save_checkpoint(checkpoint, done._asdict(), {"n_runs": _count(done)})
    except OSError as error:
        if not kept:
            raise
        warnings.warn(
            f"checkpoint {checkpoint.path} could not be written after {_count(done)} runs ({error}); it "
            f"still holds {kept}",
            RuntimeWarning,
            stacklevel=4,
        )
        return kept
    return _count(done)


def _saved(checkpoint: Checkpoint | None, n_runs: int) -> EnsembleRuns | None:
    if checkpoint is None or not checkpoint.resume or (state := load_checkpoint(checkpoint)) is None:
        return None
    try:
        saved = EnsembleRuns(**state[0])
        fits = saved.labels.ndim == saved.topics.ndim == 2 and (
            saved.losses.shape == saved.n_iter.shape == (_count(saved),)
        )
    except (TypeError, AttributeError):
        fits = False
    if not fits:
        raise ArchiveError(f"{checkpoint.path} is a damaged checkpoint: its parts do not fit; {START_OVER}")
    if _count(saved) > n_runs:
        raise ValueError(
            f"{checkpoint.path} has {_count(saved)} runs, more than n_runs={n_runs}; ask for at least as many"
        )
    return saved


def _count(runs: EnsembleRuns | None) -> int:
    return 0 if runs is None else len(runs.labels)


def _joined(parts: Sequence[EnsembleRuns]) -> EnsembleRuns:
    best = min(parts, key=lambda part: part.losses.min())  # the first of equal ones
    return EnsembleRuns(
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.losses for part in parts]),
        np.concatenate([part.n_iter for part in parts]),
        best.topics,
    )
