"""The page that asks: its requests, and everything else that may come in their place."""

import http.client
import json
import threading
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from moo_clustering import ParetoClustering
from moo_clustering.cli.explore import AnswerPanel, PageServer
from moo_clustering.interactive.shown import ShownSamples

X, _ = make_blobs(45, centers=[[0, 0], [4, 0], [1, 4]], cluster_std=1.3, random_state=3)


@pytest.fixture(scope="module")
def model():
    return ParetoClustering(random_state=0).fit(X)


class Run(SimpleNamespace):
    """A run without a folder."""

    table_folder = None
    labels = property(lambda self: self.session.labels_)


class Page:
    """A page that is served in this process, and a session behind it."""

    def __init__(self, session):
        self.session = session
        files = {"must_link.csv": pd.DataFrame({"first": ["a", "=b,"], "second": ["c", "d"]})}
        shown = ShownSamples.of(X)
        run = Run(session=session, shown=shown, answers=lambda: files)
        self.server = PageServer(b"<p>page</p>", 0, AnswerPanel(run))
        self.place = self.server.address.split("/")[3]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def request(self, method, path, body=None, **headers):
        host = f"127.0.0.1:{self.server.server_port}"
        connection = http.client.HTTPConnection(host, timeout=60)
        usual = {} if body is None else {"Origin": f"http://{host}", "Content-Type": "application/json"}
        wanted = {name.replace("_", "-"): value for name, value in (usual | headers).items()}
        try:
            connection.request(
                method, f"/{self.place}/{path}", body, {k: v for k, v in wanted.items() if v is not None}
            )
            answer = connection.getresponse()
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, body = self.request("GET", f"api/{path}")
        return status, json.loads(body) if body.startswith(b"{") else body

    def post(self, action, **request):
        status, body = self.request("POST", f"api/{action}", json.dumps(request))
        return status, json.loads(body)


@pytest.fixture
def page(model, tmp_path):
    page = Page(model.ask(path=tmp_path / "answers.json"))
    yield page
    page.server.shutdown()
    page.thread.join()
    page.server.server_close()


@pytest.fixture
def named(model):
    page = Page(model.ask("names"))
    yield page
    page.server.shutdown()
    page.thread.join()
    page.server.server_close()


def test_the_state_has_the_question_and_nothing_that_the_model_expects(page):
    status, state = page.get("state")
    assert (status, state["revision"], state["mode"], state["history"]) == (200, 0, "pairs", [])
    assert state["question"]["samples"] == list(page.session.question.samples)
    assert set(state["question"]) == {"samples", "shown", "pictures", "beside"}
    assert state["question"]["pictures"] == [False, False]
    assert set(state["question"]["shown"]) == {"names", "notes", "features", "texts", "words"}
    i, j = state["question"]["samples"]
    values = {name: cells for name, cells, _ in state["question"]["shown"]["features"]}
    assert values == {f"feature {k}": [f"{X[i, k]:.6g}", f"{X[j, k]:.6g}"] for k in range(2)}
    assert [group["size"] for group in state["groups"]] == page.session.groups_["size"].tolist()
    assert (state["canUndo"], state["canRedo"], state["mayStop"]) == (False, False, False)


def test_answers_undo_redo_names_and_reopening(page, model, tmp_path):
    session, states = page.session, [page.get("state")[1]]
    for word in ("together", "apart", "unknown"):
        status, state = page.post("answer", revision=states[-1]["revision"], answer=word)
        assert status == 200
        assert state == page.get("state")[1]
        assert state["history"][-1]["answer"] == word
        states.append(state)
    assert [state["revision"] for state in states] == [0, 1, 2, 3]
    assert len(model.ask(resume=tmp_path / "answers.json").history_) == 3
    same = ["question", "labels", "groups", "history", "expectedError"]
    _, state = page.post("undo", revision=3)
    assert {name: state[name] for name in same} == {name: states[2][name] for name in same}
    assert (state["revision"], state["canRedo"]) == (4, True)
    _, state = page.post("redo", revision=4)
    assert {name: state[name] for name in same} == {name: states[3][name] for name in same}
    assert not state["canRedo"]
    _, state = page.post("name", revision=5, group=0, name="first")
    assert state["groups"][0]["name"] == "first"
    status, question = page.get("question/1")
    assert (status, question["samples"]) == (200, states[1]["question"]["samples"])
    _, state = page.post("reopen", revision=6, number=1, answer="together")
    assert [line["answer"] for line in state["history"]] == ["together", "together", "unknown", "first"]
    _, state = page.post("reopen", revision=7, number=3, answer=None)
    assert len(state["history"]) == 3
    for revision in (8, 9, 10, 11, 12):
        status, state = page.post("undo", revision=revision)
        assert status == 200
    assert state["history"][0]["answer"] == "together"
    _, state = page.post("undo", revision=13)
    assert {name: state[name] for name in same} == {name: states[0][name] for name in same}
    assert page.post("undo", revision=14) == (400, {"error": "there is no answer to undo"})
    assert session.labels_.tolist() == model.labels_.tolist()


def test_an_answer_to_an_old_question_gets_the_present_state(page):
    status, present = page.post("answer", revision=0, answer="apart")
    assert status == 200
    for request in ({"revision": 0}, {"revision": 2}, {"revision": "1"}, {"revision": None}, {}):
        for action in ("answer", "undo", "name", "reopen"):
            status, found = page.post(action, **request, answer="together", name="x", group=0, number=0)
            assert status == 409
            assert found["state"] == present
            assert found["error"].startswith("this question has already been answered")
    assert len(page.session.history_) == 1


