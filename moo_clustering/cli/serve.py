"""The report of a run, served to the browsers of this computer only."""

from __future__ import annotations

import threading
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

LOOPBACK = "127.0.0.1"
_PATHS = ("/", "/report.html")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_server(page: bytes, port: int) -> PageServer:
    """A server for the page, that has its port already. Raises a ValueError when the port cannot be had."""
    try:
        return PageServer(page, port)
    except OSError as error:
        raise ValueError(
            f"cannot serve at port {port}: {error.strerror or error}; leave out --port to get a free one"
        ) from error


def serve_until_interrupted(server: PageServer, folder: Path, *, open_browser: bool) -> None:
    """Serve the report of a run until Ctrl-C."""
    with server:
        address = f"http://{LOOPBACK}:{server.server_port}/"
        try:
            click.echo(f"The report of {folder} is at {address} (Ctrl-C ends this).")
            if open_browser:
                # Some browsers return only when they are closed.
                threading.Thread(target=_open, args=(address,), daemon=True).start()
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nStopped; the report is no longer served.")


def _open(address: str) -> None:
    if not webbrowser.open(address):
        click.echo("No browser could be opened; open the address in one yourself.", err=True)


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
        """Stay silent about browsers that hang up."""


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
        # Another site whose name is made to lead to this computer must not read the report.
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
        """Do not report requests."""
