"""Sums of squares known of data sets, and by how much the strategies should differ on generated ones."""

import numpy as np
import pytest

from moo_clustering import MemeticKMeans

# Number of clusters, sum of squares, and what is allowed beyond it.
KNOWN = {"a1": (20, 50.8011351, 5e-8), "s1": (15, 154.34, 0.0), "unbalance": (8, 21.47, 0.0)}


@pytest.fixture(params=KNOWN)
def shape(request, data_folder):
    """Less its mean, divided by the standard deviation of all its numbers."""
    path = data_folder / "shapes" / f"{request.param}.npz"
    if not path.is_file():
        pytest.skip(f"no shapes/{request.param}.npz in the data folder")
    with np.load(path) as stored:
        X = stored["X"].astype(np.float64)
    return (X - X.mean(axis=0)) / X.std(), *KNOWN[request.param]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"ward_start": False},
        {"ward_start": False, "engine": "deap"},
        {"ward_start": False, "removal": "cheap"},
        {"strategy": "swap"},
        {"strategy": "multistart"},
        {"strategy": "ward"},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_known_sums_of_squares(shape, options):
    X, k, known, beyond = shape
    # A share of the 10^9 distances within which they are to be reached; more are never worse.
    model = MemeticKMeans(k, max_distance_evaluations=20_000_000, random_state=0, **options).fit(X)
    assert model.inertia_ <= known + beyond
    np.testing.assert_allclose(
        model.inertia_, ((X - model.cluster_centers_[model.labels_]) ** 2).sum(), rtol=1e-9
    )
    if beyond:
        assert model.inertia_ >= known - beyond


def fitted(X, k, distances, **options):
    return MemeticKMeans(k, max_distance_evaluations=distances, random_state=0, **options).fit(X).inertia_


@pytest.mark.slow
def test_grid_of_components():
    """A tenth of the samples of the benchmark, and of its distances."""
    places = np.array([(i, j) for i in range(10) for j in range(10)], dtype=float)
    X = np.repeat(places, 8, axis=0) + 0.25 * np.random.default_rng(0).standard_normal((800, 2))
    restarts = fitted(X, 100, 10**8, strategy="multistart")
    population = fitted(X, 100, 10**8, ward_start=False)
    assert population <= 0.99 * restarts
    assert fitted(X, 100, 10**8, strategy="swap") <= 0.99 * restarts


def test_components_in_many_dimensions():
    rng = np.random.default_rng(0)
    centers, shares = rng.random((50, 16)), rng.dirichlet(np.full(50, 1.5))
    y = rng.choice(50, size=1500, p=shares)
    X = centers[y] + 0.13 * rng.standard_normal((1500, 16))
    restarts = fitted(X, 50, 3 * 10**7, strategy="multistart")
    assert fitted(X, 50, 3 * 10**7, ward_start=False) <= 0.99 * restarts
    # One local search from the Ward cut is all but the best.
    cut = fitted(X, 50, 1, strategy="ward")
    assert cut <= 0.99 * restarts
    assert cut * (1 - 5e-3) <= fitted(X, 50, 3 * 10**7) <= cut


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["satimage", "pendigits"])
def test_hundred_clusters_of_classed_tables(data_folder, name):
    path = data_folder / "uci" / f"{name}.npz"
    if not path.is_file():
        pytest.skip(f"no uci/{name}.npz in the data folder")
    with np.load(path) as stored:
        X = stored["X"].astype(np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    # To be reached within 10^9 distances.
    restarts = fitted(X, 100, 6 * 10**8, strategy="multistart")
    population = fitted(X, 100, 6 * 10**8, ward_start=False)
    assert population <= 0.995 * restarts
    assert abs(fitted(X, 100, 6 * 10**8, strategy="swap") / population - 1) <= 0.005
