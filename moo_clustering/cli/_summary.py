"""What ``fit`` says at the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._bag_summary import bag_remark, bag_rows
from moo_clustering.cli._clusters import cluster_table
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._folder import REPORT
from moo_clustering.cli._job import Job
from moo_clustering.cli._modes import mode_table
from moo_clustering.cli._numbers import number_rows
from moo_clustering.cli._pareto_results import has_pool
from moo_clustering.cli._pareto_summary import pareto_remarks, pareto_rows
from moo_clustering.cli._prepared import PreparedSamples
from moo_clustering.cli._run import Outcome
from moo_clustering.cli._squares import squares_rows
from moo_clustering.cli._subspace_summary import label_rows, prediction_remark, prediction_rows, search_rows
from moo_clustering.cli._tables import aligned
from moo_clustering.cli._typical import column_table
from moo_clustering.datasets import CategoryTable

if TYPE_CHECKING:
    import pandas as pd


def summary(job: Job, outcome: Outcome, out: Path) -> str:
    """Data, method, clusters and scores, after the clusters of documents, in subspaces and around modes."""
    record, data = outcome.record, job.data
    kind = "documents" if isinstance(data, TextFeatures) else "samples"
    rows = [["data", _shape(job, kind)]]
    rows += label_rows(job, kind)
    why = f"; {job.why}" if job.why else ""
    rows.append(["method", f"{record['method']} ({record['estimator']}), seed {record['seed']}{why}"])
    if "result" in record and isinstance(data, BagSamples):
        rows += bag_rows(record)
        rows += pareto_rows(record, supervised=bool(job.supervision))
    elif "result" in record:
        result = record["result"]
        sizes = sorted(filter(None, result["sizes"]), reverse=True)
        shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
        rows.append(["clusters", f"{result['n_clusters']} of {shown} {kind}"])
        if "n_solutions" in result:
            rows.append(["front", _front(record, job)])
        rows += pareto_rows(record, supervised=bool(job.supervision))
        rows += number_rows(record, job.estimator, supervised=bool(job.supervision))
        rows += search_rows(record)
        rows += squares_rows(record)
        rows += [[name.replace("_", " "), f"{value:.4f}"] for name, value in record["scores"].items()]
        rows += prediction_rows(record, kind)
    rows.append(["seconds", f"{record['timings']['total']:.1f}"])
    rows.append(["saved in", str(out)])
    if REPORT in record.get("files", ()):
        rows.append(["open", str(out / REPORT)])
    parts = [aligned(rows)]
    if outcome.clusters is not None:
        parts.insert(0, _clusters(job, outcome.clusters))
    if "result" in record:
        remark = bag_remark(record) if isinstance(data, BagSamples) else prediction_remark(record)
        parts += [] if remark is None else [remark]
        parts += pareto_remarks(record)
    return "\n\n".join(parts)


def _clusters(job: Job, clusters: pd.DataFrame) -> str:
    if isinstance(job.data, TextFeatures) and not job.weighs_features:
        return cluster_table(clusters)
    if has_pool(job.estimator):
        return column_table(clusters)
    if job.method.categorical:
        return mode_table(clusters)
    # Loaded here because most runs have no feature weights.
    from moo_clustering.cli._subspace_clusters import subspace_table

    return subspace_table(clusters)


def _shape(job: Job, kind: str) -> str:
    data = job.data
    if isinstance(data, BagSamples):
        return str(data)
    if isinstance(data, PreparedSamples):
        n_columns = len(data.columns.columns)
        columns = f"{n_columns} column{'' if n_columns == 1 else 's'}"
        if len(data.feature_names) > n_columns:
            columns += f" as {len(data.feature_names)} features"
        return f"{job.table.name}, {job.table.n_samples} {kind}, {columns}"
    features = str(data) if isinstance(data, TextFeatures) else f"{len(data.feature_names)} features"
    if getattr(job.estimator, "metric", None) == "precomputed":
        return f"{job.table.name}, {job.table.n_samples} {kind} and the distances between them"
    if isinstance(data, CategoryTable):
        features += f", {len(data.category_names)} of categories"
    return f"{job.table.name}, {job.table.n_samples} {kind}, {features}"


def _front(record: Mapping[str, Any], job: Job) -> str:
    n_solutions = record["result"]["n_solutions"]
    text = f"{n_solutions} member{'' if n_solutions == 1 else 's'}"
    numbers = getattr(job.estimator, "pareto_K_", None)
    if numbers is None or len(set(numbers)) == 1:
        return text
    return f"{text} of {numbers.min()} to {numbers.max()} clusters"
