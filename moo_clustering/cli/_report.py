"""``moo-clustering report``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moo_clustering.cli._errors import reported

if TYPE_CHECKING:
    from moo_clustering.visualization.report import ReportContent

_MARK = b'<meta name="generator" content="moo_clustering">'


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

    Folders of older versions, and those with missing files, get what can be put together from the rest;
    the page says what it cannot show. A file that is no such report is never replaced.
    """
    with reported():
        from dataclasses import replace

        from moo_clustering.cli._folder import REPORT
        from moo_clustering.visualization.report._render import write_report

        if out is None and len(folders) > 1:
            raise ValueError(f"the report of {len(folders)} runs needs a file to write: --out FILE")
        page = folders[0] / REPORT if out is None else out
        content = _content(folders)
        _check_page(page)
        write_report(content if title is None else replace(content, title=title), page)
    for sentence in content.missing:
        click.echo(f"Note: {sentence}", err=True)
    runs = "" if len(folders) == 1 else f" of {len(folders)} runs"
    solutions = f"{content.n_solutions} solution{'' if content.n_solutions == 1 else 's'}"
    click.echo(f"Saved {page}, {solutions}{runs}; open it in a browser.")


def _content(folders: Sequence[Path]) -> ReportContent:
    from dataclasses import replace

    from moo_clustering.visualization.report._folder_details import part_of
    from moo_clustering.visualization.report._from_folder import folder_content, run_record
    from moo_clustering.visualization.report._merge import merge

    contents = [folder_content(folder) for folder in folders]
    merged = merge(contents, [folder.resolve().name for folder in folders])
    files = dict.fromkeys(str(part_of(run_record(folder), "data").get("name")) for folder in folders)
    if len(files) > 1 and all(name == str(row) for row, name in enumerate(merged.sample_names)):
        sentence = (
            f"The runs are on {' and '.join(files)}, whose rows have numbers for names: that row 0 of one "
            "is row 0 of the others, and so on, is taken for granted."
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
