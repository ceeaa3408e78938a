"""The course of searches: what is counted, compared and drawn."""

from itertools import product

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from deap import tools

from moo_clustering import NSGA2Clus
from moo_clustering.algorithms import Recorder
from moo_clustering.visualization import convergence_data, plot_convergence

RNG = np.random.default_rng(0)


def recorder(generations, signs=None):
    made = Recorder(signs)
    for number, F in enumerate(generations):
        made.record(number, np.asarray(F, dtype=float))
    return made


def middle(data, panel, place=0):
    return data.panels[panel][place].middle.tolist()


def test_best_mean_and_front_of_a_recorder():
    run = recorder([[[4, -1], [2, -3], [5, -1]], [[1, -5], [1, -3], [np.inf, -4]]], signs=[1, -1])
    data = convergence_data(run, ["near", "wide"])
    assert list(data.panels) == ["near", "wide (maximised)", "hypervolume", "front size"]
    assert [curve.name for curve in data.panels["near"]] == ["best", "mean"]
    assert middle(data, "near") == [2, 1]
    assert middle(data, "near", 1) == [pytest.approx(11 / 3), 1]  # of finite values
    assert middle(data, "wide (maximised)") == [3, 5]
    assert middle(data, "wide (maximised)", 1) == [pytest.approx(5 / 3), 4]
    assert middle(data, "front size") == [1, 1]
    assert (data.step, data.n_runs) == ("generation", (1,))


def counted_cells(F, ideal, point, cells=400):
    """Share of a grid of cells between ideal and reference point whose middles a member dominates."""
    axis = (np.arange(cells) + 0.5) / cells
    scaled = (F - ideal) / (point - ideal)
    inside = [any((member <= place).all() for member in scaled) for place in product(axis, axis)]
    return np.mean(inside)


def test_hypervolume_is_the_dominated_share_of_one_box_for_all_runs():
    first = [RNG.random((6, 2)) + 0.3, RNG.random((6, 2))]
    second = [RNG.random((6, 2)) * [2, 1], RNG.random((6, 2)) * 0.8]
    data = convergence_data({"a": recorder(first), "b": recorder(second)})
    fronts = [
        F[[not any((other <= row).all() and (other < row).any() for other in F) for row in F]]
        for F in [*first, *second]
    ]
    every = np.concatenate(fronts)
    ideal, nadir = every.min(axis=0), every.max(axis=0)
    expected = [counted_cells(F, ideal, nadir + 0.1 * (nadir - ideal), 150) for F in fronts]
    found = [value for curve in data.panels["hypervolume"] for value in curve.middle]
    np.testing.assert_allclose(found, expected, atol=0.012)


def test_reference_point_in_natural_sign():
    run = recorder([[[1.0, -2.0]], [[0.0, -4.0]]], signs=[1, -1])
    data = convergence_data(run, reference=[2.0, 0.0])
    # Of the box from (0, 4) to (2, 0) the first generation dominates 1 x 2 of 2 x 4.
    assert middle(data, "hypervolume") == [0.25, 1.0]
    with pytest.raises(ValueError, match="choose a worse point"):
        convergence_data(run, reference=[0.0, 0.0])
    with pytest.raises(ValueError, match="reference must be a sequence of 2 finite numbers"):
        convergence_data(run, reference=[0.0])


def test_hypervolume_without_a_range_and_of_one_objective():
    flat = convergence_data(recorder([[[1.0, 2.0]], [[1.0, 2.0]]]))
    assert middle(flat, "hypervolume") == [1.0, 1.0]
    assert list(convergence_data(recorder([[[1.0]], [[0.5]]])).panels) == ["f1", "front size"]


def test_repetitions_have_a_median_and_quartiles():
    values = RNG.random((5, 7))
    data = convergence_data([pd.DataFrame({"generation": range(7), "score": row}) for row in values])
    (curve,) = data.panels["score"]
    np.testing.assert_allclose(curve.middle, np.median(values, axis=0))
    np.testing.assert_allclose(curve.low, np.quantile(values, 0.25, axis=0))
    np.testing.assert_allclose(curve.high, np.quantile(values, 0.75, axis=0))
    whole = convergence_data(list(values), band=(0, 1)).panels["objective"][0]
    np.testing.assert_array_equal([whole.low, whole.high], [values.min(axis=0), values.max(axis=0)])


def test_a_run_that_ended_earlier_keeps_its_last_value():
    (curve,) = convergence_data([[4.0, 2.0, 1.0], [6.0, 4.0]]).panels["objective"]
    assert curve.steps.tolist() == [1, 2, 3]
    assert curve.middle.tolist() == [5.0, 3.0, 2.5]


def logbook():
    found = tools.Logbook()
    for number in range(4):
        found.record(gen=number, nevals=9, min=4.0 - number, avg=np.array([5.0 - number, 7.0]))
    return found


