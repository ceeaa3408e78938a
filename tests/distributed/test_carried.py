"""What is parallel runs on a Dask cluster and comes to the serial result."""

import numpy as np
import pytest
from joblib import delayed, effective_n_jobs, parallel_config
from marked_work import MeansPlan
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.datasets import load_iris, make_blobs

from moo_clustering import (
    MOCK,
    EnsembleNMF,
    MemeticKMeans,
    MetaLabeler,
    ParetoClustering,
    PrunedSetsEnsemble,
    SISCEnsemble,
    SISCStacked,
    SphericalKMeans,
)
from moo_clustering._parallel import finished_calls, n_threads, run_calls
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.operators import CanonicalDuplicates, EncodingRepair, EncodingSampling
from moo_clustering.problems import ChunkedProblem, PartitionProblem
from moo_clustering.validity import Connectivity
from papers.runner import CellStore, Settings, find_experiment, reproduce, run_cells


@pytest.fixture(scope="module")
def documents():
    """Counts of words in three kinds of documents, and their kinds, known for a third of them."""
    rng = np.random.default_rng(0)
    kinds = np.arange(90) % 3
    rates = np.full((3, 30), 0.2)
    for kind in range(3):
        rates[kind, kind * 10 : kind * 10 + 10] = 2.0
    return rng.poisson(rates[kinds]).astype(float), np.where(np.arange(90) < 30, kinds, -1)


MEMBERS = {
    "EnsembleNMF": lambda X, y: EnsembleNMF(3, n_runs=6, random_state=0).fit(X).labels_,
    "EnsembleNMF by processes": lambda X, y: (
        EnsembleNMF(3, n_runs=4, solver="sklearn", random_state=0).fit(X).labels_
    ),
    "SphericalKMeans": lambda X, y: SphericalKMeans(3, n_init=4, random_state=0).fit(X).cluster_centers_,
    "SISCEnsemble": lambda X, y: (
        SISCEnsemble(n_clusters=(4, 6), n_estimators=3, random_state=0).fit(X > 1, y).predict_proba(X)
    ),
    "PrunedSetsEnsemble": lambda X, y: (
        PrunedSetsEnsemble(n_estimators=3, random_state=0).fit(X, y).predict_proba(X)
    ),
    "SISCStacked": lambda X, y: SISCStacked(random_state=0).fit(X, y).predict_proba(X),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MEMBERS)
def test_members_and_runs(name, documents, on_cluster):
    serial = MEMBERS[name](*documents)
    np.testing.assert_array_equal(on_cluster(lambda: MEMBERS[name](*documents)), serial)


@pytest.mark.slow
def test_pool_of_pareto_clustering(on_cluster):
    X, _ = make_blobs(150, 4, centers=4, random_state=0)

    def found():
        model = ParetoClustering(k_range=range(2, 7), random_state=0).fit(X)
        return model.labels_, model.pool_.labels, model.scores_["score"].to_numpy(), model.confidence_

    for here, there in zip(found(), on_cluster(found), strict=True):
        np.testing.assert_array_equal(there, here)


@pytest.mark.slow
def test_controls_of_mock(on_cluster):
    X, _ = make_blobs(60, 2, centers=3, random_state=0)

    def found():
        model = MOCK(n_gen=5, pop_size=20, n_controls=2, random_state=0).fit(X)
        return [model.labels_, *(part for front in model.control_fronts_ for part in front)]

    for here, there in zip(found(), on_cluster(found), strict=True):
        np.testing.assert_array_equal(there, here)


def test_runs_that_heed_this_process_stay(client, finished):
    X, _ = make_blobs(80, 2, centers=3, random_state=0)

    def found():
        model = MemeticKMeans(3, report_controls=True, max_distance_evaluations=20_000, random_state=0)
        model.fit(X)
        return model.control_inertia_, model.labels_.tolist()

    before = finished.n_batches
    serial = found()
    with parallel_config(backend="dask"):
        assert found() == serial
    assert finished.n_batches == before


