"""Reading documents and weighting their terms."""

import csv
import gzip
import json
import math
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.datasets import DataError, read_documents, tfidf
from papers.ebm import load_ebm


@pytest.fixture
def lines(tmp_path):
    """A file of JSON lines."""

    def _lines(*records, name="notes.jsonl"):
        path = tmp_path / name
        data = "".join(json.dumps(record) + "\n" for record in records).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return _lines


@pytest.fixture
def folder(tmp_path):
    def _folder(**texts):
        for name, text in texts.items():
            path = tmp_path / "texts" / name.replace("__", "/")
            path = path.with_name(f"{path.name}.txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "texts"

    return _folder


@pytest.mark.parametrize("name", ["notes.jsonl", "notes.jsonl.gz", "NOTES.JSONL"])
def test_json_lines(lines, name):
    path = lines(
        {"id": "a", "title": "One", "text": "first text", "kind": "x", "year": 1999},
        {"id": 7, "text": None, "title": "Two", "kind": ""},
        {"id": "c", "kind": 3.0},
        name=name,
    )
    documents = read_documents(path, labels="kind")
    assert documents.name == name
    assert documents.texts == ["One\nfirst text", "Two", ""]
    assert documents.titles == ["One", "Two", ""]
    assert documents.row_ids.tolist() == ["a", "7", "c"]
    assert documents.has_row_ids
    assert documents.target_names == ("3", "x")
    assert documents.y.tolist() == [1, -1, 0]
    assert documents.label_sets is None
    assert documents.partial_y is None
    assert (documents.n_samples, documents.n_classes) == (3, 2)


def test_named_columns_of_text_in_their_order(lines):
    path = lines({"title": "T", "body": "B", "mesh": ["Lung", "Heart"]}, {"mesh": [], "body": 5})
    documents = read_documents(path, text_columns=["mesh", "body"])
    assert documents.texts == ["Lung\nHeart\nB", "5"]
    assert documents.titles == ["T", ""]
    assert documents.row_ids.tolist() == [0, 1]
    assert not documents.has_row_ids
    assert read_documents(path, text_columns="body").texts == ["B", "5"]


def test_dropped_columns_are_not_taken_by_default(lines):
    path = lines({"id": "same", "title": "T", "text": "x"}, {"id": "same", "title": "U", "text": "y"})
    with pytest.warns(UserWarning, match=r"repeated values \('same'\)"):
        assert read_documents(path).row_ids.tolist() == ["same (1)", "same (2)"]
    documents = read_documents(path, drop=["id", "title"])
    assert documents.texts == ["x", "y"]
    assert documents.titles is None
    assert not documents.has_row_ids


def test_several_classes(lines):
    path = lines(
        {"text": "a", "labels": ["q", "p", "q"]}, {"text": "b", "labels": []}, {"text": "c", "labels": "p"}
    )
    documents = read_documents(path, labels="labels")
    assert documents.label_sets == [("q", "p"), (), ("p",)]
    assert documents.target_names == ("p", "q")
    assert documents.y is None


def test_lists_of_one_class_are_single_classes(lines):
    documents = read_documents(lines({"text": "a", "l": ["q"]}, {"text": "b", "l": []}), labels="l")
    assert documents.y.tolist() == [0, -1]
    assert documents.label_sets is None


def test_partial_labels(lines):
    path = lines(
        {"text": "a", "some": "x"}, {"text": "b", "some": -1}, {"text": "c"}, {"text": "d", "some": ["w"]}
    )
    documents = read_documents(path, partial_labels="some")
    assert documents.partial_y.tolist() == [1, -1, -1, 0]
    assert documents.partial_names == ("w", "x")
    with pytest.raises(DataError, match=r"line 1: column 'm' \(partial labels\) contains 2 labels"):
        read_documents(lines({"text": "a", "m": ["x", "y"]}), partial_labels="m")


def test_halves_of_surrogate_pairs_are_replaced(tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_text('{"id": "a\\ud800", "text": "caf\\u00e9 \\udc00 \\ud83d\\ude00"}\n')
    documents = read_documents(path)
    assert documents.row_ids.tolist() == ["a?"]
    assert documents.texts == ["café ? \N{GRINNING FACE}"]


def test_byte_order_mark_and_blank_lines(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "a"}\r\n\n   \n{"text": "b"}')
    assert read_documents(path).texts == ["a", "b"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_tables(tmp_path, suffix):
    path = tmp_path / f"d{suffix}"
    long = "word " * 40_000
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="," if suffix == ".csv" else "\t")
        writer.writerows(
            [
                ["id", "title", "body", "kind"],
                ["007", 'a "quoted", title', "one\ntwo,\tthree", "x"],
                ["008", "", long, ""],
            ]
        )
    limit = csv.field_size_limit()
    documents = read_documents(path, text_columns=["title", "body"], labels="kind")
    assert csv.field_size_limit() == limit
    assert documents.texts == ['a "quoted", title\none\ntwo,\tthree', long.strip()]
    assert documents.titles == ['a "quoted", title', ""]
    assert documents.row_ids.tolist() == ["007", "008"]
    assert documents.y.tolist() == [0, -1]


def test_first_column_without_a_name_identifies_the_rows(tmp_path):
    (tmp_path / "d.csv").write_text(",text\nr1,a\nr2,b\n")
    assert read_documents(tmp_path / "d.csv").row_ids.tolist() == ["r1", "r2"]


def test_folder(folder):
    path = folder(b="second", a="\ufefffirst", sub__c="third")
    (path / "notes.md").write_text("not a document")
    documents = read_documents(path)
    assert documents.name == "texts"
    assert documents.row_ids.tolist() == ["a.txt", "b.txt", "sub/c.txt"]
    assert documents.texts == ["first", "second", "third"]
    assert documents.y is None
    assert documents.titles is None


def test_sub_folders_are_classes(folder):
    path = folder(sport__a="x", sport__deep__b="y", news__c="z", d="w")
    documents = read_documents(path, labels="folder")
    assert dict(zip(documents.row_ids, documents.y, strict=True)) == {
        "d.txt": -1,
        "news/c.txt": 0,
        "sport/a.txt": 1,
        "sport/deep/b.txt": 1,
    }
    assert documents.target_names == ("news", "sport")
    partial = read_documents(path, partial_labels="folder")
    assert partial.y is None
    assert partial.partial_y.tolist() == documents.y.tolist()
    assert partial.partial_names == ("news", "sport")


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (b'{"text": "a"}\n{"text": }\n', {}, r"line 2 is not valid JSON: Expecting value at column 10"),
        (b'{"text": "a"}\n["b"]\n', {}, "line 2 must be a JSON object"),
        (b'{"text": "a"}\n{"text": "\xff"}\n', {}, r"line 2 is not valid UTF-8 \(invalid start byte\)"),
        (b'{"text": ' + b"9" * 5000 + b"}\n", {}, "line 1 cannot be read as JSON"),
        (b'{"text": {"a": 1}}\n', {}, "line 1: column 'text' must contain a string or a list of strings"),
        (b'{"text": [["a"]]}\n', {}, "line 1: column 'text' must contain a string or a list of strings"),
        (b"", {}, "contains no documents"),
        (b"\n \n", {}, "contains no documents"),
        (
            b'{"body": "a", "year": 1}\n',
            {},
            "its columns are 'body', 'year'; specify text columns with text_columns, or save the",
        ),
        (b"{}\n", {}, "its columns are none|no columns"),
        (
            b'{"text": "a"}\n',
            {"text_columns": ["txt"]},
            r"no column 'txt' \(text columns\); did you mean 'text'\?",
        ),
        (b'{"text": "a"}\n', {"text_columns": []}, "must contain at least one column name"),
        (
            b'{"text": "a"}\n',
            {"text_columns": ["text", "text"]},
            "text_columns contains 'text' more than",
        ),
        (b'{"text": "a"}\n', {"text_columns": ["text"], "labels": "text"}, "both the labels and the text"),
        (b'{"text": "a"}\n', {"labels": "x", "id_column": "x"}, "both the labels and the id column"),
        (b'{"text": "a", "kind": 1}\n', {"labels": "kin"}, r"'kin' \(labels\); did you mean 'kind'"),
        (b'{"text": "a", "kind": 1}\n', {"drop": ["kin"]}, r"'kin' \(drop\); did you mean 'kind'"),
        (b'{"text": "a", "id": "1"}\n{"text": "b"}\n', {}, "the id column 'id' is empty in row 2"),
    ],
)
def test_bad_json_lines(tmp_path, data, options, message):
    path = tmp_path / "d.jsonl"
    path.write_bytes(data)
    with pytest.raises(DataError, match=message) as caught:
        read_documents(path, **options)
    assert "\n" not in str(caught.value)
    assert caught.value.args[0].startswith((str(path), "column", "text_columns"))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("d.csv", b"", "is empty"),
        ("d.csv", b"text,kind\n", "contains no documents"),
        ("d.csv", b"text,kind\na,b\na,b,c\n", "line 3 has 3 cells"),
        ("d.csv", b"text,kind\na\n", "line 2 has 1 cell, but"),
        ("d.csv", b"text,kind\na,\xff\n", "not a UTF-8 text file"),
        ("d.csv", b"text,text\na,b\n", "two columns named 'text'"),
        ("d.jsonl.gz", b"not gzip", "is not a valid gzip file"),
        ("d.jsonl.gz", gzip.compress(b'{"text": "a"}\n' * 100, mtime=0)[:-12], "is truncated"),
        ("d.pdf", b"", r"suffix '\.pdf'; supported suffixes are \.jsonl"),
    ],
)
def test_bad_files(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=message):
        read_documents(tmp_path / name)


