"""Draw the figures of the concepts: ``python docs/concepts/figures.py [PAGE ...]``.

A page's blocks of Python run first, so that a figure shows the numbers that its page prints.
"""

import re
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

HERE = Path(__file__).parent
OUT = HERE.parent / "images" / "concepts"
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C6D00"]
GREY = "#777777"


def new_axes(columns=2, width=5.8, height=2.7, **options):
    """Axes next to each other in a figure that can be read on a telephone, too."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False, **options)[0]
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_samples(ax, X, labels, title):
    """Samples in the plane by cluster, without a scale."""
    for cluster in np.unique(labels):
        ax.scatter(*X[labels == cluster].T, s=10, color=COLORS[cluster % len(COLORS)], linewidths=0)
    ax.set_title(title)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[["left", "bottom"]].set_visible(False)


def encodings(page):
    """Links that express two half moons, and the best pair of medoids."""
    figure, (left, right) = new_axes(height=1.9)
    X, moon = page["X"], page["moon"]
    for i, j in enumerate(page["links"]):
        left.plot(*X[[i, j]].T, color=GREY, linewidth=0.7, zorder=0)
    draw_samples(left, X, moon, "labels or links: all right")
    best = page["best"]
    share = page["accuracy"](page["sides"])[best]
    draw_samples(right, X, page["sides"][best], f"best two medoids: {share:.0%} right")
    right.scatter(*X[page["pairs"][best]].T, marker="x", s=90, color="black", linewidths=2)
    return figure


def crossover(page):
    """Agreement of children with the nearer parent."""
    figure, axes = new_axes(sharey=True)
    rng = np.random.default_rng(0)
    for ax, (kind, title) in zip(
        axes, (("equal", "equal parents, other numbers"), ("different", "different parents")), strict=True
    ):
        for place, name in enumerate(page["crossovers"]):
            near = np.array(page["nearness"][kind, name])
            ax.scatter(
                place + rng.uniform(-0.18, 0.18, len(near)), near, s=12, color=COLORS[place], alpha=0.6
            )
            ax.hlines(near.mean(), place - 0.3, place + 0.3, color="black")
        ax.set_title(title)
        ax.set_xticks(range(3), [name.replace(" ", "\n", 1) for name in page["crossovers"]])
    axes[0].set(ylim=(0, 1.05), ylabel="ARI with the nearer parent")
    return figure


def indices(page):
    """Silhouette of the clusters and of the outlier alone, by the distance of the outlier."""
    figure, (left, right) = new_axes(width_ratios=[1.5, 1])
    X = np.vstack([page["clusters"], [[14, 1.2]]])
    draw_samples(left, X, np.append(page["classes"], 0), "three clusters and one outlier")
    left.scatter(*X[-1], s=14, color="black")
    left.annotate("outlier", X[-1], xytext=(0, 8), textcoords="offset points", ha="center")
    distances = np.arange(2, 31)
    values = np.array([page["scored"](d, ["silhouette"])["silhouette"][1][:2] for d in distances])
    for place, name in enumerate(("three clusters", "outlier alone")):
        right.plot(distances, values[:, place], color=COLORS[place])
        right.annotate(
            name, (distances[-1], values[-1, place]), xytext=(0, 6), textcoords="offset points", ha="right"
        )
    right.set(xlabel="distance of the outlier", ylabel="silhouette", ylim=(0, 1))
    return figure


def constraints(page):
    """Agreement by the place of the pairs, right ones and wrong ones."""
    figure, axes = new_axes(sharey=True)
    for ax, (name, title) in zip(axes, (("wine", "wine"), ("halves", "halves of four groups")), strict=True):
        for shift, wrong, label in ((-0.15, 0.0, "all right"), (0.15, 0.2, "one in five wrong")):
            runs = np.array([page["found"][name, place, wrong] for place in page["places"]])
            spots = np.arange(len(runs)) + shift
            color = COLORS[int(wrong > 0)]
            ax.scatter(np.repeat(spots, runs.shape[1]), runs.ravel(), s=10, color=color, alpha=0.5)
            ax.hlines(runs.mean(axis=1), spots - 0.12, spots + 0.12, color=color, linewidth=3, label=label)
        ax.set_title(title)
        ax.set_xticks(range(len(page["places"])), list(page["places"]))
    axes[0].set(ylim=(0, 1.05), ylabel="ARI of samples in no pair")
    axes[0].legend(loc="lower left", frameon=False, title="pairs")
    return figure


def fronts(page):
    """A front with the picks of several rules, and how near each of its solutions is to the classes."""
    figure, (left, right) = new_axes(height=3.0)
    model, ari, picks = page["kept"]["uneven"]
    F, number = model.pareto_front_, model.pareto_K_
    few = number <= 15
    names = [name.replace("_", " ") for name in model.objective_names_]
    left.plot(*F[few].T, ".", color=GREY, markersize=4)
    left.set(xlabel=names[0], ylabel=names[1])
    right.plot(number[few], ari[few], ".", color=GREY, markersize=4)
    right.set(xlabel="clusters", ylabel="ARI with the classes", ylim=(0, 1.05))
    for place, (rule, row) in enumerate(picks.items()):
        look = {"color": COLORS[place], "marker": "osD^v"[place], "s": 150 - 30 * place, "zorder": 3}
        left.scatter(*F[row], label=rule, **look)
        right.scatter(number[row], ari[row], **look)
    left.legend(frameon=False)
    return figure


def leakage(page):
    """Scores of coin tosses: by labels that were given, and by the choice."""
    figure, (left, right) = new_axes(sharey=True)
    means = page["scores"].mean(axis=1)
    for column, (name, color) in enumerate((("all samples", COLORS[1]), ("hidden samples", COLORS[0]))):
        left.plot(np.array(page["shares"]) * 100, means[:, column], "o-", color=color, label=name)
    left.legend(title="scored on", frameon=False)
    left.set(
        xlabel="labels given, %",
        ylabel="ARI with coin tosses",
        title="labels seen by the fit",
        ylim=(-0.1, 1),
    )
    right.plot(page["numbers"], page["best"].mean(axis=0), "o-", color=COLORS[1])
    right.set(xscale="log", xlabel="random partitions to pick from", title="classes seen by the choice")
    for ax in (left, right):
        ax.axhline(0, color=GREY, linewidth=0.7)
    return figure


def controls(page):
    """Hypervolume by evaluations, of an evolution and its controls."""
    figure, (ax,) = new_axes(1, width=5.4)
    steps = page["steps"]
    names = {"evolution": "evolution", "drift": "random survival", "random": "random individuals"}
    for place, (name, label) in enumerate(names.items()):
        curve = page["curves"][name]
        ax.fill_between(
            steps, curve.min(axis=0), curve.max(axis=0), color=COLORS[place], alpha=0.15, linewidth=0
        )
        ax.plot(steps, curve.mean(axis=0), color=COLORS[place], label=label)
    ax.axhline(page["restarts"], color=GREY, linestyle="--", label="45 runs of k-means")
    ax.set(xlabel="evaluations", ylabel="hypervolume", xlim=(0, 2000))
    ax.legend(frameon=False, loc="lower right")
    return figure


def limits(page):
    """Index of the best feasible partition by the place of the limit, for wide and for tight bounds."""
    figure, axes = new_axes(sharey=True, width=6.6)
    places = ("objective", "constraint", "repair", "construction")
    for ax, (low, title) in zip(axes, ((42, "42 to 58 samples"), (50, "exactly 50 samples")), strict=True):
        for spot, place in enumerate(places):
            best = page["found"][low, place]
            kept = best > 0
            ax.scatter(np.full(kept.sum(), spot), best[kept], s=18, color=COLORS[0])
            if not kept.all():
                ax.annotate("none\nfeasible", (spot, 0.5), xycoords=("data", "axes fraction"), ha="center")
        ax.axhline(page["found"][low, "exact"], color=GREY, linestyle="--", label="ConstrainedKMeans")
        ax.set_title(title)
        ax.set_xticks(range(4), places, rotation=20)
        ax.set_xlim(-0.5, 3.5)
    axes[0].set_ylabel("Calinski-Harabasz index")
    axes[0].legend(frameon=False, loc="lower right")
    return figure


DRAWN = [encodings, crossover, indices, constraints, limits, fronts, leakage, controls]


def namespace_of(name):
    """Run the Python of a page and return its names."""
    names = {"__name__": name}
    for block in re.findall(r"```python\n(.*?)```", (HERE / f"{name}.md").read_text("utf-8"), re.DOTALL):
        exec(compile(block, name, "exec"), names)
    return names


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    mpl.rcParams.update({"svg.hashsalt": "concepts", "font.size": 9, "axes.titlesize": 9})
    wanted = sys.argv[1:] or [draw.__name__ for draw in DRAWN]
    for draw in DRAWN:
        if draw.__name__ in wanted:
            figure = draw(namespace_of(draw.__name__))
            figure.savefig(OUT / f"{draw.__name__}.svg", metadata={"Date": None})