def test_steps_of_scikit_learn_stay(documents, client, finished):
    X, y = documents
    labels = np.column_stack([y == 0, y != 1]).astype(int)
    labels[y < 0] = -1
    before = finished.n_batches
    serial = MetaLabeler().fit(X, labels).decision_function(X)
    data = np.random.default_rng(0).random((300, 3))
    index = Connectivity(metric="cityblock").fit(data).evaluate(data.argmax(axis=1)[None])
    with parallel_config(backend="dask"):
        np.testing.assert_array_equal(MetaLabeler().fit(X, labels).decision_function(X), serial)
        again = Connectivity(metric="cityblock").fit(data).evaluate(data.argmax(axis=1)[None])
    np.testing.assert_array_equal(again, index)
    assert finished.n_batches == before


def chunked(problem, **options):
    encoding = problem.encoding
    algorithm = NSGA2(
        pop_size=40,
        sampling=EncodingSampling(),
        repair=EncodingRepair(),
        eliminate_duplicates=CanonicalDuplicates(encoding),
    )
    return minimize(ChunkedProblem(problem, **options), algorithm, ("n_gen", 4), seed=1)


@pytest.mark.slow
def test_population_in_chunks(on_cluster):
    X, _ = load_iris(return_X_y=True)
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=5), ["silhouette", "connectivity"])
    serial = chunked(problem, chunk_size=7, n_jobs=1)
    there = on_cluster(lambda: chunked(problem, chunk_size=7))
    np.testing.assert_array_equal(there.X, serial.X)
    np.testing.assert_array_equal(there.F, serial.F)


def where(i, kernels):
    return i, n_threads(kernels), effective_n_jobs(None)


def test_tasks_keep_to_their_thread(on_cluster):
    found = on_cluster(lambda: run_calls(delayed(where)(i, None) for i in range(5)))
    assert found == [(i, 1, 1) for i in range(5)]
    assert on_cluster(lambda: run_calls([delayed(where)(0, 3)])) == [(0, 3, 1)]


def test_one_job_stays_here(client, finished):
    before = finished.n_batches
    with parallel_config(backend="dask"):
        assert run_calls((delayed(divmod)(7, i) for i in (2, 3)), n_jobs=1) == [(3, 1), (2, 1)]
        assert list(finished_calls([delayed(divmod)(7, 2)], n_jobs=1)) == [(3, 1)]
        # Threads of this machine have nothing to do with the workers of the cluster.
        assert (n_threads(None), n_threads(1), n_threads(3)) == (1, 1, 3)
    assert finished.n_batches == before


def test_errors_come_back(client):
    with parallel_config(backend="dask"), pytest.raises(ZeroDivisionError):
        run_calls(delayed(divmod)(7, i) for i in (1, 0))


@pytest.mark.filterwarnings("ignore:.*successfully executed")
def test_interrupted_cells_go_on(on_cluster, client, tmp_path):
    plan = MeansPlan(Settings())

    def computed(name, most=8):
        with CellStore(tmp_path / name, {}) as store:
            add = store.add

            def add_some(key, value):
                if len(store) == most:
                    raise KeyboardInterrupt
                add(key, value)

            store.add = add_some
            complete = run_cells(plan.compute, plan.cells, plan.data, store)
            return store.values(plan.cells) if complete else len(store)

    serial = computed("here")
    assert on_cluster(lambda: computed("there", most=3)) == 3
    assert on_cluster(lambda: computed("there")) == serial


@pytest.mark.slow
def test_table_of_an_experiment(tmp_path, monkeypatch, on_cluster):
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)
    settings = Settings(sets=("iris",), blocks=("families",))

    def tables(folder):
        reproduce(find_experiment("flagship"), folder, settings)
        return {
            path.name: path.read_text() for path in folder.glob("*.csv") if path.stem.split("-")[-1] == "sets"
        }

    here = tables(tmp_path / "here")
    assert {"sets.csv", "families-sets.csv"} <= set(here)
    assert on_cluster(lambda: tables(tmp_path / "there")) == here
