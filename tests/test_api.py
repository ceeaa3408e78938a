"""Released names stay: the gate finds every kind of loss, and only those."""

import json

import pytest

from tests import api

OLD = {
    "graphs.knn": "function (X, k=5, *, metric='euclidean', mode=(1, 2))",
    "graphs.Graph": "class (n)",
    "graphs.Graph bases": "object",
    "graphs.Graph.cut": "method (self, labels)",
    "command fit --out": "option out",
}


def test_signatures_are_read():
    assert api.parameters("function (X, k=5, *, metric='a', mode=(1, 2), **rest)") == {
        "X": (True, True),
        "k": (True, False),
        "metric": (False, False),
        "mode": (False, False),
    }
    assert api.parameters("class ()") == {}


def test_additions_and_defaults_are_allowed():
    new = OLD | {
        "graphs.knn": "function (X, k=7, *, metric='cosine', mode=(1, 2), new=None)",
        "graphs.Graph bases": "Base, object",
        "graphs.ring": "function (n)",
    }
    assert api.losses(OLD, new) == {}


@pytest.mark.parametrize(
    ("name", "text", "loss"),
    [
        ("graphs.knn", None, {"graphs.knn": "disappeared"}),
        ("command fit --out", None, {"command fit --out": "disappeared"}),
        ("graphs.Graph.cut", "method (self)", {"graphs.Graph.cut(labels)": "disappeared"}),
        ("graphs.Graph", "class (n, m)", {"graphs.Graph(m)": "is new and required"}),
        (
            "graphs.knn",
            "function (X, *, k=5, metric, mode=(1, 2))",
            {"graphs.knn(k)": "became keyword-only", "graphs.knn(metric)": "became required"},
        ),
    ],
)
def test_losses_are_found(name, text, loss):
    new = {key: value for key, value in (OLD | {name: text}).items() if value is not None}
    assert api.losses(OLD, new) == loss


@pytest.mark.parametrize(
    ("since", "version", "allowed"),
    [(None, "0.4.0", False), ("0.2.0", "0.3.0", False), ("0.2.3", "0.4.0", True), ("0.9.0", "1.0.0", True)],
)
def test_a_deprecated_name_stays_for_one_minor_version(since, version, allowed):
    deprecated = {} if since is None else {"graphs.knn": since}
    new = {name: text for name, text in OLD.items() if name != "graphs.knn"}
    assert (api.faults(OLD, new, deprecated, version) == []) is allowed


def test_the_command_fails_on_a_loss(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(api, "RELEASED", tmp_path / "released.json")
    monkeypatch.setattr(api.public_api, "collect", lambda: dict(OLD))
    assert api.main([]) == 0
    assert "no version has been released" in capsys.readouterr().out
    assert api.main(["--release"]) == 0
    assert api.main([]) == 0
    record = json.loads(api.RELEASED.read_text())
    record["names"]["graphs.gone"] = "function ()"
    api.RELEASED.write_text(json.dumps(record))
    assert api.main([]) == 1
    assert "graphs.gone disappeared without a deprecation" in capsys.readouterr().out


def test_nothing_that_was_released_is_lost():
    assert api.main([]) == 0