def test_logbooks():
    data = convergence_data(logbook())
    assert list(data.panels) == ["min", "avg f1", "avg f2"]
    assert middle(data, "avg f1") == [5, 4, 3, 2]
    plain = tools.Logbook()
    plain.record(gen=1, min=1.0, max=3.0, std=0.5)
    plain.record(gen=2, min=0.5, max=2.0, std=0.25)
    data = convergence_data(plain)
    assert {title: [curve.name for curve in curves] for title, curves in data.panels.items()} == {
        "fitness": ["min", "max"],
        "std": [""],
    }
    assert data.panels["fitness"][0].steps.tolist() == [1, 2]


def test_chapters_of_a_logbook():
    found = tools.Logbook()
    found.record(gen=0, fitness={"min": 1.0}, size={"min": 3.0})
    found.record(gen=1, fitness={"min": 0.5}, size={"min": 4.0})
    assert middle(convergence_data(found), "min size") == [3, 4]


@pytest.fixture(scope="module")
def runs():
    X = np.concatenate([RNG.normal(place, 1, (20, 2)) for place in (0, 6)])
    return [
        NSGA2Clus(pop_size=8, n_gen=n, random_state=n, supervision="none", search="evolve").fit(X)
        for n in (3, 4)
    ]


def test_estimators(runs):
    data = convergence_data(runs)
    assert list(data.panels) == ["xie beni", "i index (maximised)", "hypervolume", "front size"]
    frames = [run.history_.to_frame(run.objective_names_).set_index("generation") for run in runs]
    best = pd.concat([frame["best_i_index"] for frame in frames], axis=1).ffill().median(axis=1)
    np.testing.assert_allclose(middle(data, "i index (maximised)"), best)
    assert convergence_data(runs[0].history_).panels.keys() >= {"f1", "f2 (maximised)"}


def test_drawn_curves_are_those_of_the_data(runs, tmp_path):
    groups = {"one": runs, "other $x$": runs[:1]}
    data = convergence_data(groups)
    figure = plot_convergence(groups, title="both", path=tmp_path / "c.png")
    assert [ax.get_title("left") for ax in figure.axes] == list(data.panels)
    for ax, curves in zip(figure.axes, data.panels.values(), strict=True):
        for line, curve in zip(ax.lines, curves, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), curve.middle)
        styles = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
        assert len(styles) == len(curves)
        assert len(ax.collections) == sum((curve.low != curve.high).any() for curve in curves)
    assert [text.get_text() for text in figure.axes[2].get_legend().get_texts()] == ["one", "other $x$"]
    assert figure.axes[-1].get_xlabel() == "generation (median and 25% to 75% quantiles of 1 to 2 runs)"
    assert (tmp_path / "c.png").stat().st_size > 1000


def test_axes_of_ones_own(runs):
    figure, axes = plt.subplots(2)
    assert plot_convergence(runs, show=["front_size", "hypervolume"], ax=axes) is figure
    assert [ax.get_title("left") for ax in axes] == ["front size", "hypervolume"]
    assert plot_convergence(runs, show="hypervolume", ax=axes[0]) is figure
    with pytest.raises(ValueError, match=r"one axes per panel .4: .*got 2; select panels with show"):
        plot_convergence(runs, ax=axes)
    plt.close(figure)


def test_logarithmic_where_values_differ_much():
    (ax,) = plot_convergence([[1000.0, 1.0, 0.1]]).axes
    assert ax.get_yscale() == "log"
    for values in ([1000.0, 0.0, 0.1], [10.0, 1.0, 0.1]):
        assert plot_convergence([values]).axes[0].get_yscale() == "linear"


@pytest.mark.parametrize(
    ("runs", "options", "error", "message"),
    [
        ([], {}, ValueError, "at least one run"),
        ({}, {}, ValueError, "at least one run"),
        ({"a": []}, {}, ValueError, "at least one run for 'a'"),
        (Recorder(), {}, ValueError, "no run was recorded"),
        (pd.DataFrame({"score": [1.0]}), {}, ValueError, "column 'generation', got"),
        (pd.DataFrame({"generation": [1], "name": ["a"]}), {}, ValueError, "no numeric columns to plot"),
        (pd.DataFrame({"generation": [1, 1], "x": [1.0, 2.0]}), {}, ValueError, "duplicate numbers"),
        (NSGA2Clus(), {}, ValueError, "this NSGA2Clus has neither history_"),
        (3, {}, TypeError, "must be a fitted estimator .* got int"),
        ([[1.0]], {"show": "score"}, ValueError, "panels 'objective', got 'score'"),
        ([[1.0]], {"show": []}, ValueError, "got none"),
        ([[1.0]], {"band": (0.8, 0.2)}, ValueError, "ascending quantiles in"),
        (
            [[1.0]],
            {"reference": [1.0]},
            ValueError,
            "reference requires runs with the same two or more objectives",
        ),
        (
            [pd.DataFrame({"generation": [1], "x": [1.0]}), pd.DataFrame({"sweep": [1], "x": [1.0]})],
            {},
            ValueError,
            "got generation and sweep",
        ),
    ],
)
def test_mistakes(runs, options, error, message):
    with pytest.raises(error, match=message):
        convergence_data(runs, **options)
