"""``fit`` with the methods made for documents."""

import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from moo_clustering import features as _stemming
from moo_clustering.cli import load as _stems
from moo_clustering.estimators import EnsembleNMF
from moo_clustering.estimators._methods import METHODS, find_method
from moo_clustering.features import PaperTfidfTransformer, document_term_counts
from moo_clustering.persistence import read_archive

snowball = pytest.importorskip("snowballstemmer")

WORDS = {
    "heart": ["hearts", "heart", "cardiac", "arteries", "artery", "valves", "beating", "vessels"],
    "skin": ["skin", "rashes", "rash", "eczema", "itching", "creams", "fungus", "nails"],
    "sleep": ["sleeping", "sleep", "insomnia", "dreams", "dreaming", "snoring", "nights", "pillow"],
}


@pytest.fixture
def rows(tmp_path):
    """Documents of three topics in random order; the last has no word that another has."""
    rng = np.random.default_rng(0)
    made = [
        {"id": f"{kind}{number}", "text": " ".join(rng.choice(words, 8)) + " study", "kind": kind}
        for kind, words in WORDS.items()
        for number in range(12)
    ]
    made = [made[place] for place in rng.permutation(len(made))] + [
        {"id": "none", "text": "quux", "kind": "heart"}
    ]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    return made


def record_of(folder="out"):
    with open(f"{folder}/run.json", encoding="utf-8") as file:
        return json.load(file)


def weights_of(rows, **options):
    counts, terms = document_term_counts([row["text"] for row in rows], **options)
    return PaperTfidfTransformer().fit_transform(counts), terms


