"""Pictures of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd


def draw(
    folder: Path, estimator: Any, name: str, front: pd.DataFrame | None, history: pd.DataFrame | None
) -> list[str]:
    """Front, attainment, similarity matrix and history, as far as there are any; names of the files."""
    import matplotlib as mpl

    mpl.use("Agg")
    from moo_clustering.visualization import plot_attainment, plot_front, plot_similarity

    files = []
    if front is not None and len(front):
        chosen = front["chosen"].to_numpy() if "chosen" in front else None
        plot_front(estimator.pareto_front_, estimator.objective_names_, chosen, path=folder / "front.png")
        files.append("front.png")
    if hasattr(estimator, "attainment_"):
        names = estimator.objective_names_[:2]
        plot_attainment(estimator.attainment_, estimator.chosen_, names, path=folder / "attainment.png")
        files.append("attainment.png")
    if getattr(estimator, "similarity_", None) is not None:
        plot_similarity(
            estimator.similarity_,
            estimator.labels_,
            getattr(estimator, "eigenvalues_", ()),
            getattr(estimator, "embedding_", None),
            title=f"{type(estimator).__name__}, {name}",
            path=folder / "similarity.png",
        )
        files.append("similarity.png")
    if history is not None and len(history) > 1:
        _draw_history(history, folder / "history.png")
        files.append("history.png")
    return files


def _draw_history(history: pd.DataFrame, path: Path) -> None:
    from moo_clustering.visualization import plot_history
    from moo_clustering.visualization._figures import save_figure

    if "sweep" not in history:
        # A search that ends as it begins may say the same generation twice.
        plot_history(history.drop_duplicates(history.columns[0], keep="last"), path=path)
        return
    figure = plot_history(
        history.rename(columns={"sweep": "generation", "objective": "objective (it need not fall)"})
    )
    figure.axes[-1].set_xlabel("sweep")
    save_figure(figure, path)
