"""The report served to this computer only."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager

import pytest

from moo_clustering.cli import explore

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
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/[\w-]{22}/) ", line)
        assert found, line + process.stderr.read()
        yield process, int(found[1]), found[2]
    finally:
        process.kill()
        process.communicate(timeout=WAIT)


def ask(port, path, method="GET", **headers):
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no interrupts from another process")
def test_served_until_interrupted(folder):
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with served(folder) as (process, port, place):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{place}", timeout=WAIT) as answer:
            page = answer.read().decode()
            headers = answer.headers
        assert "<title>Slices on table.csv</title>" in page
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert "Python" not in headers["Server"]
        assert "Access-Control-Allow-Origin" not in headers

        assert ask(port, f"{place}report.html")[2] == page
        assert ask(port, place, Host=f"LOCALHOST:{port}")[0] == 200
        status, headers, body = ask(port, place, method="HEAD")
        assert (status, body) == (200, "")
        assert int(headers["Content-Length"]) == len(page.encode())
        status, headers, _ = ask(port, place[:-1])
        assert (status, headers["Location"]) == (303, place)

        # No other name leads here, whoever resolves it so.
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port + 1}", "127.0.0.1", "", ()):
            status, _, body = ask(port, place, Host=host)
            assert status in (400, 403)
            assert "Slices" not in body
        assert ask(port, place, Host=(f"127.0.0.1:{port}", "evil.example"))[0] == 400

        # Nothing is there for who does not know the random path, and nothing else of the folder.
        guesses = ("/", "/report.html", f"{place[:-2]}/", f"{place[:-1]}x/", "//", "/%00/", "*", "")
        files = [
            f"{place}{name}" for name in ("run.json", "..", "../out/run.json", "%2e%2e/out/run.json", "out/")
        ]
        for path in (*guesses, *files, f"{place}api/state"):
            status, _, body = ask(port, path or "/")
            assert status == 404, path
            assert "Slices" not in body
        assert ask(port, place, method="POST")[0] == 404
        assert ask(port, f"{place}api/answer", method="POST")[0] == 404

        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=WAIT)
        assert process.returncode == 0
        assert stdout.strip() == "Stopped serving the report."
        assert stderr == ""
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.fixture
def server():
    """A server of a small page, in this process."""
    with explore.PageServer(b"<p>page</p>", 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def sent(server, request):
    """The head and the body of an answer to bytes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=WAIT) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.decode("iso-8859-1").partition("\r\n\r\n")
    return head, body


HOST = b"Host: 127.0.0.1:%d\r\n"
MALFORMED = {
    b"GET\r\n\r\n": 400,
    b"\r\n\r\n": 400,
    b"\x00\xff\xfe / HTTP/1.1\r\n\r\n": 400,
    b"GET / HTTP\r\n\r\n": 400,
    b"GET / HTTP/1.1 more\r\n\r\n": 400,
    b"GET /\r\n\r\n": 400,
    b"GET / HTTP/9.9\r\n\r\n": 505,
    b"GET http://[ HTTP/1.1\r\n" + HOST + b"\r\n": 400,
    b"GET http://[::x]/ HTTP/1.1\r\n" + HOST + b"\r\n": 400,
    b"GET / HTTP/1.1\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nno header\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n": 403,
    b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 70_000): 414,
    b"GET / HTTP/1.1\r\nX: %s\r\n\r\n" % (b"x" * 70_000): 431,
    b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 200 + b"\r\n": 431,
    b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n": 501,
    b"OPTIONS / HTTP/1.1\r\n" + HOST + b"\r\n": 501,
    b"GET /\xe2\x80\xae HTTP/1.1\r\n" + HOST + b"\r\n": 404,
}


@pytest.mark.parametrize("request_", MALFORMED, ids=lambda request: repr(request[:24]))
def test_whatever_is_sent_is_answered_with_the_same_headers(server, request_):
    whole = request_.replace(b"%d", b"%d" % server.server_port)
    head, body = sent(server, whole)
    assert head.split(" ")[1] == str(MALFORMED[request_])
    for name, value in explore._HEADERS.items():
        assert f"\r\n{name}: {value}" in head
    assert "Content-Type: text/plain; charset=utf-8" in head
    # A sentence, and not what was sent.
    assert len(body) < 80
    assert body.isprintable() or body[:-1].isprintable()


def test_the_address_for_a_browser_leads_to_the_page_once(server):
    code = server.invitation.removeprefix(f"http://127.0.0.1:{server.server_port}")
    assert code not in server.address
    assert ask(server.server_port, code, method="HEAD")[0] == 404
    status, headers, body = ask(server.server_port, code)
    assert (status, body) == (303, "")
    assert f"http://127.0.0.1:{server.server_port}{headers['Location']}" == server.address
    assert headers["Referrer-Policy"] == "no-referrer"
    assert ask(server.server_port, code)[0] == 404
    assert ask(server.server_port, headers["Location"])[2] == "<p>page</p>"


def test_every_server_has_an_address_of_its_own(server):
    with explore.PageServer(b"", 0) as other:
        names = [each.address.split("/")[3] for each in (server, other)]
        names += [each.invitation.split("/")[3] for each in (server, other)]
    assert len(set(names)) == 4
    assert all(len(name) >= 22 for name in names)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other addresses of this computer are named otherwise")
def test_only_the_loopback_address_answers(folder):
    with served(folder) as (_, port, _), pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port), timeout=WAIT).close()


def test_taken_port(fails, folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = fails("explore", "out", "--port", port, "--no-browser")
    assert message.startswith(f"cannot listen on port {port}: ")
    assert "omit --port" in message


def test_what_is_no_run(fails):
    assert fails("explore", "nothing", "--no-browser") == "nothing does not exist"


def test_questions_need_a_run_that_can_be_asked_about(fails, folder):
    before = {path.name for path in folder.iterdir()}
    assert "cannot ask questions about out: method slices" in fails("explore", "out", "--ask")
    assert "--mode requires --ask" in fails("explore", "out", "--mode", "names")
    assert "--error-rate requires --ask" in fails("explore", "out", "--error-rate", "0.1")
    assert {path.name for path in folder.iterdir()} == before


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
    monkeypatch.setattr("moo_clustering.cli.explore.PageServer.serve_forever", until_asked)
    result = run("explore", "out")
    assert result.exit_code == 0
    assert re.search(r" http://127\.0\.0\.1:\d+/[\w-]{22}/ ", result.stdout)
    # Other users of the computer can read the command line of a browser.
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}", asked[0])
    assert asked[0] not in result.stdout


def test_without_a_browser_the_address_is_all(capsys, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    explore._open("http://127.0.0.1:1/")
    assert "open the address manually" in capsys.readouterr().err
