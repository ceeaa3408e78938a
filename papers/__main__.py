"""The command ``python -m papers NAME --out DIR``, which computes the tables and figures of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moo_clustering.cli.terminal import INTERRUPTED, Command, PathArgument

if TYPE_CHECKING:
    from papers.runner import ResultTable


@click.command("papers", cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False)
@click.option("--out", metavar="DIR", type=PathArgument("folder", new=True), help="Folder for the results.")
@click.option(
    "--data",
    metavar="DIR",
    type=PathArgument("folder"),
    help="Folder of data sets; default: the one in MOO_CLUSTERING_DATA.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of repetitions; default: 30 for pesc, 15 for multi-instance, 3 for flagship, interactive "
    "and regions, 2 for sisc-ml, 1 for others.",
)
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes; -1: all processors.")
@click.option(
    "--k-max",
    metavar="RULE",
    default="sqrt",
    show_default=True,
    help="Rule for the maximum number of clusters: sqrt (rounded down) or ceil_sqrt.",
)
@click.option("--questions", type=click.IntRange(min=1), metavar="N", help="Only the first N questions.")
@click.option(
    "--sets",
    metavar="NAMES|N",
    help="multi-instance, pesc, flagship, interactive, regions: names of data sets, separated by commas; "
    "default: all data sets of the paper that are found (pesc: those with at most 5000 samples; flagship: "
    "all readable ones). ensemble-nmf: number of data sets per collection and k; default: 10.",
)
@click.option(
    "--collections",
    metavar="NAMES",
    help="Collections of documents, separated by commas; default: all found.",
)
@click.option(
    "-k", "--n-clusters", metavar="NUMBERS", help="Numbers of topics, separated by commas; default: 3 to 10."
)
@click.option(
    "--blocks",
    metavar="NAMES",
    help="flagship: questions, separated by commas: unsupervised, known, labels, novel, pairs, "
    "evolution, families; interactive: names of methods, as in its tables; evolution: settings, mock, "
    "features, subspaces, bags, cuts; regions: search, start; default: all.",
)
def reproduce(
    name: str | None, out: Path | None, data: Path | None, seeds: int | None, jobs: int, k_max: str,
    questions: int | None, sets: str | None, collections: str | None, n_clusters: str | None,
    blocks: str | None,
) -> None:  # fmt: skip
    """Run the experiment NAME of a paper and write its tables. Without NAME, list the experiments.

    To continue an interrupted run in its folder, repeat the command. Tables and figures of one paper
    (multi-instance, sisc-ml, pesc) show the same runs: use the same folder for all of them.
    """
    from papers.runner import EXPERIMENTS, Settings, find_experiment
    from papers.runner import reproduce as run

    if name is None:
        click.echo("\n".join(f"{known.name}  {known.summary}" for known in EXPERIMENTS.values()))
        return
    experiment = find_experiment(name)
    if out is None:
        raise click.ClickException(f"{name} requires a folder for the results: --out DIR")
    if jobs == 0 or jobs < -1:
        raise click.ClickException(f"--jobs must be a positive number, or -1 for all; got {jobs}")
    counted = "n_sets" in experiment.options
    settings = Settings(
        data,
        seeds or experiment.seeds,
        k_max,
        questions,
        sets=() if counted else _parts(sets),
        n_sets=_whole("--sets", sets) if counted and sets is not None else None,
        n_clusters=tuple(_whole("--n-clusters", part) for part in _parts(n_clusters)),
        collections=_parts(collections),
        blocks=_parts(blocks),
    )
    result = run(experiment, out, settings, n_jobs=jobs, verbose=True)
    if not result.complete:
        click.echo(
            f"Interrupted: {result.n_done} of {result.n_cells} cells are saved in {out}; "
            "repeat the command to continue.",
            err=True,
        )
        click.get_current_context().exit(INTERRUPTED)
    click.echo("\n\n".join(_text(table) for table in result.tables))
    click.echo(f"\nSaved in {out}; see {experiment.report} there.")


def _parts(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _whole(flag: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise click.ClickException(f"{flag} must be integers here, got {text!r}") from None


def _text(table: ResultTable) -> str:
    from moo_clustering.cli.terminal import aligned

    rows = [list(table.columns), *table.shown()]
    return "\n".join([table.title, aligned(rows, right=table.numeric()), *table.notes])


if __name__ == "__main__":
    reproduce(prog_name="python -m papers")
