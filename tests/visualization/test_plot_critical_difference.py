"""Critical difference diagrams as figures."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from moo_clustering.stats import compare, friedman
from moo_clustering.visualization import critical_difference_data, plot_critical_difference

RNG = np.random.default_rng(3)
TABLE = pd.DataFrame(RNG.normal([0.0, 0.2, 0.4, 2.0, 2.5], size=(14, 5)), columns=list("abcde"))


def bars(ax):
    lines = [line for line in ax.lines if line.get_linewidth() == 2.5]
    return sorted((min(line.get_xdata()), max(line.get_xdata())) for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["shaffer", "nemenyi"])
def test_bars_join_what_the_procedure_does_not_separate(method, tmp_path):
    outcome = compare(TABLE, greater_is_better=True, posthoc=method)
    figure = plot_critical_difference(TABLE, greater_is_better=True, method=method, path=tmp_path / "cd.png")
    assert isinstance(figure, Figure)
    (ax,) = figure.axes
    ranks = outcome.ranks.mean()
    expected = sorted(
        (min(ranks[list(group)]), max(ranks[list(group)])) for group in outcome.groups if len(group) > 1
    )
    assert expected
    np.testing.assert_allclose(bars(ax), expected)
    texts = " ".join(text.get_text() for text in ax.texts)
    assert all(f"{ranks[name]:.2f}" in texts for name in TABLE)
    assert f"{method.capitalize()}, 0.05" in ax.get_xlabel()
    assert ("critical difference" in ax.get_xlabel()) == (method == "nemenyi")
    assert (tmp_path / "cd.png").stat().st_size > 1000


def test_table_ranks_and_earlier_results_give_the_same():
    ranks = compare(TABLE, greater_is_better=True).average_ranks
    drawn = [
        bars(plot_critical_difference(given, **options).axes[0])
        for given, options in (
            (TABLE, {"greater_is_better": True}),
            (TABLE.to_numpy(), {"greater_is_better": True, "methods": list("abcde")}),
            (ranks, {"n_datasets": 14}),
            (friedman(TABLE, greater_is_better=True), {}),
            (compare(TABLE, greater_is_better=True), {}),
        )
    ]
    assert all(each == drawn[0] for each in drawn)
    assert critical_difference_data(TABLE, greater_is_better=True).groups


def test_title_and_own_axes():
    own, axes = plt.subplots(2, layout="constrained")
    assert plot_critical_difference(TABLE, greater_is_better=True, title="of $five$", ax=axes[1]) is own
    assert axes[1].get_title("left") == "of $five$"
    assert not axes[0].has_data()
    plt.close(own)


def test_mistakes():
    with pytest.raises(TypeError, match="greater_is_better must be True or False"):
        plot_critical_difference(TABLE)
    with pytest.raises(ValueError, match="did you mean 'nemenyi'"):
        plot_critical_difference(TABLE, greater_is_better=True, method="nemeny")
