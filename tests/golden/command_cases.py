"""The command: a tiny ``fit`` with every method into a folder that is removed, and what it has written."""

import csv
import functools
import io
import json
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner

from moo_clustering.cli import main
from moo_clustering.datasets import BagTable, make_bags
from moo_clustering.persistence import read_archive
from tests.datasets.arff_files import write_bag_arff

# Of what ``run.json`` says, the parts that are results.
RECORDED = ("parameters", "result", "scores", "seed", "method", "supervision")
# Written anew with every run, for people to look at, or made of what is in other files.
SKIPPED = ("run.json", "report.html", "report.npz", "questions.npz")

SEARCH = ("--set", "pop_size=8", "--set", "n_gen=3")
NUMBERS = ("numbers.csv", "--id-column", "id", "--labels", "kind", "--drop", "some")
KNOWN = ("numbers.csv", "--id-column", "id", "--labels", "kind", "--partial-labels", "some")
PAIRS = (*NUMBERS, "--must-link", "must.csv", "--cannot-link", "cannot.csv")
BAGS = ("bags.arff", "--set", "min_cluster_size=2")
PLAIN_BAGS = ("bags.arff",)
TEXTS = ("notes.csv", "--text-columns", "text", "--id-column", "id", "--labels", "kind", "--drop", "some")
KNOWN_TEXTS = (*TEXTS[:-2], "--partial-labels", "some")
CATEGORIES = ("answers.csv", "--id-column", "id", "--labels", "kind")
K = ("-k", 3)
MOCK = ("--set", "n_neighbors=4", "--set", "n_controls=1", *SEARCH)
ANNEAL = ("--set", "annealing={'n_moves': 8, 'n_climb': 2, 't_max': 1.0, 't_min': 0.4}")
MEDOIDS = ("--set", "k_max=4")
SRMOSC = ("--set", "n_candidates=4", "--set", "pop_size=6")
SWEEPS = ("--set", "max_iter=3")
NSGA2_SISC = ("--set", "n_sweeps=1", "--set", "pop_size=4", "--set", "n_gen=2")
BAG_POOL = ("--set", "k_range=(2, 3)")
RUNS = ("--set", "n_runs=3")
BAG_SEARCH = (*BAGS, *K, *SEARCH)

# Method, or alias, to the arguments of its fit.
METHODS = {
    "pareto-clustering": NUMBERS,
    "pareto-bags": (*PLAIN_BAGS, *BAG_POOL),
    "constrained-kmeans": (*NUMBERS, *K, "--set", "min_cluster_size=5"),
    "memetic-kmeans": (*NUMBERS, *K, "--set", "max_stall=3"),
    "pesc": (*NUMBERS, *K, *SEARCH),
    "spectral-graph": (*NUMBERS, *K),
    "nsga2-clus": (*PAIRS, *MEDOIDS, *SEARCH),
    "amosa-clus": (*PAIRS, *MEDOIDS, *ANNEAL),
    "metric-kmeans": (*PAIRS, *K, "--set", "n_init=2"),
    "pckmeans": (*PAIRS, *K, "--set", "n_init=2"),
    "hmrf-kmeans": (*PAIRS, *K, "--set", "n_init=2"),
    "bamic": (*PLAIN_BAGS, *K, "--set", "n_init=2"),
    "mi-kmeans": (*PLAIN_BAGS, *K, "--set", "n_init=2"),
    "migka": BAG_SEARCH,
    "mifgka": BAG_SEARCH,
    "migcuk": BAG_SEARCH,
    "chcmic": BAG_SEARCH,
    "memetic-chcmic": BAG_SEARCH,
    "ensemble-nmf": (*TEXTS, *K, *RUNS),
    "nmf-clustering": (*TEXTS, *K),
    "spherical-kmeans": (*TEXTS, *K),
    "sisc": (*KNOWN_TEXTS, *K, *SWEEPS),
    "scad2": (*KNOWN_TEXTS, *K, *SWEEPS),
    "entropy-weighted-kmeans": (*KNOWN_TEXTS, *K, *SWEEPS),
    "nsga2-sisc": (*KNOWN_TEXTS, *K, *NSGA2_SISC),
    "subspace-mixture": (*PAIRS, *K, "--set", "n_swaps=5"),
    "icl": (*NUMBERS, *SEARCH),
    "mock": (*NUMBERS, *MOCK),
    "srmosc": (*NUMBERS, *K, *SRMOSC),
    "fuzzy-modes-moga": (*CATEGORIES, *K, *SEARCH),
}

