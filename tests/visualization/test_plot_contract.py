"""What all plots have in common."""

import inspect
import subprocess
import sys

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from moo_clustering import visualization
from moo_clustering.algorithms import PartitionArchive
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.fronts import attainment_scores

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
LABELS = np.arange(12) % 3
BAGS = [RNG.normal(size=(4, 2)) + i % 2 for i in range(6)]
FRONT = np.column_stack([np.linspace(0, 1, 5), np.linspace(1, 0, 5) ** 2])
HISTORY = pd.DataFrame({"generation": [0, 1], "best_f1": [2.0, 1.0]})
ARCHIVE = PartitionArchive(
    ("n_clusters", "evenness"),
    (np.arange(1.5, 5), np.linspace(0, 1, 3)),
    np.array([[0, 1], [2, 0]]),
    np.array([[2.0, 0.9], [4.0, 0.3]]),
    np.array([0.7, 0.2]),
    "silhouette",
    True,
    np.zeros((2, 3)),
    np.zeros((2, 3)),
)

CALLS = {
    "plot_archive": (ARCHIVE,),
    "plot_attainment": (attainment_scores(FRONT, np.arange(2, 7), [(FRONT + 0.2, np.arange(2, 7))]),),
    "plot_bag_distances": (BAGS, np.arange(6) % 2),
    "plot_bag_embedding": (BAGS, np.arange(6) % 2),
    "plot_constraints": (X, LABELS, PairwiseConstraints([(0, 1)], [(1, 2)], n_samples=12)),
    "plot_convergence": (HISTORY,),
    "plot_critical_difference": (pd.Series({"a": 1.0, "b": 2.1, "c": 2.9}),),
    "plot_front": (FRONT,),
    "plot_partition": (X, LABELS),
    "plot_regions": (X[:, :2], LABELS),
    "plot_roc": ({"a": ([0.0, 0.5, 1.0], [0.0, 0.8, 1.0])},),
    "plot_similarity": (csr_array(np.ones((12, 12))), LABELS, [0.0, 0.1], X),
    "plot_terms": (np.ones((2, 3)),),
}
OPTIONS = {"plot_critical_difference": {"n_datasets": 9}}
CASES = [(name, CALLS[name]) for name in CALLS] + [
    ("plot_front", (RNG.random((5, width)),)) for width in (1, 3, 4, 6)
]
NAMED = [
    name if place < len(CALLS) else f"{name}-{np.shape(arguments[0])[1]}"
    for place, (name, arguments) in enumerate(CASES)
]


def takes_axes(name):
    return "ax" in inspect.signature(getattr(visualization, name)).parameters


def draw(name, arguments, **more):
    return getattr(visualization, name)(*arguments, **OPTIONS.get(name, {}), **more)


def test_all_plots_are_here_and_names_are_sorted():
    assert set(CALLS) == {name for name in visualization.__all__ if name.startswith("plot_")}
    assert visualization.__all__ == sorted(visualization.__all__)
    for name in ("front", "partition", "similarity", "convergence", "constraints", "critical_difference"):
        assert takes_axes(f"plot_{name}")
        assert f"{name}_data" in visualization.__all__


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=NAMED)
def test_nothing_global_changes(name, arguments, tmp_path, monkeypatch):
    plt.close("all")
    mine, other = plt.figure(), plt.figure()
    plt.figure(mine.number)
    mpl.rcParams["font.family"] = ["monospace"]
    before, numbers = mpl.rcParams.copy(), plt.get_fignums()
    # A figure of pyplot's would open a window.
    monkeypatch.setattr(plt, "figure", lambda *args, **kwargs: pytest.fail("pyplot was asked for a figure"))
    try:
        figure = draw(name, arguments, path=tmp_path / "plot.svg")
    finally:
        monkeypatch.undo()
        after = mpl.rcParams.copy()
        mpl.rcParams["font.family"] = ["sans-serif"]
    assert after == before
    assert isinstance(figure, Figure)
    assert plt.get_fignums() == numbers
    assert plt.gcf() is mine
    assert not mine.axes
    assert not other.axes
    assert [path.name for path in tmp_path.iterdir()] == ["plot.svg"]
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    # A figure that pyplot does not know needs no closing, and closing it does no harm.
    plt.close(figure)
    assert plt.get_fignums() == numbers
    plt.close("all")


@pytest.mark.parametrize("known_to_pyplot", [True, False])
@pytest.mark.parametrize(
    ("name", "arguments"), [case for case in CASES if takes_axes(case[0])],
    ids=[case for case, (name, _) in zip(NAMED, CASES, strict=True) if takes_axes(name)],
)  # fmt: skip
def test_axes_of_any_figure(name, arguments, known_to_pyplot):
    plt.close("all")
    own = plt.figure() if known_to_pyplot else Figure()
    solid = name == "plot_front" and np.shape(arguments[0])[1] == 3
    neighbour, ax = own.add_subplot(1, 2, 1), own.add_subplot(1, 2, 2, projection="3d" if solid else None)
    own.sca(neighbour)
    numbers = plt.get_fignums()
    assert draw(name, arguments, ax=ax) is own
    assert ax.has_data()
    assert not neighbour.has_data()
    assert own.gca() is neighbour
    assert plt.get_fignums() == numbers
    plt.close("all")


@pytest.mark.slow
def test_backend_is_not_chosen():
    script = (
        "import matplotlib as mpl, numpy as np\n"
        "from moo_clustering.visualization import plot_front\n"
        "chosen = mpl.rcParams._get('backend')\n"
        "for width in (2, 3, 5): plot_front(np.random.default_rng(0).random((4, width)))\n"
        "assert mpl.rcParams._get('backend') is chosen, 'a backend was chosen'\n"
        "assert not isinstance(chosen, str), 'one was set before'\n"
    )
    environment = {"PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=600)


def test_similarity_fits_the_axes_it_gets():
    figure, axes = plt.subplots(1, 3)
    call = CALLS["plot_similarity"]
    assert visualization.plot_similarity(*call, ax=axes[:2]) is figure
    assert [ax.has_data() for ax in axes] == [True, True, False]
    assert axes[0].images
    assert axes[1].lines
    with pytest.raises(ValueError, match="1 to 3 axes, got 0"):
        visualization.plot_similarity(*call, ax=[])
    plt.close(figure)


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("plot_bag_distances", (BAGS, ["$\\frac$", "b"] * 3), {}),
        ("plot_bag_embedding", (BAGS, ["$\\frac$", "b"] * 3), {}),
        ("plot_front", (FRONT, ["$\\frac$", "b"]), {}),
        ("plot_front", (RNG.random((5, 4)), ["$\\frac$", "b", "c", "$d"]), {}),
        ("plot_partition", (X[:, :2], LABELS), {"feature_names": ["$\\frac$", "b"], "title": "$\\frac$"}),
        ("plot_partition", (X, LABELS), {"cluster_names": ["$\\frac$", "b", "c"]}),
        ("plot_regions", (X[:, :2], LABELS), {"cluster_names": ["$\\frac$", "b", "c"], "title": "$\\frac$"}),
        ("plot_similarity", (np.ones((6, 6)), ["$\\frac$", "b"] * 3), {"title": "$\\frac$"}),
    ],
)
def test_names_with_dollar_signs_are_not_formulas(name, arguments, options, tmp_path):
    draw(name, arguments, path=tmp_path / "plot.svg", **options)
    assert (tmp_path / "plot.svg").stat().st_size
