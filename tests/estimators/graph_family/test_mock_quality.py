"""What MOCK reaches on published shapes, and what it cannot."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK


@pytest.fixture(scope="module")
def shape(data_folder):
    def load(name):
        with np.load(data_folder / "shapes" / f"{name}.npz") as arrays:
            # No method may live from the order of the rows.
            order = np.random.default_rng(0).permutation(len(arrays["y"]))
            return arrays["X"][order], arrays["y"][order]

    return load


def best(model, y):
    return max(adjusted_rand_score(y, labels) for labels in model.pareto_labels_)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "floor", "chosen"),
    [
        ("square1", 0.92, 0.92),
        ("long1", 0.98, 0.98),
        ("sizes5", 0.95, 0.95),
        ("r15", 0.98, 0.98),
        ("aggregation", 0.95, 0.9),
        ("lsun", 0.98, 0.98),
    ],
)
def test_shapes(shape, name, floor, chosen):
    X, y = shape(name)
    models = [MOCK(len(np.unique(y)), random_state=seed).fit(X) for seed in range(2)]
    assert np.mean([best(model, y) for model in models]) >= floor
    assert np.mean([adjusted_rand_score(y, model.labels_) for model in models]) >= chosen


@pytest.mark.parametrize("name", ["square1", "sizes5"])
def test_without_evolution_it_is_much_worse(shape, name):
    X, y = shape(name)
    assert best(MOCK(4, n_gen=1, init="delta", random_state=0).fit(X), y) < 0.65


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["short", "split"])
def test_a_true_partition_that_is_dominated_is_lost(shape, encoding):
    X, y = shape("spiral")
    assert best(MOCK(3, encoding=encoding, n_neighbors=5, random_state=0).fit(X), y) >= 0.98
    assert best(MOCK(3, encoding=encoding, random_state=0).fit(X), y) <= 0.9


@pytest.mark.slow
def test_the_number_of_clusters_of_square1(shape):
    X, y = shape("square1")
    model = MOCK(random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(y, model.labels_) > 0.92


def test_paper_preset(shape):
    X, y = shape("lsun")
    model = MOCK.paper2007(3, n_gen=300, random_state=0, select="attainment", n_controls=1).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
