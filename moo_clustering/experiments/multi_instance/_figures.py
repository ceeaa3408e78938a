"""Critical difference diagrams of the multi-instance tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from moo_clustering.experiments.multi_instance._results import Results
from moo_clustering.experiments.multi_instance._statistics import sources
from moo_clustering.visualization import plot_critical_difference
from moo_clustering.visualization._figures import house_style, new_figure, save_figure

# Inches of one diagram.
_WIDTH, _HEIGHT = 5.4, 2.6


def draw(results: Results, metrics: Sequence[str], alpha: float, path: Path) -> None:
    """One diagram for every source (rows) and index (columns)."""
    columns = [[source for source in sources(results, metric) if source.is_drawn] for metric in metrics]
    n_rows = len(columns[0])
    with house_style():
        figure = new_figure(_WIDTH * len(metrics), _HEIGHT * n_rows)
        # Names stand outside of the axes, which the layout engine does not see.
        figure.set_layout_engine("constrained", h_pad=0.16, w_pad=0.1)
        axes = np.atleast_2d(figure.subplots(n_rows, len(metrics), squeeze=False))
        for column, metric, found in zip(axes.T, metrics, columns, strict=True):
            for ax, source in zip(column, found, strict=True):
                plot_critical_difference(
                    source.values, alpha=alpha, greater_is_better=source.greater_is_better, ax=ax
                )
                ax.set_title(f"{metric}: {source.name}", loc="left", pad=10, fontweight="bold")
        save_figure(figure, path)