def test_of_many_answers_at_once_one_counts(page):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(page.post("answer", revision=0, answer="apart")[0]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200] + [409] * 7
    assert len(page.session.history_) == 1


def test_names(named):
    _, state = named.get("state")
    assert len(state["question"]["samples"]) == 1
    assert state["question"]["beside"] is None
    hostile = "<script>alert(1)</script> \u202e =1+1"
    status, state = named.post("answer", revision=0, answer=hostile)
    assert status == 200
    assert hostile in [group["name"] for group in state["groups"]]
    assert named.get("question/0")[1]["samples"] == [state["history"][0]["i"]]
    for answer in ("", " ", "x" * 10_000, "\ud800", "a\x1b[31m", "a\nb"):
        assert named.post("answer", revision=1, answer=answer)[0] == 400
    assert len(named.session.history_) == 1


REFUSED = [
    ("answer", {"answer": "togehter"}, "did you mean 'together'"),
    ("answer", {"answer": None}, "answer must be a string"),
    ("answer", {"answer": ["together"]}, "answer must be a string"),
    ("answer", {}, "answer must be a string"),
    ("name", {"group": 99, "name": "x"}, "group must be"),
    ("name", {"group": -1, "name": "x"}, "group must be"),
    ("name", {"group": True, "name": "x"}, "must be an integer"),
    ("name", {"group": 0, "name": ""}, "non-empty"),
    ("reopen", {"number": 7, "answer": None}, "got 7"),
    ("reopen", {"number": 0, "answer": "both"}, "got 0"),
    ("reopen", {"number": "0"}, "must be an integer"),
    ("redo", {}, "no answer to redo"),
]


@pytest.mark.parametrize(("action", "request_", "message"), REFUSED)
def test_what_the_session_refuses_is_one_sentence(page, action, request_, message):
    status, answer = page.post(action, revision=0, **request_)
    assert status == 400
    assert message in answer["error"]
    assert page.get("state")[1]["revision"] == 0


BODY = json.dumps({"revision": 0, "answer": "apart"})
HEADERS = [
    ({"Origin": None}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "http://127.0.0.1"}, 403),
    ({"Host": "evil.example"}, 403),
    ({"Content_Type": None}, 415),
    ({"Content_Type": "text/plain"}, 415),
    ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
    ({"Content_Length": "-1"}, 400),
    ({"Content_Length": "1e3"}, 400),
    ({"Content_Length": "65537"}, 413),
    ({"Content_Length": "9" * 30}, 413),
    ({"Transfer_Encoding": "chunked"}, 411),
]


@pytest.mark.parametrize(("headers", "status"), HEADERS)
def test_requests_of_others_change_nothing(page, headers, status):
    assert page.request("POST", "api/answer", BODY, **headers)[0] == status
    assert page.session.history_.empty


@pytest.mark.parametrize("body", ["", "nonsense", "[]", "null", "[" * 60_000, '{"revision": 0', b"\xff\xfe"])
def test_what_is_no_json_object_is_refused(page, body):
    assert page.request("POST", "api/answer", body)[0] == 400
    assert page.session.history_.empty


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "api/save"),
        ("POST", "api/state"),
        ("POST", ""),
        ("POST", "answer"),
        ("GET", "api/answer"),
        ("GET", "api/question/0"),
        ("GET", "api/question/-1"),
        ("GET", "api/question/" + "9" * 5000),
        ("GET", "api/labels.csv"),
        ("GET", "api/picture/0"),
        ("GET", "api/../answers.json"),
        ("GET", "state"),
    ],
)
def test_what_is_not_there(page, method, path):
    assert page.request(method, path, BODY if method == "POST" else None)[0] == 404


def test_nothing_is_there_without_the_random_path(page):
    page.place = "api"
    assert page.request("GET", "state")[0] == 404
    assert page.request("POST", "answer", BODY)[0] == 404
    assert page.session.history_.empty


def test_pictures_are_found_by_the_row_and_never_by_a_path(page, tmp_path):
    (tmp_path / "own.gif").write_bytes(b"GIF89a, and more")
    run = page.server.panel._run
    notes = pd.DataFrame({"name": "someone", "picture": ["own.gif"] * 44 + ["other.gif"]})
    run.shown, run.table_folder = ShownSamples.of(X, notes=notes), tmp_path
    assert page.request("GET", "api/picture/3") == (200, b"GIF89a, and more")
    i, j = page.session.question.samples
    assert page.get("state")[1]["question"]["pictures"] == [i != 44, j != 44]
    for path in ("44", "45", "-1", "own.gif", "../own.gif", "3/own.gif", "", "9" * 20):
        assert page.request("GET", f"api/picture/{path}")[0] == 404


def test_answers_can_be_downloaded(page):
    assert page.get("must_link.csv") == (200, b'first,second\na,c\n"\'=b,",d\n')


def test_an_answer_that_cannot_be_saved_does_not_count(page, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    before = page.get("state")
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        status, answer = page.post("answer", revision=0, answer="apart")
    assert status == 500
    assert (
        answer["error"] == "the answer was discarded because it could not be saved: No space left on device"
    )
    assert page.get("state") == before
    assert page.post("answer", revision=0, answer="apart")[0] == 200
    assert np.isfinite(page.session.expected_error_)
