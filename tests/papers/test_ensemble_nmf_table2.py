"""The ensemble NMF comparison on small generated collections, through the command."""

import csv
import gzip
import importlib.util
import itertools
import json
import math
import os
import signal

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix, random_array, vstack
from sklearn.cluster import AgglomerativeClustering
from sklearn.preprocessing import normalize

from moo_clustering.datasets import DataError
from moo_clustering.validity import nmi
from papers import ensemble_nmf as _cells
from papers import ensemble_nmf as _table2
from papers import ensemble_nmf as published
from papers.__main__ import reproduce
from papers.documents import available_collections
from papers.ensemble_nmf import (
    CONSENSUS,
    Task,
    best_of,
    completed,
    consensus_functions,
    hierarchical,
    run_task,
    z_value,
)
from papers.runner import Settings, find_experiment

pytest.importorskip("snowballstemmer")
metis = pytest.mark.skipif(importlib.util.find_spec("pymetis") is None, reason="requires pymetis")

NAME = "ensemble-nmf-table2"
WORDS = {
    "a heart": "heart valve artery pressure vessel rhythm beat murmur",
    "b skin": "skin rash fungus itch eczema nail lesion cream",
    "c lung": "lung asthma breath cough bronchus airway wheeze smoke",
    "d sleep": "sleep dream night pillow snore insomnia nap apnea",
}
SHARED = ["study", "trial", "patient", "group", "placebo", "dose", "week", "result"]
N_RUNS = 12


