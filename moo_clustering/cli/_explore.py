"""``moo-clustering explore``."""

from __future__ import annotations

import threading
from pathlib import Path

import click

from moo_clustering.cli._errors import reported


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
        from moo_clustering.cli._page_server import page_server
        from moo_clustering.visualization.report._from_folder import folder_content
        from moo_clustering.visualization.report._render import render

        page = render(folder_content(folder)).encode("utf-8", "replace")
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


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        click.echo("No browser could be opened; open the address in one yourself.", err=True)
