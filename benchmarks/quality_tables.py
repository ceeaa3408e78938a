"""Cost of irrelevant columns and missing cells: ``benchmarks/quality_tables.py [--tables 10] [--mixed 12]``.

Adjusted Rand indices of ParetoClustering, nothing known, on tables that ``prepare_table`` has prepared.
Clean tables are clusters of normal samples in 2 to 12 columns, whose centres are at least 7 standard
deviations apart; to each a column of random words is added, or a share of its cells is removed
completely at random. ``known centres`` is the control of the latter: every row goes to the centre that
is nearest in the columns that are left, which no method can beat by much; ``known distances`` clusters
the Euclidean distances over what both rows know, and ``regression`` fills cells by scikit-learn's
IterativeImputer. Real tables lose 20% of their cells twice. Mixed tables have relevant numbers and
categories, and an irrelevant one of each kind; heart, zoo and soybean are real ones, with their codes as
categories.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - makes the next import possible
from sklearn.impute import IterativeImputer
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import nan_euclidean_distances

from moo_clustering import ParetoClustering
from moo_clustering.datasets import prepare_table

FOLDER = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data")) / "uci"
N_COLUMNS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)
N_WORDS = (2, 3, 4, 8, 20)
SHARES = (0.1, 0.2)
WEIGHTS, FILLINGS = ("equal", "dependence"), ("median", "neighbors")
# Columns of codes; those of the other sets are all of that kind.
CODES = {"heart_statlog": [1, 2, 5, 6, 8, 10, 11, 12], "zoo": [*range(12), 13, 14, 15], "soybean_small": None}

SETS = ("iris", "wine", "new_thyroid", "soybean_small", "zoo", "breast_cancer_wisconsin", "heart_statlog")

_scores: dict[bytes, NDArray[np.int32]] = {}


def score(frame: pd.DataFrame, classes: NDArray[np.int64], **options: Any) -> float:
    """Adjusted Rand index of the clusters of a prepared table with its classes."""
    X = prepare_table(frame, **options).X
    key = X.tobytes()
    if key not in _scores:
        _scores[key] = ParetoClustering(scale="none", random_state=0).fit(X).labels_
    return float(adjusted_rand_score(classes, _scores[key]))


def clean(number: int) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Rows, classes and centres of a clean table."""
    rng = np.random.default_rng([41, number])
    k, d = int(rng.integers(2, 7)), N_COLUMNS[number % len(N_COLUMNS)]
    n = int(rng.choice([150, 200, 250]))
    while True:
        centers = rng.normal(size=(k, d))
        distances = pdist(centers)
        if distances.min() > 0.5 * np.median(distances):
            break
    centers *= 7 / distances.min()
    classes = rng.integers(k, size=n)
    return centers[classes] + rng.normal(size=(n, d)), classes, centers


def spoiled(number: int) -> dict[str, float]:
    """Scores of a clean table, with random words and with missing cells."""
    X, classes, centers = clean(number)
    frame = pd.DataFrame(X)
    found = {"columns": X.shape[1], "clean": score(frame, classes)}
    for n_words in N_WORDS:
        words = np.random.default_rng([42, number, n_words]).integers(n_words, size=len(X))
        wordy = frame.assign(word=[f"w{word}" for word in words])
        for weights in WEIGHTS:
            found[f"{n_words} words, {weights}"] = score(wordy, classes, weights=weights)
    for share in SHARES:
        gone = np.random.default_rng([43, number, int(100 * share)]).random(X.shape) < share
        for missing in FILLINGS:
            found[f"{share:.0%} missing, {missing}"] = score(frame.mask(gone), classes, missing=missing)
        away = np.stack([np.where(gone, 0.0, (X - center) ** 2).sum(axis=1) for center in centers])
        known = pd.DataFrame(X).mask(gone)
        known = (known - known.mean()) / known.std(ddof=0)
        distances = nan_euclidean_distances(known)
        # Rows that have no column in common are as far apart as most.
        distances = np.where(np.isnan(distances), np.nanmedian(distances), distances)
        np.fill_diagonal(distances, 0.0)
        far = ParetoClustering(metric="precomputed", random_state=0).fit(distances)
        found[f"{share:.0%} missing, known distances"] = adjusted_rand_score(classes, far.labels_)
        regressed = pd.DataFrame(IterativeImputer(random_state=0).fit_transform(known))
        found[f"{share:.0%} missing, regression"] = score(regressed, classes)
        found[f"{share:.0%} missing, known centres"] = adjusted_rand_score(classes, away.argmin(axis=0))
    return found


def mixed(number: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers and categories that depend on the classes, and one of each that does not."""
    rng = np.random.default_rng([44, number])
    k, n = int(rng.integers(2, 6)), int(rng.choice([150, 250]))
    classes = rng.integers(k, size=n)
    n_numbers = int(rng.integers(2, 5))
    numbers = 2.2 * rng.normal(size=(k, n_numbers))[classes] + rng.normal(size=(n, n_numbers))
    frame = pd.DataFrame(numbers).assign(noise=rng.normal(size=n))
    for column in range(int(rng.integers(2, 6))):
        shares = rng.dirichlet(np.full(int(rng.integers(2, 6)), 0.35), size=k)
        values = [rng.choice(shares.shape[1], p=shares[cluster]) for cluster in classes]
        frame[f"kind {column}"] = [f"v{value}" for value in values]
    frame["word"] = [f"w{word}" for word in rng.integers(int(rng.integers(2, 8)), size=n)]
    return frame, classes


def real(name: str, codes: list[int] | None) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """A table with codes as categories."""
    with np.load(FOLDER / f"{name}.npz") as data:
        frame, classes = pd.DataFrame(data["X"]), data["y"]
    for column in frame if codes is None else codes:
        frame[column] = [f"v{code:g}" for code in frame[column]]
    return frame, classes


def without_cells(name: str) -> dict[str, float]:
    """Scores of a real table, whole and without 20% of its cells."""
    with np.load(FOLDER / f"{name}.npz") as data:
        frame, classes = pd.DataFrame(data["X"]), data["y"]
    found = {"whole": score(frame, classes)}
    for draw in range(2):
        gone = np.random.default_rng([45, draw]).random(frame.shape) < 0.2
        for missing in FILLINGS:
            found[f"{missing}, draw {draw}"] = score(frame.mask(gone), classes, missing=missing)
    return found


def main() -> None:
    """Print a table of each kind, with means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10, help="clean tables")
    parser.add_argument("--mixed", type=int, default=12, help="generated mixed tables")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    pd.set_option("display.width", 200)
    if options.tables:
        found = pd.DataFrame([spoiled(number) for number in range(options.tables)]).T
        print(found.assign(mean=found.mean(axis=1)).round(3).to_string())
    files = [name for name in SETS if (FOLDER / f"{name}.npz").exists()]
    if files:
        lost = pd.DataFrame({name: without_cells(name) for name in files})
        print(lost.assign(mean=lost.mean(axis=1)).round(3).to_string())
    tables = {f"mixed {number}": mixed(number) for number in range(options.mixed)}
    tables |= {name: real(name, codes) for name, codes in CODES.items() if (FOLDER / f"{name}.npz").exists()}
    rows = {
        name: {weights: score(frame, classes, weights=weights) for weights in WEIGHTS}
        for name, (frame, classes) in tables.items()
    }
    print(pd.DataFrame(rows).T.round(3).to_string())
    generated = pd.DataFrame([row for name, row in rows.items() if name.startswith("mixed")])
    print(f"mean of the generated: {generated.mean().round(3).to_dict()}")


if __name__ == "__main__":
    main()
