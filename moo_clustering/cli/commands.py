"""The commands of ``moo-clustering``, with their options and help texts."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from moo_clustering import __version__
from moo_clustering._messages import path_fault, quoted
from moo_clustering.cli.terminal import INTERRUPTED, Commands, PathArgument, print_notes, print_result
from moo_clustering.estimators._methods import find_method

_RUN = PathArgument("folder", exists=True)
_FILE, _NEW_FILE = PathArgument("file", exists=True), PathArgument("file", new=True)
_NAMED_FILE = PathArgument("file", path_type=str)
_NEW_FOLDER = PathArgument("folder", new=True)
_NATURAL, _POSITIVE, _SHARES = click.IntRange(min=0), click.IntRange(min=1), click.FloatRange(0, 1)
_MODES = ["pairs", "names"]


def _option(names: str, text: str, kind: Any = None, *, shown: Any = None, **more: Any) -> Any:
    """Create a ``click.option`` from its flags and a placeholder for its value, such as ``"--out FILE"``."""
    words = names.split()
    if shown is not None:
        more |= {"default": shown, "show_default": True}
    return click.option(
        *(word for word in words if not word.isupper()),
        metavar=next((word for word in words if word.isupper()), None),
        type=click.Choice(kind) if isinstance(kind, list) else kind,
        help=text,
        **more,
    )


_flag = partial(_option, is_flag=True)
_json = partial(_flag, "--json as_json")
_run = click.argument("folder", metavar="DIR", type=_RUN)
_quiet = _flag("--quiet", "Print only errors and warnings.")


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="moo-clustering")
@_flag("--traceback", "Show full tracebacks instead of one-line errors.")
@click.pass_context
def main(context: click.Context, traceback: bool) -> None:
    """Evolutionary clustering: multi-objective and semi-supervised methods for your own data."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command()
@_json("Print JSON instead of text.")
def about(as_json: bool) -> None:
    """Print versions, machine, threads and caches for a bug report, without the host name."""
    from moo_clustering.cli.about import facts, facts_text
    from moo_clustering.cli.folder import json_text

    print_result(json_text(facts()) if as_json else facts_text(facts()))


