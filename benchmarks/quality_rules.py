"""Fidelity of rules: ``benchmarks/quality_rules.py [--sets N] [--seeds 3]``.

k-means and ParetoClustering cluster tables with standardised columns. Trees with k, 3k/2 and 2k leaves
explain the partition: ``find_rules``, decision trees of scikit-learn (Gini and entropy), and, for k-means,
ExKMC of Frost, Moshkovitz and Rashtchian (2020), which minimises the cost to the centres instead. The
fidelity is the share of samples in the leaf of their cluster. ``held out`` is the fidelity on the fifth of
the samples that the trees have not seen.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.cluster import KMeans
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from moo_clustering import ParetoClustering
from moo_clustering.rules import find_rules

FOLDER = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data")) / "uci"
LEAVES = (1.0, 1.5, 2.0)


class ExKMC:
    """A tree of thresholds with one leaf per centre, expanded by the cost of the points to the centres."""

    def __init__(self, X: NDArray[Any], labels: NDArray[Any], centers: NDArray[Any]) -> None:
        self.cost = ((X[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
        # Leaves: rows, path of (column, threshold, below), centre.
        self.leaves: list[tuple[NDArray[Any], list[Any], int]] = []
        waiting: list[Any] = [(np.arange(len(X)), np.arange(len(centers)), labels.copy(), [])]
        while waiting:
            rows, own, of, path = waiting.pop()
            if len(own) == 1:
                self.leaves.append((rows, path, int(own[0])))
                continue
            column, cut = self._fewest_mistakes(X[rows], of[rows], centers, own)
            below = X[rows, column] <= cut
            for side, is_below in ((below, True), (~below, False)):
                inside = own[(centers[own, column] <= cut) == is_below]
                left = of.copy()
                left[rows[side][~np.isin(of[rows[side]], inside)]] = -1  # mistakes no longer count
                waiting.append((rows[side], inside, left, [*path, (column, cut, is_below)]))
        self.X = X

    @staticmethod
    def _fewest_mistakes(X: NDArray[Any], of: NDArray[Any], centers: NDArray[Any], own: NDArray[Any]) -> Any:
        best: tuple[float, int, float] = (np.inf, 0, 0.0)
        X, of = X[of >= 0], of[of >= 0]
        for column in range(centers.shape[1]):
            low, high = centers[own, column].min(), centers[own, column].max()
            cuts = np.unique(np.concatenate([X[:, column], centers[own, column]]))
            for cut in cuts[(cuts >= low) & (cuts < high)]:
                mistakes = ((X[:, column] <= cut) != (centers[of, column] <= cut)).sum()
                best = min(best, (mistakes, column, cut))
        return best[1:]

    def expand(self, n_leaves: int) -> None:
        """Split leaves where the cost to the best centres falls most."""
        while len(self.leaves) < n_leaves:
            best: Any = (0.0, None)
            for place, (rows, _, _) in enumerate(self.leaves):
                now = self.cost[rows].sum(axis=0).min() if len(rows) else 0.0
                for column in range(self.X.shape[1]):
                    order = rows[np.argsort(self.X[rows, column], kind="stable")]
                    values = self.X[order, column]
                    sums = np.cumsum(self.cost[order], axis=0)
                    cuts = np.flatnonzero(values[:-1] < values[1:])
                    if not len(cuts):
                        continue
                    costs = sums[cuts].min(axis=1) + (sums[-1] - sums[cuts]).min(axis=1)
                    if now - costs.min() > best[0] + 1e-12:
                        cut = cuts[costs.argmin()]
                        best = (
                            now - costs.min(),
                            (place, column, values[cut], order[: cut + 1], order[cut + 1 :]),
                        )
            if best[1] is None:
                return
            place, column, cut, below, above = best[1]
            path = self.leaves.pop(place)[1]
            for rows, is_below in ((below, True), (above, False)):
                center = int(self.cost[rows].sum(axis=0).argmin())
                self.leaves.append((rows, [*path, (column, cut, is_below)], center))

    def predict(self, X: NDArray[Any]) -> NDArray[np.intp]:
        """Centre of the leaf of every row."""
        found = np.zeros(len(X), dtype=np.intp)
        for _, path, center in self.leaves:
            inside = np.ones(len(X), dtype=bool)
            for column, cut, is_below in path:
                inside &= (X[:, column] <= cut) == is_below
            found[inside] = center
        return found


def scores(X: NDArray[Any], labels: NDArray[Any], centers: NDArray[Any] | None, seed: int) -> dict[str, Any]:
    """Fidelity of every method, on the data and held out, by number of leaves."""
    k = int(labels.max()) + 1
    rng, found = np.random.default_rng(seed), {}
    unseen = np.zeros(len(X), dtype=bool)
    unseen[rng.permutation(len(X))[: len(X) // 5]] = True
    for rows, kind in ((~np.zeros(len(X), dtype=bool), "fitted"), (~unseen, "held out")):
        scored = rows if kind == "fitted" else unseen
        frame = pd.DataFrame(X[rows])
        started = time.process_time()
        front = find_rules(labels[rows], frame, max_conditions=2 * k - 1)
        seconds = time.process_time() - started
        tree = None if centers is None else ExKMC(X[rows], labels[rows], centers)
        for factor in LEAVES:
            leaves = max(2, round(factor * k))
            rules = [each for each in front if each.n_conditions < leaves][-1]
            values = {"rules": (rules.predict(X[scored]) == labels[scored]).mean(), "seconds": seconds}
            for criterion in ("gini", "entropy"):
                plain = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=leaves, random_state=seed)
                values[criterion] = plain.fit(X[rows], labels[rows]).score(X[scored], labels[scored])
            if tree is not None:
                tree.expand(leaves)
                values["ExKMC"] = (tree.predict(X[scored]) == labels[scored]).mean()
            found[kind, factor] = values
    return found


def main() -> None:
    """Print mean fidelities and paired comparisons over data sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for path in sorted(FOLDER.glob("*.npz"))[: options.sets]:
        with np.load(path) as data:
            X, y = np.asarray(data["X"], dtype=float), data["y"]
        X = scale(X[np.random.default_rng(0).permutation(len(X))[:1000]])
        for seed in range(options.seeds):
            kmeans = KMeans(max(2, len(np.unique(y))), n_init=3, random_state=seed).fit(X)
            partitions = [("k-means", kmeans.labels_, kmeans.cluster_centers_)]
            if seed == 0:
                partitions.append(("pareto", ParetoClustering(random_state=0).fit(X).labels_, None))
            for name, labels, centers in partitions:
                if labels.max() < 1:
                    continue
                for (kind, factor), values in scores(X, labels, centers, seed).items():
                    rows.append({"set": path.stem, "by": name, "kind": kind, "leaves": factor, **values})
    table = pd.DataFrame(rows).groupby(["by", "kind", "leaves", "set"]).mean().reset_index()
    for (name, kind, factor), part in table.groupby(["by", "kind", "leaves"], sort=False):
        line = [f"{name}, {kind}, {factor:g} k leaves, {len(part)} sets: rules {part['rules'].mean():.3f}"]
        for rival in ("gini", "entropy", "ExKMC"):
            if part[rival].isna().any():
                continue
            gap = part["rules"] - part[rival]
            p_value = wilcoxon(gap).pvalue if (gap != 0).any() else 1.0
            won, lost = int((gap > 0.001).sum()), int((gap < -0.001).sum())
            line.append(f"{rival} {part[rival].mean():.3f} ({won} won, {lost} lost, p = {p_value:.2g})")
        print("; ".join(line))
    print(f"seconds of find_rules: median {table['seconds'].median():.2f}, most {table['seconds'].max():.1f}")


if __name__ == "__main__":
    main()
