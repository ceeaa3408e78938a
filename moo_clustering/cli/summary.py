"""The summary on the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moo_clustering.cli.ask import QUESTIONS
from moo_clustering.cli.describe import (
    cluster_table,
    column_table,
    number_rows,
    squares_rows,
    subspace_table,
)
from moo_clustering.cli.folder import REPORT
from moo_clustering.cli.job import Job
from moo_clustering.cli.terminal import aligned
from moo_clustering.estimators._base import recall_text
from moo_clustering.estimators._pareto_confidence import alternative_lines
from moo_clustering.results import Front

if TYPE_CHECKING:
    import pandas as pd

_INDICES = {"davies_bouldin_bag": "Davies-Bouldin", "silhouette_cluster": "silhouette", "sdbw_bag": "S_Dbw"}
_SCORES = {
    "accuracy": "accuracy (RI)",
    "entropy": "entropy, bits",
    "f1": "F1",
    "adjusted_rand": "adjusted Rand",
    "largest_class": "largest class",
    "accuracy_unlabelled": "accuracy of unlabelled",
}
_SMALL = 0.05
_SHOWN = 3
_NEXT = "labels of a few samples (--partial-labels), a number of clusters (-k), or alternatives.csv"
_ONE = {"samples": "sample", "documents": "document", "bags": "bag", "labels": "label", "classes": "class"}


def summary(job: Job, record: Mapping[str, Any], clusters: pd.DataFrame | None, out: Path) -> str:
    """The table of the clusters, where they are described, then data, method, clusters and scores."""
    kind, is_bags = f"{job.samples.kind}s", job.samples.kind == "bag"
    shape = str(job.samples)
    if job.of_distances and not is_bags:
        shape = f"{job.samples.name}, {job.samples.n_samples} {kind} and the distances between them"
    rows = [["data", shape], *label_rows(job, kind)]
    why = f"; {job.why}" if job.why else ""
    rows.append(["method", f"{record['method']} ({record['estimator']}), seed {record['seed']}{why}"])
    found = job.result if "result" in record else None
    # What a verdict has meant was measured without labels.
    verdict = None
    if found is not None and found.pool is not None and not job.supervision:
        verdict = found.pool.verdict_line
    if "result" in record and is_bags:
        rows += bag_rows(record)
        rows += pareto_rows(record, out, verdict)
    elif found is not None:
        result = record["result"]
        sizes = sorted(filter(None, result["sizes"]), reverse=True)
        shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
        noise = f", {result['n_noise']} in none" if "n_noise" in result else ""
        rows.append(["clusters", f"{result['n_clusters']} of {shown} {kind}{noise}"])
        if (recall := recall_text(found.neighbor_recall)) is not None:
            rows.append(["neighbours", recall])
        if found.front is not None:
            rows.append(["front", _front(found.front)])
        rows += pareto_rows(record, out, verdict)
        rows += number_rows(record, found.number_reason)
        rows += search_rows(record)
        rows += squares_rows(record)
        rows += [[name.replace("_", " "), f"{value:.4f}"] for name, value in record["scores"].items()]
        rows += prediction_rows(record, kind)
    rows.append(["seconds", f"{record['timings']['total']:.1f}"])
    rows.append(["saved in", str(out)])
    if REPORT in record.get("files", ()):
        rows.append(["open", str(out / REPORT)])
    parts = [aligned(rows)]
    if clusters is not None:
        parts.insert(0, _clusters(job, clusters))
    if "result" in record:
        remark = bag_remark(record) if is_bags else prediction_remark(record)
        parts += [] if remark is None else [remark]
        parts += pareto_remarks(record)
    return "\n\n".join(parts)


def label_rows(job: Job, kind: str) -> list[list[str]]:
    """Line of the number of labels, and of the samples whose labels the fit was given."""
    use = job.labels
    if use is None:
        return []
    n_given, n_held_out = int(use.is_given.sum()), int(use.is_held_out.sum())
    what = _counted(len(use.names), "labels" if use.multilabel else "classes")
    several = ", any number each" if use.multilabel else ""
    rest = f", those of {n_held_out} score it" if n_held_out else ""
    return [["labels", f"{what}{several}; the fit was given those of {_counted(n_given, kind)}{rest}"]]


def bag_rows(record: Mapping[str, Any]) -> list[list[str]]:
    """Clusters, indices and scores."""
    sizes = record["result"]["sizes"]
    ordered = sorted(sizes, reverse=True)
    shown = ", ".join(map(str, ordered[:10])) + (", ..." if len(sizes) > 10 else "")
    least = f"the smallest has {_bags(min(sizes))} ({min(sizes) / sum(sizes):.1%})"
    rows = [["clusters", f"{len(sizes)} of {shown} bags; {least}"]]
    for name, title in _INDICES.items():
        if name in record["indices"]:
            value = record["indices"][name]
            rows.append([title, "undefined" if value is None else f"{value:.4f}"])
    scores = record["scores"]
    return rows + [[title, f"{scores[name]:.4f}"] for name, title in _SCORES.items() if name in scores]


def _bags(count: int) -> str:
    return f"{count} bag{'' if count == 1 else 's'}"


def _front(front: Front) -> str:
    text = f"{len(front)} member{'' if len(front) == 1 else 's'}"
    numbers = front.n_clusters
    if numbers is None or len(set(numbers)) == 1:
        return text
    return f"{text} of {numbers.min()} to {numbers.max()} clusters"


def pareto_rows(record: Mapping[str, Any], out: Path, verdict: str | None) -> list[list[str]]:
    """Verdict, alternatives and controls; the verdict is None for results with labels or pairs."""
    if "alternatives" not in record:
        return []
    rows = [] if verdict is None else [["verdict", verdict]]
    if record.get("classes"):
        named = [name or "(new)" for name in record["classes"]]
        rows.append(["classes", ", ".join(f"{number} = {name}" for number, name in enumerate(named))])
    rows += [[name, text] for name, text in alternative_lines(record["alternatives"]).items()]
    if verdict is not None and record["alternatives"]:
        asks = QUESTIONS in record.get("files", ())
        rows.append(["next", f"moo-clustering ask {shlex.quote(str(out))}, {_NEXT}" if asks else _NEXT])
    return rows + _controls(record)


def _controls(record: Mapping[str, Any]) -> list[list[str]]:
    if "controls" not in record:
        return []
    controls = record["controls"]
    rows = []
    names = {"control": "without evolution", "random_control": "survival at random"}
    rows.append(["evolved", f"best score {controls['score']['result']:.4f}{_rand(record['scores'])}"])
    for key, title in names.items():
        if key not in controls["ari_to_labels"]:
            rows.append([title, "left out, as the evolution was interrupted"])
            continue
        like = controls["ari_to_labels"][key]
        text = f"best score {controls['score'][key]:.4f}{_rand(controls['scores'][key])}"
        rows.append([title, f"{text}, adjusted Rand {like:.4f} to the clusters above"])
    return rows


def _rand(scores: Mapping[str, float]) -> str:
    value = scores.get("adjusted_rand")
    return "" if value is None else f", adjusted Rand {value:.4f} to known classes"


def search_rows(record: Mapping[str, Any]) -> list[list[str]]:
    """Objectives of the chosen start, and of the best of as many random ones."""
    rows = []
    if "chosen" in record:
        rows.append(["chosen", _objectives(record["chosen"])])
    if "control" in record:
        what = f"best of {record['n_random_starts']} random starts"
        rows.append(["control", f"{_objectives(record['control'])} ({what})"])
    return rows


def prediction_rows(record: Mapping[str, Any], kind: str) -> list[list[str]]:
    """How well the held-out labels are predicted."""
    found = record.get("prediction", {})
    if not found.get("n_scored"):
        return []
    n_labels, area = found["n_labels_scored"], found["macro_auc"]
    shown = "undefined: all or none of them have each label" if area is None else f"{area:.4f}"
    if area is not None and n_labels < len(found["auc"]):
        shown += f" ({n_labels} of {len(found['auc'])} labels; the others are on all or none)"
    rows = [
        ["predictions", f"of the labels of {_counted(found['n_scored'], kind)} that the fit was not given"]
    ]
    rows.append(["  macro AUC", shown])
    if "micro_f1" in found:
        rows.append(["  micro F1", f"{found['micro_f1']:.4f}"])
    else:
        rows.append(["  accuracy", f"{found['accuracy']:.4f} (largest class: {found['largest_class']:.4f})"])
    return rows


def _clusters(job: Job, clusters: pd.DataFrame) -> str:
    if job.samples.kind == "document" and not job.weighs_features:
        return cluster_table(clusters)
    if job.result.pool is not None or job.method.categorical:
        return column_table(clusters)
    return subspace_table(clusters)


def bag_remark(record: Mapping[str, Any]) -> str | None:
    """A remark about a cluster of very few bags."""
    sizes = record["result"]["sizes"]
    if "alternatives" in record:  # chosen by other than indices of separation
        return None
    if len(sizes) < 2 or (min(sizes) > 1 and min(sizes) >= _SMALL * sum(sizes)):
        return None
    return (
        f"A cluster holds only {_bags(min(sizes))} of {sum(sizes)}: indices of separation favour outlying "
        "bags against all others. --set min_cluster_size=N keeps N bags in every cluster."
    )


def prediction_remark(record: Mapping[str, Any]) -> str | None:
    """A remark about predictions that no held-out label scores."""
    found = record.get("prediction")
    if found is None or found["n_scored"]:
        return None
    return (
        "Nothing scores the predictions, because every known label reached the fit: --hold-out 0.2 "
        "withholds a fifth of them."
    )


def pareto_remarks(record: Mapping[str, Any]) -> list[str]:
    """Remarks about columns that alone separate the clusters, and about an evolution."""
    remarks = []
    if names := record.get("sorted_by"):
        shown = " and of ".join(map(repr, names[:_SHOWN]))
        remarks.append(
            f"Nearly every cluster has one value of {shown}. --drop leaves such a column out, to see which "
            "clusters there are besides."
        )
    if "controls" in record:
        remarks.append(
            "Evolution raises the score it searches by; on the data it was measured on, the clusters came no "
            "nearer to known classes than without it. Trust it no more than its controls."
        )
    return remarks


def _counted(number: int, what: str) -> str:
    return f"{number} {_ONE[what] if number == 1 else what}"


def _objectives(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in values.items())
