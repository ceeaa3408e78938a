"""One fit, from the estimator to a finished folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.cli._description import describe
from moo_clustering.cli._errors import shown_warnings
from moo_clustering.cli._estimator import writes_checkpoints
from moo_clustering.cli._folder import CHECKPOINT, RunFolder
from moo_clustering.cli._job import Job
from moo_clustering.cli._results import save_results
from moo_clustering.cli._run_report import save_report


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Parameters
    ----------
    record : dict
        As written to the folder.
    interrupted : bool
        Whether Ctrl-C ended the fit.
    clusters : DataFrame, optional
        Description of the clusters of documents, and of those with feature weights or modes.
    """

    record: dict[str, Any]
    interrupted: bool
    clusters: pd.DataFrame | None = None


def run_job(
    job: Job, folder: RunFolder, extra: Mapping[str, Any] | None = None, *, with_report: bool = True
) -> Outcome:
    """Fit and save; after Ctrl-C, save what there is.

    Parameters
    ----------
    job : Job
    folder : RunFolder
    extra : mapping, optional
        More entries for the record.
    with_report : bool, default=True
        Whether the report is made, as the last step.
    """
    record = job.record() | dict(extra or {})
    found = None
    folder.claim(record)
    try:
        with shown_warnings() as warnings:
            begun = time.perf_counter()
            interrupted = _fit(job)
            fitted = time.perf_counter()
            record["status"] = "interrupted" if interrupted else "complete"
            lines = dict.fromkeys([*job.notices, *warnings])
            record["warnings"] = [line.replace(f"{folder.path}/", "") for line in lines]
            record["timings"] = {"load": begun - job.started, "fit": fitted - begun}
            if hasattr(job.estimator, "labels_"):
                record["result"] = _summary(job.estimator)
                found = describe(job)
                record |= found.record
                record["files"] = save_results(
                    folder.path,
                    job.estimator,
                    job.table,
                    record,
                    supervision=job.supervision,
                    frames=found.frames,
                    arrays=found.arrays,
                )
                record["files"] += found.draw(folder.path)
            record["timings"]["total"] = time.perf_counter() - job.started
            folder.finish(record, complete=not interrupted)
            if with_report and found is not None:
                # Last, so that nothing is lost whatever happens.
                before = len(warnings)
                record["files"] += save_report(folder.path, job, record, found.report)
                record["warnings"] += warnings[before:]
                record["timings"]["total"] = time.perf_counter() - job.started
                folder.write_record(record)
    except BaseException:
        folder.release()
        raise
    return Outcome(record, interrupted, None if found is None else found.clusters)


def _fit(job: Job) -> bool:
    """Whether the fit was interrupted."""
    try:
        job.estimator.fit(job.data.X, **job.supervision)
    except KeyboardInterrupt:
        return True
    return bool(getattr(job.estimator, "interrupted_", False))


def _summary(estimator: Any) -> dict[str, Any]:
    sizes = np.bincount(estimator.labels_)
    result: dict[str, Any] = {"n_clusters": int(np.count_nonzero(sizes)), "sizes": sizes.tolist()}
    result["smallest_cluster"] = int(sizes[sizes > 0].min())
    for name in ("n_iter_", "n_components_"):
        if hasattr(estimator, name):
            result[name[:-1]] = getattr(estimator, name)
    if hasattr(estimator, "pareto_front_"):
        result["n_solutions"] = len(estimator.pareto_front_)
        result["objectives"] = list(estimator.objective_names_)
    return result


def after_interruption(folder: RunFolder, job: Job, *, has_result: bool) -> str:
    """What to do after an interruption."""
    if (folder.path / CHECKPOINT).exists():
        return "go on with the same command and --resume"
    if writes_checkpoints(job.method, job.estimator.get_params(deep=False)):
        return "there is no checkpoint to go on from (--checkpoint-every writes them)"
    return f"the same command starts from the beginning{', in another folder' if has_result else ''}"
