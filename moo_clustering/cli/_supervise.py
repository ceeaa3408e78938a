"""What is known of the samples beforehand, for the fit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moo_clustering.constraints import read_pairs

if TYPE_CHECKING:
    from moo_clustering.cli._job import Job
from moo_clustering.datasets import MultiLabelTable


def supervise(job: Job, partial_labels: str | None, must_link: str | None, cannot_link: str | None) -> None:
    """Partial labels and pairs, as far as the method takes them.

    Raises
    ------
    ValueError
        When the method takes none, or a file or column holds none.
    """
    table, takes = job.table, job.method.supervision
    if partial_labels is not None:
        if "labels" not in takes:
            raise ValueError(f"method {job.method.name} takes no --partial-labels")
        if job.labels is None and not isinstance(table, MultiLabelTable):
            if table.partial_y is None or not (table.partial_y >= 0).any():
                raise ValueError(_none(partial_labels))
            job.supervision["y"] = table.partial_y
            job.sources["partial_labels"] = {
                "column": partial_labels,
                "n_labelled": int((table.partial_y >= 0).sum()),
            }
        elif job.labels is None or not (job.labels.is_given | job.labels.is_held_out).any():
            raise ValueError(_none(partial_labels))
    if job.labels is not None:
        column = {} if partial_labels is None else {"column": partial_labels}
        job.sources["partial_labels"] = column | job.labels.sources
        if job.labels.y is not None:
            job.supervision["y"] = job.labels.y
    for name, file in (("must_link", must_link), ("cannot_link", cannot_link)):
        if file is None:
            continue
        if "pairs" not in takes:
            raise ValueError(f"method {job.method.name} takes no --{name.replace('_', '-')}")
        pairs = read_pairs(
            file, row_ids=table.row_ids if table.has_row_ids else None, n_samples=table.n_samples
        )
        job.supervision[name] = pairs
        job.sources[name] = {"file": Path(file).name, "n_pairs": len(pairs)}


def _none(column: str) -> str:
    return f"column {column!r} (partial labels) has no label"
