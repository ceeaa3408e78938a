"""The NSGA-II-clus comparison on a small generated corpus, through the command."""

import csv
import gzip
import itertools
import json
import os
import signal

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.validity import cluster_entropy
from papers import nsga2_clus as _runs
from papers import nsga2_clus as _table2
from papers.__main__ import reproduce
from papers.ebm import load_ebm
from papers.nsga2_clus import (
    METHODS,
    PUBLISHED,
    REASONS,
    Published,
    Question,
    RandomEntropy,
    chosen,
    kmdm,
    kmprob,
    question_scores,
    reasons,
    two_cluster_floor,
    unconstrained_pairs,
)
from papers.runner import Settings, find_experiment

NAME = "nsga2-clus-table2"
TOPICS = ["heart valve pressure", "skin rash fungus", "lung asthma breath"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Three questions: six documents on two topics, five with shared answers, three (too few)."""
    rng = np.random.default_rng(0)
    place = tmp_path_factory.mktemp("data") / "text"
    place.mkdir()
    documents, questions = [], []
    for number, sizes in enumerate([(3, 3), (2, 2, 1), (2, 1)]):
        answers = []
        for answer, size in enumerate(sizes):
            names = [f"q{number}a{answer}d{i}" for i in range(size)]
            for name in names:
                words = rng.choice(TOPICS[answer].split(), 6).tolist() + rng.choice(list("xyz"), 2).tolist()
                record = {"title": f"Study {name}", "text": " ".join(words), "labels": []}
                documents.append({"id": name, **record})
            answers.append({"id": str(answer), "docs": names})
        if number == 1:
            answers[1]["docs"].append(answers[0]["docs"][0])
        questions.append({"id": str(number), "question": "Which?", "answers": answers})
    for name, records in (("ebm_documents", documents), ("ebm_questions", questions)):
        with gzip.open(place / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
    return place.parent


@pytest.fixture(autouse=True)
def fewer_generations(monkeypatch):
    monkeypatch.setattr(_runs, "N_GEN", 3)
    monkeypatch.setitem(_runs.ANNEALING, "t_min", 50.0)


@pytest.fixture
def command(corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)

    def _command(*arguments, name=NAME, data=corpus):
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


@pytest.mark.slow
def test_command_writes_tables_and_goes_on_after_a_kill(command, tmp_path):
    result = command("--out", "whole")
    assert result.exit_code == 0, result.output
    names = {"methods", "published", "constant-k", "floor"}
    expected = {f"{name}.{kind}" for name in names for kind in ("csv", "md", "tex")}
    whole = files(tmp_path / "whole")
    assert set(whole) == expected | {"report.md", "scores.csv"}
    record = json.loads((tmp_path / "whole" / "run.json").read_text())
    assert record["status"] == "complete"
    assert record["parameters"]["questions"] == 2
    assert record["environment"]["numpy"] == np.__version__

    methods = list(csv.DictReader(whole["methods.csv"].splitlines()))
    per_distance = len(METHODS)
    assert len(methods) == 2 * per_distance - 1
    assert {row["method"] for row in methods if row["distance"] == "cosine"} == set(METHODS) - {"KMDM"}
    scores = list(csv.DictReader(whole["scores.csv"].splitlines()))
    external = [r for r in scores if r["distance"] == "cosine" and r["method"] == "External"]
    shown = next(r for r in methods if r["distance"] == "cosine" and r["method"] == "External")
    assert float(shown["selected"]) == pytest.approx(np.mean([float(r["selected"]) for r in external]))
    errors = [(float(r["answers"]) - float(r["k"])) ** 2 for r in external]
    assert float(shown["K error"]) == pytest.approx(np.mean(errors))
    constants = list(csv.DictReader(whole["constant-k.csv"].splitlines()))
    # 2 and 3 answers; of all three questions 2, 3 and 2.
    assert [float(row["these 2 questions"]) for row in constants] == [2.5, 0.5, 0.5]
    assert [float(row["all 3 questions"]) for row in constants] == pytest.approx([2, 1 / 3, 2 / 3])
    for reason in REASONS.values():
        assert reason in result.stdout

    folder = tmp_path / "killed"
    folder.mkdir()
    lines = (tmp_path / "whole" / "results.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    (folder / "results.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert command("--out", "killed").exit_code == 0
    assert files(folder) == whole
    assert "questions was 2, got 1" in failure(command("--out", "killed", "--questions", 1))
    assert 'k_max was "sqrt", got "ceil_sqrt"' in failure(command("--out", "killed", "--k-max", "ceil_sqrt"))


@pytest.mark.nightly
def test_two_jobs_give_the_same(command, tmp_path, monkeypatch):
    # Other processes know nothing of the shorter runs.
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    for jobs in (1, 2):
        assert command("--out", f"jobs{jobs}", "--jobs", jobs, "--questions", 1).exit_code == 0
    assert files(tmp_path / "jobs1") == files(tmp_path / "jobs2")


def test_ctrl_c_keeps_cells(command, tmp_path, monkeypatch):
    count = itertools.count()

    def interrupted(question):
        if next(count) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return question_scores(question)

    monkeypatch.setattr(_table2, "question_scores", interrupted)
    result = command("--out", "cut")
    assert result.exit_code == 130
    assert "1 of 4 cells are saved in cut" in result.stderr
    assert {path.name for path in (tmp_path / "cut").iterdir()} == {"results.jsonl", "run.json"}
    assert json.loads((tmp_path / "cut" / "run.json").read_text())["status"] == "interrupted"


def test_command_refuses(command, tmp_path):
    assert "did you mean 'nsga2-clus-table2'" in failure(command("--out", "x", name="nsga2-table2"))
    assert "--out DIR" in failure(command())
    assert "set MOO_CLUSTERING_DATA" in failure(command("--out", "x", data=None))
    assert "there is no ebm_questions.jsonl.gz" in failure(command("--out", "x", data=tmp_path))
    assert "did you mean 'ceil_sqrt'" in failure(command("--out", "x", "--k-max", "ceil"))
    assert "--jobs must be" in failure(command("--out", "x", "--jobs", 0))
    assert not (tmp_path / "x").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert "mine contains other files" in failure(command("--out", "mine"))
    with pytest.raises(ValueError, match="questions must be at least 1, got 0"):
        Settings(questions=0)
    listed = CliRunner().invoke(reproduce, [])
    assert NAME in listed.stdout


def test_same_pairs_for_all_distances_and_rules_but_not_seeds(corpus):
    def pairs(k_max, distance, seed):
        plan = find_experiment(NAME).plan(Settings(corpus, seeds=6, k_max=k_max))
        return plan.data({"question": "0", "distance": distance, "k_max": k_max, "seed": seed}).constraints

    first = pairs("sqrt", "cosine", 0)
    # Six documents in two classes of three: 6 must-links and 9 cannot-links.
    assert (len(first.must_link), len(first.cannot_link)) == (1, 1)
    assert pairs("ceil_sqrt", "euclidean", 0) == first
    assert any(pairs("sqrt", "cosine", seed) != first for seed in range(1, 6))


def test_scores_of_the_protocol(corpus):
    plan = find_experiment(NAME).plan(Settings(corpus))
    (key,) = [key for key in plan.cells if key["question"] == "0" and key["distance"] == "cosine"]
    value = plan.compute(key, plan.data(key))
    assert (value["documents"], value["answers"], value["floor"]) == (6, 2, 0.0)
    for method, scores in value["methods"].items():
        if scores["best"] is not None:
            assert scores["best"] <= scores["average"] + 1e-12, method
            assert scores["best"] <= scores["selected"], method
        assert 0 <= scores["satisfied"] <= 1, method
        assert (scores["free_must"], scores["free_cannot"]) == (5, 8)
    # No choice on the front satisfies more than the best of all partitions.
    first = value["methods"]["Exhaustive, constraints first"]["satisfied"]
    assert first >= max(value["methods"][name]["satisfied"] for name in ("External", "Internal", "Objective"))


def brute_force_floor(answers):
    n = len(answers)
    return min(
        cluster_entropy(answers, labels)
        for labels in itertools.product([0, 1], repeat=n)
        if 0 < sum(labels) < n
    )


@pytest.mark.parametrize(
    "answers",
    [
        [("a",), ("a",), ("b",), ("b",)],
        [("a", "b"), ("a",), ("b", "c"), ("c",), ("a",)],
        [("a",), ("b",), ("c",), ("d",)],
        [("a", "b")] * 4,
    ],
)
def test_floor_of_two_clusters(answers):
    assert two_cluster_floor(answers) == pytest.approx(brute_force_floor(answers), abs=1e-12)
    assert two_cluster_floor(answers * 3) is None


def test_unconstrained_pairs_by_hand():
    answers = [("a",), ("a", "b"), ("b",), ("c",)]
    # Must-links 01, 12; cannot-links 02, 03, 13, 23.
    question = Question(
        None, answers, PairwiseConstraints([(0, 1)], [(0, 2)], n_samples=4), "cosine", "sqrt", (0,)
    )
    counts = unconstrained_pairs(np.array([0, 0, 0, 1], dtype=np.int32), question)
    assert counts == {"free_must": 1, "free_must_right": 1, "free_cannot": 3, "free_cannot_right": 3}
    counts = unconstrained_pairs(np.array([0, 1, 0, 1], dtype=np.int32), question)
    assert counts == {"free_must": 1, "free_must_right": 0, "free_cannot": 3, "free_cannot_right": 2}


def test_choice_takes_the_first_of_equals():
    constraints = PairwiseConstraints([(0, 1)], [(0, 2)], n_samples=3)
    labels = np.array([[0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0]], dtype=np.int32)
    assert chosen(labels, constraints) == 2
    assert chosen(labels[:2], constraints) == 1


@pytest.mark.parametrize("method", [kmdm, kmprob])
def test_more_answers_than_documents(method):
    answers = [("a", "b"), ("c", "d"), ("e",), ("a",)]
    constraints = PairwiseConstraints.from_labels([set(entry) for entry in answers], 0.1, random_state=0)
    question = Question(csr_matrix(np.eye(4)), answers, constraints, "euclidean", "sqrt", (0, "q"))
    assert (question.n_answers, question.told_k) == (5, 4)
    # The one must-link, of the documents that share an answer, joins two of the four.
    assert constraints.must_link.tolist() == [[0, 3]]
    assert method(question).labels.tolist() == [[0, 1, 2, 0]]


def test_random_labels_have_all_clusters():
    question = Question(None, list(zip("aabb")), None, "cosine", "sqrt", (0, "q"))
    random = RandomEntropy(question)
    # Four singletons are pure, one cluster has one bit.
    assert random(4) == 0.0
    assert random(1) == 1.0
    assert 0 < random(2) < 1


def test_reasons():
    assert reasons("Internal", PUBLISHED["cosine"]["Internal"]) == "a, b"
    assert reasons("KMDM", PUBLISHED["euclidean"]["KMDM"]) == "b, c"
    # Not below the floor; below it with a number of clusters that is not printed.
    assert reasons("External", Published(0.5, k=2.0)) == "b"
    assert reasons("AMOSA", PUBLISHED["cosine"]["AMOSA"]) == "b"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:157 of 1940 documents have no terms")
def test_real_corpus_has_all_cells(data_folder):
    if not (data_folder / "text" / "ebm_questions.jsonl.gz").exists():
        pytest.skip("no EBM corpus in the data folder")
    plan = find_experiment(NAME).plan(Settings(data_folder))
    assert len(plan.cells) == 2 * 263
    assert len({json.dumps(key) for key in plan.cells}) == 526
    assert len(load_ebm(data_folder).questions) == 304
