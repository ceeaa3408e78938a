"""One fit, from the estimator to a finished folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from moo_clustering.cli._errors import one_line, shown_warnings
from moo_clustering.cli._folder import CHECKPOINT, FORMAT, RunFolder
from moo_clustering.cli._results import save_results
from moo_clustering.cli._scores import scores
from moo_clustering.cli._settings import FLAGS, parameters_of
from moo_clustering.datasets import Table
from moo_clustering.estimators._registry import Method
from moo_clustering.persistence import environment, fingerprint, to_json

# Parameters whose values say nothing about the result, or where on the disk it went.
_NOT_RECORDED = {"verbose", "checkpoint", "resume", "random_state"}


@dataclass
class Job:
    """What is to be done.

    Parameters
    ----------
    command : str
        Command that asked for it.
    method : Method
    estimator : estimator, not fitted
    table : Table
    supervision : dict
        Keyword arguments of ``fit``.
    sources : dict
        Where the supervision came from, for the record.
    seed : int
    started : float
        ``time.perf_counter()`` when the command began.
    """

    command: str
    method: Method
    estimator: Any
    table: Table
    seed: int
    supervision: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    def record(self) -> dict[str, Any]:
        """What is known before the fit. No paths: the folder may be given away."""
        parameters = self.estimator.get_params(deep=False)
        return {
            "format": FORMAT,
            "version": 1,
            "status": "running",
            "command": self.command,
            "method": self.method.name,
            "estimator": type(self.estimator).__name__,
            "parameters": {
                name: _plain(value) for name, value in parameters.items() if name not in _NOT_RECORDED
            },
            "seed": self.seed,
            "data": {
                "name": self.table.name,
                "n_samples": self.table.n_samples,
                "n_features": len(self.table.feature_names),
                "feature_names": list(self.table.feature_names),
                "fingerprint": fingerprint(self.table.X),
            },
            "supervision": self.sources,
            "environment": environment(),
        }


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Parameters
    ----------
    record : dict
        As written to the folder.
    interrupted : bool
        Whether Ctrl-C ended the fit.
    """

    record: dict[str, Any]
    interrupted: bool


def build_estimator(
    method: Method,
    estimator_class: type[Any],
    options: Mapping[str, Any],
    *,
    n_clusters: int | None,
    seed: int,
    n_jobs: int | None,
    verbose: bool,
    checkpoint: Path | None = None,
    checkpoint_every: int | None = None,
) -> Any:
    """The estimator with the options and what the flags say.

    Raises
    ------
    ValueError
        When the method needs a flag that was not given, or has no use for one that was.
    """
    known = parameters_of(estimator_class)
    given: dict[str, Any] = {"random_state": seed, "verbose": verbose}
    if n_clusters is not None:
        given["n_clusters"] = n_clusters
    if n_jobs is not None:
        given["n_jobs"] = n_jobs
    if checkpoint is not None:
        given |= {"checkpoint": str(checkpoint), "resume": True}
        if checkpoint_every is not None:
            given["checkpoint_every"] = checkpoint_every
        if "checkpoint" not in known:
            raise ValueError(
                f"method {method.name} writes no checkpoints, so --checkpoint-every and --resume do not apply"
            )
    for name in given:
        if name not in known and name not in {"random_state", "verbose"}:
            raise ValueError(f"method {method.name} takes no {FLAGS[name]}")
    required = {name for name, parameter in known.items() if parameter.default is parameter.empty}
    for name in sorted(required - given.keys() - options.keys()):
        raise ValueError(
            f"method {method.name} needs the number of clusters: give it with -k"
            if name == "n_clusters"
            else f"method {method.name} needs the option {name}: give it with --set {name}=..."
        )
    return estimator_class(**options, **{name: value for name, value in given.items() if name in known})


def run_job(job: Job, folder: RunFolder, extra: Mapping[str, Any] | None = None) -> Outcome:
    """Fit and save; after Ctrl-C, save what there is.

    Parameters
    ----------
    job : Job
    folder : RunFolder
    extra : mapping, optional
        More entries for the record.
    """
    record = job.record() | dict(extra or {})
    folder.claim(record)
    try:
        with shown_warnings() as warnings:
            begun = time.perf_counter()
            interrupted = _fit(job)
            fitted = time.perf_counter()
            record["status"] = "interrupted" if interrupted else "complete"
            record["warnings"] = [line.replace(f"{folder.path}/", "") for line in warnings]
            record["timings"] = {"load": begun - job.started, "fit": fitted - begun}
            if hasattr(job.estimator, "labels_"):
                record["result"] = _summary(job.estimator)
                record["scores"] = scores(job.table, job.estimator.labels_)
                record["files"] = save_results(folder.path, job.estimator, job.table, record)
            record["timings"]["total"] = time.perf_counter() - job.started
            folder.finish(record, complete=not interrupted)
    except BaseException:
        folder.release()
        raise
    return Outcome(record, interrupted)


def _fit(job: Job) -> bool:
    """Whether the fit was interrupted."""
    try:
        job.estimator.fit(job.table.X, **job.supervision)
    except KeyboardInterrupt:
        return True
    return bool(getattr(job.estimator, "interrupted_", False))


def _summary(estimator: Any) -> dict[str, Any]:
    sizes = np.bincount(estimator.labels_)
    result: dict[str, Any] = {"n_clusters": int(np.count_nonzero(sizes)), "sizes": sizes.tolist()}
    for name in ("n_iter_", "n_components_"):
        if hasattr(estimator, name):
            result[name[:-1]] = getattr(estimator, name)
    if hasattr(estimator, "pareto_front_"):
        result["n_solutions"] = len(estimator.pareto_front_)
        result["objectives"] = list(estimator.objective_names_)
    return result


def _plain(value: Any) -> Any:
    try:
        return to_json(value)
    except TypeError:
        return one_line(value)


def checkpoint_hint(folder: RunFolder) -> str:
    """What to do after an interruption."""
    if (folder.path / CHECKPOINT).exists():
        return "go on with the same command and --resume"
    return "there is no checkpoint to go on from (--checkpoint-every writes them)"
