"""Which sets a folder holds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets import DataError
from moo_clustering.experiments.flagship._set_sources import Skipped, bundled_sources, folder_sources
from moo_clustering.experiments.flagship._sets import ClassedSet

_VARIABLE = "MOO_CLUSTERING_DATA"


class Suite(NamedTuple):
    """Sets, in the order of the reports, and the files that are none."""

    sets: list[ClassedSet]
    skipped: list[Skipped]


def load_suite(folder: Path | None, names: Sequence[str] = ()) -> Suite:
    """All sets of a folder that can be read, or those asked for.

    Parameters
    ----------
    folder : Path, optional
        Searched with all its sub-folders for npz, CSV, TSV, Parquet and JSON lines; in sub-folders
        ``shapes`` and ``uci`` are shapes and tables, and with one of those scikit-learn's digits belong to
        the suite. Default: the folder named by the environment variable ``MOO_CLUSTERING_DATA``,
        without which there are sets of scikit-learn only.
    names : sequence of str, default=()
        Names of sets: of files without suffix, with the folder before it where two files share it.

    Raises
    ------
    ValueError
        For a name that there is no set of.
    DataError
        If there is no such folder, or no set in it.
    """
    given = os.environ.get(_VARIABLE) if folder is None else folder
    sources = bundled_sources()
    skipped: list[Skipped] = []
    if given:
        if not Path(given).is_dir():
            raise DataError(f"there is no folder {given}")
        sources, skipped = folder_sources(Path(given))
    for name in names:
        if name not in sources:
            raise ValueError(
                f"sets must be among {', '.join(sources)}; got {name!r}{did_you_mean(name, sources)}"
            )
    sets: list[ClassedSet] = []
    for name, source in sources.items():
        if name not in names if names else not source.in_protocol:
            if not names:
                skipped.append(Skipped(source.file, "not in the suite of the protocol; ask for it by name"))
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sets.append(replace(source.make(), name=name))
        except (DataError, MemoryError, ValueError) as error:
            reason = " ".join(str(error).split())
            skipped.append(Skipped(source.file, reason.replace(f"{given}{os.sep}", "") if given else reason))
    if not sets:
        reasons = "; ".join(f"{one.file}: {one.reason}" for one in skipped[:5])
        raise DataError(f"{given} holds no set with classes ({reasons or 'no files'})")
    order = list("sutdo")
    return Suite(
        sorted(sets, key=lambda one: (order.index(one.kind), one.name)),
        sorted(skipped, key=lambda one: one.file),
    )
