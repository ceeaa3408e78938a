"""What was found of a finished fit, and where it goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass
class Description:
    """Findings of a fit.

    Parameters
    ----------
    record : dict
        Entries for the record.
    clusters : DataFrame, optional
        Description of the clusters, for the summary.
    frames : dict of str to DataFrame
        Tables by the names of their files.
    arrays : dict
        Arrays for ``result.npz``.
    drawings : list of callable
        Each draws into a folder and returns the names of its files.
    report : dict
        More keyword arguments of ``report_content``.
    """

    record: dict[str, Any]
    clusters: pd.DataFrame | None = None
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)
    drawings: list[Callable[[Path], list[str]]] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)

    def draw(self, folder: Path) -> list[str]:
        """Draw everything; names of the files."""
        return [name for drawing in self.drawings for name in drawing(folder)]
