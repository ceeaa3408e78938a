"""Preparation of mixed tables: ``benchmarks/quality_preparation.py [--seeds 10]``.

TablePreparer and skrub's TableVectorizer (with imputation and standardisation) prepare generated tables of
numbers, prices, percentages, dates, categories and booleans, with missing cells, an identifier and a constant
column. For ``skrub, cleaned``, the identifier is removed, and prices and percentages are numbers. k-means and
ParetoClustering cluster the features. Requires skrub (``benchmarks/peers.txt``).
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import ParetoClustering
from moo_clustering.datasets import TablePreparer

ROWS = 300


def mixed_table(n_clusters: int, seed: int) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Make a table and its clusters, whose distances differ between the columns."""
    rng = np.random.default_rng([seed, n_clusters])
    labels = rng.integers(0, n_clusters, ROWS)

    def values(spread: float) -> NDArray[Any]:
        return rng.permutation(n_clusters)[labels] * rng.uniform(0, 3) * spread + rng.normal(0, spread, ROWS)

    def words(n: int) -> NDArray[Any]:
        common = rng.integers(0, n, n_clusters)[labels]
        return np.where(rng.random(ROWS) < rng.uniform(0.3, 1.0), common, rng.integers(0, n, ROWS))

    columns: dict[str, Any] = {
        "id": [f"R{number}" for number in rng.permutation(9000)[:ROWS]],
        "age": values(5).round() + 40,
        "length": values(0.3),
        "price": [f"$ {value:,.2f}" for value in 2000 + values(300)],
        "share": [f"{value:.0f} %" for value in np.clip(40 + values(8), 0, 100)],
        "since": (pd.Timestamp("2020-01-01") + pd.to_timedelta(values(90), unit="D")).strftime("%Y-%m-%d"),
        "region": np.array(["north", "south", "east", "west"])[words(4)],
        "brand": np.array([f"brand {letter}" for letter in "abcdefgh"])[words(8)],
        "member": words(2).astype(bool),
        "source": "survey",
    }
    frame = pd.DataFrame(columns)
    for name in ("age", "share", "region"):
        frame[name] = frame[name].mask(rng.random(ROWS) < 0.08)
    return frame, labels


def main() -> None:
    """Print mean adjusted Rand indices with standard errors, and p-values against TablePreparer."""
    from skrub import TableVectorizer

    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    found: dict[str, list[list[float]]] = {"TablePreparer": [], "skrub": [], "skrub, cleaned": []}
    for n_clusters in (3, 4, 6):
        for seed in range(seeds):
            frame, labels = mixed_table(n_clusters, seed)
            cleaned = frame.drop(columns="id")
            for column in ("price", "share"):
                cleaned[column] = cleaned[column].str.replace("[$,%]", "", regex=True).astype(float)
            vectorised = make_pipeline(TableVectorizer(), SimpleImputer(), StandardScaler())
            for name, preparer, table in zip(
                found, (TablePreparer(), vectorised, vectorised), (frame, frame, cleaned), strict=True
            ):
                X = np.asarray(preparer.fit_transform(table), dtype=float)
                partitions = (
                    KMeans(n_clusters, n_init=10, random_state=0).fit(X).labels_,
                    ParetoClustering(n_clusters, scale="none", random_state=0).fit(X).labels_,
                    ParetoClustering(scale="none", random_state=0).fit(X).labels_,
                )
                found[name].append([adjusted_rand_score(labels, each) for each in partitions])
    scores = {name: np.array(rows) for name, rows in found.items()}
    print(f"{3 * seeds} tables of {ROWS} rows; adjusted Rand index, mean (standard error)")
    for place, method in enumerate(("k-means, k known", "ParetoClustering, k known", "ParetoClustering")):
        ours = scores["TablePreparer"][:, place]
        for name, values in scores.items():
            theirs = values[:, place]
            p_value = wilcoxon(ours, theirs).pvalue if (ours != theirs).any() else 1.0
            error = theirs.std() / np.sqrt(len(theirs))
            print(f"{method:26}{name:16}{theirs.mean():.3f} ({error:.3f})  p = {p_value:.3f}")


if __name__ == "__main__":
    main()
