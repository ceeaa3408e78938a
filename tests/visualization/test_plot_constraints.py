"""Pairs as lines: which are satisfied, where they lie, and how they look."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection
from sklearn.cluster import KMeans

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.visualization import constraints_data, partition_data, plot_constraints

X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 5.0], [3.0, 5.0], [9.0, 1.0]])
LABELS = [0, 0, 1, 1, -1]
PAIRS = PairwiseConstraints([(0, 1), (1, 2), (2, 3)], [(0, 2), (0, 1), (3, 4)], n_samples=5)


def lines_by_kind(data):
    return {(each.kind, each.satisfied): each for each in data.lines}


def test_worked_example():
    found = lines_by_kind(constraints_data(X, LABELS, PAIRS))
    assert {key: each.pairs.tolist() for key, each in found.items()} == {
        ("must-link", True): [[0, 1], [2, 3]],
        ("must-link", False): [[1, 2]],
        ("cannot-link", True): [[0, 2], [3, 4]],
        ("cannot-link", False): [[0, 1]],
    }
    assert found["must-link", False].segments.tolist() == [[[1, 0], [2, 5]]]


@settings(deadline=None)
@given(st.data())
def test_counts_are_those_of_the_constraints(data):
    n = data.draw(st.integers(2, 8))
    labels = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda both: both[0] != both[1])
    must, cannot = (data.draw(st.lists(pair, max_size=6)) for _ in range(2))
    constraints = PairwiseConstraints(must, cannot, n_samples=n)
    shown = constraints_data(np.arange(2.0 * n).reshape(n, 2), labels, constraints, max_pairs=3)
    satisfied = [int(count[0]) for count in constraints.satisfied(labels)]
    assert [shown.count(kind, True) for kind in ("must-link", "cannot-link")] == satisfied
    assert sum(each.count for each in shown.lines) == len(constraints)
    assert sum(len(each.pairs) for each in shown.lines) == min(3, len(constraints))


def test_violated_pairs_are_drawn_first():
    n = 60
    labels = np.arange(n) % 2
    must = [(i, i + 2) for i in range(0, n - 2, 2)] + [(i, i + 1) for i in range(5)]
    found = lines_by_kind(
        constraints_data(
            np.c_[np.arange(n), labels], labels, PairwiseConstraints(must, n_samples=n), max_pairs=8
        )
    )
    broken, kept = found["must-link", False], found["must-link", True]
    assert (len(broken.pairs), broken.count) == (5, 5)
    assert (len(kept.pairs), kept.count) == (3, 29)
    assert {(0, 2), (56, 58)} <= set(map(tuple, kept.pairs.tolist()))


def test_ends_of_lines_are_among_the_points():
    n = 500
    points = np.random.default_rng(0).normal(size=(n, 4))
    constraints = PairwiseConstraints([(17, 401)], [(3, 250)], n_samples=n)
    data = constraints_data(points, np.zeros(n, dtype=int), constraints, max_points=10)
    assert {3, 17, 250, 401} <= set(data.samples.rows.tolist())
    assert len(data.samples.rows) == 14
    place = dict(zip(data.samples.rows.tolist(), data.samples.positions.tolist(), strict=True))
    for each in data.lines:
        for (i, j), segment in zip(each.pairs.tolist(), each.segments.tolist(), strict=True):
            assert segment == [place[i], place[j]]
    # The plane is that of all samples.
    everyone = partition_data(points, np.zeros(n, dtype=int))
    np.testing.assert_array_equal(everyone.positions[data.samples.rows], data.samples.positions)


def test_looks_differ_without_colour_and_counts_are_told(tmp_path):
    figure = plot_constraints(X, LABELS, PAIRS, title="five points", path=tmp_path / "k.png")
    (ax,) = figure.axes
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    assert [line.get_label() for line in lines] == [
        "must-link, satisfied (2)",
        "cannot-link, satisfied (2)",
        "must-link, violated (1)",
        "cannot-link, violated (1)",
    ]
    dashes = [str(line.get_linestyle()) for line in lines]
    assert len(set(dashes)) == 4
    widths = [line.get_linewidth()[0] for line in lines]
    assert min(widths[2:]) >= 1.5 * max(widths[:2])
    assert ax.get_title() == "five points\n2 of 3 must-links and 2 of 3 cannot-links satisfied"
    assert (tmp_path / "k.png").stat().st_size > 1000


def test_both_legends_are_inside_the_figure():
    figure = plot_constraints(X, LABELS, PAIRS)
    figure.canvas.draw()
    legends = figure.axes[0].findobj(mpl.legend.Legend)
    assert len(legends) == 2
    for legend in legends:
        box = legend.get_window_extent()
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert not box.overlaps(figure.axes[0].bbox)
        assert not box.overlaps(figure.axes[0].xaxis.label.get_window_extent())


def test_own_axes_and_no_pairs():
    own, ax = plt.subplots()
    assert plot_constraints(X, LABELS, PairwiseConstraints(n_samples=5), ax=ax) is own
    assert ax.get_title() == "no pairs"
    plt.close(own)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((X, LABELS, [(0, 1)]), {}, TypeError, "must be PairwiseConstraints, .*got list"),
        (
            (X, LABELS[:4], PAIRS),
            {},
            ValueError,
            r"labels must have one label per sample .* \(5\), got shape \(4,\)",
        ),
        ((X[:4], LABELS, PAIRS), {}, ValueError, "X and labels must have the same number"),
        ((X[:, :0], LABELS, PAIRS), {}, ValueError, "0 feature\\(s\\)"),
        (
            (np.where(X == 9, np.nan, X), LABELS, PAIRS),
            {},
            ValueError,
            "NaN: column 0 has 1, the first in row 4",
        ),
        (
            (X, LABELS, PAIRS),
            {"max_pairs": -1},
            ValueError,
            "max_pairs must be an integer of at least 0, got -1",
        ),
    ],
)
def test_mistakes(arguments, options, error, message):
    with pytest.raises(error, match=message):
        constraints_data(*arguments, **options)


def test_labels_of_a_fitted_estimator():
    estimator = KMeans(2, random_state=0, n_init=1).fit(X)
    shown, expected = (constraints_data(X, each, PAIRS) for each in (estimator, estimator.labels_))
    assert [line.count for line in shown.lines] == [line.count for line in expected.lines]
    assert shown.samples.names == expected.samples.names
