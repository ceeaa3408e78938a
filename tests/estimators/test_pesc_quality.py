"""How well PESC clusters, on shuffled rows, beside its controls."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from moo_clustering import PESC
from moo_clustering.validity import clustering_accuracy

SEEDS = range(5)


def accuracies(loader, n_clusters, order="shuffled", seeds=SEEDS, **options):
    X, y = loader(return_X_y=True) if callable(loader) else loader
    scores = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(X)) if order == "shuffled" else np.argsort(y, kind="stable")
        labels = PESC(n_clusters, random_state=seed, **options).fit_predict(X[rows])
        scores.append(clustering_accuracy(y[rows], labels))
    return np.array(scores)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loader", "n_clusters", "floor"),
    [
        (load_wine, 3, 0.94),
        pytest.param(load_breast_cancer, 2, 0.93, marks=pytest.mark.nightly),
        (load_iris, 3, 0.87),
    ],
)
def test_floors_and_the_control_without_evolution(loader, n_clusters, floor):
    evolved = accuracies(loader, n_clusters).mean()
    control = accuracies(loader, n_clusters, n_gen=0).mean()
    assert evolved >= floor
    assert evolved >= control - 0.02


@pytest.mark.nightly
def test_floor_on_wisconsin(data_folder):
    archive = np.load(data_folder / "uci" / "breast_cancer_wisconsin.npz", allow_pickle=False)
    data = archive["X"], archive["y"]
    evolved, control = accuracies(data, 2).mean(), accuracies(data, 2, n_gen=0).mean()
    assert evolved >= 0.96
    assert evolved >= control - 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loader", "n_clusters"), [pytest.param(load_wine, 3, marks=pytest.mark.nightly), (load_iris, 3)]
)
def test_the_order_of_the_rows_does_not_matter(loader, n_clusters):
    seeds = range(10)
    shuffled = accuracies(loader, n_clusters, seeds=seeds, n_gen=40)
    ordered = accuracies(loader, n_clusters, order="sorted", seeds=seeds, n_gen=40)
    error = np.sqrt(shuffled.var(ddof=1) / 10 + ordered.var(ddof=1) / 10)
    assert abs(shuffled.mean() - ordered.mean()) <= 3 * error + 1e-12


@pytest.mark.slow
def test_the_literal_operators_leak_the_order_of_the_rows():
    seeds = range(4)
    shuffled = accuracies(load_wine, 3, seeds=seeds, operators="index").mean()
    ordered = accuracies(load_wine, 3, order="sorted", seeds=seeds, operators="index").mean()
    assert ordered - shuffled > 0.05


@pytest.mark.slow
def test_random_initialisation_catches_up_with_many_generations():
    start = accuracies(load_wine, 3, seeds=range(2), operators="rank", init="random", n_gen=1).mean()
    later = accuracies(load_wine, 3, seeds=range(2), operators="rank", init="random", n_gen=120).mean()
    assert start < 0.6
    assert later > 0.8
