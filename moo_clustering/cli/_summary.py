"""What ``fit`` says at the end."""

from __future__ import annotations

from pathlib import Path

from moo_clustering.cli._clusters import cluster_table
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._job import Job
from moo_clustering.cli._run import Outcome
from moo_clustering.cli._tables import aligned


def summary(job: Job, outcome: Outcome, out: Path) -> str:
    """Data, method, clusters and scores, after the clusters of documents."""
    record, data = outcome.record, job.data
    if isinstance(data, TextFeatures):
        kind, features = "documents", str(data)
    else:
        kind, features = "samples", f"{len(data.feature_names)} features"
    rows = [["data", f"{job.table.name}, {job.table.n_samples} {kind}, {features}"]]
    rows.append(["method", f"{record['method']} ({record['estimator']}), seed {record['seed']}"])
    if "result" in record:
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
    return text if outcome.clusters is None else f"{cluster_table(outcome.clusters)}\n\n{text}"