@pytest.mark.filterwarnings("ignore:1 of 37 documents")
def test_ensemble_of_documents(run, pictures, rows, tmp_path):
    result = run(
        "fit", "notes.jsonl", "--method", "EN-NCW-NMF", "-k", 3, "--labels", "kind", "--set", "n_runs=8",
        "--seed", 3, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    weights, terms = weights_of(rows)
    model = EnsembleNMF(3, n_runs=8, random_state=3).fit(weights)
    labels = pd.read_csv("out/labels.csv")
    assert labels["row"].tolist() == [row["id"] for row in rows]
    assert labels["label"].tolist() == model.labels_.tolist()
    record = record_of()
    assert record["data"]["text"] == {
        "n_terms": len(terms),
        "features": "tf-idf of stems",
        "stemmer": "porter",
        "min_df": 2,
        "max_df": 1.0,
        "svd": None,
    }
    assert record["scores"]["accuracy"] >= 36 / 37
    assert record["warnings"] == [
        "1 of 37 documents have no terms and were assigned to the largest cluster",
    ]
    assert {"clusters.csv", "terms.png"} < set(record["files"])
    assert (tmp_path / "out" / "terms.png").stat().st_size > 10_000
    arrays = read_archive(tmp_path / "out" / "result.npz")[0]
    for name in ("run_labels", "run_losses", "association", "confidence"):
        np.testing.assert_array_equal(arrays[name], getattr(model, f"{name}_"))
    clusters = pd.read_csv("out/clusters.csv")
    present = weights.toarray() > 0
    for cluster, found in enumerate(clusters["terms"]):
        inside = model.labels_ == cluster
        for term in found.split():
            column = present[:, list(terms).index(_stemming.StemmingAnalyzer()(term)[0])]
            assert column[inside].mean() > column[~inside].mean()
    # Stems appear as their most frequent words, in the table on the terminal too.
    first = clusters["terms"][0].split()
    assert " ".join(first[:4]) in result.stdout
    counts = Counter(word for row in rows for word in row["text"].split())
    arteries = max("arteries", "artery", key=counts.__getitem__)
    assert {"beating", arteries} < {term for text in clusters["terms"] for term in text.split()}
    assert "terms (stems shown as their most frequent words)" in result.stdout


def test_words_of_stems():
    texts = ["Engineers, engineering engineers", "engineer's engines; ENGINES engine", "the skies, sky"]
    _, stems = document_term_counts(texts, min_df=1)
    assert stems.tolist() == ["engin", "ski", "sky"]
    # The shorter of two equally frequent words represents a stem.
    assert _stemming.word_forms(texts, stems, "porter") == ["engines", "skies", "sky"]
    assert set(_stemming.word_forms(texts, ["engineers"], None)) == {"engineers"}


@pytest.mark.parametrize("method", ["nmf-clustering", "spherical-kmeans", "bisecting"])
@pytest.mark.filterwarnings("ignore:1 of 37 documents", "ignore:all-zero rows of X")
def test_other_methods_for_documents(run, rows, method):
    result = run("fit", "notes.jsonl", "--method", method, "-k", 3, "--labels", "kind", "--out", "out")
    assert result.exit_code == 0, result.output
    record = record_of()
    assert record["scores"]["accuracy"] >= 30 / 37
    assert record["data"]["text"]["stemmer"] == "porter"
    assert len(record["warnings"]) == 1
    strategy = {"spherical-kmeans": "kmeans", "bisecting": "bisecting"}.get(method)
    assert record["parameters"].get("strategy") == strategy


def test_classes_never_reach_the_fit(run, rows, monkeypatch):
    seen = []
    monkeypatch.setattr(EnsembleNMF, "fit", lambda self, X, *given, **options: seen.append((given, options)))
    run("fit", "notes.jsonl", "--method", "ensemble-nmf", "-k", 3, "--labels", "kind", "--out", "out")
    assert seen == [((), {})]


def test_stemmers_and_frequencies(run, rows):
    options = ("fit", "notes.jsonl", "--method", "NMF", "-k", 2, "--quiet", "--out")
    assert run(*options, "a", "--stemmer", "none", "--min-df", 1).exit_code == 0
    assert record_of("a")["data"]["text"]["stemmer"] == "none"
    _, words = weights_of(rows, stemmer=None, min_df=1)
    assert record_of("a")["data"]["text"]["n_terms"] == len(words)
    assert run(*options, "b", "--stemmer", "english", "--max-df", 12).exit_code == 0
    counts, _ = document_term_counts([row["text"] for row in rows], stemmer="english")
    frequencies = (counts > 0).sum(axis=0)
    assert record_of("b")["data"]["text"]["n_terms"] == (frequencies <= 12).sum() < counts.shape[1]
    assert run(*options, "c", "--max-df", "0.2").exit_code == 0
    assert record_of("c")["data"]["text"]["n_terms"] == (frequencies <= 0.2 * 37).sum()


def test_without_snowballstemmer(run, fails, rows, monkeypatch):
    monkeypatch.setattr(_stems, "find_spec", lambda name: None)
    result = run("fit", "notes.jsonl", "--method", "NMF", "-k", 2, "--out", "out")
    assert result.exit_code == 0, result.output
    record = record_of()
    assert record["data"]["text"]["stemmer"] == "none"
    assert "words are not stemmed" in record["warnings"][0]
    assert result.stderr.count("pip install moo_clustering[text]") == 1

    def missing(stemmer):
        raise ImportError(f"stemmer={stemmer!r} needs snowballstemmer")

    monkeypatch.setattr(_stemming, "_stem_function", missing)
    message = fails("fit", "notes.jsonl", "--method", "NMF", "-k", 2, "--stemmer", "porter", "--out", "asked")
    assert message.startswith("--stemmer porter requires snowballstemmer, which is not installed")


@pytest.mark.slow
def test_more_runs_go_on_from_a_checkpoint(run, rows, monkeypatch):
    options = ("fit", "notes.jsonl", "--method", "ensemble-nmf", "-k", 3, "--quiet")
    assert run(*options, "--set", "n_runs=6", "--out", "whole").exit_code == 0
    from moo_clustering import EnsembleNMF

    original = EnsembleNMF._selected_runs

    def cut(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(EnsembleNMF, "_selected_runs", cut)
    result = run(*options, "--set", "n_runs=6", "--checkpoint-every", 2, "--out", "cut")
    assert result.exit_code == 130
    assert "--resume" in result.stderr
    monkeypatch.setattr(EnsembleNMF, "_selected_runs", original)
    assert run(*options, "--set", "n_runs=6", "--resume", "--out", "cut").exit_code == 0
    assert pd.read_csv("cut/labels.csv").equals(pd.read_csv("whole/labels.csv"))


def test_tables_of_numbers(run, pictures, tmp_path):
    frame = pd.DataFrame(np.kron(np.eye(2), np.ones((6, 3))), columns=list("abcdef"))
    frame.to_csv(tmp_path / "counts.csv", index=False)
    result = run(
        "fit", "counts.csv", "--method", "ensemble-nmf", "-k", 2, "--set", "input=counts", "--set",
        "n_runs=3", "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert pd.read_csv("out/labels.csv")["label"].tolist() == [0] * 6 + [1] * 6
    assert "terms.png" not in record_of()["files"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("notes.jsonl", "--method", "NMF", "--svd", 2),
            "nmf-clustering uses term weights directly and does not accept --svd",
        ),
        (
            ("notes.jsonl", "--method", "EnsembleNMF", "--set", "input=counts"),
            "input=counts requires a table of counts",
        ),
        (
            ("notes.jsonl", "--method", "pesc", "--stemmer", "porter"),
            "method pesc does not stem words; those that do are ensemble-nmf, nmf-clustering",
        ),
        (("notes.jsonl", "--method", "NMF", "--stemmer", "snow"), "Invalid value for '--stemmer'"),
        (("wine", "--method", "NMF", "--stemmer", "none"), "--stemmer can be used only for documents"),
        (("notes.jsonl", "--method", "NMF", "--min-df", 37), "--min-df 37 leaves no terms in the 37"),
        (("notes.jsonl", "--method", "NMF", "--max-df", 1), "--min-df 2 and --max-df 1 leave no terms"),
        (("stop.jsonl", "--method", "NMF"), "all documents are empty after removing stop words"),
    ],
)
def test_mistakes(fails, rows, tmp_path, arguments, message):
    (tmp_path / "stop.jsonl").write_text('{"text": "the"}\n{"text": "a"}\n')
    found = fails("fit", *arguments, "-k", 2, "--out", "out")
    assert re.search(message, found)
    assert not (tmp_path / "out").exists()


def test_names_of_the_methods():
    for name, (method, options) in {
        "en_ncw_nmf": ("ensemble-nmf", {}),
        "EnsembleNMF": ("ensemble-nmf", {}),
        "EN-NMF": ("ensemble-nmf", {"document_weighting": None}),
        "NCW-NMF": ("ensemble-nmf", {"n_runs": 1}),
        "nmf": ("nmf-clustering", {}),
        "bisecting": ("spherical-kmeans", {"strategy": "bisecting"}),
    }.items():
        found, preset = find_method(name)
        assert (found.name, preset) == (method, options)
    for name in ("ensemble-nmf", "nmf-clustering", "spherical-kmeans"):
        assert METHODS[name].sparse
        assert METHODS[name].stems
        for options in METHODS[name].aliases.values():
            METHODS[name].load()(n_clusters=2, **options)
