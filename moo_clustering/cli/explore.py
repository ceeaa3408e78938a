"""Local server that shows the report of a run, with a panel for questions."""

from __future__ import annotations

import json
import math
import secrets
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import numpy as np

from moo_clustering.cli.folder import csv_text, run_content
from moo_clustering.cli.predict import rename_clusters

if TYPE_CHECKING:
    import pandas as pd

    from moo_clustering.cli.ask import AskedRun
    from moo_clustering.interactive.shown import Beside
    from moo_clustering.visualization.report import ReportContent

LOOPBACK = "127.0.0.1"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NO_BROWSER = "Could not open a browser; open the address manually."
_PLAIN = "text/plain; charset=utf-8"
_LARGEST_ANSWER = 64 * 1024


def serve_until_interrupted(server: PageServer, folder: Path, *, open_browser: bool) -> None:
    with server:
        try:
            click.echo(f"Serving the report of {folder} at {server.address} (press Ctrl-C to stop).")
            if server.panel is not None:
                click.echo(f"Answers are saved to {folder / 'answers.json'}; --ask continues from there.")
            if open_browser:
                # Open the page in a thread, because the browser can block the call until it is closed.
                try:
                    threading.Thread(target=_open, args=(server.invitation,), daemon=True).start()
                except RuntimeError:  # the system cannot start any more threads
                    click.echo(_NO_BROWSER, err=True)
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nStopped serving the report.")


def _open(address: str) -> None:
    if not webbrowser.open(address):
        click.echo(_NO_BROWSER, err=True)


def asking_page(run: AskedRun, content: ReportContent) -> bytes:
    """Create a report page with questions. The solution "answers" is the session's current partition."""
    from moo_clustering.visualization.report import render

    asked = replace(
        content,
        names=[*content.names, "answers"],
        labels=np.vstack([content.labels, run.labels]),
        columns=[replace(each, values=np.append(each.values, np.nan)) for each in content.columns],
        rules={"answers": content.n_solutions, **content.rules},
        runs=[*content.runs, "answers"] if content.runs else (),
        agreement=content.agreement if content.agreement is None else np.pad(content.agreement, (0, 1)),
    )
    return render(asked, asks=True).encode("utf-8", "replace")


class StaleError(ValueError):
    """Raised if a request answers a question that is no longer current."""


