"""pymoo's own plots of what every estimator leaves in ``result_``."""

import warnings

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from pymoo.visualization.heatmap import Heatmap
from pymoo.visualization.pcp import PCP
from pymoo.visualization.petal import Petal
from pymoo.visualization.radar import Radar
from pymoo.visualization.scatter import Scatter

from moo_clustering import (
    MOCK,
    NSGA2SISC,
    PESC,
    SRMOSC,
    AMOSAClus,
    FuzzyModesMOGA,
    NSGA2Clus,
    ParetoBagClustering,
    ParetoClustering,
)
from moo_clustering.visualization import front_bounds, pymoo_plots

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(place, 1.0, (10, 2)) for place in (0, 5, 10)])
PARTIAL = np.where(np.arange(30) % 3 == 0, np.arange(30) // 10, -1)
MODES = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["c", "x"], ["c", "y"], ["b", "x"]] * 4, dtype=object)
COUNTS = RNG.poisson(1.0, (20, 8))
CLASSES = (np.arange(20)[:, None] % [2, 3] == 0).astype(int)
BAGS = [RNG.normal(4 * (i % 2), 1, (3, 2)) for i in range(12)]
# Classes that no set of medoids can tell apart.
MIXED = np.arange(30) * 7 % 3
QUICK = {
    "annealing": {"soft_limit": 8, "hard_limit": 4, "n_climb": 2, "n_moves": 4, "t_max": 1.0, "t_min": 0.5},
    "random_state": 0,
}
SMALL = {"pop_size": 8, "n_gen": 2, "random_state": 0}

FITTED = {
    "PESC": lambda: PESC(3, **SMALL).fit(X),
    "PESC deap": lambda: PESC(3, engine="deap", **SMALL).fit(X),
    "NSGA2Clus": lambda: NSGA2Clus(search="evolve", **SMALL).fit(X, PARTIAL),
    "NSGA2Clus two objectives": lambda: NSGA2Clus(search="evolve", supervision="none", **SMALL).fit(X),
    "NSGA2Clus nothing feasible": lambda: NSGA2Clus(search="evolve", supervision="constraint", **SMALL).fit(
        X, RNG.integers(0, 3, 30)
    ),
    "NSGA2Clus deap": lambda: NSGA2Clus(search="evolve", engine="deap", **SMALL).fit(X, PARTIAL),
    "NSGA2Clus one solution": lambda: NSGA2Clus(random_state=0).fit(X[:2]),
    "AMOSAClus": lambda: AMOSAClus(**QUICK).fit(X, PARTIAL),
    "AMOSAClus nothing feasible": lambda: AMOSAClus(supervision="constraint", **QUICK).fit(X, MIXED),
    "MOCK": lambda: MOCK(n_clusters=3, **SMALL).fit(X),
    "MOCK one solution": lambda: MOCK(random_state=0).fit(X[:1]),
    "SRMOSC": lambda: SRMOSC(3, search="nsga2", **SMALL).fit(X),
    "SRMOSC hull": lambda: SRMOSC(3, search="hull", pop_size=8, random_state=0).fit(X),
    "FuzzyModesMOGA": lambda: FuzzyModesMOGA(2, **SMALL).fit(MODES),
    "NSGA2SISC": lambda: NSGA2SISC(2, **SMALL).fit(COUNTS, CLASSES),
    "NSGA2SISC one objective": lambda: NSGA2SISC(2, **SMALL).fit(COUNTS),
    "ParetoClustering": lambda: ParetoClustering(3, random_state=0).fit(X),
    "ParetoBagClustering": lambda: ParetoBagClustering(2, random_state=0).fit(BAGS),
}


