"""Many small document sets: enumeration against NSGA-II in plain pymoo."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from _harness import Row
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from scipy.sparse import csr_matrix

from moo_clustering.algorithms import exhaustive_front
from moo_clustering.datasets import tfidf
from moo_clustering.operators import MedoidReplaceMutation, MedoidSampling, PrefixUnionCrossover
from moo_clustering.problems import MedoidProblem
from papers.ebm import load_ebm


def questions() -> tuple[str, list[csr_matrix]]:
    """The clinical questions where the data folder has them, otherwise 263 random sets of 8 rows."""
    folder = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (folder / "text" / "ebm_questions.jsonl.gz").exists():
        corpus = load_ebm(folder)
        features = tfidf(corpus.documents.texts)[0]
        return "clinical questions", [features[question.rows] for question in corpus.usable(4)]
    rng = np.random.default_rng(0)
    return "random sets of 8", [csr_matrix(rng.random((8, 30))) for _ in range(263)]


def run() -> list[Row]:
    """All sets, both ways, evolution on every tenth and extrapolated."""
    name, sets = questions()
    exhaustive_front(MedoidProblem(sets[0]))
    start = time.perf_counter()
    for features in sets:
        exhaustive_front(MedoidProblem(features))
    ours = time.perf_counter() - start
    some = sets[::10]
    start = time.perf_counter()
    for features in some:
        algorithm = NSGA2(
            pop_size=20,
            sampling=MedoidSampling(),
            crossover=PrefixUnionCrossover(),
            mutation=MedoidReplaceMutation(),
            eliminate_duplicates=False,
        )
        minimize(MedoidProblem(features), algorithm, ("n_gen", 21), seed=1)
    theirs = (time.perf_counter() - start) * len(sets) / len(some)
    return [
        Row(
            f"exact fronts of {len(sets)} {name} by enumeration",
            f"{1e3 * ours:.0f} ms",
            f"NSGA-II 20 x 20 in plain pymoo: {1e3 * theirs:.0f} ms",
            f"{theirs / ours:.1f} x",
        )
    ]
