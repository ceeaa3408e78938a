"""Preparation of tables: ``benchmarks/quality_preparation.py [--seeds 10]`` or ``real [--half held-out]``.

TablePreparer and skrub's TableVectorizer (with imputation and standardisation) prepare generated tables of
numbers, prices, percentages, dates, categories and booleans, with missing cells, an identifier and a constant
column. For ``skrub, cleaned``, the identifier is removed, and prices and percentages are numbers. k-means and
ParetoClustering cluster the features. Requires skrub (``benchmarks/peers.txt``).

``real`` compares further representations of 20 tables with known classes with that of ``prepare_table``, by
the adjusted Rand index of ParetoClustering on at most 300 rows per table. Seeds 0 to 2 had equal results on
the first four tables, so only seed 0 is used. The tables are divided by origin into a development half, on
which a representation was chosen, and a held-out half, which was used once afterwards. ``--cache FILE``
stores finished fits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.stats import bootstrap, norm, rankdata, skew, wilcoxon
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler

from moo_clustering import ParetoClustering
from moo_clustering.datasets import TablePreparer, prepare_table

ROWS = 300
FOLDER = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data")) / "uci"
# Every second origin in alphabetical order. Tables of one origin are in the same half.
HALVES = {
    "development": (
        "balance_scale", "haberman", "ionosphere", "liver_bupa", "new_thyroid", "pima_diabetes", "sonar",
        "vowel", "wine",
    ),
    "held-out": (
        "breast_cancer_wdbc", "breast_cancer_wisconsin", "heart_statlog", "iris", "lung_cancer", "optdigits",
        "pendigits", "satimage", "soybean_small", "waveform", "zoo",
    ),
}  # fmt: skip
MOST_ROWS = 300
# Columns with fewer distinct values are codes, and columns with a greater absolute correlation are redundant.
LEAST_VALUES, REDUNDANT = 10, 0.9


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


def log(x: NDArray[Any]) -> NDArray[Any]:
    """Logarithm; if there are zeros, the smallest positive value is added first."""
    return np.log(x + (x[x > 0].min() if (x == 0).any() else 0.0))


def yeo_johnson(x: NDArray[Any]) -> NDArray[Any]:
    return PowerTransformer().fit_transform(x[:, None])[:, 0]


def normal_scores(x: NDArray[Any]) -> NDArray[Any]:
    return norm.ppf((rankdata(x) - 0.5) / len(x))


def is_skewed(x: NDArray[Any], threshold: float) -> bool:
    return x.min() >= 0 and skew(x) > threshold


def is_count(x: NDArray[Any]) -> bool:
    return x.min() >= 0 and bool((x == np.round(x)).all())


def converted(
    frame: pd.DataFrame, convert: Callable[..., Any], applies: Callable[..., bool], *options: Any
) -> NDArray[Any]:
    """Features of a table after a conversion of the columns to which it applies."""
    changed = frame.copy()
    for name, x in frame.items():
        if x.nunique() > LEAST_VALUES and applies(x.to_numpy(), *options):
            changed[name] = convert(x.to_numpy())
    return prepare_table(changed).X


def robust(frame: pd.DataFrame) -> NDArray[Any]:
    """Features scaled by the interquartile range, where it is positive, times the weight of the column."""
    table = prepare_table(frame)
    X = table.X.copy()
    for column, name in enumerate(table.columns):
        x = frame[name].to_numpy()
        spread = np.subtract(*np.quantile(x, (0.75, 0.25))) / (norm.ppf(0.75) * 2)
        if frame[name].nunique() > LEAST_VALUES and spread > 0:
            X[:, column] = (x - np.median(x)) / spread * np.sqrt(table.weights[column])
    return X


def grouped(X: NDArray[Any]) -> NDArray[Any]:
    """Features weighted so that every group of redundant features counts as one."""
    if X.shape[1] < 2:
        return X
    _, group = connected_components(np.abs(np.corrcoef(X.T)) > REDUNDANT)
    return X / np.sqrt(np.bincount(group)[group])


REPRESENTATIONS: dict[str, Callable[[pd.DataFrame], NDArray[Any]]] = {
    "as prepared": lambda frame: prepare_table(frame).X,
    "log, skewness > 1": lambda frame: converted(frame, log, is_skewed, 1),
    "log, skewness > 2": lambda frame: converted(frame, log, is_skewed, 2),
    "Yeo-Johnson, skewness > 1": lambda frame: converted(frame, yeo_johnson, is_skewed, 1),
    "normal scores, skewness > 1": lambda frame: converted(frame, normal_scores, is_skewed, 1),
    "square root of counts": lambda frame: converted(frame, np.sqrt, is_count),
    "interquartile range": robust,
    "redundant columns as one": lambda frame: grouped(prepare_table(frame).X),
    "log and redundant as one": lambda frame: grouped(converted(frame, log, is_skewed, 1)),
}


def real(half: str, cache: Path | None) -> None:
    """Print the mean index of every representation, and its difference from ``prepare_table``."""
    done = json.loads(cache.read_text()) if cache is not None and cache.exists() else {}
    rows: dict[str, dict[str, float]] = {}
    for table in HALVES[half]:
        with np.load(FOLDER / f"{table}.npz") as data:
            chosen = np.sort(np.random.default_rng(0).permutation(len(data["X"]))[:MOST_ROWS])
            frame, classes = pd.DataFrame(data["X"][chosen]), data["y"][chosen]
        frame.columns = [f"x{column}" for column in frame]
        rows[table] = {}
        for name, represent in REPRESENTATIONS.items():
            X = represent(frame)
            key = f"{table} {hashlib.sha256(np.round(X, 9).tobytes()).hexdigest()[:16]}"
            if key not in done:
                fit = ParetoClustering(scale="none", random_state=0).fit(X)
                done[key] = adjusted_rand_score(classes, fit.labels_)
                if cache is not None:
                    cache.write_text(json.dumps(done))
            rows[table][name] = done[key]
    scores = pd.DataFrame(rows).T
    print(scores.round(3).to_string())
    today = scores.pop("as prepared")
    print(f"{half}, {len(scores)} tables: mean {today.mean():.3f} as prepared")
    for name, values in scores.items():
        gain = (values - today).to_numpy()
        if not gain.any():
            print(f"{name:28} changes no table")
            continue
        low, high = bootstrap((gain,), np.mean, random_state=0).confidence_interval
        p_value = wilcoxon(gain).pvalue
        print(
            f"{name:28} {values.mean():.3f}  {gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]  "
            f"better {(gain > 0).sum()}, worse {(gain < 0).sum()}, p = {p_value:.3f}"
        )


def main() -> None:
    """Print mean adjusted Rand indices with standard errors, and p-values against TablePreparer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="?", choices=["mixed", "real"], default="mixed")
    parser.add_argument("--seeds", type=int, default=10, help="mixed tables per number of clusters")
    parser.add_argument("--half", choices=list(HALVES), default="development")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    seeds = options.seeds
    warnings.simplefilter("ignore")
    if options.tables == "real":
        real(options.half, options.cache)
        return
    from skrub import TableVectorizer

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
