"""The report served to this computer only."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

from moo_clustering.cli import serve

FIT = (
    "fit",
    "table.csv",
    "--method",
    "slices",
    "--id-column",
    "id",
    "--drop",
    "some",
    "--drop",
    "kind",
    "-k",
    3,
)
WAIT = 600.0


@pytest.fixture
def folder(run, slices, table, tmp_path):
    """A folder of a run without a page."""
    assert run(*FIT, "--out", "out").exit_code == 0
    (tmp_path / "out" / "report.html").unlink()
    return tmp_path / "out"


def _heed_interrupts():
    # A run of tests in the background may ignore them, and so would whoever it starts.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def served(folder, *extra):
    """The process and its address."""
    command = [sys.executable, "-m", "moo_clustering", "explore", str(folder), "--no-browser", *extra]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=_heed_interrupts,
    )
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + process.stderr.read()
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate(timeout=WAIT)


def ask(port, path="/", method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in ({"Host": f"127.0.0.1:{port}"} | headers).items():
            for each in value if isinstance(value, tuple) else (value,):
                connection.putheader(name, each)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no interrupts from another process")
def test_served_until_interrupted(folder):
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with served(folder) as (process, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=WAIT) as answer:
            page = answer.read().decode()
            headers = answer.headers
        assert "<title>Slices on table.csv</title>" in page
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert "Python" not in headers["Server"]
        assert "Access-Control-Allow-Origin" not in headers

        assert ask(port, "/report.html")[2] == page
        assert ask(port, Host=f"LOCALHOST:{port}")[0] == 200
        status, headers, body = ask(port, method="HEAD")
        assert (status, body) == (200, "")
        assert int(headers["Content-Length"]) == len(page.encode())

        # No other name leads here, whoever resolves it so.
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port + 1}", "127.0.0.1", "", ()):
            status, _, body = ask(port, Host=host)
            assert status in (400, 403)
            assert "Slices" not in body
        assert ask(port, Host=(f"127.0.0.1:{port}", "evil.example"))[0] == 403

        # Nothing else of the folder is there.
        for path in (
            "/run.json",
            "/labels.csv",
            "/..",
            "/../out/run.json",
            "/%2e%2e/out/run.json",
            "/out/",
        ):
            status, _, body = ask(port, path)
            assert status == 404
            assert "Slices" not in body
        assert ask(port, method="POST")[0] == 501

        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=WAIT)
        assert process.returncode == 0
        assert stdout.strip() == "Stopped; the report is no longer served."
        assert stderr == ""
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other addresses of this computer are named otherwise")
def test_only_the_loopback_address_answers(folder):
    with served(folder) as (_, port), pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port), timeout=WAIT).close()


def test_taken_port(fails, folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = fails("explore", "out", "--port", port, "--no-browser")
    assert message.startswith(f"cannot serve at port {port}: ")
    assert "leave out --port" in message


def test_what_is_no_run(fails):
    assert fails("explore", "nothing", "--no-browser") == "nothing does not exist"


@pytest.mark.parametrize("opens", [True, False])
def test_browser_is_opened(run, folder, monkeypatch, opens):
    asked = []

    def browser(address):
        asked.append(address)
        return opens

    def until_asked(server):
        while not asked:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", browser)
    monkeypatch.setattr("moo_clustering.cli.serve.PageServer.serve_forever", until_asked)
    result = run("explore", "out")
    assert result.exit_code == 0
    assert asked[0] in result.stdout
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", asked[0])


def test_without_a_browser_the_address_is_all(capsys, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    serve._open("http://127.0.0.1:1/")
    assert "open the address in one yourself" in capsys.readouterr().err
