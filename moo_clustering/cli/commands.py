"""Commands, errors, options, settings."""

from __future__ import annotations

import csv
import inspect
import json
import math
import re
import sys
import textwrap
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import click
import numpy as np
import pandas as pd

from moo_clustering import __version__
from moo_clustering.cli.describe import aligned
from moo_clustering.cli.errors import INTERRUPTED, one_line, reported
from moo_clustering.cli.fit import fit
from moo_clustering.datasets import DataError
from moo_clustering.datasets.tables import column_names, ragged, separator_of, table_rows
from moo_clustering.persistence import to_json
from moo_clustering.stats import Comparison, p_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moo_clustering.datasets import Table
    from moo_clustering.estimators._methods import Method
    from moo_clustering.visualization.report import ReportContent

_SECTION = re.compile(r"^-{3,}\s*$")
_ROLE = re.compile(r":[a-z:]+:`~?(?:[^`<]*\.)?([^`<.]+)`")


class _Commands(click.Group):
    """Errors are one line on stderr, with exit code 2, or 130 after Ctrl-C."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        try:
            code = run(*args, standalone_mode=False, **extra)
        except click.Abort:
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            click.echo(f"Error: {one_line(error.format_message())}", err=True)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


@click.group(
    cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="moo-clustering")
@click.option("--traceback", is_flag=True, help="Show where an error came from instead of one line.")
@click.pass_context
def main(context: click.Context, traceback: bool) -> None:
    """Evolutionary clustering: multi-objective and semi-supervised methods on your own tables."""
    context.obj = {"traceback": traceback}
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


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
        from moo_clustering.cli.fit import run_job
        from moo_clustering.cli.folder import REPORT, open_folder
        from moo_clustering.cli.job import Job
        from moo_clustering.datasets import load_wine
        from moo_clustering.estimators._methods import get_method

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


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port of this computer to serve at; default: a free one.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def explore(folder: Path, port: int, no_browser: bool) -> None:
    """Show the report of a run in the browser, until Ctrl-C.

    DIR is a folder of `fit` or `demo`; nothing is written there. The page is made anew and served to this
    computer only. Where a file is enough, open report.html in the folder instead.
    """
    with reported():
        from moo_clustering.cli.folder import run_content
        from moo_clustering.visualization.report import render

        page = render(run_content(folder)).encode("utf-8", "replace")
        server = page_server(page, port)
    with server:
        address = f"http://127.0.0.1:{server.server_port}/"
        try:
            click.echo(f"The report of {folder} is at {address} (Ctrl-C ends this).")
            if not no_browser:
                # Some browsers return only when they are closed.
                threading.Thread(target=_open, args=(address,), daemon=True).start()
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nStopped; the report is no longer served.")


@click.command()
@click.argument("name", required=False)
def methods(name: str | None) -> None:
    """List the methods, or the options of the method NAME."""
    with reported():
        from moo_clustering.estimators._methods import METHODS, find_method

        if name is None:
            click.echo("\n\n".join(_entry(method) for method in METHODS.values()))
        else:
            click.echo(_details(*find_method(name)))


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR [DIR ...]", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
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
    with reported():
        from dataclasses import replace

        from moo_clustering.cli.folder import REPORT
        from moo_clustering.visualization.report.page import write_report

        if out is None and len(folders) > 1:
            raise ValueError(f"the report of {len(folders)} runs needs a file to write: --out FILE")
        page = folders[0] / REPORT if out is None else out
        content = merged_content(folders)
        _check_page(page)
        write_report(content if title is None else replace(content, title=title), page)
    for sentence in content.missing:
        click.echo(f"Note: {sentence}", err=True)
    runs = "" if len(folders) == 1 else f" of {len(folders)} runs"
    solutions = f"{content.n_solutions} solution{'' if content.n_solutions == 1 else 's'}"
    click.echo(f"Saved {page}, {solutions}{runs}; open it in a browser.")


for command in (compare, demo, explore, fit, methods, report):
    main.add_command(command)
_MARK = b'<meta name="generator" content="moo_clustering">'
LOOPBACK = "127.0.0.1"
_PATHS = ("/", "/report.html")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_LONG = ("dataset", "method", "value")


def as_text(outcome: Comparison) -> str:
    """Ranks, tests, pairs and conclusions."""
    better = "large" if outcome.greater_is_better else "small"
    parts = [f"{outcome.n_methods} methods on {outcome.n_datasets} data sets; {better} values are better"]
    ranks = outcome.average_ranks.sort_values(kind="stable")
    rows = [["method", "average rank"], *([str(name), f"{rank:.2f}"] for name, rank in ranks.items())]
    parts += [aligned(rows, right=[1]), _tests(outcome), _pairs(outcome), "\n".join(outcome.conclusions)]
    return "\n\n".join(parts)


def _tests(outcome: Comparison) -> str:
    test = outcome.friedman
    if test is None:
        return "Friedman's test needs three methods; the two are compared as a pair."
    df = test.df
    rows = [
        ["test", "statistic", "p"],
        [f"Friedman, chi-square({df})", f"{test.statistic:.4f}", p_text(test.p_value)],
        [
            f"Iman and Davenport, F({df}, {df * (test.n_datasets - 1)})",
            f"{test.iman_davenport_statistic:.4f}",
            p_text(test.iman_davenport_p_value),
        ],
    ]
    return aligned(rows, right=[1, 2])


def _pairs(outcome: Comparison) -> str:
    rows = [["pair, better rank first", "", "z", "p", "adjusted p", f"at {outcome.alpha:g}"]]
    for pair in outcome.pairs.to_dict("records"):
        values = [f"{pair['z']:.4f}", p_text(pair["p_value"]), p_text(pair["p_adjusted"])]
        says = "different" if pair["significant"] else "-"
        rows.append([str(pair["method_1"]), str(pair["method_2"]), *values, says])
    return f"Pairs by {outcome.posthoc.capitalize()}'s procedure\n{aligned(rows, right=[2, 3, 4])}"


def to_json_text(outcome: Comparison) -> str:
    """All of it for other programs; an infinite F is null."""
    test = outcome.friedman
    record = {
        "n_datasets": outcome.n_datasets,
        "n_methods": outcome.n_methods,
        "greater_is_better": outcome.greater_is_better,
        "alpha": outcome.alpha,
        "posthoc": outcome.posthoc,
        "average_ranks": outcome.average_ranks.to_dict(),
        "friedman": None
        if test is None
        else {
            "statistic": test.statistic,
            "df": test.df,
            "p_value": test.p_value,
            "iman_davenport_statistic": test.iman_davenport_statistic
            if math.isfinite(test.iman_davenport_statistic)
            else None,
            "iman_davenport_p_value": test.iman_davenport_p_value,
        },
        "pairs": outcome.pairs.to_dict("records"),
        "groups": outcome.groups,
        "conclusions": outcome.conclusions,
    }
    return json.dumps(to_json(record, "comparison"), indent=2, ensure_ascii=False)


class Option(NamedTuple):
    """One parameter of a constructor."""

    name: str
    default: str
    kind: str
    description: str


def options_of(estimator_class: type[Any]) -> list[Option]:
    """Parameters in the order of the signature, described as far as the docstring does."""
    described = parameter_docs(inspect.getdoc(estimator_class) or "")
    options = []
    for name, parameter in inspect.signature(estimator_class).parameters.items():
        kind, description = described.get(name, ("", ""))
        default = "required" if parameter.default is parameter.empty else repr(parameter.default)
        options.append(Option(name, default, kind, description))
    return options


def parameter_docs(doc: str) -> dict[str, tuple[str, str]]:
    """Type and description of every parameter in a numpydoc docstring."""
    lines = doc.splitlines()
    starts = [
        number + 1
        for number in range(1, len(lines))
        if _SECTION.match(lines[number]) and lines[number - 1].strip() == "Parameters"
    ]
    described: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for number in range(starts[0] if starts else len(lines), len(lines)):
        line = lines[number]
        if number + 1 < len(lines) and _SECTION.match(lines[number + 1]):
            break
        if line.strip() and not line.startswith(" "):
            heading, _, kind = line.partition(" : ")
            names = [name.strip().lstrip("*") for name in heading.split(",")]
            described |= dict.fromkeys(names, (_text(kind), ""))
        else:
            for name in names:
                kind, description = described[name]
                described[name] = (kind, f"{description} {_text(line)}".strip())
    return described


def _text(line: str) -> str:
    """Without markup."""
    return _ROLE.sub(r"\1", line).replace("``", "").replace("`", "").strip()


def _draw(outcome: Comparison, path: Path) -> None:
    from moo_clustering.visualization import plot_critical_difference

    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} to save the figure in")
    plot_critical_difference(outcome, alpha=outcome.alpha, method=outcome.posthoc, path=path)


def _controls(table: Table, seed: int) -> dict[str, dict[str, float]]:
    """Scores of what PESC has to be compared with."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import minmax_scale

    from moo_clustering.cli.describe import scores
    from moo_clustering.cli.errors import shown_warnings
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
    from moo_clustering.cli.describe import aligned

    names = list(found)
    rows: list[list[Any]] = [["", *(name.replace("_", " ") for name in names)]]
    for title, values in {"PESC": found, **controls}.items():
        rows.append([title, *(f"{values[name]:.3f}" for name in names)])
    return aligned(rows, right=range(1, len(names) + 1))


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        click.echo("No browser could be opened; open the address in one yourself.", err=True)


def _entry(method: Method) -> str:
    rows = [("class", method.class_name), ("paper", method.paper), ("needs", method.needs)]
    flags = {
        "labels": "--partial-labels",
        "label_sets": "label sets (.arff, .svm, lists in .jsonl)",
        "pairs": "--must-link, --cannot-link",
    }
    takes = ["bags of instances (.arff, .dat, .npz, --bag)"] if method.bags else []
    takes += ["columns of text, whose values are categories"] if method.categorical else []
    if takes or method.supervision:
        rows.append(("takes", ", ".join([*takes, *(flags[kind] for kind in method.supervision)])))
    if method.aliases:
        rows.append(("aliases", ", ".join(method.aliases)))
    lines = [_wrap(method.name, method.summary, 0)]
    return "\n".join(lines + [_wrap(heading, text, 2, 9) for heading, text in rows])


def _details(method: Method, preset: Mapping[str, object]) -> str:
    from moo_clustering.cli.job import FLAGS

    parts = [_entry(method)]
    for alias, options in method.aliases.items():
        parts[0] += "\n" + _wrap(f"  {alias}", ", ".join(f"{k}={v!r}" for k, v in options.items()), 2, 24)
    lines = ["Options (--set name=value):"]
    for option in options_of(method.load()):
        if option.name in FLAGS:
            continue
        default = repr(preset[option.name]) if option.name in preset else option.default
        kind = f" ({option.kind.split(', default')[0].removesuffix(', optional')})" if option.kind else ""
        lines.append(f"  {option.name} = {default}")
        lines.append(_wrap("", f"{option.description}{kind}".strip(), 4, 0))
    flagged = [
        f"{option.name}: {FLAGS[option.name]}" for option in options_of(method.load()) if option.name in FLAGS
    ]
    parts += ["\n".join(line for line in lines if line), "Options with a flag: " + "; ".join(flagged)]
    return "\n\n".join(parts)


