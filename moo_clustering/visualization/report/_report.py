"""A report that was written."""

from __future__ import annotations

import html
import webbrowser
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from moo_clustering.visualization.report._content import ReportContent

_HEIGHT = 800  # pixels in a notebook


@dataclass(frozen=True)
class Report:
    """The page that was written; the value of a cell in a notebook shows it there.

    Attributes
    ----------
    path : Path
        Absolute.
    """

    path: Path

    def open(self) -> bool:
        """Show it in the browser; False where there is none."""
        return webbrowser.open(self.path.as_uri())

    def _repr_html_(self) -> str:
        # As an attribute, so that neither its scripts nor its looks meet those of the notebook; the file
        # itself is out of reach for notebooks of another machine.
        page = html.escape(self.path.read_text(encoding="utf-8"))
        return (
            f'<iframe srcdoc="{page}" title="report" style="width: 100%; height: {_HEIGHT}px; border: 0">'
            "</iframe>"
        )


def write_report_of(content: ReportContent, path: str | PathLike[str]) -> Report:
    """Write a page, and say where it is."""
    # Loaded here because the page brings its library of figures along.
    from moo_clustering.visualization.report._render import write_report

    place = Path(path).expanduser().resolve()
    write_report(content, place)
    return Report(place)
