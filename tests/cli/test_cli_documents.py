"""``fit`` on documents."""

import csv
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints.pairs import satisfied_shares
from moo_clustering.datasets import read_documents, tfidf
from moo_clustering.estimators import _methods as _registry
from moo_clustering.estimators._methods import Method

WORDS = {
    "heart": ["heart", "cardiac", "artery", "valve", "beat", "rhythm", "vessel", "pressure"],
    "skin": ["skin", "rash", "eczema", "itch", "cream", "fungus", "nail", "lesion"],
    "sleep": ["sleep", "insomnia", "dream", "snore", "apnea", "night", "pillow", "nap"],
}


def notes(per_topic=12, seed=0):
    """Documents of three topics that share a few words."""
    rng = np.random.default_rng(seed)
    rows = []
    for topic, words in WORDS.items():
        for number in range(per_topic):
            text = " ".join(rng.choice(words, 8)) + " " + rng.choice(["study", "trial", "review"])
            rows.append({"id": f"{topic}{number:02d}", "title": f"{topic} note {number}", "text": text})
            rows[-1] |= {"kind": topic, "some": topic if number % 4 == 0 else ""}
    return [rows[i] for i in rng.permutation(len(rows))]


@pytest.fixture
def rows(tmp_path):
    rows = notes()
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pd.DataFrame(rows).to_csv(tmp_path / "notes.csv", index=False)
    for row in rows:
        path = tmp_path / "notes" / row["kind"] / f"{row['id']}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{row['title']}\n{row['text']}")
    return rows


class Nearest(ClusterMixin, BaseEstimator):
    """As many clusters as it likes, around the first documents that share no word."""

    seen = None

    def __init__(self, *, k_max=5, random_state=None, verbose=False):
        self.k_max = k_max
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y=None, *, must_link=None, cannot_link=None):
        type(self).seen = X
        product = (X @ X.T).toarray()
        medoids = [0]
        for row in range(len(product)):
            if len(medoids) < self.k_max and product[row, medoids].max() == 0:
                medoids.append(row)
        self.medoid_indices_ = np.array(medoids)
        self.labels_ = product[:, medoids].argmax(axis=1).astype(np.int32)
        self.labels_[medoids] = np.arange(len(medoids))
        self.pareto_labels_ = np.array([np.zeros(len(product), dtype=np.int32), self.labels_])
        self.pareto_front_ = np.array([[0.0, 1.0], [1.0, 0.0]])
        self.objective_names_ = ("one", "two")
        return self


class _Local(Method):
    def load(self):
        return Nearest


@pytest.fixture
def nearest(monkeypatch):
    method = _Local("nearest", "Nearest", "none", "s", "n", {}, ("labels", "pairs"), sparse=True)
    monkeypatch.setitem(_registry.METHODS, "nearest", method)
    return Nearest


def record_of(folder="out"):
    with open(f"{folder}/run.json", encoding="utf-8") as file:
        return json.load(file)


