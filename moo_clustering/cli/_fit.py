"""``moo-clustering fit``."""

from __future__ import annotations

import time
from pathlib import Path

import click

from moo_clustering.cli._errors import INTERRUPTED, reported, shown_warnings

# Samples from which on the recommended method takes so long that one may doubt whether it goes on.
LONG = 1000


def _frequency(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """A number of documents, or with a point a share of them."""
    if value is None:
        return None
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise click.BadParameter(f"{value!r} is neither a number of documents (2) nor a share of them (0.5)")


@click.command()
@click.argument("data")
@click.option(
    "--method",
    help="Method; `methods` lists them.  [default: pareto-clustering, for bags pareto-bags]",
)
@click.option(
    "-k", "--n-clusters", type=int, help="Number of clusters; most methods need it, the default finds it."
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Option of the method; repeatable."
)
@click.option("--generations", type=click.IntRange(min=0), metavar="G", help="Short for --set n_gen=G.")
@click.option(
    "--min-cluster-size", type=click.IntRange(min=1), metavar="N", help="Short for --set min_cluster_size=N."
)
@click.option(
    "--bag", metavar="COLUMN", help="DATA are bags: the column that says which bag an instance is in."
)
@click.option("--labels", metavar="COLUMN", help="Known classes, for scoring only: the fit never sees them.")
@click.option("--partial-labels", metavar="COLUMN", help="Classes of some samples; empty or -1: unlabelled.")
@click.option(
    "--hold-out",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Methods that predict labels: withhold this share of the labels from the fit, and score by them.",
)
@click.option(
    "--label-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Labels of an ARFF file (MULAN's XML) or .npz file (with Y); default: beside it.",
)
@click.option("--must-link", metavar="FILE", help="Two columns: rows that belong together.")
@click.option("--cannot-link", metavar="FILE", help="Two columns: rows that do not belong together.")
@click.option("--id-column", metavar="COLUMN", help="Identifiers of the rows.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Column to leave out; repeatable.")
@click.option("--text-columns", metavar="COLUMNS", help="DATA are documents: columns of text, as title,text.")
@click.option(
    "--min-df", callback=_frequency, metavar="N", help="Documents: least number or share with a term."
)
@click.option(
    "--max-df", callback=_frequency, metavar="N", help="Documents: greatest number or share with a term."
)
@click.option(
    "--svd", type=click.IntRange(min=1), metavar="N", help="Documents: reduce the terms to N components."
)
@click.option(
    "--features",
    "n_features",
    type=click.IntRange(min=1),
    metavar="N",
    help="Methods that predict labels: keep the N features that tell most about the labels of the fit.",
)
@click.option(
    "--stemmer",
    type=click.Choice(["porter", "english", "none"]),
    help="Documents, methods made for them: what makes stems of words; default: porter.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option("--jobs", type=int, help="Threads or processes; -1: all processors.")
@click.option("--checkpoint-every", type=click.IntRange(min=1), metavar="G", help="Save every G generations.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint in the folder, if there is one.")
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Folder for the results."
)
@click.option("--no-report", is_flag=True, help="Do not write report.npz and report.html.")
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def fit(
    data: str,
    method: str | None,
    n_clusters: int | None,
    settings: tuple[str, ...],
    generations: int | None,
    min_cluster_size: int | None,
    bag: str | None,
    labels: str | None,
    partial_labels: str | None,
    hold_out: float | None,
    label_file: Path | None,
    must_link: str | None,
    cannot_link: str | None,
    id_column: str | None,
    drop: tuple[str, ...],
    text_columns: str | None,
    min_df: float | None,
    max_df: float | None,
    svd: int | None,
    n_features: int | None,
    stemmer: str | None,
    seed: int,
    jobs: int | None,
    checkpoint_every: int | None,
    resume: bool,
    out: Path,
    no_report: bool,
    quiet: bool,
) -> None:
    """Cluster DATA and write a folder of results.

    DATA and --out are all that is needed: without --method and -k the recommended method finds clusters and
    their number, says how sure that is (confidence), and what else is worth a look (alternatives).

    DATA is a CSV, TSV, Parquet or npz file (arrays, or a sparse matrix of scipy's), or a bundled set:
    breast_cancer, digits, iris, wine.
    For the recommended method a table may be as it comes out of a spreadsheet: columns of text become
    indicators of categories, dates numbers of days, units beside numbers are taken off, empty cells are
    filled, and columns that tell nothing (constants, row numbers, texts that are all different) are left
    out; what was done is said line by line.
    Every column, of whatever kind, has the same weight, unless --set scale=... says otherwise.

    For other methods every column without another role must be numeric, without empty cells. Columns of
    text can be features of the method fuzzy-modes-moga, where every different text is a category.

    DATA may also be documents: JSON lines (.jsonl, .jsonl.gz), a folder of .txt files (--labels folder:
    its sub-folders are the classes), or a CSV or TSV file with --text-columns. Their features are tf-idf
    weights, reduced to 100 components for methods that take no sparse data. Methods made for documents
    (ensemble-nmf, nmf-clustering, spherical-kmeans) get weights of stems in at least two documents.

    For methods of bags, DATA are bags of instances: WEKA's multi-instance ARFF (.arff), KEEL (.dat), npz
    with bag_offsets, or a table with one instance a row and --bag; text files also compressed (.gz).
    Classes found in the file score the result and never reach the fit.

    Methods that predict labels (sisc, scad2, entropy-weighted-kmeans, nsga2-sisc) take samples with any
    number of labels: MULAN's or MEKA's ARFF, svmlight (.svm, .svmlight, .libsvm), npz with X and Y, or
    JSON lines with lists in the column of --partial-labels. The labels of such files reach the fit, as
    partial labels do; --hold-out withholds a share of either, and scores the predictions by it. Documents
    become 1 for each word they hold.

    Methods that find the number of clusters (pareto-clustering, pareto-bags, mock, nsga2-clus, amosa-clus)
    do so without -k. The first three take one as well, and say without which other numbers are worth a look.

    The recommended methods evolve with --generations G only, and then show their controls, the result
    without evolution and with survival at random, beside the result.

    The folder gets labels.csv, result.npz, run.json and, as far as data and method have them, clusters.csv
    (what is typical of each cluster), alternatives.csv (other clusterings worth a look, one a column) with
    alternatives_summary.csv, scores.csv (all clusterings compared), front.csv, history.csv,
    predictions.csv, probabilities.csv and pictures. Begin with its report.html: all solutions to look at,
    compare and choose from, in any browser and without network (report.npz is what `moo-clustering report`
    makes it of). A folder that holds anything else is never touched.
    """
    started = time.perf_counter()
    with reported():
        from moo_clustering.cli._data import load_data
        from moo_clustering.cli._default_method import choose_method
        from moo_clustering.cli._estimator import build_estimator, writes_checkpoints
        from moo_clustering.cli._folder import open_folder
        from moo_clustering.cli._inputs import estimator_input, units_note
        from moo_clustering.cli._job import Job
        from moo_clustering.cli._prepared import PreparedSamples, prepares
        from moo_clustering.cli._run import after_interruption, run_job
        from moo_clustering.cli._settings import parameters_of, parse_settings, short_settings
        from moo_clustering.cli._summary import summary
        from moo_clustering.cli._supervise import supervise
        from moo_clustering.estimators._registry import find_method

        folder = open_folder(out, resume=resume)
        choice = choose_method(method, data, bag)
        found, preset = find_method(choice.name)
        estimator_class = found.load()
        options = parse_settings(settings, found.name, estimator_class)
        options |= short_settings(
            found.name, estimator_class, options, n_gen=generations, min_cluster_size=min_cluster_size
        )
        with shown_warnings() as notices:
            table = load_data(
                data,
                found,
                bag=bag,
                label_file=label_file,
                text_columns=text_columns,
                labels=labels,
                partial_labels=partial_labels,
                id_column=id_column,
                drop=drop,
                prepares=prepares(found, options),
            )
        if isinstance(table, PreparedSamples):
            options.setdefault("scale", "none")  # columns have equal weights by now
            for line in () if quiet else table.notes:
                click.echo(f"Note: {line}", err=True)
        values = {name: option.default for name, option in parameters_of(estimator_class).items()}
        checkpointing = checkpoint_every is not None or (
            # A killed run that left nothing but its record is started over, whatever the method.
            resume and (not folder.killed or writes_checkpoints(found, values | preset | options))
        )
        estimator = build_estimator(
            found,
            estimator_class,
            preset | options,
            n_clusters=n_clusters,
            seed=seed,
            n_jobs=jobs,
            verbose=not quiet,
            checkpoint=folder.checkpoint if checkpointing else None,
            checkpoint_every=checkpoint_every,
        )
        given = estimator_input(
            found,
            estimator,
            table,
            seed,
            quiet,
            hold_out=hold_out,
            n_features=n_features,
            min_df=min_df,
            max_df=max_df,
            svd=svd,
            stemmer=stemmer,
        )
        notices += given.warnings
        if not quiet and "scale" not in options and (note := units_note(estimator, given.data)):
            click.echo(note, err=True)
        job = Job(
            "fit",
            found,
            estimator,
            given.data,
            seed,
            given.labels,
            notices=notices,
            started=started,
            why=choice.why,
        )
        supervise(job, partial_labels, must_link, cannot_link)
        if resume and not folder.resumed and not quiet:
            click.echo(f"Nothing to resume in {out}: starting from the beginning.", err=True)
        if not quiet and job.table.n_samples > LONG and found.prepares:
            click.echo(f"Clustering {job.table.n_samples} samples, which may take some minutes ...", err=True)
        outcome = run_job(job, folder, with_report=not no_report)
    if not quiet:
        click.echo(summary(job, outcome, out))
    if outcome.interrupted:
        has_result = "result" in outcome.record
        saved = "the result so far is saved" if has_result else "there is no result yet"
        click.echo(
            f"Interrupted: {saved}; {after_interruption(folder, job, has_result=has_result)}.", err=True
        )
        click.get_current_context().exit(INTERRUPTED)