def _wrap(heading: str, text: str, indent: int, width: int = 16) -> str:
    first = " " * indent + (heading.ljust(width) if len(heading) < width or not heading else f"{heading}  ")
    rest = " " * (indent + width)
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def merged_content(folders: Sequence[Path]) -> ReportContent:
    """The content of one report of all runs."""
    from dataclasses import replace

    from moo_clustering.cli.folder import run_content, run_record
    from moo_clustering.visualization.report.page import merge

    merged = merge([run_content(folder) for folder in folders], [folder.resolve().name for folder in folders])
    files = []
    for folder in folders:
        data = run_record(folder).get("data")
        files.append(str(data.get("name")) if isinstance(data, dict) else "unknown data")
    files = list(dict.fromkeys(files))
    if len(files) > 1 and all(name == str(row) for row, name in enumerate(merged.sample_names)):
        sentence = (
            f"The runs are on {' and '.join(files)}, whose rows have no names, so rows of the same number "
            "are taken for the same sample."
        )
        return replace(merged, missing=[sentence, *merged.missing])
    return merged


def _check_page(page: Path) -> None:
    """Refuse to replace what is no report, before anything is written."""
    if page.is_dir():
        raise ValueError(f"--out {page} is a folder; name a file, such as {page / 'report.html'}")
    if not page.parent.is_dir():
        raise ValueError(f"there is no folder {page.parent} to save the report in")
    if page.exists() and not is_page(page):
        raise ValueError(f"{page} exists and is no report of moo-clustering; choose another file with --out")


def is_page(path: Path) -> bool:
    """Whether a file is a page that this package wrote, and that it may replace therefore."""
    with open(path, "rb") as file:
        return _MARK in file.read(4096)