def test_folder_of_a_fit_on_documents(run, rows):
    result = run(
        "fit", "notes.jsonl", "--text-columns", "title,text", "--labels", "kind", "--method",
        "spectral-graph", "-k", 3, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    record = record_of()
    assert record["scores"]["accuracy"] == 1.0
    documents = read_documents("notes.jsonl")
    weights, vocabulary = tfidf(documents.texts)
    assert record["data"]["n_samples"] == 36
    assert record["data"]["text"]["n_terms"] == len(vocabulary)
    assert record["data"]["n_features"] == record["data"]["text"]["svd"] == 30
    assert "clusters.csv" in record["files"]
    labels = pd.read_csv("out/labels.csv")
    assert labels["row"].tolist() == [row["id"] for row in rows]
    clusters = pd.read_csv("out/clusters.csv")
    assert clusters.columns.tolist() == ["cluster", "size", "name", "document", "title", "terms"]
    present = (weights.toarray() > 0).astype(float)
    shares = np.array([present[labels["label"] == cluster].mean(axis=0) for cluster in range(3)])
    for cluster, size, name, document, title, terms in clusters.itertuples(index=False):
        members = np.flatnonzero(labels["label"] == cluster)
        mean = weights[members].toarray().mean(axis=0)
        assert size == len(members) == 12
        found = [list(vocabulary).index(term) for term in terms.split()]
        # More frequent than in one of the others, by at least a fifth, the most first.
        more = [(shares[cluster] - shares[other])[found] for other in range(3) if other != cluster]
        assert any((each >= 0.2).all() and (np.diff(each) <= 1e-9).all() for each in more)
        assert set(name.split(", ")) <= set(terms.split())
        near = weights[members].toarray() @ mean
        assert document == documents.row_ids[members[near.argmax()]]
        assert title == f"{document[:-2]} note {int(document[-2:])}"
    assert result.stdout.splitlines()[0].split() == [
        "cluster",
        "size",
        "name",
        "document",
        "title",
        "terms",
    ]
    assert "36 documents" in result.stdout
    assert re.search(r"does not accept sparse data, so \d+ terms are reduced to 30 components", result.stderr)


@pytest.mark.slow
def test_same_from_every_kind_of_file(run, rows):
    options = ("--method", "spectral-graph", "-k", 3, "--quiet", "--out")
    assert run("fit", "notes.jsonl", "--labels", "kind", *options, "a").output == ""
    assert (
        run("fit", "notes.csv", "--text-columns", "title, text", "--labels", "kind", *options, "b").output
        == ""
    )
    assert run("fit", "notes", "--labels", "folder", *options, "c").output == ""
    one, two, three = (pd.read_csv(f"{name}/labels.csv") for name in "abc")
    assert one.equals(two)
    assert three["row"].tolist()[0] == "heart/heart00.txt"
    assert [record_of(name)["scores"]["accuracy"] for name in "abc"] == [1.0] * 3
    assert pd.read_csv("c/clusters.csv")["title"].str.contains("note").all()


@pytest.mark.slow
def test_seed_and_components(run, rows):
    options = ("fit", "notes.jsonl", "--method", "spectral-graph", "-k", 3, "--svd", 4, "--quiet", "--out")
    assert run(*options, "a").output == run(*options, "b").output == ""
    with open("a/labels.csv", "rb") as one, open("b/labels.csv", "rb") as two:
        assert one.read() == two.read()
    assert record_of("a")["data"]["n_features"] == 4
    assert 0 < record_of("a")["data"]["text"]["svd_explained_variance"] < 1


@pytest.mark.slow
def test_pesc_with_partial_labels(run, rows):
    result = run(
        "fit", "notes.jsonl", "--labels", "kind", "--partial-labels", "some", "-k", 3, "--method", "pesc",
        "--set", "n_gen=3", "--set", "pop_size=12", "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert record_of()["scores"]["accuracy_unlabelled"] == 1.0
    assert "must_link_satisfied" not in pd.read_csv("out/front.csv")


def test_sparse_weights_reach_a_method_that_takes_them(run, rows, nearest):
    with open("must.csv", "w") as file:
        file.write("heart00,heart01\nskin00,sleep00\n")
    result = run(
        "fit", "notes.jsonl", "--text-columns", "text", "--min-df", 2, "--max-df", "0.5", "--method",
        "nearest", "--partial-labels", "some", "--must-link", "must.csv", "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "components" not in result.output
    expected, _ = tfidf([row["text"] for row in rows], min_df=2, max_df=0.5)
    assert sparse.issparse(nearest.seen)
    assert (nearest.seen != expected).nnz == 0
    record = record_of()
    assert record["data"]["text"]["svd"] is None
    assert (record["data"]["text"]["min_df"], record["data"]["text"]["max_df"]) == (2, 0.5)
    labels = pd.read_csv("out/labels.csv")["label"].to_numpy()
    clusters = pd.read_csv("out/clusters.csv")
    assert clusters["document"].tolist()[0] == rows[0]["id"]
    assert labels[[row["id"] for row in rows].index(clusters["document"][1])] == 1
    front = pd.read_csv("out/front.csv")
    assert front.columns.tolist()[:5] == [
        "member",
        "one",
        "two",
        "must_link_satisfied",
        "cannot_link_satisfied",
    ]
    # All in one cluster: every must-link holds, no cannot-link does.
    assert front["must_link_satisfied"][0] == 1
    assert front["cannot_link_satisfied"][0] == 0
    assert front["chosen"].tolist() == [False, True]


def test_forced_components_for_a_sparse_method(run, rows, nearest, monkeypatch):
    monkeypatch.setattr(
        nearest,
        "fit",
        lambda self, X: setattr(self, "labels_", (X[:, 0] > X[:, 0].mean()).astype(int)) or self,
    )
    assert run("fit", "notes.jsonl", "--method", "nearest", "--svd", 2, "--out", "out").exit_code == 0
    assert record_of()["data"]["n_features"] == 2


def test_number_of_clusters_that_is_found(run, fails, rows, nearest):
    message = fails("fit", "notes.jsonl", "--method", "nearest", "-k", 3, "--out", "out")
    assert message == (
        "method nearest determines the number of clusters and does not accept -k; "
        "limit it with --set k_max=..."
    )
    result = run(
        "fit",
        "notes.jsonl",
        "--text-columns",
        "text",
        "--method",
        "nearest",
        "--set",
        "k_max=2",
        "--out",
        "out",
    )
    assert result.exit_code == 0, result.output
    assert record_of()["result"]["n_clusters"] == 2


def test_several_classes_are_scored_by_entropy(run, tmp_path, rows, nearest):
    with open("multi.jsonl", "w") as file:
        for row in rows:
            labels = [row["kind"], "old"] if row["id"] == "heart00" else [row["kind"]]
            file.write(json.dumps(row | {"labels": labels}) + "\n")
    result = run(
        "fit",
        "multi.jsonl",
        "--text-columns",
        "text",
        "--labels",
        "labels",
        "--method",
        "nearest",
        "--out",
        "out",
    )
    assert result.exit_code == 0, result.output
    scores = record_of()["scores"]
    assert set(scores) == {"entropy", "entropy_random"}
    assert 0 <= scores["entropy"] < scores["entropy_random"] / 2


def test_odd_text_is_safe_in_files_and_on_the_terminal(run, tmp_path, nearest):
    odd = ['a,"b"', "c\nd", "e\rf", "g\0h", "\x1b[31mred", "=1+1", "ü\N{GRINNING FACE}\ud800"]
    with open("odd.jsonl", "w") as file:
        for number, text in enumerate(odd):
            record = {
                "id": f"{number}{text}",
                "title": f"{text}\n{number}",
                "text": f"w{number} {text}",
            }
            file.write(json.dumps(record) + "\n")
    result = run("fit", "odd.jsonl", "--method", "nearest", "--set", "k_max=7", "--out", "out")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.stdout
    assert "\0" not in result.stdout
    assert len(result.stdout.split("\n\n")[0].splitlines()) == 8
    wanted = [f"{number}{text}" for number, text in enumerate(odd)]
    wanted[2], wanted[3], wanted[6] = "2e\nf", "3g\ufffdh", "6ü\N{GRINNING FACE}?"
    assert pd.read_csv("out/labels.csv")["row"].tolist() == wanted
    for name in ("labels", "clusters"):
        with open(f"out/{name}.csv", newline="", encoding="utf-8") as file:
            read = list(csv.reader(file))
        assert {len(cells) for cells in read} == {len(read[0])}
        assert len(read) == 8
        assert not any("\r" in cell or "\0" in cell for cells in read for cell in cells)


def test_empty_documents_are_warned_of_once_and_recorded(run, rows):
    with open("notes.jsonl", "a") as file:
        file.write('{"id": "none"}\n')
    result = run("fit", "notes.jsonl", "--method", "spectral-graph", "-k", 3, "--out", "out")
    assert result.exit_code == 0, result.output
    warning = "1 of 37 documents has no terms: all weights are zero"
    assert result.stderr.count(warning) == 1
    assert record_of()["warnings"][0] == warning


@pytest.mark.slow
@pytest.mark.parametrize("texts", [["heart"], ["heart", "heart"], ["heart", "skin"], ["heart"] * 5 + [""]])
def test_few_and_equal_documents(run, nearest, texts):
    with open("few.jsonl", "w") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    assert run("fit", "few.jsonl", "--method", "nearest", "--out", "out").exit_code == 0
    assert pd.read_csv("out/clusters.csv")["size"].sum() == len(texts)
    result = run("fit", "few.jsonl", "--method", "spectral-graph", "-k", 1, "--out", "reduced")
    if len(texts) > 1:
        assert result.exit_code == 0, result.output
        assert record_of("reduced")["data"]["text"]["svd"] == 1 + (texts == ["heart", "skin"])
    else:
        assert result.exit_code == 2


HASHING = """
import numpy as np, zlib
calls = []

def embed(texts):
    calls.append(len(texts))
    return np.array([np.sum([word(w) for w in text.split()], axis=0) for text in texts])

def word(w):
    return np.random.default_rng(zlib.crc32(w.encode())).choice([-1, 1], 60)

def short(texts):
    return embed(texts)[1:]
"""


def test_embeddings_are_clustered_and_terms_name_the_clusters(run, rows, tmp_path):
    (tmp_path / "hashing_of_words.py").write_text(HASHING)
    arguments = ("fit", "notes.jsonl", "--labels", "kind", "--embed", "hashing_of_words:embed")
    result = run(*arguments, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "embeddings of 60 dimensions, described by " in result.output
    record = record_of("out")
    text = record["data"]["text"]
    assert (text["features"], text["model"]) == ("embeddings", "hashing_of_words:embed")
    assert (record["data"]["n_features"], record["parameters"]["metric"]) == (60, "cosine")
    assert record["scores"]["adjusted_rand"] == 1.0
    clusters = pd.read_csv("out/clusters.csv")
    vocabulary = {word for words in WORDS.values() for word in words} | set(WORDS)
    for terms in clusters["terms"]:
        assert set(terms.split()[:3]) <= vocabulary
    assert run(*arguments, "--method", "mock", "--set", "n_gen=2", "--out", "mock").exit_code == 0
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--embed", "hashing_of_words:short"), r"one row of numbers per text, 36 in all; got .* \(35, 60\)"),
        (("--embed", "hashing_of_words:long"), "module hashing_of_words has no function 'long'"),
        (("--embed", "word2vec"), "--embed must be 'module:function' or 'sentence-transformers:NAME'"),
        (("--embed", "hashing_of_words:embed", "--svd", 3), "--svd and --embed are mutually exclusive"),
        (
            ("--embed", "hashing_of_words:embed", "--method", "nmf-clustering", "-k", 3),
            "method nmf-clustering uses term weights directly and does not accept --embed",
        ),
    ],
)
def test_mistakes_with_embeddings(fails, rows, tmp_path, arguments, message):
    (tmp_path / "hashing_of_words.py").write_text(HASHING)
    assert re.search(message, fails("fit", "notes.jsonl", *arguments, "--out", "out"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("notes.jsonl", "--svd", 99), "--svd must be at most 30 for 36 documents with 30 terms, got 99"),
        (("notes.jsonl", "--svd", 0), "Invalid value for '--svd'"),
        (("notes.jsonl", "--min-df", "few"), r"'few' is not valid; use a number \(2\) or a share \(0\.5\)"),
        (("notes.jsonl", "--min-df", "1.5"), "min_df"),
        (("notes.jsonl", "--min-df", "40"), "--min-df 40 and --max-df 1.0 leave no terms in the 36"),
        (("notes.jsonl", "--text-columns", "titel"), "did you mean 'title'"),
        (("notes.jsonl", "--text-columns", " , "), "must contain at least one column name"),
        (("notes.jsonl", "--partial-labels", "none"), r"no column 'none' \(--partial-labels\)"),
        (("notes.csv", "--no-prepare"), "are not numeric.*--text-columns"),
        (("wine", "--svd", 3, "--min-df", 2), "--min-df and --svd can be used only for documents, but wine"),
        (("wine", "--text-columns", "a"), "--text-columns cannot be used with the bundled data set"),
        (("empty",), "contains no documents"),
        (("bad.jsonl",), "line 2 is not valid JSON"),
        (("stop.jsonl",), "all documents are empty after removing stop words"),
        (("none.jsonl",), "file none.jsonl does not exist|file or folder none.jsonl does not exist"),
    ],
)
def test_mistakes(fails, rows, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.jsonl").write_text('{"text": "a"}\n{"text"}\n')
    (tmp_path / "stop.jsonl").write_text('{"text": "the"}\n{"text": ""}\n')
    found = fails("fit", *arguments, "--method", "spectral-graph", "-k", 2, "--out", "out")
    assert re.search(message, found)
    assert not (tmp_path / "out").exists()


def test_shares_are_of_listed_pairs_and_labels_together():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(30) < 0.4, rng.integers(3, size=30), -1)
    must = np.array([[i, j] for i in range(8) for j in range(i) if y[i] < 0 or y[j] < 0 or y[i] == y[j]])[:12]
    cannot = np.array([[i, j] for i in range(20, 29) for j in range(20, i) if y[i] != y[j]])[:12]
    listed = PairwiseConstraints.from_partial_labels(y)
    together = PairwiseConstraints(
        np.vstack([must, listed.must_link]), np.vstack([cannot, listed.cannot_link]), n_samples=30
    )
    partitions = rng.integers(4, size=(5, 30))
    found = satisfied_shares(partitions, {"y": y, "must_link": must, "cannot_link": cannot})
    expected = together.satisfied(partitions)
    np.testing.assert_allclose(found["must_link_satisfied"], expected[0] / len(together.must_link))
    np.testing.assert_allclose(found["cannot_link_satisfied"], expected[1] / len(together.cannot_link))
    assert set(satisfied_shares(partitions, {"cannot_link": cannot})) == {"cannot_link_satisfied"}
    assert satisfied_shares(partitions, {}) == {}