# Other ways into the same methods.
WAYS = {
    "evolved": ("pareto-clustering", *NUMBERS, "--set", "pop_size=8", "--set", "n_gen=2"),
    "with known labels": ("pareto-clustering", *KNOWN),
    "with pairs": ("pareto-clustering", *PAIRS),
    "texts by words": ("pareto-clustering", *TEXTS),
    "bags with k": ("pareto-bags", *PLAIN_BAGS, *BAG_POOL, *K),
    "bundled": ("spectral-graph", "iris", *K),
    "held out": ("sisc", *KNOWN_TEXTS, *K, *SWEEPS, "--hold-out", 0.3),
    "mock with labels": ("mock", *KNOWN, *K, *MOCK),
    "texts as numbers": ("pesc", *TEXTS, *K, "--svd", 5, *SEARCH),
}

# Alias to the method whose arguments it takes.
ALIASES = {
    "pareto": "pareto-clustering",
    "flagship": "pareto-clustering",
    "pareto-shapes": "pareto-clustering",
    "sized-kmeans": "constrained-kmeans",
    "balanced-kmeans": "constrained-kmeans",
    "swap-kmeans": "memetic-kmeans",
    "ward-kmeans": "memetic-kmeans",
    "PESC_ES1": "pesc",
    "PESC_ES2": "pesc",
    "PESC_ES3": "pesc",
    "PESC-paper": "pesc",
    "kNN": "spectral-graph",
    "mutual-kNN": "spectral-graph",
    "epsilon-neighborhood": "spectral-graph",
    "fully-connected": "spectral-graph",
    "water-filling": "spectral-graph",
    "Internal-NSGA-II-clus": "nsga2-clus",
    "External-NSGA-II-clus": "nsga2-clus",
    "AMOSA-centre": "amosa-clus",
    "KMDM": "metric-kmeans",
    "KMDM-full": "metric-kmeans",
    "KMProb": "hmrf-kmeans",
    "BAGIC": "bamic",
    "MIKM": "mi-kmeans",
    "MIKM-instance": "mi-kmeans",
    "MIKM-literal": "mi-kmeans",
    "MIGKA-printed": "migka",
    "MIFGKA-printed": "mifgka",
    "MIGCUK-mean": "migcuk",
    "CHCMIC-printed": "chcmic",
    "EN-NCW-NMF": "ensemble-nmf",
    "NCW-NMF-ensemble": "ensemble-nmf",
    "EN-NMF": "ensemble-nmf",
    "NCW-NMF": "ensemble-nmf",
    "NMF": "nmf-clustering",
    "NMF-literal": "nmf-clustering",
    "bisecting": "spherical-kmeans",
    "bisecting-kmeans": "spherical-kmeans",
    "SISC-ML": "sisc",
    "SISC-ML-literal": "sisc",
    "K-Means-Entropy": "entropy-weighted-kmeans",
    "EWKM": "entropy-weighted-kmeans",
    "EWKM-mean": "entropy-weighted-kmeans",
    "MOCK-2007": "mock",
    "delta-MOCK": "mock",
    "MOCK-PESC": "mock",
    "SRMOSC-evolved": "srmosc",
    "MOGA(pi,sep)": "fuzzy-modes-moga",
}

# The literal votes are those of five clusters at least.
ALIAS_ARGUMENTS = {"SISC-ML-literal": (*KNOWN_TEXTS, "-k", 6, *SWEEPS)}


def cases(tier="default"):
    """Name to function of every case; aliases in the larger tier only."""
    found = {f"fit/{name}": functools.partial(_fit, name, arguments) for name, arguments in METHODS.items()}
    for name, (method, *arguments) in WAYS.items():
        found[f"fit/{name}"] = functools.partial(_fit, method, arguments)
    found["command/methods"] = _methods
    found["command/compare"] = _compare
    if tier == "all":
        for alias, method in ALIASES.items():
            found[f"alias/{alias}"] = functools.partial(
                _fit, alias, ALIAS_ARGUMENTS.get(alias, METHODS[method])
            )
    return found


