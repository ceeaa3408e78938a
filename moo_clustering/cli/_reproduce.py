"""``moo-clustering reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moo_clustering.cli._errors import INTERRUPTED, reported, shown_warnings

if TYPE_CHECKING:
    from moo_clustering.experiments import ResultTable


@click.command()
@click.argument("name", required=False)
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Folder for the results.")
@click.option(
    "--data",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of data sets; default: that in MOO_CLUSTERING_DATA.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    metavar="N",
    help="Repetitions; default: 15 for multi-instance, 1 for others.",
)
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes; -1: all processors.")
@click.option(
    "--k-max",
    metavar="RULE",
    default="sqrt",
    show_default=True,
    help="Most clusters: sqrt (rounded down) or ceil_sqrt.",
)
@click.option("--questions", type=click.IntRange(min=1), metavar="N", help="Only the first N questions.")
@click.option(
    "--sets", metavar="NAMES", help="Data sets, with commas; default: all of the paper that are found."
)
def reproduce(
    name: str | None, out: Path | None, data: Path | None, seeds: int | None, jobs: int, k_max: str,
    questions: int | None, sets: str | None,
) -> None:  # fmt: skip
    """Run the experiment NAME of a paper and write its tables; without NAME list the experiments.

    The same command again goes on with what is finished in the folder. The multi-instance tables and
    figures are views of the same runs: give all of them the same folder.
    """
    with reported():
        from moo_clustering.experiments import EXPERIMENTS, Settings, find_experiment
        from moo_clustering.experiments import reproduce as run

        if name is None:
            click.echo("\n".join(f"{known.name}  {known.summary}" for known in EXPERIMENTS.values()))
            return
        experiment = find_experiment(name)
        if out is None:
            raise click.ClickException("reproduce needs a folder for the results: --out DIR")
        if jobs == 0 or jobs < -1:
            raise click.ClickException(f"--jobs must be a positive number, or -1 for all; got {jobs}")
        chosen = tuple(part.strip() for part in (sets or "").split(",") if part.strip())
        settings = Settings(data, seeds or experiment.seeds, k_max, questions, chosen)
        with shown_warnings():
            result = run(experiment, out, settings, n_jobs=jobs, verbose=True)
    if not result.complete:
        click.echo(
            f"Interrupted; {result.n_done} of {result.n_cells} cells are kept in {out}, "
            "the same command goes on.",
            err=True,
        )
        click.get_current_context().exit(INTERRUPTED)
    click.echo("\n\n".join(_text(table) for table in result.tables))
    click.echo(f"\nSaved in {out}; see {experiment.report} there.")


def _text(table: ResultTable) -> str:
    from moo_clustering.cli._tables import aligned

    rows = [list(table.columns), *table.shown()]
    return "\n".join([table.title, aligned(rows, right=table.numeric()), *table.notes])
