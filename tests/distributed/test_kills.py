"""A worker that dies in the middle costs time, and changes nothing."""

import numpy as np
import pytest
from joblib import parallel_config
from marked_work import MarkedProblem, MarkedSISC
from sklearn.datasets import load_iris

from moo_clustering import SISCEnsemble
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import ChunkedProblem
from papers.runner import Experiment, Settings, reproduce


@pytest.mark.slow
def test_ensemble(one_killed):
    X, classes = load_iris(return_X_y=True)
    y = np.where(np.arange(len(X)) % 3, -1, classes)

    def scores(folder):
        model = SISCEnsemble(MarkedSISC(folder), n_clusters=(3, 5), n_estimators=8, random_state=0)
        return model.fit(X, y).predict_proba(X)

    with one_killed() as folder, parallel_config(backend="dask"):
        found = scores(folder)
    np.testing.assert_array_equal(found, scores(None))


@pytest.mark.slow
def test_table(one_killed, tmp_path):
    means = Experiment("means", "Means of parts", "marked_work", "MeansPlan")

    def table(folder, marks):
        assert reproduce(means, folder, Settings(marks)).complete
        return (folder / "means.csv").read_text()

    with one_killed() as marks, parallel_config(backend="dask"):
        found = table(tmp_path / "there", marks)
    assert found == table(tmp_path / "here", None)
    # Nothing is there twice.
    assert len((tmp_path / "there" / "results.jsonl").read_text().splitlines()) == 1 + 8


@pytest.mark.slow
def test_population(one_killed):
    X, _ = load_iris(return_X_y=True)
    problem = MarkedProblem(X, MedoidEncoding(X, k_max=5), ["silhouette", "deviation"])
    genes = problem.encoding.random(80, np.random.default_rng(0))
    in_chunks = ChunkedProblem(problem, chunk_size=10)
    serial = in_chunks.evaluate(genes)
    with one_killed() as problem.folder, parallel_config(backend="dask"):
        found = in_chunks.evaluate(genes)
    np.testing.assert_array_equal(found, serial)