@contextmanager
def _folder():
    """An empty folder to be in, with all tables."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _tables()
            yield
        finally:
            os.chdir(before)


def _run(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exit_code:
        raise RuntimeError(f"{arguments}: {result.output[-500:]}") from result.exception
    return result.stdout


def _fit(method, arguments):
    with _folder():
        _run(
            "fit",
            *arguments,
            "--method",
            method,
            "--seed",
            1,
            "--out",
            "out",
            "--quiet",
            "--no-report",
            "--pictures",
        )
        return _written(Path("out"))


def _written(out):
    found = {"files": sorted(path.name for path in out.iterdir() if path.name not in SKIPPED)}
    for path in sorted(out.iterdir()):
        if path.suffix == ".npz" and path.name not in SKIPPED:
            found |= {f"{path.name} {name}": value for name, value in read_archive(path)[0].items()}
        elif path.suffix == ".csv":
            found[path.name] = _table(path)
    record = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return found | {f"run.json {name}": record[name] for name in RECORDED if name in record}


def _table(path):
    """Cells of a table, column by column; numbers as numbers."""
    frame = pd.read_csv(io.StringIO(path.read_text(encoding="utf-8")))
    return {"table": frame}


def _methods():
    names = [line.split("  ")[0] for line in _run("methods").splitlines() if line[:1].strip()]
    # What is said of the options may be reworded; their names and defaults may not.
    found = {"names": [name.strip() for name in names]}
    for name in METHODS:
        lines = re.findall(r"^  ([a-z_0-9]+) = (.*)$", _run("methods", name), flags=re.MULTILINE)
        found[name] = [part.replace(" ", "") for line in sorted(lines) for part in line]
    return found


def _compare():
    with _folder():
        rng = np.random.default_rng(0)
        with open("results.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["data", "a", "b", "c"])
            writer.writerows(
                [[f"d{i}", *np.round(rng.random(3) + np.array([0, 0.1, 0.3]), 3)] for i in range(9)]
            )
        procedures = ("shaffer", "holm", "nemenyi")
        return {
            name: json.loads(_run("compare", "results.csv", "--json", "--posthoc", name))
            for name in procedures
        }


def _tables():
    """Sixty rows in three groups, of numbers, categories and texts; thirty bags; pairs of rows."""
    rng = np.random.default_rng(0)
    group = rng.permutation(np.arange(60) % 3)
    kind = np.array(["red", "green", "blue"])[group]
    ids = [f"s{i:02d}" for i in range(60)]
    known = {"kind": kind, "some": np.where(np.arange(60) % 4 == 0, kind, "")}
    X = np.array([[0.0, 0.0, 0.0], [6.0, 0.0, 1.0], [0.0, 6.0, 2.0]])[group] + rng.normal(size=(60, 3))
    numbers = pd.DataFrame({"id": ids, "a": X[:, 0], "b": X[:, 1], "c": X[:, 2]} | known)
    numbers.to_csv("numbers.csv", index=False)
    chance = rng.random((60, 6)) < 0.2
    given = np.array(list("abcd"))[np.where(chance, rng.integers(0, 4, (60, 6)), group[:, None])]
    answers = pd.DataFrame({"id": ids} | {f"q{i}": given[:, i] for i in range(6)} | {"kind": kind})
    answers.to_csv("answers.csv", index=False)
    topics = (
        ["heart", "cardiac", "artery", "valve", "beat", "rhythm", "vessel", "pressure"],
        ["skin", "rash", "eczema", "itch", "cream", "fungus", "nail", "lesion"],
        ["sleep", "insomnia", "dream", "snore", "apnea", "night", "pillow", "nap"],
    )
    texts = [" ".join([*rng.choice(topics[g], 7), rng.choice(["study", "trial", "review"])]) for g in group]
    pd.DataFrame({"id": ids, "text": texts} | known).to_csv("notes.csv", index=False)
    _pairs(ids, group)
    table = make_bags(30, 3, bag_size=(2, 4), random_state=0)
    write_bag_arff("bags.arff", BagTable(table.bags, table.labels, ("x", "y", "z"), "made"))


def _pairs(ids, group):
    together, apart = [], []
    for one in range(0, 24, 2):
        for two in (one + 25, one + 31):
            (together if group[one] == group[two] else apart).append(f"{ids[one]},{ids[two]}\n")
    Path("must.csv").write_text("".join(together), encoding="utf-8")
    Path("cannot.csv").write_text("".join(apart), encoding="utf-8")