@pytest.fixture(scope="module", params=FITTED)
def fitted(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FITTED[request.param]()


@pytest.fixture(autouse=True)
def untouched():
    """Settings, current figure and open figures are the same after every test."""
    plt.close("all")
    mine = plt.figure()
    before = mpl.rcParams.copy()
    yield
    assert mpl.rcParams == before
    assert plt.gcf() is mine
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


def test_front_of_every_result(fitted):
    F = fitted.result_.F
    n_objectives = len(fitted.objective_names_)
    assert F.dtype == np.float64
    assert F.ndim == 2
    assert F.shape[1] == n_objectives
    assert len(F) > 0
    assert np.isfinite(F).all()
    # All of the front is in it, but for the sign.
    sizes = {tuple(row) for row in np.abs(F)}
    if not getattr(fitted, "post_repair", False):
        assert {tuple(row) for row in np.abs(fitted.pareto_front_)} <= sizes


def test_scatter(fitted):
    F = fitted.result_.F
    with pymoo_plots():
        plot = Scatter().add(F).do()
    assert plt.gcf() is not plot.fig
    axes = np.ravel(plot.ax)
    assert len(axes) == 1
    if F.shape[1] == 2:
        np.testing.assert_array_equal(axes[0].collections[0].get_offsets(), F)
    else:
        assert axes[0].has_data()


def test_parallel_coordinates(fitted):
    F = fitted.result_.F
    with pymoo_plots():
        plot = PCP().add(F).do()
    lines = [line.get_ydata() for line in plot.ax.lines if len(line.get_ydata()) == F.shape[1]][: len(F)]
    span = np.ptp(F, axis=0)
    expected = (F - F.min(axis=0)) / np.where(span > 0, span, 1.0)
    if F.shape[1] > 2:  # else the axes are lines of as many points
        np.testing.assert_allclose(lines, expected, atol=1e-12)
    assert np.isfinite(np.concatenate(lines)).all()


def test_heatmap(fitted):
    F = fitted.result_.F
    with pymoo_plots():
        plot = Heatmap().add(F).do()
    (image,) = plot.ax.images
    shown = np.asarray(image.get_array())
    assert shown.shape == F.shape
    assert ((shown >= 0) & (shown <= 1)).all()


@pytest.mark.parametrize("kind", [Petal, Radar])
def test_petal_and_radar(fitted, kind):
    F = fitted.result_.F[:3]
    with pymoo_plots():
        plot = kind(bounds=front_bounds(fitted.result_.F)).add(F).do()
    assert plot.ax.shape == (1, len(F))
    # An outline and an axis for every objective in each panel, not all of them in the last.
    assert {len(ax.lines) for ax in plot.ax.ravel()} == {1 + F.shape[1]}


def test_petals_are_as_long_as_the_objectives_are_large():
    F = np.array([[0.0, 3.0, 5.0], [1.0, 3.0, 7.0], [0.25, 3.0, 6.0]])
    with pymoo_plots():
        plot = Petal(bounds=front_bounds(F)).add(F).do()
    lengths = [
        [collection.get_paths()[0].vertices.max(initial=0.0) for collection in ax.collections[:1]]
        for ax in plot.ax.ravel()
    ]
    np.testing.assert_allclose(np.ravel(lengths), [0.0, 1.0, 0.25], atol=1e-3)


def test_settings_come_back_after_an_error():
    def stopped():
        with pymoo_plots():
            Scatter()
            mpl.rcParams["lines.linewidth"] = 9
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        stopped()
    # What the block lends to pymoo's classes it takes back.
    assert Petal._plot.__module__ == "pymoo.visualization.petal"
    assert Radar._plot.__module__ == "pymoo.visualization.radar"


def test_bounds():
    F = RNG.normal(size=(20, 3))
    F[:, 1] = -2.0
    lower, upper = front_bounds(F)
    np.testing.assert_array_equal(lower, F.min(axis=0))
    np.testing.assert_array_equal(upper, [F[:, 0].max(), 0.0, F[:, 2].max()])
    assert (front_bounds([[0.0, -2e23]])[1] > [0.0, -2e23]).all()
    with pytest.raises(ValueError, match="F must be finite"):
        front_bounds([[np.nan]])
