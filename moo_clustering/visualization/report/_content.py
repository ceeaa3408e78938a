"""What a report shows, apart from how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Pairs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Column:
    """A number of every solution.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n_solutions,), float64
        NaN where there is none.
    is_objective : bool
    greater_is_better : bool or None
        None where neither is.
    """

    name: str
    values: NDArray[np.float64]
    is_objective: bool = False
    greater_is_better: bool | None = None


@dataclass(frozen=True, eq=False)
class ClusterFacts:
    """What is known of a cluster of a solution.

    Attributes
    ----------
    silhouette : float
        Mean over its samples, or over those that were looked at; NaN if unknown.
    typical : tuple of int
        Rows of the samples nearest to its middle, the nearest first.
    features : tuple of (str, float)
        Leading terms or features with their weights, the greatest first.
    """

    silhouette: float = float("nan")
    typical: tuple[int, ...] = ()
    features: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class PlaneMap:
    """Where samples lie in the plane.

    Attributes
    ----------
    positions : ndarray of shape (n_shown, 2), float64
    rows : ndarray of shape (n_shown,), int64
        Rows of the samples shown, ascending.
    axes : tuple of two str
    note : str
        How it was made, and how many samples it leaves out.
    """

    positions: NDArray[np.float64]
    rows: NDArray[np.int64]
    axes: tuple[str, str]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """A further figure.

    Attributes
    ----------
    kind : {"matrix", "lines", "bars", "image"}
    title, note : str
    x, y : sequence
        Of ``"bars"`` names and heights; of ``"matrix"`` names of columns and rows, or none.
    series : mapping of str to (x, y)
        Of ``"lines"``.
    matrix : ndarray of shape (n_rows, n_columns), optional
        Of ``"matrix"``.
    axes : tuple of two str
    image : bytes
        A PNG, of ``"image"``; ``note`` is what it says to those who cannot see it.
    """

    kind: Literal["matrix", "lines", "bars", "image"]
    title: str
    note: str = ""
    x: Sequence[str | float] = ()
    y: Sequence[str | float] = ()
    series: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)
    matrix: NDArray[np.float64] | None = None
    axes: tuple[str, str] = ("", "")
    image: bytes = b""


@dataclass(frozen=True, eq=False)
class ReportContent:
    """Solutions of one or more runs on the same samples.

    Attributes
    ----------
    title : str
    facts : sequence of (str, str)
        What was done, for the head of the page.
    sample_kind : str
        What a sample is called: "sample", "document", "bag", "row", ...
    sample_names : ndarray of shape (n_samples,) of str
    sample_texts : sequence of str or None
        What helps to recognise a sample, such as the beginning of a document.
    names : sequence of str
        Of the solutions.
    labels : ndarray of shape (n_solutions, n_samples), int32
        Clusters 0, 1, ...; -1 for samples in none.
    columns : sequence of Column
        Objectives first.
    chosen : int
        The solution that the estimator gave.
    rules : mapping of str to int
        Solution that ``choose(rule)`` takes.
    runs : sequence of str
        Run of every solution; empty if there is one run only.
    cluster_names : mapping of int to sequence of str
        Names of the clusters of a solution that has them.
    map : PlaneMap or None
    clusters : mapping of int to sequence of ClusterFacts
        Of the solutions that were described, a cluster after the other.
    features_title : str
        What the features of clusters are, such as "leading terms".
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64
    agreement : ndarray of shape (n_solutions, n_solutions) or None
        Adjusted Rand index of every two solutions.
    agreement_note : str
    history : DataFrame or None
        Generations in the first column, numbers in the others.
    panels : sequence of Panel
    missing : sequence of str
        Sentences about what the report cannot show.
    """

    title: str
    names: Sequence[str]
    labels: NDArray[np.int32]
    sample_names: NDArray[np.str_]
    facts: Sequence[tuple[str, str]] = ()
    sample_kind: str = "sample"
    sample_texts: Sequence[str] | None = None
    columns: Sequence[Column] = ()
    chosen: int = 0
    rules: Mapping[str, int] = field(default_factory=dict)
    runs: Sequence[str] = ()
    cluster_names: Mapping[int, Sequence[str]] = field(default_factory=dict)
    map: PlaneMap | None = None
    clusters: Mapping[int, Sequence[ClusterFacts]] = field(default_factory=dict)
    features_title: str = "features"
    must_link: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    cannot_link: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    agreement: NDArray[np.float64] | None = None
    agreement_note: str = ""
    history: pd.DataFrame | None = None
    panels: Sequence[Panel] = ()
    missing: Sequence[str] = ()

    @property
    def n_solutions(self) -> int:
        """Number of solutions."""
        return len(self.labels)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.labels.shape[1]