def test_bad_folders(tmp_path, folder):
    with pytest.raises(DataError, match=r"contains no documents \(\.txt files\)"):
        read_documents(tmp_path)
    with pytest.raises(DataError, match=r"file or folder .* does not exist"):
        read_documents(tmp_path / "none")
    path = folder(a="text")
    with pytest.raises(DataError, match="has no sub-folders"):
        read_documents(path, labels="folder")
    with pytest.raises(DataError, match=r"for a folder, labels must be 'folder'.*got 'kind'"):
        read_documents(path, labels="kind")
    with pytest.raises(DataError, match="have no columns; omit text_columns"):
        read_documents(path, text_columns=["text"])
    (path / "bad.txt").write_bytes(b"\xff")
    with pytest.raises(DataError, match=r"bad\.txt is not a UTF-8 text file"):
        read_documents(path)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters())), min_size=1
    )
)
def test_any_text_survives_json(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("any") / "d.jsonl"
    path.write_text("".join(json.dumps({"text": a, "note": b}) + "\n" for a, b in rows), encoding="utf-8")
    documents = read_documents(path, text_columns=["text"], partial_labels="note")
    assert documents.texts == [a.strip() for a, _ in rows]
    assert len(documents.partial_y) == len(rows)


def test_tfidf_by_hand():
    texts = ["heart heart lung", "The heart", "lung skin skin skin"]
    X, vocabulary = tfidf(texts, norm=None)
    assert vocabulary.tolist() == ["heart", "lung", "skin"]
    common, rare = 1 + math.log(4 / 3), 1 + math.log(4 / 2)
    expected = [
        [(1 + math.log(2)) * common, common, 0],
        [common, 0, 0],
        [0, common, (1 + math.log(3)) * rare],
    ]
    np.testing.assert_allclose(X.toarray(), expected)
    unit, _ = tfidf(texts)
    np.testing.assert_allclose(unit.toarray(), expected / np.linalg.norm(expected, axis=1, keepdims=True))
    counts, _ = tfidf(texts, norm=None, sublinear=False)
    np.testing.assert_allclose(counts[2].toarray()[0], [0, common, 3 * rare])
    assert tfidf(texts, stop_words=None)[1].tolist() == ["heart", "lung", "skin", "the"]
    assert tfidf(texts, min_df=2)[1].tolist() == ["heart", "lung"]
    with pytest.warns(UserWarning, match="2 of 3 documents have no terms"):
        assert tfidf(texts, max_df=0.5)[1].tolist() == ["skin"]


def test_empty_documents_are_rows_of_zeros_with_one_warning():
    with pytest.warns(UserWarning, match="2 of 3 documents have no terms") as caught:
        X, _ = tfidf(["", "heart", "the of and"])
    assert len(caught) == 1
    assert np.diff(X.indptr).tolist() == [0, 1, 0]
    with pytest.warns(UserWarning, match="1 of 2 documents has no terms"):
        tfidf(["", "heart"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tfidf(["heart", "lung"])


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    [
        (["the of", ""], {}, DataError, "all documents are empty after removing stop words"),
        (["heart", "lung"], {"min_df": 3}, DataError, "min_df=3 and max_df=1.0 leave no terms in the 2"),
        (["heart", "heart"], {"max_df": 0.5}, DataError, "leave no terms"),
        (["heart", "lung"], {"min_df": -1}, ValueError, "min_df"),
        (["heart"], {"norm": "l3"}, ValueError, "norm"),
        ("heart", {}, TypeError, "sequence of strings"),
        (["heart", None], {}, TypeError, "sequence of strings"),
        ([], {}, ValueError, "at least one document"),
    ],
)
def test_tfidf_refuses(texts, options, error, message):
    with pytest.raises(error, match=message):
        tfidf(texts, **options)


def test_importing_the_room_imports_no_slow_library():
    slow = "{'sklearn', 'pandas', 'numba'}"
    code = f"import sys, moo_clustering.datasets; print(sorted({slow} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "[]"


@pytest.fixture
def tiny_ebm(tmp_path):
    """Four documents, of which one question has three, one in two of its answers."""
    place = tmp_path / "text"
    place.mkdir()

    def write(name, records):
        with gzip.open(place / name, "wt") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def _tiny(docs=("d2", "d0")):
        write(
            "ebm_documents.jsonl.gz",
            [{"id": f"d{i}", "title": f"T{i}", "text": "x", "labels": []} for i in range(4)],
        )
        answers = [
            {"id": "1", "docs": list(docs)},
            {"id": "2", "docs": []},
            {"id": "3", "docs": ["d3", "d2"]},
        ]
        write("ebm_questions.jsonl.gz", [{"id": "q", "question": "Why?", "answers": answers}])
        return tmp_path

    return _tiny


def test_ebm_gold_is_the_answers_of_each_document(tiny_ebm, monkeypatch):
    corpus = load_ebm(tiny_ebm())
    (question,) = corpus.questions
    assert (question.id, question.text) == ("q", "Why?")
    assert question.rows.tolist() == [2, 0, 3]
    assert question.answers == [("1", "3"), ("1",), ("3",)]
    assert (question.n_documents, question.n_answers) == (3, 2)
    assert corpus.usable() == []
    assert corpus.usable(3) == corpus.questions
    monkeypatch.setenv("MOO_CLUSTERING_DATA", os.fspath(tiny_ebm()))
    assert load_ebm().documents.texts[0] == "T0\nx"


def test_ebm_refuses(tiny_ebm, tmp_path, monkeypatch):
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)
    with pytest.raises(DataError, match="set MOO_CLUSTERING_DATA"):
        load_ebm()
    with pytest.raises(DataError, match=r"there is no ebm_questions\.jsonl\.gz"):
        load_ebm(tmp_path)
    with pytest.raises(DataError, match="line 1 refers to the document 'd9'"):
        load_ebm(tiny_ebm(docs=["d9"]))


def test_counts_of_the_corpus(data_folder):
    if not (data_folder / "text" / "ebm_questions.jsonl.gz").exists():
        pytest.skip("no EBM corpus in the data folder")
    corpus = load_ebm(data_folder)
    usable = corpus.usable()
    assert (len(corpus.questions), len(usable), corpus.documents.n_samples) == (304, 263, 1940)
    assert round(float(np.mean([question.n_documents for question in usable])), 1) == 7.1
    assert round(float(np.mean([question.n_answers for question in usable])), 2) == 2.94
    overlapping = [any(len(answers) > 1 for answers in question.answers) for question in usable]
    assert 0.3 < np.mean(overlapping) < 0.4
    for question in corpus.questions:
        for row, answers in zip(question.rows, question.answers, strict=True):
            # The documents' own labels say the same.
            found = {f"{question.id}/{answer}" for answer in answers}
            assert found == {
                name for name in corpus.documents.label_sets[row] if name.split("/")[0] == question.id
            }
