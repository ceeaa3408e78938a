"""Fronts: data, drawing, and matplotlib's state left alone."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

mpl.use("Agg")
import matplotlib.pyplot as plt
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import front_data, plot_front

F2 = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 0.5]])


def shape_of(path):
    return plt.imread(path).shape


def test_data():
    data = front_data(F2, chosen=1)
    assert data.names == ("f1", "f2")
    assert data.chosen.tolist() == [False, True, False]
    assert front_data(F2, ["a", "b"], [0, 2]).chosen.tolist() == [True, False, True]
    assert front_data(F2, chosen=[True, False, False]).chosen.tolist() == [True, False, False]


def test_results_of_pymoo_have_their_names_and_signs():
    X = np.arange(8.0)[:, None] ** 2
    problem = PartitionProblem(X, MedoidEncoding(X, 3), ["silhouette", "deviation"])
    result = minimize(problem, NSGA2(8, **problem.operators(NSGA2)), ("n_gen", 2), seed=1)
    data = front_data(result)
    assert data.names == ("silhouette", "deviation")
    np.testing.assert_array_equal(data.F, problem.natural(result.F))
    result.F = None
    with pytest.raises(ValueError, match="F must be non-empty"):
        front_data(result)


@pytest.mark.parametrize(
    ("F", "options", "message"),
    [
        (np.empty((0, 2)), {}, "must be non-empty"),
        (np.ones(3), {}, r"\(n_solutions, n_objectives\)"),
        ([[np.nan, 1.0]], {}, "finite"),
        (F2, {"names": ["a"]}, r"one name per objective \(2\), got 1"),
        (F2, {"chosen": 3}, "chosen=3 is outside the front, which has 3 solutions"),
    ],
)
def test_refused(F, options, message):
    with pytest.raises(ValueError, match=message):
        front_data(F, **options)


@pytest.mark.slow
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("chosen", [None, 2, [0, 1, 2, 3, 4]])
def test_any_number_of_objectives(tmp_path, n_objectives, chosen):
    F = np.random.default_rng(0).random((5, n_objectives))
    plt.close("all")  # whatever was left open elsewhere
    before, figures = mpl.rcParams.copy(), plt.get_fignums()
    names = [f"objective {i}" for i in range(n_objectives)]
    figure = plot_front(F, names, chosen, path=tmp_path / "front.png")
    assert isinstance(figure, Figure)
    assert min(shape_of(tmp_path / "front.png")[:2]) > 300
    assert mpl.rcParams == before
    assert plt.get_fignums() == figures
    assert [path.name for path in tmp_path.iterdir()] == ["front.png"]


def test_scatter_shows_every_member_once():
    (ax,) = plot_front(F2, ["near", "unlike"], chosen=1).axes
    drawn = [collection.get_offsets().tolist() for collection in ax.collections]
    assert drawn == [[[0.0, 3.0], [2.0, 0.5]], [[1.0, 1.0]]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("near", "unlike")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["front", "chosen"]
    assert {text.get_fontfamily()[0] for text in [ax.title, ax.xaxis.label]} == {"sans-serif"}


def test_parallel_coordinates_scale_every_objective():
    F = np.array([[0.0, 10.0, 5.0, 1.0], [1.0, 20.0, 6.0, 1.5], [0.5, 15.0, 7.0, 2.0]])
    (ax,) = plot_front(F, chosen=2).axes
    lines = [line.get_ydata().tolist() for line in ax.lines if len(line.get_ydata()) == 4]
    assert lines == [[0, 0, 0, 0], [1, 1, 0.5, 0.5], [0.5, 0.5, 1, 1]]
    assert ax.get_title() == "Pareto front, 3 solutions"


@pytest.mark.parametrize("n_objectives", [2, 4])
def test_given_axes_and_current_figure(n_objectives):
    mine, other = plt.figure(), plt.figure()
    try:
        ax = mine.add_subplot()
        assert plot_front(np.random.default_rng(1).random((4, n_objectives)), ax=ax) is mine
        assert ax.has_data()
        assert plt.gcf() is other
        assert not other.axes
    finally:
        plt.close(mine)
        plt.close(other)


def test_format_of_the_suffix(tmp_path):
    plot_front(F2, path=tmp_path / "front.svg")
    assert "<svg" in (tmp_path / "front.svg").read_text()
