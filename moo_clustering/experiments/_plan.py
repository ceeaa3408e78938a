"""What an experiment is to :func:`~moo_clustering.experiments.reproduce`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable


@dataclass(frozen=True)
class Settings:
    """What the user may choose.

    Parameters
    ----------
    data : Path, optional
        Folder of data sets; default: that of the environment variable ``MOO_CLUSTERING_DATA``.
    seeds : int, default=1
        Repetitions with the seeds 0, 1, ...
    k_max : str, default="sqrt"
        Rule for the largest number of clusters: ``"sqrt"`` (rounded down) or ``"ceil_sqrt"``.
    questions : int, optional
        Only so many of the first questions.
    sets : sequence of str, default=()
        Names of data sets; default: all of the experiment that there are.
    n_sets : int, optional
        Data sets that are drawn for every collection and number of clusters.
    n_clusters : sequence of int, default=()
        Numbers of clusters; default: those of the experiment.
    collections : sequence of str, default=()
        Names of collections that data sets are drawn from; default: all that there are.
    blocks : sequence of str, default=()
        Names of parts of the experiment; default: all.

    Raises
    ------
    ValueError
        If ``seeds``, ``questions`` or ``n_sets`` is less than 1.
    """

    data: Path | None = None
    seeds: int = 1
    k_max: str = "sqrt"
    questions: int | None = None
    sets: Sequence[str] = ()
    n_sets: int | None = None
    n_clusters: Sequence[int] = ()
    collections: Sequence[str] = ()
    blocks: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("seeds", "questions", "n_sets"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")


class Plan(Protocol):
    """Cells of an experiment and what is made of their values."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the values depend on."""
        ...

    @property
    def cells(self) -> Sequence[Key]:
        """Keys of all cells, in the order of the tables."""
        ...

    def data(self, key: Key) -> Any:
        """What a cell needs."""
        ...

    @staticmethod
    def compute(key: Key, data: Any) -> Any:
        """Value of a cell."""
        ...

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Tables of the values of all cells; the first is the one with everything, not printed."""
        ...

    def figures(self, values: Sequence[Any]) -> Sequence[ResultFigure]:
        """Figures of the values of all cells."""
        ...
