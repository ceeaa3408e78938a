"""NSGA-II-clus on the clinical questions: the paper's comparison of methods, with controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from moo_clustering._suggest import did_you_mean
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.datasets import load_ebm, tfidf
from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments._plan import Settings
from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.experiments.nsga2_clus._report import report
from moo_clustering.experiments.nsga2_clus._runs import (
    ANNEALING,
    CROSSOVER,
    MUTATION,
    N_GEN,
    POP_SIZE,
    Distance,
    Question,
)
from moo_clustering.experiments.nsga2_clus._scores import question_scores
from moo_clustering.persistence import fingerprint

MIN_DOCUMENTS = 4
FRACTION = 0.1
RULES = ("sqrt", "ceil_sqrt")


class Table2:
    """Every question with at least four documents, both distances, all methods.

    Term weights are fitted on the whole collection, with rows of length one for the cosine and as
    they are for Euclid. Ten per cent of the pairs, of either kind, are given; the same for all
    methods, distances and rules.

    Parameters
    ----------
    settings : Settings

    References
    ----------
    NSGA-II-clus, Table 2.
    """

    def __init__(self, settings: Settings) -> None:
        if settings.k_max not in RULES:
            raise ValueError(
                f"k_max must be one of {', '.join(RULES)}; got {settings.k_max!r}"
                f"{did_you_mean(settings.k_max, RULES)}"
            )
        corpus = load_ebm(settings.data)
        questions = corpus.usable(MIN_DOCUMENTS)[: settings.questions]
        if not questions:
            raise ValueError(f"no question of the corpus has at least {MIN_DOCUMENTS} documents")
        self._all_answers = [question.n_answers for question in corpus.questions]
        self._questions = {question.id: question for question in questions}
        self._weights = {
            "cosine": tfidf(corpus.documents.texts, norm="l2")[0],
            "euclidean": tfidf(corpus.documents.texts, norm=None)[0],
        }
        self.parameters: dict[str, Any] = {
            "seeds": settings.seeds,
            "k_max": settings.k_max,
            "questions": len(questions),
            "min_documents": MIN_DOCUMENTS,
            "fraction": FRACTION,
            "pop_size": POP_SIZE,
            "n_gen": N_GEN,
            "crossover": CROSSOVER,
            "mutation": MUTATION,
            "annealing": ANNEALING,
            "corpus": fingerprint(*self._weights.values())[:16],
        }
        self.cells: list[Key] = [
            {"question": question.id, "distance": distance, "k_max": settings.k_max, "seed": seed}
            for seed in range(settings.seeds)
            for distance in get_args(Distance)
            for question in questions
        ]

    def data(self, key: Key) -> Question:
        """Documents of the question and its given pairs."""
        question = self._questions[str(key["question"])]
        distance = str(key["distance"])
        rng = np.random.default_rng(seed_of(key["seed"], "pairs", question.id))
        return Question(
            self._weights[distance][question.rows],
            question.answers,
            PairwiseConstraints.from_labels(
                [set(answers) for answers in question.answers], FRACTION, random_state=rng
            ),
            distance,  # type: ignore[arg-type]
            str(key["k_max"]),
            (key["seed"], question.id, distance, key["k_max"]),
        )

    @staticmethod
    def compute(key: Key, data: Question) -> dict[str, Any]:
        """Scores of all methods."""
        return question_scores(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every score, the comparison of methods, the paper's figures, constant predictors, floors."""
        return report(self.cells, values, self._all_answers)

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """There are none."""
        return []