class PageServer(ThreadingHTTPServer):
    """Answers with one page.

    Parameters
    ----------
    page : bytes
        HTML in UTF-8.
    port : int
        0 takes a free one.
    """

    daemon_threads = True
    # Another server at the same port is an error on every system.
    allow_reuse_port = False

    def __init__(self, page: bytes, port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.page = page
        self.hosts = {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}
        if self.server_port == 80:
            self.hosts |= {LOOPBACK, "localhost"}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of browsers that hang up."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "moo-clustering"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        # A page of another site whose name leads here is no reader of this one.
        hosts = [host.strip().lower() for host in self.headers.get_all("Host", [])]
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            self._send(HTTPStatus.FORBIDDEN, b"This is for this computer only.\n", "text/plain", with_body)
        elif urlsplit(self.path).path in _PATHS:
            self._send(HTTPStatus.OK, self.server.page, "text/html", with_body)
        else:
            self._send(HTTPStatus.NOT_FOUND, b"There is only the report, at /\n", "text/plain", with_body)

    def _send(self, status: HTTPStatus, body: bytes, kind: str, with_body: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Requests are no news."""


def page_server(page: bytes, port: int) -> PageServer:
    """A server for the page, that has its port already.

    Raises
    ------
    ValueError
        When the port cannot be had.
    """
    try:
        return PageServer(page, port)
    except OSError as error:
        raise ValueError(
            f"cannot serve at port {port}: {error.strerror or error}; leave out --port to get a free one"
        ) from error


def read_results(path: Path, *, long: bool | None = None) -> pd.DataFrame:
    """A row per data set, a column per method.

    Parameters
    ----------
    path : Path
        Text separated by commas, semicolons or tabs, with names in the first line.
    long : bool, optional
        Whether there is one value per line; default: if there are columns ``dataset``, ``method`` and
        ``value``. Repeated values of a method on a data set are averaged, other columns left out.

    Raises
    ------
    DataError
        For files that are missing, empty or ragged, and in long ones for values that are missing or no
        numbers. Cells of wide tables are checked by whoever ranks them.
    """
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    try:
        rows = list(table_rows(path, separator_of(path)))
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error
    except csv.Error as error:
        raise DataError(f"{path} cannot be read as a table: {error}") from error
    columns = column_names(rows[:1], str(path))
    for line, row in rows[1:]:
        if len(row) != len(columns):
            ragged(str(path), len(columns), line, row)
    if len(rows) == 1:
        raise DataError(f"{path} has column names but no rows")
    cells = pd.DataFrame([[cell.strip() for cell in row] for _, row in rows[1:]], columns=columns)
    known = [_plain(column) for column in columns]
    if long is None:
        long = set(_LONG) <= set(known)
    if not long:
        _require_one_row_each(cells[columns[0]], path)
        return cells.set_index(columns[0])
    return _averaged(cells.iloc[:, _places(known, path)], [line for line, _ in rows[1:]], path)


def _require_one_row_each(datasets: pd.Series[str], path: Path) -> None:
    if datasets.is_unique:
        return
    raise DataError(
        f"{path} has more than one row for {datasets[datasets.duplicated()].iloc[0]!r}; a table of one "
        "data set per row needs averages of repeated runs, a table of one value per line needs --long"
    )


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("_", "").replace("-", "")


def _places(known: Sequence[str], path: Path) -> list[int]:
    """Where data set, method and value are: by name, or in this order if there is nothing else."""
    if set(_LONG) <= set(known):
        return [known.index(name) for name in _LONG]
    if len(known) == len(_LONG):
        return [0, 1, 2]
    raise DataError(f"{path}: a table with one value per line needs columns dataset, method and value")


def _averaged(cells: pd.DataFrame, lines: Sequence[int], path: Path) -> pd.DataFrame:
    cells.columns = pd.Index(_LONG)
    values = pd.to_numeric(cells["value"], errors="coerce")
    if values.isna().any():
        at = int(np.flatnonzero(values.isna())[0])
        raise DataError(f"{path}, line {lines[at]} has {cells['value'].iloc[at]!r} where a number should be")
    means = cells.assign(value=values).groupby(["dataset", "method"], sort=False)["value"].mean()
    datasets, methods = cells["dataset"].unique(), cells["method"].unique()
    table = means.unstack("method").reindex(index=datasets, columns=methods)
    if table.isna().to_numpy().any():
        row, column = np.argwhere(table.isna().to_numpy())[0]
        raise DataError(
            f"{path} has no value for data set {datasets[row]!r} and method {methods[column]!r}; "
            "every method needs one on every data set"
        )
    return table
