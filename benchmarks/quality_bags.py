"""How low searches over partitions of bags get: ``python benchmarks/quality_bags.py [--seeds 5] [SET ...]``.

Davies-Bouldin index (bag weighting, two clusters, features in 0..1), mean (least to greatest) over seeds,
and the smallest cluster met. Every search has the evaluations, trials of single genes included, that
MemeticCHCMIC makes by default with the same seed. Reference values are of other programs and longer
searches: the least known (* proved by enumeration) and, for s = 1, that of CHC with the printed weights.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from _bag_data import stored
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from moo_clustering import BAMIC, CHCMIC, Bags, MemeticCHCMIC
from moo_clustering.bags import BagGeometry, BagObjective, BagTransformer

K = 2
Labels = NDArray[np.integer[Any]]

# Least value known with s = 1, and with s = 5% of the bags; CHC with the printed weights; as published.
REFERENCE = {
    "eastwest": ("2.6991*", "2.6991*", "2.6991", "3.7951"),
    "musk1": ("0.795", "1.6061", "1.889", "2.0035"),
    "mutatoms": ("5.954", "7.213", "8.197", "8.6559"),
    "mutchains": ("3.700", "5.965", "4.586", "4.6057"),
    "img_elephant": ("1.397", "3.128", "6.681", "6.9825"),
    "img_tiger": ("0.956", "2.790", "5.41", "4.8710"),
}

CONTROLS: dict[str, Callable[[Bags, int], Labels]] = {
    "k-means of bag means": lambda bags, seed: KMeans(K, n_init=10, random_state=seed).fit_predict(
        bags.means()
    ),
    "BAMIC": lambda bags, seed: BAMIC(K, random_state=seed).fit_predict(bags),
    "random labels": lambda bags, seed: np.random.default_rng(seed).integers(0, K, bags.n_bags),
}


def descents(objective: BagObjective, n_evaluations: int, seed: int) -> Labels:
    """The best end of greedy descents from random starts, as many as the evaluations allow."""
    rng = np.random.default_rng(seed)
    best: float = np.inf
    labels: Labels = objective.repair(objective.random(1, rng))[0]
    while n_evaluations > 0:
        start = objective.repair(objective.random(1, rng))
        found = objective.descend(start, rng, max_trials=n_evaluations - 1)
        n_evaluations -= 1 + int(found.n_trials[0])
        if found.values[0] < best:
            best, labels = float(found.values[0]), found.labels[0]
    return labels


def searches(bags: Bags, least: int, seed: int) -> tuple[int, list[Labels]]:
    """Evaluations of the memetic search, and what descents, it and CHC find with as many."""
    options: dict[str, Any] = {"min_cluster_size": least, "random_state": seed, "normalize": False}
    memetic = MemeticCHCMIC(K, **options).fit(bags)
    count = memetic.n_evaluations_ + memetic.n_trial_evaluations_
    # The generations are not what ends it.
    chc = CHCMIC(K, draw_weights="printed", n_gen=100_000, max_evals=count, **options).fit(bags)
    objective = BagObjective(BagGeometry(bags, min_cluster_size=least), K, min_cluster_size=least)
    return count, [descents(objective, count, seed), memetic.labels_, chc.labels_]


def cell(objective: BagObjective, found: list[Labels]) -> str:
    """Mean, least and greatest value, and the smallest cluster."""
    values = objective.evaluate(np.array(found))
    smallest = min(int(np.bincount(labels, minlength=K).min()) for labels in found)
    return f"{values.mean():.4f} ({values.min():.4f} to {values.max():.4f}), {smallest}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print a table of the searches, and one of controls that do not search for this index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(REFERENCE)}; default all")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    if unknown := set(options.sets) - set(REFERENCE):
        parser.error(f"unknown set {', '.join(sorted(unknown))}; known are {', '.join(REFERENCE)}")
    warnings.simplefilter("ignore")
    found, controls = [], []
    for name in options.sets or REFERENCE:
        raw = stored(name)
        if raw is None:
            continue
        bags = BagTransformer().fit_transform(raw)
        objective = BagObjective(BagGeometry(bags), K)
        lowest, lowest_s, chc, published = REFERENCE[name]
        for least in sorted({1, math.ceil(0.05 * bags.n_bags)}):
            counts, runs = zip(*(searches(bags, least, seed) for seed in range(options.seeds)), strict=True)
            cells = [cell(objective, list(method)) for method in zip(*runs, strict=True)]
            reference = f"{lowest}; CHC {chc}" if least == 1 else lowest_s
            found.append([name, str(least), f"{np.mean(counts):,.0f}", *cells, reference])
        seeds = range(options.seeds)
        labels = [[cluster(bags, seed) for seed in seeds] for cluster in CONTROLS.values()]
        controls.append([name, *(cell(objective, of_one) for of_one in labels), published])
    methods = ["greedy descents", "MemeticCHCMIC", "CHCMIC (printed weights)"]
    print(table(["set", "s", "evaluations", *methods, "reference"], found))
    print()
    print(table(["set", *CONTROLS, "CHCMIC as published"], controls))


if __name__ == "__main__":
    main()