def write(place, name, topics, size=11):
    """Documents of topics that share some words; one has a word of its own only."""
    rng = np.random.default_rng(0)
    place.mkdir(exist_ok=True)
    records = [
        {
            "title": " ".join(rng.choice(WORDS[topic].split(), 4)),
            "text": " ".join(rng.choice(SHARED, 3)),
            "labels": [topic],
        }
        for topic in topics
        for _ in range(size)
    ]
    records[0] |= {"title": "quux", "text": ""}
    with gzip.open(place / name, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    write(place / "text", "drug_reviews.jsonl.gz", list(WORDS))
    write(place, "asrs_raw_text.jsonl.gz", list(WORDS)[:3])
    return place


@pytest.fixture(autouse=True)
def fewer_runs(monkeypatch):
    monkeypatch.setattr(_table2, "N_RUNS", N_RUNS)


@pytest.fixture
def command(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)

    def _command(*arguments, name=NAME, data=folder):
        given = [] if data is None else ["--data", data]
        return CliRunner().invoke(reproduce, [str(part) for part in (name, *given, *arguments)])

    return _command


def failure(result):
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def files(folder):
    return {
        path.name: path.read_text()
        for path in folder.iterdir()
        if path.name not in ("results.jsonl", "run.json")
    }


def rows(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.nightly
def test_command_writes_tables_and_goes_on_after_a_kill(command, tmp_path):
    result = command("--out", "whole", "--sets", 2)
    assert result.exit_code == 0, result.output
    names = {"means", "significance", "claims", "consensus", "controls", "table2-drug-reviews", "table2-asrs"}
    whole = files(tmp_path / "whole")
    assert set(whole) == {f"{name}.{kind}" for name in names for kind in ("csv", "md", "tex")} | {
        "report.md",
        "scores.csv",
    }
    record = json.loads((tmp_path / "whole" / "run.json").read_text())
    assert (record["status"], record["parameters"]["runs"]) == ("complete", N_RUNS)
    # Four topics: two sets of three, one of all four. Three topics: one set.
    scores = rows(whole["scores.csv"])
    assert [(row["collection"], row["k"]) for row in scores] == [
        ("drug-reviews", "3"),
        ("drug-reviews", "3"),
        ("drug-reviews", "4"),
        ("asrs", "3"),
    ]
    # Of drug-reviews only sets with its first topic hold the document with a word of its own.
    assert [row["without_terms"] for row in scores[2:]] == ["1", "1"]
    assert [row["documents"] for row in scores] == ["33", "33", "44", "33"]

    table = rows(whole["table2-drug-reviews.csv"])
    assert [(row["k"], row["whose"], row["sets"]) for row in table] == [
        ("3", "paper", "10"),
        ("3", "here", "2"),
        ("4", "paper", "10"),
        ("4", "here", "1"),
        ("mean", "paper, k from 3 to 10", "80"),
        ("mean", "paper, k as here", "20"),
        ("mean", "here", "3"),
    ]
    for method in published.METHODS:
        found = [float(row[method]) for row in scores[:3]]
        assert float(table[1][method]) == pytest.approx(np.mean(found[:2]))
        assert float(table[-1][method]) == pytest.approx((np.mean(found[:2]) + found[2]) / 2)
    assert float(table[0]["NMF"]) == 0.5402
    assert float(table[5]["NMF"]) == pytest.approx((0.5402 + 0.7002) / 2)
    above = sum(float(row["Ensemble"]) > float(row["Bisecting"]) for row in scores)
    significance = {(row["collection"], row["rival"]): row for row in rows(whole["significance.csv"])}
    assert (significance["paper", "Bisecting"]["ensemble above"]) == "54"
    assert int(significance["all", "Bisecting"]["ensemble above"]) == above
    claims = {row["statement"]: row for row in rows(whole["claims.csv"])}
    assert claims["NCW-NMF above NMF"]["paper"] == "8 of 8"
    assert claims["NCW-NMF above Bisecting"]["paper"] == "7 of 8"
    for text in published.ERRATA.values():
        assert text in result.stdout
    assert "drug-reviews: replaces the relevance judgements of TREC Genomics 2004" in result.stdout

    folder = tmp_path / "killed"
    folder.mkdir()
    lines = (tmp_path / "whole" / "results.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    (folder / "results.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert command("--out", "killed", "--sets", 2).exit_code == 0
    assert files(folder) == whole


@pytest.mark.nightly
def test_more_of_everything_goes_on_in_the_folder(command, tmp_path, monkeypatch):
    assert command("--out", "x", "--collections", "asrs").exit_code == 0
    monkeypatch.setattr(_table2, "run_task", lambda task: pytest.fail("it was there already"))
    assert command("--out", "x", "--collections", "asrs", "-k", "3").exit_code == 0
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_table2, "N_RUNS", N_RUNS)
    assert (
        command("--out", "x", "--collections", "asrs", "-k", "2,3", "--sets", 1, "--seeds", 2).exit_code == 0
    )
    assert [(row["k"], row["seed"]) for row in rows(files(tmp_path / "x")["scores.csv"])] == [
        ("2", "0"),
        ("2", "1"),
        ("3", "0"),
        ("3", "1"),
    ]


@pytest.mark.nightly
def test_two_jobs_give_the_same(command, tmp_path):
    for jobs in (1, 2):
        result = command("--out", f"jobs{jobs}", "--jobs", jobs, "-k", 3, "--sets", 1)
        assert result.exit_code == 0, result.output
    assert files(tmp_path / "jobs1") == files(tmp_path / "jobs2")


def test_ctrl_c_keeps_cells(command, tmp_path, monkeypatch):
    count = itertools.count()

    def interrupted(task):
        if next(count) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return run_task(task)

    monkeypatch.setattr(_table2, "run_task", interrupted)
    result = command("--out", "cut", "--sets", 1)
    assert result.exit_code == 130
    assert "1 of 3 cells are saved in cut" in result.stderr


def test_command_refuses(command, tmp_path, monkeypatch):
    assert "no collection 'asr'; did you mean 'asrs'" in failure(
        command("--out", "x", "--collections", "asr")
    )
    assert "there is no ohsumed_single23" in failure(command("--out", "x", "--collections", "ohsumed"))
    assert "set MOO_CLUSTERING_DATA" in failure(command("--out", "x", data=None))
    (tmp_path / "none").mkdir()
    assert "there is none of drug_reviews.jsonl.gz" in failure(command("--out", "x", data=tmp_path / "none"))
    assert "at most 4; got 5" in failure(command("--out", "x", "-k", 5))
    assert "at most 4; got 1, 3" in failure(command("--out", "x", "-k", "1,3"))
    assert "--n-clusters must be integers here, got 'x'" in failure(command("--out", "x", "-k", "x"))
    assert "--sets must be integers here, got 'asrs'" in failure(command("--out", "x", "--sets", "asrs"))
    assert "n_sets must be at least 1, got 0" in failure(command("--out", "x", "--sets", 0))
    other = command("--out", "x", "-k", 3, name="multi-instance-table3")
    assert "multi-instance-table3 has no setting n_clusters" in failure(other)
    monkeypatch.setattr(_table2, "find_spec", lambda name: None)
    assert "moo_clustering[text]" in failure(command("--out", "x"))
    assert not (tmp_path / "x").exists()


def test_collections_that_there_are(folder):
    assert available_collections(folder) == ("drug-reviews", "asrs")
    with pytest.raises(DataError, match="there is none of"):
        available_collections(folder / "text" / "none")


def test_data_sets_of_the_protocol(folder):
    plan = find_experiment(NAME).plan(Settings(folder, collections=("drug-reviews",), seeds=2))
    keys = [key for key in plan.cells if key["k"] == 3]
    # All four choices of three of the four topics, for each seed.
    assert [(key["seed"], key["set"]) for key in keys] == [(s, n) for s in (0, 1) for n in range(4)]
    tasks = [plan.data(key) for key in keys]
    for task in tasks:
        assert np.bincount(task.y).tolist() == [11, 11, 11]
        # Terms are those in at least two documents of the set; rows are in random order.
        assert (task.counts > 0).sum(axis=0).min() >= 2
        assert (np.diff(task.y) != 0).sum() > 10
    assert len({task.seed for task in tasks}) == 8
    fewer = find_experiment(NAME).plan(Settings(folder, collections=("drug-reviews",), n_sets=2))
    again = fewer.data(keys[1])
    assert (again.counts != tasks[1].counts).nnz == 0
    assert again.y.tolist() == tasks[1].y.tolist()


def blocks(n_runs=N_RUNS, metis=False, **changes):
    """Three topics without a common word, a word of all documents, and a document without words."""
    counts = np.kron(np.eye(3, dtype=np.int64), np.ones((6, 2), dtype=np.int64))
    counts = np.column_stack([np.vstack([counts, np.zeros((1, 6), dtype=np.int64)]), np.ones(19, np.int64)])
    y = np.append(np.repeat([0, 1, 2], 6), 2)
    task = Task(csr_matrix(counts), y, 3, n_runs, metis, ("blocks", 3, 0, 0))
    return task._replace(**changes)


def test_scores_of_separate_topics():
    value = run_task(blocks())
    assert (value["documents"], value["without_terms"], value["terms"]) == (19, 1, 7)
    assert value["balance"] == pytest.approx(6 / 7)
    # The document without words is with the first of three clusters of six, not with its topic.
    expected = nmi(np.append(np.repeat([0, 1, 2], 6), 2), np.append(np.repeat([0, 1, 2], 6), 0))
    assert 0.8 < expected < 1
    for name in ("Hierarchical", "MCLA (matching)", "CSPA (average)", "Best half, MCLA", "NMF, MCLA"):
        assert value["partitions"][name] == pytest.approx(expected), name
    assert set(value["runs"]) == {"K-means", "Bisecting", "NMF", "NCW-NMF", "Random labels"}
    assert all(len(found) == N_RUNS for found in value["runs"].values())
    assert value["runs"]["NCW-NMF"] == pytest.approx([expected] * N_RUNS)
    assert max(value["runs"]["Random labels"]) < 0.6


def test_best_of_ten_is_by_i2(monkeypatch):
    taken = []
    monkeypatch.setattr(_cells, "best_of", lambda *given: taken.append(given) or (0.0, 0.0))
    task = blocks()
    value = run_task(task)
    assert [given[0] for given in taken] == [value["runs"]["K-means"], value["runs"]["Bisecting"]]
    # Three clusters of six equal rows of unit length.
    assert all(max(i2) == pytest.approx(18.0) for _, i2, _ in taken)
    assert {n for *_, n in taken} == {10}
    few = run_task(blocks(n_runs=5))
    assert all(len(found) == 5 for found in few["runs"].values())
    assert {n for *_, n in taken[2:]} == {5}


@metis
def test_consensus_by_metis_is_the_original():
    with_metis, without = run_task(blocks(metis=True)), run_task(blocks())
    added = set(with_metis["partitions"]) - set(without["partitions"])
    assert added == {"MCLA (size)", "MCLA (unit)", "CSPA (METIS)", "HBGF (METIS)"}
    assert list(consensus_functions(True)) == list(CONSENSUS)
    # Nothing else depends on it.
    assert with_metis["runs"] == without["runs"]
    assert with_metis["partitions"]["MCLA (matching)"] == without["partitions"]["MCLA (matching)"]


def test_topics_never_reach_a_method(monkeypatch):
    monkeypatch.setattr(_cells, "pairwise_nmi", lambda _, labels: (labels @ np.arange(19.0))[np.newaxis])
    task = blocks()
    value = run_task(task)
    assert len(set(value["runs"]["Random labels"])) > 1
    assert run_task(task._replace(y=np.random.default_rng(0).permutation(task.y))) == value


def test_runs_without_metis_call_matching_the_ensemble(folder, monkeypatch, tmp_path):
    find = _table2.find_spec
    monkeypatch.setattr(_table2, "find_spec", lambda name: None if name == "pymetis" else find(name))
    plan = find_experiment(NAME).plan(Settings(folder, collections=("asrs",)))
    assert plan.parameters["metis"] is False
    tables = plan.tables([plan.compute(key, plan.data(key)) for key in plan.cells])
    consensus = next(table for table in tables if table.name == "consensus")
    assert "MCLA (size)" not in consensus.columns
    means = next(table for table in tables if table.name == "means")
    matching = consensus.rows[0][consensus.columns.index("MCLA (matching)")]
    assert means.rows[1][means.columns.index("Ensemble")] == matching
    assert "pymetis is not installed" in means.notes[0]


def test_documents_without_terms_are_in_the_largest_cluster():
    labels = np.array([[0, 1, 1, 2], [2, 2, 0, 0]], dtype=np.int32)
    found = completed(labels, np.array([0, 2, 3, 5]), 6)
    # If two clusters are equally large, the documents join the one that appears first.
    assert found.tolist() == [[0, 1, 1, 1, 1, 2], [0, 0, 0, 1, 0, 1]]


def test_hierarchical_is_average_linkage_by_cosine():
    X = normalize(random_array((40, 30), density=0.3, rng=np.random.default_rng(0), format="csr"))
    X = csr_matrix(vstack([X, X[:3]]))  # equal documents too
    expected = AgglomerativeClustering(5, metric="cosine", linkage="average").fit_predict(X.toarray())
    assert nmi(expected, hierarchical(X, 5)) == pytest.approx(1.0)


def test_z_value():
    assert z_value(0.8, [0.70, 0.72, 0.74, 0.76]) == pytest.approx(2.7110883, abs=1e-7)
    assert z_value(0.7, [0.70, 0.72, 0.74, 0.76]) == pytest.approx(-0.03 / 0.025819889)
    # Equal runs, the last but for rounding.
    runs = [0.3, 0.3, 0.1 + 0.2]
    assert z_value(0.3, runs) == 0.0
    assert (z_value(0.4, runs), z_value(0.2, runs)) == (math.inf, -math.inf)
    with pytest.raises(ValueError, match="at least two scores, got 1"):
        z_value(0.5, [0.5])


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_best_of_is_over_all_choices(n):
    scores, criterion = [0.5, 0.1, 0.9, 0.3, 0.4], [3.0, 5.0, 1.0, 2.0, 4.0]
    best = [
        scores[max(choice, key=lambda run: criterion[run])] for choice in itertools.combinations(range(5), n)
    ]
    assert best_of(scores, criterion, n) == pytest.approx((np.mean(best), np.std(best)))


def test_printed_means_are_those_of_the_columns_but_for_one():
    columns = np.array(list(published.PUBLISHED.values()))
    assert columns.shape == (8, 7)
    np.testing.assert_allclose(columns.mean(axis=0), published.PUBLISHED_MEANS, atol=6e-5)
    assert published.METHODS.index("NMF") == 3
    assert abs(columns[:, 3].mean() - 0.6808) > 0.005


def test_real_collections_have_all_cells(data_folder):
    if not (data_folder / "text" / "ohsumed_single23.jsonl.gz").exists():
        pytest.skip("no OHSUMED in the data folder")
    names = ("ebm-questions", "ohsumed", "cystic-fibrosis")
    plan = find_experiment(NAME).plan(Settings(data_folder, collections=names))
    counts = {name: sum(key["collection"] == name for key in plan.cells) for name in names}
    # Cystic fibrosis has three topics: a single set.
    assert counts == {"ebm-questions": 80, "ohsumed": 80, "cystic-fibrosis": 1}
    assert len({json.dumps(key) for key in plan.cells}) == 161
    task = plan.data(plan.cells[0])
    assert len(task.y) == task.counts.shape[0] >= 30
