"""What the tables and pictures in a folder of a run tell besides labels and objectives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.visualization.report._content import ClusterFacts, Panel, PlaneMap
from moo_clustering.visualization.report._folder_labels import FolderLabels, read_frame

# Pictures in the order in which they are shown: title, and what is to be seen.
_PICTURES = {
    "partition.png": ("The result in the plane", "Samples in the plane, coloured by cluster."),
    "similarity.png": ("Similarity", "Matrix of similarities in the order of clusters, with eigenvalues."),
    "terms.png": ("Leading terms", "Bars of the mean weights of the leading terms of every cluster."),
    "bag_distances.png": ("Distances between bags", "Matrix of distances in the order of clusters."),
    "bag_embedding.png": ("Bags in the plane", "Bags in the plane, coloured by cluster."),
    "roc.png": ("ROC curves", "True over false positive rate of the predicted labels."),
    "attainment.png": ("Attainment", "The front and those of data without clusters."),
}
_PNG = b"\x89PNG\r\n\x1a\n"
_MOST_BYTES = 3_000_000


def run_facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Method, data and time, as far as the record has them."""
    data = part_of(record, "data")
    facts = {
        "method": record.get("estimator", record.get("method")),
        "random state": record.get("seed"),
        "samples": data.get("n_samples"),
        "features": data.get("n_features"),
        "data": data.get("name"),
        "seconds of the fit": _seconds(record),
        "moo_clustering": part_of(record, "environment").get("moo_clustering"),
    }
    return [(name, str(value)) for name, value in facts.items() if value is not None]


def part_of(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of a record that holds several things; nothing where it is something else."""
    part = record.get(name)
    return part if isinstance(part, dict) else {}


def _seconds(record: Mapping[str, Any]) -> str | None:
    spent = part_of(record, "timings").get("fit")
    return f"{spent:.1f}" if isinstance(spent, int | float) else None


def plane_of_embedding(embedding: Any, n_samples: int, missing: list[str]) -> PlaneMap | None:
    """Two principal components of an embedding that the run saved; a sentence where there is no map."""
    without = "There is no map of the samples: "
    if embedding is None:
        missing.append(f"{without}the folder has neither the data nor an embedding of them.")
        return None
    found: NDArray[Any] = np.asarray(embedding)
    if found.ndim != 2 or len(found) != n_samples or not found.shape[1]:
        missing.append(f"{without}the embedding has shape {found.shape}, for {n_samples} samples.")
        return None
    rows = np.flatnonzero(np.isfinite(found).all(axis=1))
    if not len(rows):
        missing.append(f"{without}the embedding has NaN or infinite values in every row.")
        return None
    note = "Principal components of the embedding that the run found."
    if len(rows) < n_samples:
        note += f" {n_samples - len(rows)} samples have NaN or infinite values there and are left out."
    centred = found[rows] - found[rows].mean(axis=0)
    left, stretch, _ = np.linalg.svd(centred, full_matrices=False)
    positions = np.zeros((len(rows), 2))
    kept = min(2, len(stretch))
    positions[:, :kept] = left[:, :kept] * stretch[:kept]
    return PlaneMap(positions, rows, ("first component", "second component"), note)


def cluster_facts(folder: Path, samples: FolderLabels, missing: list[str]) -> tuple[str, list[ClusterFacts]]:
    """Typical documents and leading terms or values of the clusters of the result, and what these are."""
    path = folder / "clusters.csv"
    if not path.is_file():
        missing.append("What is typical of the clusters is not in the folder.")
        return "features", []
    try:
        frame = read_frame(path)
        clusters = frame["cluster"].astype(int).to_numpy()
    except (ValueError, KeyError, OverflowError):
        missing.append("clusters.csv is damaged, and what it says is not shown.")
        return "features", []
    column = next((name for name in ("terms", "typical values") if name in frame), None)
    facts = [ClusterFacts() for _ in range(int(samples.labels.max()) + 1)]
    for place, cluster in enumerate(clusters):
        if 0 <= cluster < len(facts):
            facts[cluster] = ClusterFacts(
                typical=_typical(frame, place, samples),
                features=() if column is None else _features(column, frame[column].iloc[place]),
            )
    return {"terms": "leading terms", "typical values": "typical values"}.get(column or "", "features"), facts


def _typical(frame: pd.DataFrame, place: int, samples: FolderLabels) -> tuple[int, ...]:
    if "document" not in frame:
        return ()
    return tuple(np.flatnonzero(samples.names == frame["document"].iloc[place])[:1].tolist())


def _features(column: str, text: str) -> tuple[tuple[str, float], ...]:
    parts = text.split() if column == "terms" else text.split("; ")
    return tuple((part, float("nan")) for part in parts if part)


def saved_pictures(folder: Path) -> list[Panel]:
    """Pictures of the run, without those that the page draws itself."""
    panels = []
    for name, (title, note) in _PICTURES.items():
        path = folder / name
        if path.is_file() and path.stat().st_size <= _MOST_BYTES:
            image = path.read_bytes()
            if image.startswith(_PNG):
                panels.append(Panel("image", title, note, image=image))
    return panels