class AnswerPanel:
    """Session that a page controls. It handles one request at a time and rejects outdated requests."""

    def __init__(self, run: AskedRun) -> None:
        self._run, self._session = run, run.session
        self._lock = threading.Lock()
        # The revision counts all changes. A request with another revision comes from an outdated page.
        self._revision = self._n_undone = 0
        self._last = ""
        self._names: dict[str, str] | None = None  # cluster names of the fit, if the user has changed one

    def get(self, place: str) -> dict[str, Any] | tuple[str, bytes] | None:
        """Return the state, an answered question ("question/3"), or the media type and bytes of a file."""
        with self._lock:
            name, _, number = place.partition("/")
            if place == "state":
                return self._state()
            if name in ("question", "picture") and number.isascii() and number.isdigit() and len(number) < 10:
                if name == "picture":
                    return self._picture(int(number))
                pairs = self._session.history_[["i", "j"]].to_numpy().tolist()
                if int(number) < len(pairs):
                    samples = tuple(sample for sample in pairs[int(number)] if sample >= 0)
                    return self._shown(samples, _records(self._session.groups_))
            files = self._run.answers() if place.endswith(".csv") else {}
            return ("text/csv; charset=utf-8", csv_text(files[place])) if place in files else None

    def _picture(self, sample: int) -> tuple[str, bytes] | None:
        """Return the picture of a sample. The path of the picture is in the table, never in a request."""
        folder = self._run.table_folder
        return None if folder is None else self._run.shown.picture(sample, folder)

    def act(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            if request.get("revision") != self._revision:
                raise StaleError("this question has already been answered; here is the current one")
            self._do(action, request)
            self._revision += 1
            self._last = action
            undone = {"undo": self._n_undone + 1, "redo": max(0, self._n_undone - 1)}
            self._n_undone = undone.get(action, 0)
            return self._state()

    def _do(self, action: str, request: dict[str, Any]) -> None:
        session = self._session
        if action == "answer":
            answer, confidence = _field(request, "answer", str), request.get("confidence")
            if not isinstance(confidence, float | None):
                raise ValueError("confidence must be a number")
            session.answer(answer, confidence=confidence)
        elif action == "name":
            session.name(_field(request, "group", int), _field(request, "name", str))
        elif action == "reopen":
            answer = None if request.get("answer") is None else _field(request, "answer", str)
            session.reopen(_field(request, "number", int), answer)
        elif action == "rename":
            cluster, name = _field(request, "cluster", int), _field(request, "name", str).strip()
            found = rename_clusters(self._run.folder, {cluster: name or None})
            self._names = {str(each["cluster"]): each["name"] for each in found}
        else:
            {"undo": session.undo, "redo": session.redo}[action]()

    def page(self) -> bytes:
        with self._lock:
            return asking_page(self._run, run_content(self._run.folder))

    def _state(self) -> dict[str, Any]:
        from moo_clustering.visualization.report.page import encoded_labels

        session, question = self._session, self._session.question
        groups = _records(session.groups_)
        history = _records(session.history_)
        return {
            "revision": self._revision,
            "mode": session.mode,
            "question": None if question is None else self._shown(question.samples, groups),
            "labels": encoded_labels(self._run.labels),
            "groups": groups,
            "clusterNames": self._names,
            "history": history,
            "expectedError": session.expected_error_,
            "errorRate": session.error_rate_,
            "mayStop": session.may_stop_,
            "summary": session.summary(),
            "canUndo": bool(history) or self._last == "reopen",
            "canRedo": self._n_undone > 0,
        }

    def _shown(self, samples: tuple[int, ...], groups: list[Any]) -> dict[str, Any]:
        beside = groups[self._session.labels_[samples[1]]] if len(samples) == 2 else None
        return {
            "samples": list(samples),
            "shown": _as_json(self._run.shown.beside(samples)),
            "pictures": [self._picture(sample) is not None for sample in samples],
            # The group of the second sample is sent only if the user has answered questions about this group.
            "beside": beside["group"] if beside and beside["anchors"] else None,
        }


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _as_json(beside: Beside) -> dict[str, Any]:
    lines = {
        name: [[line.name, line.values, _plain(float(line.difference))] for line in listed]
        for name, listed in (("notes", beside.notes), ("features", beside.features))
    }
    return beside._asdict() | lines


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _field(request: dict[str, Any], name: str, kind: type) -> Any:
    if type(value := request.get(name)) is not kind:
        raise ValueError(f"{name} must be {'a string' if kind is str else 'an integer'}")
    return value


_ACTIONS = ("answer", "name", "reopen", "undo", "redo", "rename")


class PageServer(ThreadingHTTPServer):
    """Server of one report and its question session, at a path that other users of the computer cannot guess.

    Raises a ValueError if the port is unavailable.
    """

    daemon_threads = True
    allow_reuse_port = False  # otherwise, a port in use would raise no error

    def __init__(self, page: bytes, port: int, panel: AnswerPanel | None = None) -> None:
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            said = f"cannot listen on port {port}: {error.strerror or error}"
            raise ValueError(f"{said}; omit --port to use a free port") from error
        self.page, self.panel = page, panel
        self.hosts = {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}
        if self.server_port == 80:
            self.hosts |= {LOOPBACK, "localhost"}
        self.token, self._code = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.codes = {self._code: True}

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    @property
    def invitation(self) -> str:
        """Address that works only once, because other users can see it in the list of processes."""
        return f"http://{LOOPBACK}:{self.server_port}/{self._code}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a new thread, or in the current thread if the system cannot start threads."""
        try:
            super().process_request(request, client_address)
        except RuntimeError:
            self.process_request_thread(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore closed connections."""


class _Refusal(Exception):
    """Raised to refuse a request with a status code and an explanation."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    raw_requestline: bytes
    server_version = "moo-clustering"
    sys_version = ""
    timeout = 30
    default_request_version = "HTTP/1.0"  # the default HTTP/0.9 would send no headers

    def do_GET(self) -> None:
        self._answer(self._page)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self._answer(self._change)

    def parse_request(self) -> bool:
        """Parse a request like the base class, but also reject blank lines and methods with odd names."""
        if not self.raw_requestline.strip():
            self.command, self.request_version, self.requestline = "", self.default_request_version, ""
        elif not super().parse_request():
            return False
        elif self.command.isascii() and self.command.isalpha():
            return True
        self.send_error(HTTPStatus.BAD_REQUEST)
        return False

    def _answer(self, answer: Callable[[str], None]) -> None:
        try:
            # In an attack by DNS rebinding, the host name of another site resolves to this computer.
            hosts = [host.strip().lower() for host in self.headers.get_all("Host", [])]
            if len(hosts) != 1:
                raise _Refusal(HTTPStatus.BAD_REQUEST, "A request must have exactly one Host header.")
            if hosts[0] not in self.server.hosts:
                raise _Refusal(HTTPStatus.FORBIDDEN, "The report is available only on this computer.")
            answer(self._place())
        except _Refusal as refusal:
            self._send(refusal.status, f"{refusal}\n".encode(), _PLAIN)

    def _place(self) -> str:
        try:
            path = urlsplit(self.path).path
        except ValueError:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "The request target is not a valid URL.") from None
        root, token, *rest = [*path.split("/", 2), ""] if "/" in path else (path, "")
        if not root and secrets.compare_digest(token.encode(), self.server.token.encode()):
            return rest[0] if len(rest) > 1 else "/"
        if self.command == "GET" and self.server.codes.pop(token, False):
            return "/"
        raise _Refusal(HTTPStatus.NOT_FOUND, "Not found; open the report at the printed address.")

    def _page(self, place: str) -> None:
        if place == "/":
            self._send(HTTPStatus.SEE_OTHER, b"", _PLAIN, Location=f"/{self.server.token}/")
        elif place in ("", "report.html"):
            self._send(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        else:
            panel, name = self.server.panel, place.removeprefix("api/")
            found = panel.get(name) if panel is not None and name != place else None
            if found is None:
                raise _Refusal(HTTPStatus.NOT_FOUND, "Not found; only the report is served.")
            if isinstance(found, tuple):
                self._send(HTTPStatus.OK, found[1], found[0])
            else:
                self._send_json(HTTPStatus.OK, found)

    def _change(self, place: str) -> None:
        panel, action = self.server.panel, place.removeprefix("api/")
        if panel is None or action not in _ACTIONS or action == place:
            raise _Refusal(HTTPStatus.NOT_FOUND, "This path does not accept POST requests.")
        request = self._request()
        try:
            found = panel.act(action, request)
            if action == "rename":
                self.server.page = panel.page()
            self._send_json(HTTPStatus.OK, found)
        except StaleError as error:
            self._send_json(HTTPStatus.CONFLICT, {"error": str(error), "state": panel.get("state")})
        except ValueError as error:
            self._send_json(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except OSError as error:
            sentence = f"the answer was discarded because it could not be saved: {error.strerror or error}"
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": sentence})

    def _request(self) -> dict[str, Any]:
        """Return the JSON body of a request. Requests that the page has not sent are refused."""
        origin = f"http://{self.headers['Host'].strip().lower()}"
        if [each.lower() for each in self.headers.get_all("Origin", [])] != [origin]:
            raise _Refusal(HTTPStatus.FORBIDDEN, "Answers are accepted only from the report page.")
        if self.headers.get_content_type() != "application/json" or "Content-Type" not in self.headers:
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The content type must be application/json.")
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) != 1:
            said = "A request must have exactly one Content-Length header."
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, said)
        if not (lengths[0].isascii() and lengths[0].isdigit()):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "Content-Length must be a non-negative integer.")
        if len(lengths[0]) > 9 or int(lengths[0]) > _LARGEST_ANSWER:
            said = f"Answers must not exceed {_LARGEST_ANSWER} bytes."
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said)
        body = self.rfile.read(int(lengths[0]))
        try:
            request = json.loads(body.decode())
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict) or len(body) < int(lengths[0]):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "The body must be a complete JSON object.")
        return request

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an error with the usual headers. Unlike the base class, do not quote the request."""
        self.close_connection = True
        self._send(HTTPStatus(code), f"{HTTPStatus(code).phrase}\n".encode(), _PLAIN)

    def _send_json(self, status: HTTPStatus, value: dict[str, Any]) -> None:
        self._send(status, json.dumps(value, allow_nan=False).encode(), "application/json; charset=utf-8")

    def _send(self, status: HTTPStatus, body: bytes, kind: str, **more: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (_HEADERS | more).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass
