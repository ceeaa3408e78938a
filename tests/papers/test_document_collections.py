"""Collections of documents: what is kept of them, and the data sets drawn from them."""

import gzip
import itertools
import json
import math

import numpy as np
import pytest

from moo_clustering.datasets import DataError
from papers.documents import COLLECTIONS, Collection, draw_sets, load_collection


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Writes the file of a collection of given labels; the documents are numbered."""
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)

    def write(rows, file="drug_reviews.jsonl.gz", place="text", **fields):
        (tmp_path / place).mkdir(exist_ok=True)
        records = [
            {"id": str(row), "title": f"T{row}", "text": "", "labels": topics, **fields}
            for row, topics in enumerate(rows)
        ]
        with gzip.open(tmp_path / place / file, "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(record) + "\n" for record in records)
        return tmp_path

    return write


def titles(collection):
    return [document["title"] for document in collection.documents]


def made(sizes, limits=None):
    y = np.concatenate([np.full(size, topic) for topic, size in enumerate(sizes)])
    documents = [{"title": str(row)} for row in range(len(y))]
    names = tuple("abcdefgh"[: len(sizes)])
    return Collection("made", "nothing", documents, y, names, limits)


def test_small_topics_go_before_documents_in_several(folder):
    labels = [["b"]] * 9 + [["b", "small"]] + [["a"]] * 10 + [["a", "b"], []] + [["small"]] * 3
    collection = load_collection("drug-reviews", folder(labels))
    assert (collection.name, collection.topics) == ("drug-reviews", ("a", "b"))
    assert (collection.n_documents, collection.n_topics) == (20, 2)
    assert titles(collection) == [f"T{row}" for row in range(20)]
    assert collection.y.tolist() == [1] * 10 + [0] * 10
    assert "TREC" in collection.stand_in_for


def test_a_topic_with_too_few_documents_of_its_own_goes(folder):
    labels = [["a"]] * 12 + [["a", "b"]] * 2 + [["b"]] * 9
    collection = load_collection("drug-reviews", folder(labels))
    assert (collection.topics, collection.n_documents) == (("a",), 12)
    with pytest.raises(DataError, match="has no topic with 10 documents of only this topic"):
        load_collection("drug-reviews", folder([["a", "b"]] * 20))


def test_documents_without_text_do_not_count(folder):
    root = folder([["a"]] * 10, title=" ", text=None)
    with pytest.raises(DataError, match="has no topic"):
        load_collection("drug-reviews", root)
    collection = load_collection("drug-reviews", folder([["a"]] * 10, title=None, mesh=["Heart"]))
    assert collection.documents[0] == {"title": "", "text": "", "headings": ["Heart"]}


def test_topics_and_headings_of_single_sources(folder):
    root = folder([["q/1", "q/2"]] * 10 + [["q/1", "r/1"]] + [["r/2"]] * 10, "ebm_documents.jsonl.gz")
    assert load_collection("ebm-questions", root).topics == ("q", "r")
    assert load_collection("ebm-questions", root).n_documents == 20
    root = folder([["1"]] * 10, "cystic_fibrosis.jsonl.gz", mesh=["LUNG: ra, pa", "CHILD"])
    assert load_collection("cystic-fibrosis", root).documents[0]["headings"] == ["LUNG", "CHILD"]


def test_where_the_files_are(folder, monkeypatch):
    root = folder([["a"]] * 10)
    monkeypatch.setenv("MOO_CLUSTERING_DATA", str(root))
    assert load_collection("drug-reviews").n_documents == 10
    assert load_collection("drug-reviews", root / "text").n_documents == 10
    monkeypatch.delenv("MOO_CLUSTERING_DATA")
    with pytest.raises(DataError, match="set MOO_CLUSTERING_DATA"):
        load_collection("drug-reviews")
    with pytest.raises(DataError, match=r"there is no ohsumed_single23\.jsonl\.gz in"):
        load_collection("ohsumed", root)
    with pytest.raises(ValueError, match="no collection 'ohsumet'; did you mean 'ohsumed'"):
        load_collection("ohsumet", root)


@pytest.mark.parametrize("fields", [{"labels": "a"}, {"labels": None}, {"mesh": [3]}, {"mesh": "Heart"}])
def test_refuses_lists_that_are_none(folder, fields):
    with pytest.raises(DataError, match="line 1: labels and mesh must be lists of strings"):
        load_collection("drug-reviews", folder([["a"]] * 10, **fields))


def test_refuses_texts_that_are_none(folder):
    with pytest.raises(DataError, match="line 1: title and text must be strings"):
        load_collection("drug-reviews", folder([["a"]] * 10, text=["x"]))


def test_sets_hold_all_documents_of_their_topics_in_random_order():
    collection = made([10, 12, 14, 16, 18])
    sets = draw_sets(collection, 3, 6, np.random.default_rng(0))
    assert len(sets) == 6
    for drawn in sets:
        codes = ["abcdefgh".index(topic) for topic in drawn.topics]
        assert sorted(drawn.rows) == np.flatnonzero(np.isin(collection.y, codes)).tolist()
        assert list(drawn.rows) != sorted(drawn.rows)
        assert [drawn.topics[code] for code in drawn.y] == [
            "abcdefgh"[collection.y[row]] for row in drawn.rows
        ]
        assert [document["title"] for document in drawn.documents] == [str(row) for row in drawn.rows]
        assert drawn.y.max() == 2
        sizes = np.bincount(drawn.y)
        assert drawn.balance == pytest.approx(sizes.min() / sizes.max())
        assert drawn.n_documents == sizes.sum()


def test_no_two_sets_have_the_same_topics():
    for k in (2, 3, 4):
        sets = draw_sets(made([10] * 4), k, 10, np.random.default_rng(1))
        assert {drawn.topics for drawn in sets} == set(itertools.combinations("abcd", k))
        assert len(sets) == math.comb(4, k)


def test_the_generator_decides():
    collection = made([10] * 8, (3, 9))

    def draw(n_sets, seed):
        return [
            drawn.rows.tolist() for drawn in draw_sets(collection, 3, n_sets, np.random.default_rng(seed))
        ]

    assert draw(5, 0) == draw(9, 0)[:5]
    assert draw(5, 0) != draw(5, 1)


def test_topics_are_drawn_alike():
    sets = [draw_sets(made([10] * 8), 2, 1, np.random.default_rng(seed))[0].topics for seed in range(400)]
    counts = [sum(topic in topics for topics in sets) for topic in "abcdefgh"]
    # 100 of 400 are expected, with a standard deviation of 8.7.
    assert sum(counts) == 800
    assert min(counts) > 65
    assert max(counts) < 135


def test_sizes_are_drawn_between_the_limits():
    collection = made([8, 30, 40], (10, 20))
    sets = [draw_sets(collection, 3, 1, np.random.default_rng(seed))[0] for seed in range(60)]
    sizes = np.array([np.bincount(drawn.y) for drawn in sets])
    assert set(sizes[:, 0]) == {8}
    assert set(sizes[:, 1]) == set(range(10, 21))
    assert all(len(set(drawn.rows.tolist())) == drawn.n_documents for drawn in sets)
    assert len({frozenset(drawn.rows[drawn.y == 2].tolist()) for drawn in sets}) == 60


@pytest.mark.parametrize("k", [1, 4])
def test_refuses_numbers_of_topics(k):
    with pytest.raises(ValueError, match=f"k must be from 2 to 3, the topics of 'made'; got {k}"):
        draw_sets(made([10] * 3), k, 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="n_sets must be at least 1, got 0"):
        draw_sets(made([10] * 3), 2, 0, np.random.default_rng(0))


SIZES = {
    "drug-reviews": (1396, 9),
    "ebm-questions": (372, 33),
    "cystic-fibrosis": (46, 3),
    "ohsumed": (7400, 23),
    "20news": (18846, 20),
    "reuters": (9476, 45),
    "asrs": (190, 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_real_collections(data_folder, name):
    collection = load_collection(name, data_folder)
    assert (collection.n_documents, collection.n_topics) == SIZES[name]
    assert np.bincount(collection.y).min() >= 10
    drawn = draw_sets(collection, 3, 1, np.random.default_rng(0))[0]
    assert len(drawn.topics) == 3
    if collection.sizes is not None:
        assert np.bincount(drawn.y).max() <= collection.sizes[1]
