"""Figure 5 of the PESC paper: similarity matrices, eigenvalues and eigenvectors, and what they consist of."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from moo_clustering.experiments._tables import ResultFigure, ResultTable, Value
from moo_clustering.experiments.pesc._notes import notes
from moo_clustering.experiments.pesc._results import Results
from moo_clustering.experiments.pesc._sets import FlatSet
from moo_clustering.visualization._figures import house_style, new_figure, save_figure
from moo_clustering.visualization._similarity import (
    _draw_eigenvalues,
    _draw_matrix,
    _draw_vectors,
    similarity_data,
)


def pictures(results: Results, found: FlatSet) -> dict[str, dict[str, Any]]:
    """Rows of cells that have a graph of a set."""
    return {
        name: row
        for key, value in results.values
        if key["set"] == found.name
        for name, row in value.items()
        if "graph" in row
    }


def similarity(graph: dict[str, Any], n_samples: int) -> sp.csr_array:
    """The symmetric matrix of a stored graph."""
    ends = (graph["rows"], graph["columns"])
    upper = sp.coo_array((graph["weights"], ends), shape=(n_samples, n_samples)).tocsr()
    return sp.csr_array(upper + upper.T)


def table(results: Results) -> ResultTable:
    """How sparse the graphs are, how large their weights and how many of their edges within classes."""
    rows: list[list[Value]] = []
    for found in results.sets:
        n = len(found.X)
        for name, row in pictures(results, found).items():
            graph = row["graph"]
            weights = np.array(graph["weights"])
            same = found.classes[graph["rows"]] == found.classes[graph["columns"]]
            within = float(same.mean()) if len(same) else None
            density = 2 * len(weights) / (n * (n - 1))
            inner = float(np.median(weights)) if len(weights) else None
            rows.append([found.name, name, row["accuracy"], density, within, inner])
        pairs = found.classes[:, None] == found.classes
        chance = float((pairs.sum() - n) / (n * (n - 1)))
        rows.append([found.name, "all pairs", None, 1.0, chance, None])
    return ResultTable(
        "figure5",
        "Figure 5: similarity graphs",
        ["set", "graph", "accuracy", "share of pairs linked", "links within classes", "median weight"],
        rows,
        (
            "The paper: the three ensembles give sparse matrices that cluster well, with links mostly within "
            "classes; ES1's weights are lower than those of ES2 and ES3; of the conventional graphs only kNN "
            "tells the classes apart.",
            *notes("pictures"),
        ),
        {"median weight": ".3g"},
    )


def drawings(results: Results) -> list[ResultFigure]:
    """One figure for every set."""
    return [
        ResultFigure(
            f"figure5-{found.name}",
            f"Figure 5: similarity matrices, eigenvalues and eigenvectors, {found.name}",
            partial(_draw, results, found),
        )
        for found in results.sets
    ]


def _draw(results: Results, found: FlatSet, path: Path) -> None:
    shown = pictures(results, found)
    with house_style():
        figure = new_figure(12.0, 3.1 * len(shown))
        grid = figure.add_gridspec(len(shown), 3, width_ratios=[1.0, 0.8, 1.4])
        for i, (name, row) in enumerate(shown.items()):
            graph = row["graph"]
            data = similarity_data(
                similarity(graph, len(found.X)), found.classes, graph["eigenvalues"], graph["vectors"]
            )
            axes = [figure.add_subplot(grid[i, j]) for j in range(3)]
            for ax, draw in zip(axes, (_draw_matrix, _draw_eigenvalues, _draw_vectors), strict=True):
                draw(ax, data)
                ax.set_xlabel("")
            legend = axes[2].get_legend()
            if legend is not None and i + 1 < len(shown):
                legend.remove()
            axes[0].set_title(f"{name}, accuracy {row['accuracy']:.3f}")
        save_figure(figure, path)
