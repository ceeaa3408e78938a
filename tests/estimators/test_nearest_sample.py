"""Clusters of samples that were not in the fit, by the clusterers of graphs: those of the nearest samples."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from moo_clustering import MOCK, PESC, SRMOSC, SpectralGraphClustering
from moo_clustering.cli import main
from moo_clustering.visualization.report import report_content

X, Y = load_iris(return_X_y=True)
# Without its equal rows, which may be in different clusters.
X, kept = np.unique(X, axis=0, return_index=True)
Y = Y[kept]
SMALL = {"pop_size": 10, "n_gen": 3, "random_state": 0}
MODELS = {
    "pesc": PESC(3, **SMALL),
    "standard": PESC(3, scale="standard", metric="cosine", **SMALL),
    "mock": MOCK(3, scale="minmax", **SMALL),
    "spectral": SpectralGraphClustering(3, metric="manhattan", scale="none", random_state=0),
    "waterfill": SpectralGraphClustering(3, graph="waterfill", metric="l2", random_state=0),
    "srmosc": SRMOSC(3, final="consensus", random_state=0),
}
each = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@each
def test_samples_of_the_fit_get_their_labels_again(model):
    model.fit(X, np.where(np.arange(len(Y)) % 9 == 0, Y, -1))
    assert_array_equal(model.predict(X), model.labels_)
    if hasattr(model, "choose"):
        assert_array_equal(model.choose(0).predict(X), model.labels_)
    single = type(model)(**model.get_params()).fit(X.astype(np.float32))
    assert_array_equal(single.predict(X.astype(np.float32)), single.labels_)


@each
def test_others_get_the_cluster_of_the_nearest(model):
    rows, classes = make_blobs(80, centers=[[0, 5], [9, 5], [5, 14]], random_state=0)
    model.fit(rows[:60])
    assert adjusted_rand_score(classes[60:], model.predict(rows[60:])) == 1.0
    assert_array_equal(model.predict(rows[60:])[:5], model.predict(rows[60:65]))


def test_nearest_in_the_scaling_of_the_fit():
    # By the second feature alone in numbers, by both in ranges: (0, 0) and (1, 1000) are the clusters.
    rows = np.array([[0.0, 0.0], [0.1, 100.0], [1.0, 1000.0], [0.9, 900.0]])
    model = SpectralGraphClustering(2, n_neighbors=1, random_state=0).fit(rows)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.predict([[0.9, 420.0], [0.1, 580.0]]).tolist() == [1, 0]
    plain = SpectralGraphClustering(2, n_neighbors=1, scale="none", random_state=0).fit(rows)
    assert plain.predict([[0.9, 420.0], [0.1, 580.0]]).tolist() == [0, 1]


@pytest.mark.parametrize("cls", [PESC, SpectralGraphClustering])
def test_distances_to_all_samples_of_the_fit_predict_and_others_are_refused(cls):
    options = SMALL if cls is PESC else {"random_state": 0}
    model = cls(3, metric="precomputed", **options).fit(cdist(X, X))
    assert_array_equal(model.predict(cdist(X, X)), model.labels_)
    new = X[:4] + 0.01
    assert_array_equal(model.predict(cdist(new, X)), model.labels_[cdist(new, X).argmin(axis=1)])
    for wrong in (X, X[0], cdist(X, X[:5])):
        with pytest.raises(ValueError, match=r"distances from new to training samples, .*149\)"):
            model.predict(wrong)


def descent(data, n_neighbors, **options):
    """All but one of the nearest neighbours in place of pynndescent, which takes long to compile."""
    nearest = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(data).kneighbors(data)[1]
    return SimpleNamespace(neighbor_graph=(np.delete(nearest, 3, axis=1), None))


@pytest.fixture
def approximate(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=descent, __spec__=object()))


@pytest.mark.parametrize("name", ["pesc", "mock", "srmosc", "spectral"])
def test_approximate_neighbours_are_told(approximate, name):
    model = type(MODELS[name])(**{**MODELS[name].get_params(), "metric": "euclidean"})
    assert model.fit(X).neighbor_recall_ is None
    assert 0.8 < model.set_params(neighbor_method="approximate").fit(X).neighbor_recall_ < 1.0
    said = f"approximate lists with {model.neighbor_recall_:.1%} of the nearest neighbours"
    assert ["neighbours", said] in [list(fact) for fact in report_content(model, X).facts]
    assert f"<li>neighbours: {said}</li>" in model._repr_html_()


def test_the_command_tells_approximate_neighbours(approximate, tmp_path, capsys):
    out = tmp_path / "run"
    options = ["--set", "neighbor_method=approximate", "--set", "n_gen=2", "--set", "pop_size=8"]
    main(["fit", "iris", "--method", "pesc", "-k", "3", "--out", str(out), *options], standalone_mode=False)
    recall = json.loads((out / "run.json").read_text())["result"]["neighbor_recall"]
    assert f"approximate lists with {recall:.1%} of the nearest neighbours" in capsys.readouterr().out
