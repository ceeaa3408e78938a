"""Leading terms of topics as bars."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_matrix

from moo_clustering.visualization.partitions import plot_terms, term_data

TOPICS = [[0.0, 3.0, 1.0, 3.0], [0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
TERMS = ["heart", "lung", "skin", "sleep"]


@pytest.mark.parametrize("kind", [list, np.asarray, csr_matrix])
def test_largest_weights_first_and_none_without_weight(kind):
    data = term_data(kind(TOPICS), TERMS, n_terms=2)
    assert data.terms == [("lung", "sleep"), ("heart",), ()]
    assert [weights.tolist() for weights in data.weights] == [[3.0, 3.0], [0.5], []]
    assert (data.clusters.tolist(), data.sizes, data.n_clusters) == ([0, 1, 2], None, 3)


def test_columns_stand_for_terms_without_names():
    assert term_data(TOPICS).terms[0] == ("1", "3", "2")


def test_the_largest_clusters_are_shown_in_their_order():
    topics = np.eye(5)
    data = term_data(topics, list("abcde"), sizes=[4, 0, 9, 4, 7], max_clusters=3)
    assert data.clusters.tolist() == [0, 2, 4]
    assert data.sizes.tolist() == [4, 9, 7]
    assert data.terms == [("a",), ("c",), ("e",)]
    assert term_data(topics, max_clusters=2).clusters.tolist() == [0, 1]
    # Without documents a cluster is none.
    assert term_data(topics, sizes=[4, 0, 9, 4, 7]).clusters.tolist() == [0, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"topics": [1.0, 2.0]}, "2D array"),
        ({"topics": np.empty((0, 3))}, "0 sample"),
        ({"topics": [[np.nan]]}, "topics contains NaN"),
        ({"topics": csr_matrix([[np.inf]])}, "topics contains infinity"),
        ({"topics": TOPICS, "terms": ["a"]}, r"one name per column \(4\), got 1"),
        ({"topics": TOPICS, "sizes": [1, 2]}, r"sizes must have shape \(3,\), got \(2,\)"),
        ({"topics": TOPICS, "n_terms": 0}, "n_terms must be an integer of at least 1, got 0"),
        ({"topics": TOPICS, "max_clusters": 0}, "max_clusters must be an integer of at least 1, got 0"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        term_data(**arguments)


def test_bars_are_the_weights(tmp_path):
    before = dict(mpl.rcParams)
    figure = plot_terms(
        TOPICS, TERMS, sizes=[5, 2, 1], title="Wards", label="mean weight", path=tmp_path / "terms.png"
    )
    assert isinstance(figure, Figure)
    assert (tmp_path / "terms.png").stat().st_size > 5000
    first, second, third = figure.axes
    assert [bar.get_width() for bar in first.patches] == [3.0, 3.0, 1.0]
    assert [text.get_text() for text in first.get_yticklabels()] == ["lung", "sleep", "skin"]
    assert first.get_title(loc="left") == "0 (5)"
    assert [bar.get_width() for bar in second.patches] == [0.5]
    assert [text.get_text() for text in third.texts] == ["no terms"]
    # One scale, and the first bar at the top.
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert first.get_ylim()[0] > first.get_ylim()[1]
    assert figure.get_suptitle() == "Wards: leading terms of the clusters (documents)"
    assert figure.get_supxlabel() == "mean weight"
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


def test_title_says_what_is_left_out():
    assert plot_terms(np.eye(9), max_clusters=4).get_suptitle() == "Leading terms of 4 of 9 clusters"
    assert plot_terms([[1.0]]).get_suptitle() == "Leading terms of the clusters"


def test_odd_terms_are_drawn_as_they_are(tmp_path):
    odd = ["$x", "a\nb", "w" * 40, "\x1b[31m", "$\\frac$"]
    figure = plot_terms([[5.0, 4.0, 3.0, 2.0, 1.0]], odd, path=tmp_path / "odd.png")
    shown = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert shown == ["$x", "a b", f"{'w' * 21}...", "[31m", "$\\frac$"]


@pytest.mark.parametrize(("n_clusters", "layout"), [(1, (1, 1)), (4, (1, 4)), (5, (2, 3)), (9, (3, 3))])
def test_panels_are_few_in_a_row(n_clusters, layout):
    figure = plot_terms(np.eye(n_clusters))
    grid = figure.axes[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == layout
    assert sum(ax.get_visible() for ax in figure.axes) == n_clusters
