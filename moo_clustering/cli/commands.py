"""The commands of ``moo-clustering``, their options and their help.

Every command imports its work when it runs, so that help and mistyped options answer at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moo_clustering import __version__
from moo_clustering._messages import message_line
from moo_clustering.cli.terminal import (
    Commands,
    PathArgument,
    print_result,
    refuse_missing,
    reported,
    shown_warnings,
)
from moo_clustering.estimators._methods import find_method


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="moo-clustering")
@click.option("--traceback", is_flag=True, help="Show where an error came from instead of one line.")
@click.pass_context
def main(context: click.Context, traceback: bool) -> None:
    """Evolutionary clustering: multi-objective and semi-supervised methods on your own tables."""
    context.obj = {"traceback": traceback}
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@click.command()
@click.argument("folder", metavar="DIR", type=PathArgument("folder"))
@click.option(
    "--mode",
    type=click.Choice(["pairs", "names"]),
    help="Ask whether two samples belong together (the default), or for the name of the class of one.",
)
@click.option(
    "--error-rate",
    type=click.FloatRange(0, 0.5, max_open=True),
    metavar="SHARE",
    help="Share of wrong answers to expect; with 0, an answer that contradicts others is refused.  "
    "[default: 0.03]",
)
@click.option("--resume", is_flag=True, help="Go on with the answers in the folder.")
@click.option(
    "--out",
    metavar="OUT",
    type=PathArgument("folder", new=True),
    help="Folder for the clusters that the answers found; default: asked, in DIR.",
)
def ask(folder: Path, **options: Any) -> None:
    """Find better clusters by a few answers about samples of a run.

    DIR is a folder of `fit` by pareto-clustering or pareto-bags without labels or pairs. Nothing is clustered
    again, and the data file is not needed: after every answer the partition is found anew among those of the
    fit, and the question that tells most comes next.

    Two samples are shown with the features in which they differ most, in the units of the table, or with
    their texts. Press t for together, a for apart, ? for do not know, u to undo and q to quit; where the
    input is no terminal, type one answer a line. In the mode `names`, type the name of the class of a sample.

    Answers are appended to answers.json in DIR, each before the next question, and a killed session goes on
    with --resume. At the end the clusters are saved as the folder of a run, which `report` and `explore`
    show, with the answers as must_link.csv and cannot_link.csv, which `fit` takes.
    """
    with reported():
        refuse_missing(folder)
        from moo_clustering.cli.dialog import run_ask

        run_ask(folder, **options)


# Named here because help must not wait for the statistics to be imported.
_PROCEDURES = ["shaffer", "holm", "nemenyi"]


@click.command()
@click.argument("results", type=PathArgument("file"))
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
    "method; default: decided by the names of the columns.",
)
@click.option(
    "--figure",
    metavar="FILE",
    type=PathArgument("file", new=True),
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
        refuse_missing(results, message="there is no file {}")
        from moo_clustering.cli.compare import compared

        print_result(
            compared(
                results,
                long=is_long,
                figure=figure,
                as_json=as_json,
                greater_is_better=not minimize,
                alpha=alpha,
                posthoc=posthoc,
                tie_correction=tie_correction,
            )
        )


@click.command()
@click.option(
    "--out",
    metavar="DIR",
    type=PathArgument("folder", new=True),
    default=Path("moo-clustering-demo"),
    show_default=True,
    help="Folder for the results; an earlier demo in it is replaced.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
def demo(out: Path, seed: int) -> None:
    """Cluster the wine data with PESC, beside three controls, and write a folder of results."""
    with reported():
        from moo_clustering.cli.demo import run_demo

        run_demo(out, seed)


@click.command()
@click.argument("folder", metavar="DIR", type=PathArgument("folder"))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port of this computer to serve at; default: a free one.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--ask", "asks", is_flag=True, help="Ask which samples belong together; answers are saved in DIR."
)
@click.option(
    "--mode",
    type=click.Choice(["pairs", "names"]),
    help="With --ask: ask about two samples (the default), or for the class of one.",
)
@click.option(
    "--error-rate",
    type=click.FloatRange(0, 0.5, max_open=True),
    metavar="SHARE",
    help="With --ask: assumed share of wrong answers; default: 0.03.",
)
def explore(
    folder: Path, port: int, no_browser: bool, asks: bool, mode: Any, error_rate: float | None
) -> None:
    """Show the report of a run in the browser, until Ctrl-C.

    DIR is a folder of `fit` or `demo`; nothing is written there without --ask. The page is made anew and
    served to this computer only, at an address that its other users cannot guess. Where a file is enough,
    open report.html in the folder instead.

    With --ask the page asks which samples belong together and shows the partition that follows from every
    answer, which goes to answers.json in the folder before the next question; another --ask goes on from
    there. The run must be one of pareto-clustering or pareto-bags, without partial labels or pairs.
    """
    with reported(), shown_warnings():
        refuse_missing(folder)
        from moo_clustering.cli.ask import open_session
        from moo_clustering.cli.folder import run_content
        from moo_clustering.cli.serve import AnswerPanel, asking_page, page_server, serve_until_interrupted
        from moo_clustering.persistence import locked
        from moo_clustering.visualization.report.page import page_bytes

        if not asks and (mode is not None or error_rate is not None):
            raise click.UsageError(f"--{'error-rate' if mode is None else 'mode'} goes with --ask only")
        # Refuses folders of anything else, before a lock or answers are made there.
        content, panel = run_content(folder), None
        if asks:
            click.get_current_context().with_resource(locked(folder))
            run = open_session(folder, resume=True, mode=mode, error_rate=error_rate)
            panel, page = AnswerPanel(run), asking_page(run, content)
        else:
            page = page_bytes(content)
        server = page_server(page, port, panel)
    serve_until_interrupted(server, folder, open_browser=not no_browser)


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
@click.argument("data", type=PathArgument(path_type=str))
@click.option(
    "--method", help="Method; `methods` lists them.  [default: pareto-clustering, for bags pareto-bags]"
)
@click.option(
    "-k", "--n-clusters", type=int, help="Number of clusters; most methods need it, the default finds it."
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Option of the method; repeatable."
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
    type=PathArgument("file"),
    help="Labels of an ARFF file (MULAN's XML) or .npz file (with Y); default: beside it.",
)
@click.option(
    "--must-link",
    metavar="FILE",
    type=PathArgument("file", path_type=str),
    help="Two columns: rows that belong together.",
)
@click.option(
    "--cannot-link",
    metavar="FILE",
    type=PathArgument("file", path_type=str),
    help="Two columns: rows that do not belong together.",
)
@click.option("--id-column", metavar="COLUMN", help="Identifiers of the rows.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Column to leave out; repeatable.")
@click.option(
    "--prepare/--no-prepare",
    default=True,
    help="Tables: make features of columns of any kind (the default), or take numbers only, as they are.",
)
@click.option(
    "--header/--no-header",
    default=None,
    help="Tables: whether the first line names the columns; default: unless it holds numbers only.",
)
@click.option(
    "--weights",
    type=click.Choice(["dependence", "equal"]),
    help="Tables: weigh columns of few values by what they tell of other columns (the default), or equally.",
)
@click.option(
    "--missing",
    type=click.Choice(["neighbors", "median"]),
    help="Tables: fill missing cells from the nearest rows (the default) or with the middle of their column.",
)
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
    help="Documents, methods made for them: stemmer of the words; default: porter.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option("--jobs", type=int, help="Threads or processes; -1: all processors.")
@click.option("--checkpoint-every", type=click.IntRange(min=1), metavar="G", help="Save every G generations.")
@click.option("--resume", is_flag=True, help="Go on from the checkpoint in the folder, if there is one.")
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=PathArgument("folder", new=True),
    help="Folder for the results.",
)
@click.option("--no-report", is_flag=True, help="Do not write report.npz and report.html.")
@click.option(
    "--plain-csv",
    is_flag=True,
    help="Write texts such as =A1 into CSV files as they are; default: an apostrophe before them keeps "
    "spreadsheets from running them as formulas.",
)
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def fit(data: str, out: Path, **options: Any) -> None:
    """Cluster DATA and write a folder of results.

    DATA and --out are all that is needed: without --method and -k the recommended method finds clusters and
    their number, says how sure that is (confidence), and what else is worth a look (alternatives).

    DATA is a CSV, TSV (also .csv.gz), Excel (.xlsx), Parquet or npz file (arrays, or a sparse matrix of
    scipy's), or a bundled set: breast_cancer, digits, iris, wine.
    A table may be as it comes out of a spreadsheet: columns of text become indicators of categories, dates
    numbers of days, times of day numbers of hours, units beside numbers are taken off, empty cells are
    filled, and columns that tell nothing (constants, row numbers, texts that are all different) are left
    out; every step is reported in a line. With --no-prepare every column without another role must be
    numeric, without empty cells.
    For the recommended method every column, of whatever kind, has the same weight, unless --set scale=...
    says otherwise; for other methods this holds for tables with categories, and numbers alone stay as they
    are. The method fuzzy-modes-moga takes columns of text as they are: every different text is a category.

    DATA may also be documents: JSON lines (.jsonl, .jsonl.gz), a folder of .txt files (--labels folder:
    its sub-folders are the classes), or a CSV or TSV file with --text-columns. Their features are tf-idf
    weights, reduced to 100 components for methods that take no sparse data. Methods made for documents
    (ensemble-nmf, nmf-clustering, spherical-kmeans) get weights of stems in at least two documents.

    For methods of bags, DATA are bags of instances: WEKA's multi-instance ARFF (.arff), KEEL (.dat), npz
    with bag_offsets, or a table with one instance per row and --bag; text files also compressed (.gz).
    Classes found in the file score the result and never reach the fit.

    Methods that predict labels (sisc, scad2, entropy-weighted-kmeans, nsga2-sisc) take samples with any
    number of labels: MULAN's or MEKA's ARFF, svmlight (.svm, .svmlight, .libsvm), npz with X and Y, or
    JSON lines with lists in the column of --partial-labels. The labels of such files reach the fit, as
    partial labels do; --hold-out withholds a share of either, and scores the predictions by it. Documents
    become 1 for each word they hold.

    Methods that find the number of clusters (pareto-clustering, pareto-bags, mock, nsga2-clus, amosa-clus)
    do so without -k. The first three take one as well, and say without which other numbers are worth a look.

    The recommended methods evolve only with --set n_gen=G, and then show their controls beside the result:
    the same without evolution, and with survival at random.

    The folder gets labels.csv, result.npz, run.json and, as far as data and method have them, clusters.csv
    (what is typical of each cluster), alternatives.csv (other clusterings worth a look, one per column) with
    alternatives_summary.csv, scores.csv (all clusterings compared), front.csv, history.csv,
    predictions.csv, probabilities.csv and pictures. Begin with its report.html: all solutions to look at,
    compare and choose from, in any browser and without network (report.npz is what `moo-clustering report`
    makes it of). A folder that holds anything else is never touched.
    """
    with reported():
        # Names of bundled sets have no suffix.
        refuse_missing(*[Path(data)][: bool(Path(data).suffix)], message="there is no file {}")
        if options["method"] is not None:
            find_method(options["method"])
        from moo_clustering.cli.fit import run_fit

        run_fit(data, out, **options)


@click.command()
@click.argument("name", required=False)
@click.option("--bibtex", is_flag=True, help="Print the papers to cite, as BibTeX.")
def methods(name: str | None, bibtex: bool) -> None:
    """List the methods, or the options of the method NAME."""
    with reported():
        from moo_clustering.cli.methods import listing, papers

        print_result(papers(name) if bibtex else listing(name))


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR [DIR ...]", type=PathArgument("folder"))
@click.option(
    "--out",
    metavar="FILE",
    type=PathArgument("file", new=True),
    help="Page to write; default for one run: report.html in its folder.",
)
@click.option("--title", metavar="TEXT", help="Title of the page.")
def report(folders: tuple[Path, ...], out: Path | None, title: str | None) -> None:
    """Write the report of a run, or one of several runs to compare them.

    DIR are folders of `fit` or `demo`. The report is one HTML file that needs neither network nor server:
    the solutions by their objectives, the samples in the plane, what is typical of each cluster, and which
    solutions agree. Several runs, by different methods for example, must be on the same samples; these may
    be in different orders if they have names (--id-column).

    The page is made of report.npz in the folder, which `fit --no-report` does not write. A file that is not
    a report is never replaced.
    """
    with reported(), shown_warnings():
        if out or len(folders) == 1:
            refuse_missing(*folders)
        from moo_clustering.cli.folder import save_report_of

        page, content = save_report_of(folders, out, title)
    for sentence in content.missing:
        click.echo(f"Note: {message_line(sentence)}", err=True)
    runs = "" if len(folders) == 1 else f" of {len(folders)} runs"
    solutions = f"{content.n_solutions} solution{'' if content.n_solutions == 1 else 's'}"
    click.echo(f"Saved {page}, {solutions}{runs}; open it in a browser.")


@click.command("warm-up")
def warm_up() -> None:
    """Compile the inner loops of the common methods, once after an installation.

    Without it they are compiled when they are first called, which makes first runs some ten seconds longer.
    """
    with reported():
        from moo_clustering.cli.demo import run_warm_up

        run_warm_up()


for command in (ask, compare, demo, explore, fit, methods, report, warm_up):
    main.add_command(command)
