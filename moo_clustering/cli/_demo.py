"""``moo-clustering demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moo_clustering.cli._errors import INTERRUPTED, reported

if TYPE_CHECKING:
    from moo_clustering.datasets import Table


@click.command()
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("moo-clustering-demo"),
    show_default=True,
    help="Folder for the results; an earlier demo in it is replaced.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
def demo(out: Path, seed: int) -> None:
    """Cluster the wine data with PESC, beside three controls, and write a folder of results."""
    with reported():
        from moo_clustering.cli._folder import REPORT, open_folder
        from moo_clustering.cli._job import Job
        from moo_clustering.cli._run import run_job
        from moo_clustering.datasets import load_wine
        from moo_clustering.estimators._registry import get_method

        folder = open_folder(out, replaces="demo")
        method = get_method("pesc")
        # Bundled rows are sorted by class, which no method should be able to profit from.
        table = load_wine().shuffled(seed)
        click.echo("PESC on wine: 178 samples, 13 features, 3 clusters, rows in random order")
        controls = _controls(table, seed)
        estimator = method.load()(table.n_classes, random_state=seed, verbose=True)
        job = Job("demo", method, estimator, table, seed)
        outcome = run_job(job, folder, {"controls": controls})
    if outcome.interrupted:
        click.echo("Interrupted.", err=True)
        click.get_current_context().exit(INTERRUPTED)
    click.echo(_table(outcome.record["scores"], controls))
    files = outcome.record["files"]
    shown = "open report.html" if REPORT in files else "see similarity.png and front.png"
    click.echo(f"Saved in {out}; {shown} there.")


def _controls(table: Table, seed: int) -> dict[str, dict[str, float]]:
    """Scores of what PESC has to be compared with."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import minmax_scale

    from moo_clustering.cli._errors import shown_warnings
    from moo_clustering.cli._scores import scores
    from moo_clustering.estimators import PESC

    k, rng = table.n_classes, np.random.default_rng(seed)
    with shown_warnings():
        unevolved = PESC(k, n_gen=0, random_state=seed).fit(table.X)
    kmeans = KMeans(k, n_init=10, random_state=seed).fit(minmax_scale(table.X))
    random = [scores(table, rng.integers(k, size=table.n_samples)) for _ in range(100)]
    return {
        "PESC, generation 0": scores(table, unevolved.labels_),
        "k-means": scores(table, kmeans.labels_),
        "random labels, mean of 100": {
            name: float(np.mean([draw[name] for draw in random])) for name in random[0]
        },
    }


def _table(found: dict[str, float], controls: dict[str, dict[str, float]]) -> str:
    from moo_clustering.cli._tables import aligned

    names = list(found)
    rows: list[list[Any]] = [["", *(name.replace("_", " ") for name in names)]]
    for title, values in {"PESC": found, **controls}.items():
        rows.append([title, *(f"{values[name]:.3f}" for name in names)])
    return aligned(rows, right=range(1, len(names) + 1))
