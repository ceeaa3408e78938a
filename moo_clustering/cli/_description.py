"""What there is to say of a finished fit beside its labels, as its data and method have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._clusters import cluster_frame, draw_terms
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._job import Job
from moo_clustering.cli._modes import mode_frame, typical_frame
from moo_clustering.cli._numbers import attainment_record
from moo_clustering.cli._scores import entropies, scores
from moo_clustering.datasets import Documents, Table


@dataclass
class Description:
    """Findings of a fit.

    Parameters
    ----------
    record : dict
        Entries for the record.
    clusters : DataFrame, optional
        Description of the clusters, for the summary.
    frames : dict of str to DataFrame
        Tables by the names of their files.
    arrays : dict
        Arrays for ``result.npz``.
    drawings : list of callable
        Each draws into a folder and returns the names of its files.
    """

    record: dict[str, Any]
    clusters: pd.DataFrame | None = None
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)
    drawings: list[Callable[[Path], list[str]]] = field(default_factory=list)

    def draw(self, folder: Path) -> list[str]:
        """Draw everything; names of the files."""
        return [name for drawing in self.drawings for name in drawing(folder)]


def describe(job: Job) -> Description:
    """Agreement with known classes, clusters, predictions and what else the method tells."""
    estimator, table, data = job.estimator, job.table, job.data
    if isinstance(table, BagSamples):
        # Loaded here because most runs have no bags, and below because most have no feature weights.
        from moo_clustering.cli._bag_findings import bag_findings

        return Description(bag_findings(estimator, table))
    if job.weighs_features:
        from moo_clustering.cli._subspace_results import describe_subspaces

        return describe_subspaces(job, _scores(job))
    found = Description({"scores": _scores(job), **attainment_record(estimator)})
    if isinstance(data, TextFeatures):
        found.clusters = cluster_frame(data, estimator)
        found.frames["clusters.csv"] = found.clusters
        found.drawings.append(partial(draw_terms, text=data, estimator=estimator, name=table.name))
    elif job.method.categorical:
        found.clusters = typical_frame(job)
        found.frames["clusters.csv"] = mode_frame(job)
        found.arrays["memberships"] = estimator.memberships_
    return found


def _scores(job: Job) -> dict[str, float]:
    """Of the clusters; for label sets of a file on the samples whose labels the fit was not given."""
    table, labels = job.table, job.estimator.labels_
    if isinstance(table, Table | Documents):
        return scores(table, labels)
    if job.labels is None or not job.labels.is_held_out.any():
        return {}
    rows = np.flatnonzero(job.labels.is_held_out)
    names = job.labels.names
    sets = [tuple(names[column] for column in np.flatnonzero(row)) for row in job.labels.held_out[rows]]
    return entropies(sets, labels[rows])
