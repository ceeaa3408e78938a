"""Plots that take a fitted estimator as it is."""

import numpy as np
from sklearn.datasets import make_blobs

from moo_clustering import NSGA2Clus
from moo_clustering.visualization import plot_convergence, plot_front, plot_partition
from moo_clustering.visualization.fronts import front_data

X, _ = make_blobs(30, centers=3, random_state=0)


def test_front_partition_and_convergence_take_an_estimator(tmp_path):
    model = NSGA2Clus(metric="euclidean", search="evolve", pop_size=8, n_gen=2, random_state=0).fit(X)
    data = front_data(model)
    np.testing.assert_array_equal(data.F, model.pareto_front_)
    assert data.names == model.objective_names_
    assert np.flatnonzero(data.chosen).tolist() == [model.chosen_]
    other = len(data.F) - 1 - model.chosen_
    assert np.flatnonzero(front_data(model, chosen=other).chosen).tolist() == [other]
    for name, plot in (
        ("front", lambda path: plot_front(model, path=path)),
        ("partition", lambda path: plot_partition(X, model, path=path)),
        ("convergence", lambda path: plot_convergence(model, path=path)),
    ):
        plot(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
