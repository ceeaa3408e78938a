"""Samples and their labels in a folder of a run."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.cli._folder import LABELS

# A run writes a handful; a table of a hundred thousand takes ten seconds to find out that it is none.
_MOST_COLUMNS = 1000


class FolderLabels(NamedTuple):
    """What ``labels.csv`` says.

    Attributes
    ----------
    kind : str
        Name of the first column.
    names : ndarray of shape (n_samples,) of str
    labels : ndarray of shape (n_samples,), int32
    classes : list of str or None
        Class of every sample by its cluster, where clusters have classes.
    """

    kind: str
    names: NDArray[np.str_]
    labels: NDArray[np.int32]
    classes: list[str] | None

    def __len__(self) -> int:
        return len(self.labels)


def read_labels(folder: Path) -> FolderLabels:
    """Names and labels of the samples of a run.

    Raises
    ------
    ValueError
        When the file is damaged or has no labels.
    """
    frame = read_frame(folder / LABELS)
    if frame.shape[1] < 2 or "label" not in frame:
        raise ValueError(f"{folder / LABELS} is damaged: it has no columns of names and of labels")
    if not len(frame):
        raise ValueError(f"{folder / LABELS} has no samples")
    numbers = pd.to_numeric(frame["label"], errors="coerce").to_numpy(dtype=np.float64)
    # Clusters are numbered from 0, and -1 is a sample in none.
    wrong = ~((numbers >= -1) & (numbers < len(frame)) & (numbers == np.floor(numbers)))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        said = str(frame["label"].iloc[row])[:60]
        raise ValueError(
            f"{folder / LABELS} is damaged: row {row + 1} has the label {said!r}; "
            f"labels are whole numbers from -1 to {len(frame) - 1}"
        )
    classes = list(frame["class"]) if "class" in frame else None
    kind = str(frame.columns[0])
    return FolderLabels(kind, frame[kind].to_numpy(dtype=np.str_), numbers.astype(np.int32), classes)


def read_frame(path: Path) -> pd.DataFrame:
    """A table of text as the run wrote it.

    Raises
    ------
    ValueError
        When it cannot be read.
    """
    with open(path, "rb") as file:
        if file.readline().count(b",") > _MOST_COLUMNS:
            raise ValueError(f"{path} is damaged: it has more than {_MOST_COLUMNS} columns")
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except (ValueError, pd.errors.ParserError) as error:  # empty files and other encodings among them
        raise ValueError(f"{path} is damaged: {' '.join(str(error).split())}") from error
