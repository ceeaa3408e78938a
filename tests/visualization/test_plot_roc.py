"""ROC curves of several methods."""

from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from moo_clustering.validity.external import macro_auc, mean_roc_curve
from moo_clustering.visualization.figures import new_figure
from moo_clustering.visualization.fronts import plot_roc, roc_data

CURVES = {"a": ([0, 0, 0.5, 1], [0, 0.5, 0.5, 1]), "b": ([0, 0.5, 1], [0.2, 0.8, 1])}


def test_areas_and_starts():
    data = roc_data(CURVES)
    assert data.names == ("a", "b")
    # By hand: a has 1/4 and 3/8; b has 1/4 and 9/20.
    np.testing.assert_allclose(data.aucs, [0.625, 0.7])
    assert data.curves[0][0].tolist() == [0, 0, 0.5, 1]
    assert [each.tolist() for each in data.curves[1]] == [[0, 0, 0.5, 1], [0, 0.2, 0.8, 1]]
    assert roc_data(CURVES, aucs={"b": 0.71}).aucs.tolist() == [0.625, 0.71]


@pytest.mark.parametrize("n_points", [None, 101, 2])
def test_takes_mean_curves(n_points):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (80, 6)), rng.random((80, 6))
    data = roc_data({"random": mean_roc_curve(labels, scores, n_points)})
    assert data.aucs[0] == pytest.approx(macro_auc(labels, scores), abs=1e-12 if n_points is None else 0.1)


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ({}, "at least one curve"),
        ({"a": ([0, 1], [0, 0.5, 1])}, r"'a' must be two arrays of equal length, got shapes \(2,\)"),
        ({"a": ([], [])}, "equal length"),
        ({"a": ([0, 1], [0, np.nan])}, "must be finite numbers"),
        ({"a": ([0, 0.6, 0.5, 1], [0, 0, 0, 1])}, "must be ascending and in"),
        ({"a": ([0, 1], [0, 2])}, "must be ascending and in"),
        ({"a": ([0, 0.5], [0, 1])}, r"must extend from .* got 0 to \(0.5, 1\)"),
        ({"a": ([0.1, 1], [0, 1])}, r"got 0.1 to \(1, 1\)"),
    ],
)
def test_refuses(curves, message):
    with pytest.raises(ValueError, match=message):
        roc_data(curves)


def test_refuses_areas_of_no_curve():
    with pytest.raises(ValueError, match="aucs must contain only names of curves, got 'c'"):
        roc_data(CURVES, aucs={"c": 0.5})


def test_what_is_drawn(tmp_path):
    before = dict(mpl.rcParams)
    figure = plot_roc(CURVES, title="ASRS, 10% labelled", path=tmp_path / "roc.png")
    assert isinstance(figure, Figure)
    assert (tmp_path / "roc.png").stat().st_size > 5000
    (ax,) = figure.axes
    first, second, chance = ax.get_lines()
    assert first.get_xydata().tolist() == [[0, 0], [0, 0.5], [0.5, 0.5], [1, 1]]
    assert second.get_xydata().tolist() == [[0, 0], [0, 0.2], [0.5, 0.8], [1, 1]]
    assert chance.get_xydata().tolist() == [[0, 0], [1, 1]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "0.625  a",
        "0.700  b",
        "0.500  chance",
    ]
    assert ax.get_title() == "ASRS, 10% labelled"
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


def test_many_curves_differ_and_all_is_on_the_page(tmp_path):
    curves = {f"method number {i} with a long name, {'x' * 40} $": CURVES["a"] for i in range(24)}
    figure = plot_roc(curves, path=tmp_path / "many.svg")
    ax = figure.axes[0]
    lines = ax.get_lines()[:-1]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 24
    for one, other in pairwise(lines):
        assert one.get_color() != other.get_color()
        assert one.get_linestyle() != other.get_linestyle()
    figure.canvas.draw()
    page, legend = figure.bbox, ax.get_legend().get_window_extent()
    assert page.x0 <= legend.x0 < legend.x1 <= page.x1
    assert page.y0 <= legend.y0 < legend.y1 <= page.y1
    assert ax.yaxis.label.get_window_extent().x0 >= page.x0
    assert ax.bbox.width > 0.6 * ax.bbox.height
    assert max(len(text.get_text()) for text in ax.get_legend().get_texts()) == 47


def test_draws_into_given_axes():
    figure = new_figure(9, 4)
    left, right = figure.subplots(1, 2)
    assert plot_roc(CURVES, ax=right) is figure
    assert not left.get_lines()
    assert right.get_title() == "Mean ROC curves"
