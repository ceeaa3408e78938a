"""``moo-clustering compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moo_clustering.cli._errors import reported

if TYPE_CHECKING:
    from moo_clustering.stats import Comparison

# Named here because help must not wait for the statistics to be imported.
_PROCEDURES = ["shaffer", "holm", "nemenyi"]


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--minimize", is_flag=True, help="Small values are good; default: large ones.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Level of significance.", metavar="P"
)
@click.option(
    "--posthoc",
    type=click.Choice(_PROCEDURES),
    default="shaffer",
    show_default=True,
    help="Procedure for the pairs of methods.",
)
@click.option("--tie-correction", is_flag=True, help="Correct Friedman's statistic for ties.")
@click.option(
    "--long/--wide",
    "is_long",
    default=None,
    help="One value per line (columns dataset, method, value; repeats are averaged), or a column per "
    "method; default: as the names of the columns say.",
)
@click.option(
    "--figure",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Also draw the critical difference diagram (.png, .pdf, .svg).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def compare(
    results: Path, minimize: bool, alpha: float, posthoc: str, tie_correction: bool, is_long: bool | None,
    figure: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compare methods over data sets by average ranks, Friedman's test and all pairs.

    RESULTS is a text table with names in its first line: a row per data set, whose name is in the
    first column, and a column per method.
    """
    with reported():
        from moo_clustering.cli._comparison import as_text, to_json_text
        from moo_clustering.cli._results_file import read_results
        from moo_clustering.stats import compare as run

        table = read_results(results, long=is_long)
        outcome = run(
            table, greater_is_better=not minimize, alpha=alpha, posthoc=posthoc, tie_correction=tie_correction
        )
        if figure is not None:
            _draw(outcome, figure)
        click.echo(to_json_text(outcome) if as_json else as_text(outcome))
        if figure is not None and not as_json:
            click.echo(f"\nSaved the diagram in {figure}.")


def _draw(outcome: Comparison, path: Path) -> None:
    from moo_clustering.visualization import plot_critical_difference

    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} to save the figure in")
    plot_critical_difference(outcome, alpha=outcome.alpha, method=outcome.posthoc, path=path)