def _share(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    if value is not None and not re.fullmatch(r"\d*\.?\d+%?", value, re.ASCII):
        raise click.BadParameter(f"{value!r} is not a valid share; use a value such as 15% or 0.15")
    return None if value is None else float(value.rstrip("%")) / (100 if "%" in value else 1)


class _OrAuto(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.3
    """Type of an option whose value is a share below one half or the word "auto"."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        with suppress(ValueError):
            if value == "auto" or 0 <= float(value) < 0.5:
                return value if value == "auto" else float(value)
        self.fail(f"{value!r} is not valid; use a number of at least 0 and below 0.5, or auto", param, ctx)


@main.command()
@_run
@_option("--mode", "Ask about pairs of samples (default), or for the class names of samples.", _MODES)
@_option(
    "--error-rate SHARE",
    "Expected share of wrong answers; 0 rejects contradictory answers, and auto estimates the share from "
    "repeated questions.  [default: 0.03]",
    _OrAuto(),
)
@_flag("--resume", "Continue from the answers saved in DIR.")
@_option("--out OUT", "Folder for the resulting clusters.  [default: DIR/asked]", _NEW_FOLDER)
@_json("Write questions and read answers as JSON, one per line.")
def ask(folder: Path, **options: Any) -> None:
    """Improve the clusters of a run by answering questions about samples.

    DIR is a folder written by `fit` with pareto-clustering or pareto-bags, without labels or pairs. The data
    file is not needed. After each answer, the clusters are updated from the partitions saved in the run, and
    the most informative question is asked next.

    A question shows two samples with their texts, or with the features in which they differ most, in the
    units of the table. Press t (together), a (apart), ? (do not know), u (undo) or q (quit). If the input is
    not a terminal, write one answer per line. In mode `names`, type the class name of the sample.

    With --json, each question is a line of JSON on stdout, and each answer is a line such as
    {"answer": "together"} on stdin. The answers "undo" and "quit" are also allowed.

    Each answer is saved to answers.json in DIR immediately; --resume continues a session. At the end, the
    clusters are saved in a folder that `report` and `explore` can show. It also contains the answers, in
    must_link.csv and cannot_link.csv, for use by `fit`.
    """
    from moo_clustering.cli.ask import run_ask

    run_ask(folder, **options)


@main.command()
@click.argument("results", type=_FILE)
@_flag("--minimize", "Treat lower values as better (default: higher values).")
@_option("--alpha P", "Significance level.", float, shown=0.05)
@_option("--posthoc", "Post-hoc procedure for all pairs.", ["shaffer", "holm", "nemenyi"], shown="shaffer")
@_flag("--tie-correction", "Correct Friedman's statistic for ties.")
@_option(
    "--long/--wide is_long",
    "Whether RESULTS has one value per line (columns dataset, method, value; repeats are averaged), or one "
    "column per method.  [default: inferred from the column names]",
    default=None,
)
@_option("--figure FILE", "Also save a critical difference diagram (.png, .pdf, .svg).", _NEW_FILE)
@_json("Print JSON instead of tables.")
def compare(results: Path, minimize: bool, is_long: bool | None, **options: Any) -> None:
    """Compare methods on data sets by average ranks, Friedman's test and tests of all pairs.

    RESULTS is a text table with column names in the first line: one row per data set, with its name in the
    first column, and one column per method. `study` also runs the methods; `report` compares runs.
    """
    from moo_clustering.cli.compare import compared

    print_result(compared(results, long=is_long, greater_is_better=not minimize, **options))


@main.command()
@_option(
    "--out DIR",
    "Folder for the results; an earlier demo in it is overwritten.",
    _NEW_FOLDER,
    shown=Path("moo-clustering-demo"),
)
@_option("--seed", "Random seed.", _NATURAL, shown=0)
def demo(out: Path, seed: int) -> None:
    """Cluster the wine data with PESC, compare it with three controls, and write the results to a folder."""
    from moo_clustering.cli.demo import run_demo

    run_demo(out, seed)


@main.command()
@_run
@_option("--port N", "Port of the server.  [default: a free port]", click.IntRange(0, 65535), default=0)
@_flag("--no-browser", "Print the address without opening a browser.")
@_flag("--ask asks", "Ask which samples belong together, and save the answers in DIR.")
@_option("--mode", "With --ask: what to ask, as in `moo-clustering ask`.", _MODES)
@_option(
    "--error-rate SHARE", "With --ask: expected share of wrong answers, or auto.  [default: 0.03]", _OrAuto()
)
def explore(folder: Path, port: int, no_browser: bool, asks: bool, mode: Any, error_rate: Any) -> None:
    """Show the report of a run in the browser, until Ctrl-C.

    DIR is a folder written by `fit` or `demo`. Without --ask, the folder is not changed. The page is served
    to this computer only, at an address that other users cannot guess. The file report.html in the folder
    shows the same page without a server.

    With --ask, the page asks which samples belong together; each answer updates the clusters. Answers are
    saved to answers.json in DIR immediately, and the next --ask continues from there. New names that you give
    to clusters of the fit are also saved in DIR. The run must be a fit of pareto-clustering or pareto-bags,
    without partial labels or pairs.
    """
    from moo_clustering.cli.ask import AskedRun
    from moo_clustering.cli.explore import AnswerPanel, PageServer, asking_page, serve_until_interrupted
    from moo_clustering.cli.folder import run_content
    from moo_clustering.persistence import locked
    from moo_clustering.visualization.report.page import page_bytes

    if not asks and (mode is not None or error_rate is not None):
        raise click.UsageError(f"--{'error-rate' if mode is None else 'mode'} requires --ask")
    # Read the run first, because an unsuitable folder must be rejected before files are written to it.
    content, panel = run_content(folder), None
    if asks:
        click.get_current_context().with_resource(locked(folder))
        run = AskedRun(folder, resume=True, mode=mode, error_rate=error_rate)
        panel, page = AnswerPanel(run), asking_page(run, content)
    else:
        page = page_bytes(content)
    serve_until_interrupted(PageServer(page, port, panel), folder, open_browser=not no_browser)


def _number_or_interval(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | str | tuple[int, int] | None:
    if value in (None, "auto"):
        return value
    found = re.fullmatch(r"([1-9]\d{0,17})(?:-(\d{1,18}))?", str(value))
    if not found or int(found[2] or found[1]) < int(found[1]):
        raise click.BadParameter(f"{value!r} is not valid; use a number (3), an interval (2-5) or auto")
    return int(found[1]) if found[2] is None else (int(found[1]), int(found[2]))


def _frequency(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Parse a document frequency. An integer is a number of documents, and any other number is a share."""
    if value is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    raise click.BadParameter(f"{value!r} is not valid; use a number (2) or a share (0.5) of documents")


def _workers_wanted(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 is not valid; use a positive integer, or -1 for all processors")
    return value


def _in_parts(data: Sequence[str], options: Mapping[str, Any]) -> bool:
    """Return whether the paths in ``data`` or the options require that the data are read in partitions."""
    first, asked = Path(data[0]), (options["workers"], options["scheduler"]) != (None, None)
    if asked or len(data) > 1 or "://" in data[0] or (has_magic(data[0]) and not first.exists()):
        return True
    if not first.is_dir() or (first / "run.json").exists():
        return False
    names = [path.suffix.lower() for path in first.rglob("*")]
    return first.suffix == ".zarr" or (".txt" not in names and not {".parquet", ".csv"}.isdisjoint(names))


_header = _option(
    "--header/--no-header",
    "Whether the first line contains the column names.  [default: as in the fit]",
    default=None,
)
_workers = _option("--workers N", "Read DATA in partitions with N processes (0: in this process).", _NATURAL)
_scheduler = _option("--scheduler ADDRESS", "Read DATA in partitions on a Dask cluster (tcp://host:8786).")


@main.command()
@click.argument("data", metavar="DATA", nargs=-1, required=True, type=PathArgument(path_type=str))
@_option("--method", "Method (see `methods`).  [default: pareto-clustering, or pareto-bags for bags]")
@_option(
    "-k --n-clusters N|A-B",
    "Number of clusters, required by most methods. The default method also accepts an interval (2-5), and "
    "the method regions auto.",
    callback=_number_or_interval,
)
@_option("--granularity", "Rough number of clusters (default method only).", ["few", "some", "many"])
@_option("--set settings NAME=VALUE", "Set a parameter of the method; repeatable.", multiple=True)
@_option("--bag COLUMN", "Column of bag identifiers, if DATA contains bags of instances.")
@_option("--labels COLUMN", "Column of known classes, used only to score the clusters, not to fit them.")
@_option("--partial-labels COLUMN", "Column of partially known classes, for the fit (empty or -1: unknown).")
@_option("--hold-out SHARE", "Methods that predict labels: share of labels withheld for scoring.", _SHARES)
@_option(
    "--label-file FILE",
    "Labels of an ARFF file (MULAN XML) or .npz file (array Y).  [default: a file next to DATA]",
    PathArgument("file"),
)
@_option("--must-link FILE", "Two-column table of row pairs that belong together.", _NAMED_FILE)
@_option("--cannot-link FILE", "Two-column table of row pairs that do not belong together.", _NAMED_FILE)
@_option("--weight COLUMN", "Maps: column of area weights, such as populations.")
@_option(
    "--tolerance SHARE",
    "Maps: maximum deviation of a region's load from the mean load, such as 15%.",
    callback=_share,
)
@_option(
    "--start START",
    "Partition to start the search from: a run folder, a table with the columns row and label, or a column "
    "of DATA, such as earlier regions.",
)
@_option("--id-column COLUMN", "Column of row identifiers.")
@_option("--drop COLUMN", "Column to ignore; repeatable.", multiple=True)
@_option(
    "--prepare/--no-prepare",
    "Tables: convert columns of any type to features (default), or accept numeric columns only.",
    default=True,
)
@_option(
    "--header/--no-header",
    "Tables: whether the first line contains the column names.  [default: unless it is numeric]",
    default=None,
)
@_option(
    "--weights",
    "Tables: weight columns with few values by their dependence on other columns (default), or equally.",
    ["dependence", "equal"],
)
@_option(
    "--missing",
    "Tables: fill missing cells from the nearest rows (default), or with the column median.",
    ["neighbors", "median"],
)
@_option("--text-columns COLUMNS", "Text columns, such as title,text, if DATA contains documents.")
@_option("--min-df N", "Documents: minimum document frequency of a term.", callback=_frequency)
@_option("--max-df N", "Documents: maximum document frequency of a term.", callback=_frequency)
@_option("--svd N", "Documents: reduce the terms to N components.", _POSITIVE)
@_option("--embed MODEL", "Documents: cluster the embeddings computed by package:name or module:function.")
@_option(
    "--features n_features N",
    "Methods that predict labels: keep the N features that are most informative about the labels.",
    _POSITIVE,
)
@_option("--stemmer", "Document methods: stemmer.  [default: porter]", ["porter", "english", "none"])
@_option("--seed", "Random seed.", _NATURAL, shown=0)
@_option("--jobs", "Number of threads or processes (-1: all processors).", int, callback=_workers_wanted)
@_option("--checkpoint-every G", "Write a checkpoint every G generations.", _POSITIVE)
@_flag("--resume", "Continue from the checkpoint in the output folder, if there is one.")
@_workers
@_scheduler
@_option("--out DIR", "Folder for the results.", _NEW_FOLDER, required=True)
@_flag("--no-report", "Do not write report.npz and report.html.")
@_flag("--pictures", "Also save figures as PNG files, such as front.png.")
@_flag(
    "--plain-csv",
    "Write cells such as =A1 to CSV files unchanged. By default, an apostrophe is prepended, so that "
    "spreadsheets do not evaluate them as formulas.",
)
@_flag("--quiet", "Do not print progress or a summary.")
@_json("Print the run record (run.json) as JSON.")
@_option("--fail-on", "Exit with code 3 if no structure beyond noise is found.", ["no-structure"])
def fit(data: tuple[str, ...], out: Path, **options: Any) -> None:
    """Cluster DATA and write a folder of results.

    Only DATA and --out are required. Without --method and -k, the recommended method finds the clusters and
    their number, estimates its confidence, and lists alternatives.

    DATA is a CSV, TSV (also .csv.gz), Excel (.xlsx), Parquet or npz file (arrays, or a SciPy sparse matrix),
    or a bundled data set: breast_cancer, digits, iris, wine. Tables can come directly from a spreadsheet.
    Text columns become indicators of categories, dates become days, times become hours, units after numbers
    are removed, empty cells are filled, and uninformative columns (constants, row numbers, unique texts) are
    ignored. The command reports each step. With --no-prepare, all columns that no option names must be
    numeric, without empty cells. The recommended method gives all columns equal weight, unless --set
    scale=... is used. Other methods do so only if the table has categories; they do not scale purely numeric
    tables. For fuzzy-modes-moga, each distinct text of a column is a category.

    DATA can also contain documents: JSON lines (.jsonl, .jsonl.gz), a folder of .txt files (--labels folder:
    its sub-folders are the classes), or a CSV or TSV file with --text-columns. The features are tf-idf
    weights, reduced to 100 components if the method requires dense data. Document methods (ensemble-nmf,
    nmf-clustering, spherical-kmeans) use the weights of stems that occur in two or more documents. With
    --embed, the features are computed by an installed package (sentence-transformers, fastembed or model2vec,
    such as sentence-transformers:all-MiniLM-L6-v2) or by your own function. Models are not downloaded.

    For the method regions, DATA is a map of areas with attributes: GeoJSON (.geojson, .json) or, if geopandas
    is installed, GeoPackage (.gpkg) or GeoParquet (.parquet). Areas that share a border are neighbours. The
    features are all attributes that no option names or, if there are none, the areas' centres. With -k auto,
    --set min_cluster_weight=W sets a region's minimum weight. DIR also contains regions.geojson.

    A table that may be larger than memory is read in partitions: a glob such as 'table/*.parquet', several
    files, a folder of Parquet or CSV files, a Zarr array (.zarr), a URL such as s3://bucket/table/*.parquet,
    or, with --workers or --scheduler, a single file. Columns must be numeric, without empty cells, unless
    --drop excludes them. The subfolder labels contains the labels of all rows, in one Parquet file per
    partition. The other files describe a random sample of 20,000 rows. --resume completes an interrupted fit.

    For bag methods, DATA contains bags of instances: WEKA's multi-instance ARFF (.arff), KEEL (.dat), npz
    with bag_offsets, or a table with one instance per row and --bag; text files can be compressed (.gz).
    Classes in the file are used for scoring only.

    Methods that predict labels (sisc, scad2, entropy-weighted-kmeans, nsga2-sisc) accept samples with several
    labels: MULAN's or MEKA's ARFF, svmlight (.svm, .svmlight, .libsvm), npz with X and Y, or JSON lines with
    lists in the column of --partial-labels. The fit uses the labels in such files as partial labels;
    --hold-out withholds a share of them to score the predictions. The features of documents are 1 for words
    that they contain, otherwise 0.

    Without -k, the methods pareto-clustering, pareto-bags, mock, nsga2-clus and amosa-clus find the number of
    clusters. The first three also accept -k; without it, they list other plausible numbers, too.

    The recommended methods run an evolutionary search only with --set n_gen=G. They then report two controls:
    the results without this search, and those of a search with random survival.

    The folder contains labels.csv, result.npz, run.json and, depending on data and method, clustered.csv (the
    table with the cluster of each row), model.skops (for `moo-clustering predict`), clusters.csv (name and
    contrasts of each cluster), alternatives.csv (other good partitions, one per column) with
    alternatives_summary.csv, scores.csv (scores of all partitions), front.csv, history.csv, predictions.csv,
    probabilities.csv and, with --pictures, figures such as front.png. Start with report.html, which shows and
    compares all solutions in any browser, without network access. `moo-clustering report` creates it again
    from report.npz. If the folder has other content, the command fails and does not change it.
    """
    if options["method"] is not None:
        find_method(options["method"])
    if _in_parts(data, options):
        from moo_clustering.cli.parts import run_fit_in_parts

        run_fit_in_parts(data, out, options)
        return
    if (path := Path(data[0])).suffix and not path.exists():  # names of bundled data sets have no suffix
        raise click.UsageError(f"file {path} does not exist")
    from moo_clustering.cli.fit import run_fit

    run_fit(data[0], out, options)


@main.command()
@click.argument("name", required=False)
@_flag("--bibtex", "Print BibTeX entries of the papers to cite.")
@_json("Print JSON instead of text.")
def methods(name: str | None, bibtex: bool, as_json: bool) -> None:
    """List the methods, or the parameters of the method NAME."""
    from moo_clustering.cli.methods import listing, listing_json, papers

    if bibtex and as_json:
        raise click.UsageError("--bibtex and --json are mutually exclusive")
    shown = papers if bibtex else listing_json if as_json else listing
    print_result(shown(name))


@main.command()
@_run
@click.argument("data", metavar="DATA", nargs=-1, required=True, type=PathArgument(path_type=str))
@_option(
    "--out FILE",
    "CSV file to write, or folder for a partitioned table.  [default: the name of DATA with the suffix "
    "-clustered.csv or -labels, in the current folder]",
    PathArgument(new=True),
)
@_option(
    "-k --n-clusters N|A-B",
    "Number of clusters, if different from the fit; the run itself does not change.",
    callback=_number_or_interval,
)
@_workers
@_scheduler
@_header
@_flag("--plain-csv", "Write cells such as =A1 to the CSV file unchanged.")
@_quiet
@_json("Print the clusters and their new rows as JSON.")
def predict(folder: Path, data: tuple[str, ...], **options: Any) -> None:
    """Predict the clusters of new rows of a table.

    DIR is the folder of a `fit` of a table, and DATA a table with the same columns, in any order. Rows are
    read and scaled like those of the fit. FILE contains the columns of DATA, the cluster of each row with its
    name and, after a fit with --partial-labels, its class. It also shows whether the row is unlike those of
    the fit, and which cells were treated as missing, because they are unreadable or unknown categories.

    The command fails if a column is missing, or if its kind or unit differs from the fit. It reports unknown
    categories, other decimal marks, and values beyond the range of the fit.

    With -k, the rows are assigned to the clusters of another partition from the pool of the fit. This
    requires a fit by the recommended method, without labels and pairs.

    If DATA is read in partitions (see `fit`), the columns of the fit must be numeric. FILE is then a folder,
    with one Parquet file of row indices and clusters per partition. If the command is interrupted, repeat it
    to complete the folder.
    """
    if _in_parts(data, options):
        from moo_clustering.cli.parts import run_predict_in_parts

        run_predict_in_parts(folder, data, options)
        return
    if fault := path_fault(data[0], "file"):
        raise click.UsageError(f"DATA {quoted(data[0])} {fault}")
    if not Path(data[0]).exists():
        raise click.UsageError(f"file {data[0]} does not exist")
    from moo_clustering.cli.predict import run_predict

    del options["workers"], options["scheduler"]
    run_predict(folder, Path(data[0]), **options)


@main.command()
@_run
@click.argument("data", metavar="[DATA]", required=False, type=_FILE)
@_option(
    "--max-conditions N",
    "Maximum number of conditions.  [default: twice the clusters, at least 7]",
    _POSITIVE,
)
@_option(
    "--fidelity SHARE",
    "Minimum share of rows that the printed rules assign to the correct cluster.",
    _SHARES,
    shown=0.95,
)
@_option(
    "--code",
    "Print the rules as a Python function, an SQL expression, or a formula for row 2 of the table.",
    ["python", "sql", "spreadsheet"],
)
@_json("Print all rule sets as JSON.")
def explain(folder: Path, data: Path | None, **options: Any) -> None:
    """Explain the clusters of a table using rules with few conditions.

    DIR is the folder of a `fit` of a table. The command finds rules for the rows of DATA, a table with the
    same columns (default: the fit's table). Fidelity is the share of rows that the rules assign to the right
    cluster. The command lists the best fidelity for each number of conditions, and prints the shortest rules
    with sufficient fidelity (marked *).
    """
    from moo_clustering.cli.predict import run_explain

    run_explain(folder, data, **options)


@main.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR [DIR ...]", type=_RUN)
@_option("--out FILE", "File to write.  [default for a single run: report.html in its folder]", _NEW_FILE)
@_option("--title TEXT", 'Title of the page, kept by later commands; "" resets it.')
@_json("Print the path of the report and its runs as JSON.")
def report(folders: tuple[Path, ...], out: Path | None, title: str | None, as_json: bool) -> None:
    """Write the report of a run, or a report that compares several runs.

    Each DIR is a folder written by `fit` or `demo`. The report is a single HTML file that needs no network
    connection or server. It shows the clusters with their names and contrasts, the samples in the plane, the
    objectives of the solutions, and the agreement between solutions. Several runs must have the same samples;
    if these have names (--id-column), in any order.

    The page is created from report.npz in the folder, which `fit --no-report` does not write. The command
    fails if it would replace a file that is not a report.
    """
    from moo_clustering.cli.folder import json_text, report_record, save_report_of

    page, content = save_report_of(folders, out, title)
    record = json_text(report_record(page, folders, content)) if as_json else None
    print_notes(content.missing)
    if record is not None:
        click.echo(record)
        return
    runs = "" if len(folders) == 1 else f" of {len(folders)} runs"
    solutions = f"{content.n_solutions} solution{'' if content.n_solutions == 1 else 's'}"
    click.echo(f"Saved {page} ({solutions}{runs}); open it in a browser.")


@main.command()
@_run
@click.argument("names", metavar="[CLUSTER=NAME ...]", nargs=-1)
@_option("--names file FILE", "JSON file that maps clusters to names, such as the page's names.json.", _FILE)
@_json("Print the clusters and their names as JSON.")
def rename(folder: Path, **options: Any) -> None:
    """Name the clusters of a run.

    DIR is a folder written by `fit` or `ask`. For example, `moo-clustering rename out 0="frequent travellers"
    2=students` names two clusters in clusters.csv, clustered.csv, run.json, model.skops and the report.
    `predict` and `explain` then use these names. `students=pupils` renames the cluster `students`. Names
    must be unique. `0=`, or null in FILE, restores the original name. Cluster labels do not change.
    """
    from moo_clustering.cli.predict import run_rename

    run_rename(folder, **options)


@main.command()
@_run
@click.argument("data", metavar="DATA", type=_FILE)
@_header
@_quiet
@_json("Print the cluster changes as JSON.")
def update(folder: Path, data: Path, **options: Any) -> None:
    """Add the rows of a table to a run.

    DIR is the folder of a `fit` of a table by pareto-clustering, and DATA a table with the same columns, in
    any order. Clusters may change because of the new rows, but keep their labels and the names set by
    `rename`. The command prints births, deaths, merges and splits of clusters, and how many earlier rows
    changed cluster. All files of DIR, including clustered.csv and the report, then describe all rows. If the
    command is killed, DIR contains either the old or the new run, never a mixture.
    """
    from moo_clustering.cli.update import run_update

    run_update(folder, data, **options)


@main.command()
@_run
@click.argument("rule", metavar="RULE", required=False)
@_quiet
@_json("Print the clusters as JSON.")
def choose(folder: Path, rule: str | None, **options: Any) -> None:
    """Replace the result of a run by another of its solutions.

    DIR is the folder of a `fit` of a table. RULE names an alternative in alternatives_summary.csv, such as
    alternative-0; a row of front.csv, by its index; an objective, to choose its best solution; or a rule of
    the method, such as knee. `auto` restores the result of the fit. All files of DIR, including clustered.csv
    and the report, then describe this solution. Similar clusters keep the names set by `rename`.
    """
    from moo_clustering.cli.update import run_choose

    run_choose(folder, rule, **options)


@main.command()
@click.argument("file", metavar="FILE", type=_FILE)
@_option("--jobs N", "Processes (-1: all).  [default: jobs in FILE, or 1]", int, callback=_workers_wanted)
@_flag("--retry", "Recompute failed and timed-out cells.")
@_quiet
def study(file: Path, jobs: int | None, retry: bool, quiet: bool) -> None:
    """Run methods on data sets with many seeds, and compare their scores.

    FILE is a TOML file that names methods, data sets, scores and seeds. The same command resumes an
    interrupted or killed study. If entries are added to FILE, only the new combinations of methods, data sets
    and seeds are computed. Results, tables and conclusions are saved in the folder named by `path` in FILE.
    """
    from moo_clustering.studies import Study

    planned, options = Study.from_toml(file)
    jobs, method = options.get("jobs", 1) if jobs is None else jobs, options.get("compare")
    if type(jobs) is not int or jobs == 0 or jobs < -1:
        said = "jobs must be a positive integer, or -1 for all processors, got"
        raise click.UsageError(f"{said} {quoted(jobs)}")
    if method is not None and method not in planned.methods:
        raise click.UsageError(f"compare must name a method of {file}, got {quoted(method)}")
    if not planned.run(n_jobs=jobs, verbose=not quiet, retry=retry).complete:
        click.get_current_context().exit(INTERRUPTED)
    saved = [str(path) for path in planned.save(method)]
    if not quiet:
        parts = [str(planned.table(score)) for score in planned.scores]
        if len(planned.methods) > 1:
            parts += [planned.compare(method or next(iter(planned.methods))).text]
        print_result("\n\n".join([*parts, f"Saved in {', '.join(saved)}."]))


@main.command("warm-up")
def warm_up() -> None:
    """Compile the numerical kernels of common methods; to be run once, after the installation.

    Without this command, the first runs compile the kernels, which takes about ten seconds.
    """
    from moo_clustering.cli.demo import run_warm_up

    run_warm_up(fit)
