"""One self-contained page of a report."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path

import jinja2
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from moo_clustering.persistence._atomic import replacing
from moo_clustering.visualization.report._content import ReportContent
from moo_clustering.visualization.report._payload import payload

# Bytes of a whole page.
_MAX_SIZE = 25_000_000

# One subject each; later ones use earlier ones.
_SCRIPTS = (
    "data.js",
    "elements.js",
    "text.js",
    "looks.js",
    "partitions.js",
    "state.js",
    "download.js",
    "figures.js",
    "selection.js",
    "objectives.js",
    "parallel.js",
    "front.js",
    "search.js",
    "table.js",
    "plane.js",
    "map.js",
    "clusters.js",
    "samples.js",
    "compare.js",
    "agreement.js",
    "history.js",
    "panels.js",
    "main.js",
)


def render(content: ReportContent) -> str:
    """The report as one HTML page that needs no network.

    Parameters
    ----------
    content : ReportContent
        Every text of it is shown as text, whatever it holds.

    Returns
    -------
    str
        At most 25 MB as UTF-8 unless one solution alone needs more: where labels take more, fewer
        solutions are on the page, which says so.

    Notes
    -----
    O(n_solutions * n_samples) time and memory. plotly's own script is in the page, about 5 MB. A
    policy in the page's head lets no other script run and nothing be fetched.
    """
    scripts = [_plotly(), _scripts()]
    style = _text("report.css")
    fixed = sum(len(text.encode()) for text in (*scripts, style)) + 100_000
    data = payload(content, _MAX_SIZE - fixed)
    return _template().render(
        content=content,
        missing=data["missing"],
        n_solutions=len(data["names"]),
        policy=_policy(scripts),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        data=htmlsafe_json_dumps(data, allow_nan=False),
    )


def write_report(content: ReportContent, path: str | PathLike[str]) -> None:
    """Write the page of a report; an older file is replaced as a whole or not at all.

    Parameters
    ----------
    content : ReportContent
    path : path-like
        Of the ``.html`` file, in a folder that exists.
    """
    # A lone surrogate, as from a file name in another encoding, has no UTF-8.
    page = render(content).encode("utf-8", "replace")
    with replacing(Path(path)) as file:
        file.write(page)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_text("report.html.jinja"))


@cache
def _plotly() -> str:
    # Slow to import, and only those who make a report need it.
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


@cache
def _scripts() -> str:
    parts = "\n".join(_text(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _text(name: str) -> str:
    page = files("moo_clustering.visualization.report.page")
    return page.joinpath(name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        # plotly compiles its drawing programs for WebGL, and sets styles.
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
