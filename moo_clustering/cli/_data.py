"""The data named on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import BUNDLED, DataError, Table, load_bundled, read_table


def load_data(
    data: str,
    *,
    labels: str | None = None,
    partial_labels: str | None = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
) -> Table:
    """A bundled set by name, or a file."""
    if data in BUNDLED:
        given = [labels and "--labels", partial_labels and "--partial-labels", id_column and "--id-column"]
        given.append("--drop" if drop else None)
        if flags := [flag for flag in given if flag]:
            raise DataError(f"{' and '.join(flags)} name columns of a file; {data} is a bundled data set")
        return load_bundled(data)
    path = Path(data)
    if not path.exists() and not path.suffix:
        raise DataError(
            f"there is no file {data} and no bundled data set of this name; bundled are "
            f"{', '.join(BUNDLED)}{did_you_mean(data, BUNDLED)}"
        )
    return read_table(
        path, labels=labels, partial_labels=partial_labels, id_column=id_column, drop=tuple(drop)
    )
