"""What ``fit`` says at the end."""

from __future__ import annotations

from pathlib import Path

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._bag_summary import bag_remark, bag_rows
from moo_clustering.cli._clusters import cluster_table
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._job import Job
from moo_clustering.cli._run import Outcome
from moo_clustering.cli._tables import aligned


def summary(job: Job, outcome: Outcome, out: Path) -> str:
    """Data, method, clusters and scores, after the clusters of documents."""
    record, data = outcome.record, job.data
    kind = "documents" if isinstance(data, TextFeatures) else "samples"
    rows = [["data", _shape(job, kind)]]
    rows.append(["method", f"{record['method']} ({record['estimator']}), seed {record['seed']}"])
    if "result" in record and isinstance(data, BagSamples):
        rows += bag_rows(record)
    elif "result" in record:
        result = record["result"]
        sizes = sorted(result["sizes"], reverse=True)
        shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
        rows.append(["clusters", f"{result['n_clusters']} of {shown} {kind}"])
        if "n_solutions" in result:
            rows.append(["front", f"{result['n_solutions']} members"])
        rows += [[name.replace("_", " "), f"{value:.4f}"] for name, value in record["scores"].items()]
    rows.append(["seconds", f"{record['timings']['total']:.1f}"])
    rows.append(["saved in", str(out)])
    text = aligned(rows)
    if isinstance(data, BagSamples):
        remark = bag_remark(record) if "result" in record else None
        return text if remark is None else f"{text}\n\n{remark}"
    return text if outcome.clusters is None else f"{cluster_table(outcome.clusters)}\n\n{text}"


def _shape(job: Job, kind: str) -> str:
    data = job.data
    if isinstance(data, BagSamples):
        return str(data)
    features = str(data) if isinstance(data, TextFeatures) else f"{len(data.feature_names)} features"
    return f"{job.table.name}, {job.table.n_samples} {kind}, {features}"
