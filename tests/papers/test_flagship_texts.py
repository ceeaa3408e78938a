"""Texts with classes: of JSON lines, and of the collections of the protocol."""

import gzip
import json

import numpy as np
import pytest

from moo_clustering.datasets import DataError
from papers.flagship_sets import CORPORA, corpus_texts, json_texts, load_suite


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no documents"),
        ([{"text": "a b"}], "no field .*; there are text"),
        ([{"text": "a b", "label": f"of its own {i}"} for i in range(12)], "no label of 10 texts"),
        (
            [{"text": "a b", "labels": ["x", "y"]} for _ in range(12)],
            "no label of 10 texts without other labels",
        ),
    ],
)
def test_texts_without_classes(tmp_path, lines, message):
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(DataError, match=message):
        json_texts(tmp_path / "t.jsonl")


def test_rare_labels_are_left_out(tmp_path):
    labels = ["sea"] * 11 + ["rare"] * 9 + ["sky"] * 10
    lines = [json.dumps({"text": f"word{i}", "label": label}) for i, label in enumerate(labels)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    found = json_texts(tmp_path / "t.jsonl")
    assert found.texts == [f"word{i}" for i, label in enumerate(labels) if label != "rare"]
    assert len(set(found.classes[:11])) == len(set(found.classes[11:])) == 1
    assert (
        found.note == "labels in field label; 9 texts with several labels, a rare label or no label omitted"
    )


def write_collection(folder, file, topics, n=10):
    """Ten documents of each topic, of words of their own."""
    with gzip.open(folder / file, "wt", encoding="utf-8") as out:
        for topic in topics:
            for i in range(n):
                words = f"about {topic.replace('.', '')} and {topic.replace('.', '')} again"
                out.write(json.dumps({"title": f"{topic} {i}", "text": words, "labels": [topic]}) + "\n")


def test_corpora_are_topics_of_a_collection(tmp_path):
    asked = CORPORA["newsgroups5"].topics
    write_collection(tmp_path, "20news_bydate.jsonl.gz", [*asked, "alt.atheism"])
    found = corpus_texts("newsgroups5", tmp_path / "20news_bydate.jsonl.gz")
    assert np.bincount(found.classes).tolist() == [10] * 5
    for text, number in zip(found.texts, found.classes, strict=True):
        assert text.startswith(f"{asked[number]} ")
        assert "\nabout " in text
    suite = load_suite(tmp_path)
    (five,) = suite.sets
    assert (five.name, five.kind, five.n_classes, five.n_samples) == ("newsgroups5", "t", 5, 50)
    # Of the ten topics of the other one only four are there.
    missing = [topic for topic in CORPORA["newsgroups10"].topics if topic not in (*asked, "alt.atheism")]
    assert {one.file: one.reason for one in suite.skipped} == {
        "20news_bydate.jsonl.gz": f"no 10 documents about {', '.join(missing)}"
    }


def test_collections_beside_the_protocol_are_read_when_asked_for(tmp_path):
    write_collection(tmp_path, "asrs_raw_text.jsonl.gz", ["ice", "birds"])
    np.savez(tmp_path / "plain.npz", X=np.random.default_rng(0).random((24, 2)), y=np.arange(24) % 2)
    suite = load_suite(tmp_path)
    assert [one.name for one in suite.sets] == ["plain"]
    told = "not in the suite of the protocol; request it by name"
    assert {one.file: one.reason for one in suite.skipped} == {"asrs_raw_text.jsonl.gz": told}
    asked = load_suite(tmp_path, ["asrs_raw_text"])
    assert [(one.name, one.n_classes, one.n_samples) for one in asked.sets] == [("asrs_raw_text", 2, 20)]
    assert asked.skipped == []
