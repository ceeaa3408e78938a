"""What there is to say of a finished fit beside its labels, as its data and method have it."""

from __future__ import annotations

from functools import partial

import numpy as np

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._clusters import cluster_frame, draw_terms
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._findings import Description
from moo_clustering.cli._job import Job
from moo_clustering.cli._modes import mode_frame, typical_frame
from moo_clustering.cli._numbers import attainment_record
from moo_clustering.cli._pareto_results import describe_pareto, has_pool
from moo_clustering.cli._scores import entropies, scores
from moo_clustering.cli._squares import describe_squares
from moo_clustering.datasets import Documents, Table


def describe(job: Job) -> Description:
    """Agreement with known classes, clusters, predictions and what else the method tells."""
    estimator, table, data = job.estimator, job.table, job.data
    if isinstance(table, BagSamples):
        # Loaded here because most runs have no bags, and below because most have no feature weights.
        from moo_clustering.cli._bag_findings import bag_findings

        found = Description(bag_findings(estimator, table))
        if has_pool(estimator):
            describe_pareto(job, found)
        return found
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
    describe_squares(estimator, found)
    if has_pool(estimator):
        describe_pareto(job, found)
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
