"""The searches of the NSGA-II-clus table on one question."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.result import Result
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.optimize import minimize
from scipy.sparse import csr_matrix

from moo_clustering.algorithms import AMOSA, exhaustive_front
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators import HMRFKMeans, MetricKMeans
from moo_clustering.experiments._cells import seed_of
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    MedoidReplaceMutation,
    MedoidSampling,
    MedoidSetRepair,
    MedoidSwapMutation,
    PrefixUnionCrossover,
    batched_tournament,
)
from moo_clustering.problems import MedoidProblem

Labels = NDArray[np.int32]
Distance = Literal["cosine", "euclidean"]

# The paper's parameters.
POP_SIZE, N_GEN, CROSSOVER, MUTATION = 20, 20, 0.6, 0.2
# Usual for fewer than 20 documents; the paper prints none.
ANNEALING: dict[str, Any] = {"soft_limit": 20, "hard_limit": 10, "n_moves": 20, "t_min": 1e-5}
# The largest question has 17 documents: 9384 sets with the larger rule.
MAX_SETS = 100_000


class Front(NamedTuple):
    """Partitions (n_members, n_documents), Xie-Beni ascending, each set of medoids once."""

    labels: Labels
    # Whether the members stand for a choice, or only the first is a result.
    is_front: bool = True


class Question(NamedTuple):
    """What a cell is computed from."""

    X: csr_matrix
    answers: list[tuple[str, ...]]
    constraints: PairwiseConstraints
    distance: Distance
    k_max: str
    seed: tuple[str | int | float, ...]

    @property
    def n_answers(self) -> int:
        """Target number of clusters."""
        return len({answer for answers in self.answers for answer in answers})

    @property
    def told_k(self) -> int:
        """Number of clusters that k-means is told; documents with several answers can be fewer."""
        return min(self.n_answers, len(self.answers))

    def problem(self, **options: Any) -> MedoidProblem:
        """Medoid problem of the documents."""
        return MedoidProblem(self.X, k_max=self.k_max, metric=self.distance, **options)

    def random_state(self, name: str) -> int:
        """Seed of one method."""
        return int(seed_of(*self.seed, name).generate_state(1)[0])


def external(question: Question) -> Front:
    """NSGA-II-clus that sees constraints only when one member is chosen."""
    return _evolved(question, question.problem(), "external")


def literal(question: Question) -> Front:
    """External, objectives of new medoids with the labels of the old."""
    return _evolved(question, question.problem(decode="literal"), "literal")


def internal(question: Question) -> Front:
    """Constraints count as crowding distance."""
    return _evolved(question, _supervised(question, "crowding"), "internal")


def objective(question: Question) -> Front:
    """Violated constraints are the third objective."""
    return _evolved(question, _supervised(question, "objective"), "objective")


def objective_repaired(question: Question) -> Front:
    """The front of :func:`objective`, documents assigned under constraints at the end."""
    problem = _supervised(question, "objective")
    medoids = _medoids(problem, _nsga2(question, problem, "objective").opt)
    return Front(problem.constrained_labels(medoids))


def assignment(question: Question) -> Front:
    """Documents are assigned under constraints during the search."""
    return _evolved(question, _supervised(question, "assignment"), "assignment")


def amosa(question: Question) -> Front:
    """Archived annealing of the same objectives."""
    problem = question.problem()
    algorithm = AMOSA(
        **ANNEALING,
        sampling=MedoidSampling(),
        perturb=MedoidReplaceMutation("full", prob=1.0),
        repair=MedoidSetRepair(),
        eliminate_duplicates=CanonicalDuplicates(problem.encoding),
    )
    result = minimize(problem, algorithm, seed=question.random_state("amosa"))
    return Front(problem.decode(_medoids(problem, result.opt)))


def exhaustive(question: Question) -> Front:
    """The exact front."""
    problem = question.problem()
    return Front(problem.decode(exhaustive_front(problem, max_sets=MAX_SETS).X))


def exhaustive_constraints_first(question: Question) -> Front:
    """Of all partitions those that satisfy most constraints, of these the least Xie-Beni."""
    problem = question.problem()
    population = exhaustive_front(problem, max_sets=MAX_SETS).pop
    order = np.argsort(population.get("F")[:, 0], kind="stable")
    labels = problem.decode(population.get("X")[order])
    return Front(labels[[chosen(labels, question.constraints)]], is_front=False)


def kmdm(question: Question) -> Front | None:
    """K-means with a learned metric, told the true number of clusters."""
    if question.distance == "cosine":
        return None
    model = MetricKMeans(question.told_k, conflicts="keep", random_state=question.random_state("kmdm"))
    return _fitted(model, question)


def kmprob(question: Question) -> Front:
    """K-means with pair penalties, told the true number of clusters."""
    model = HMRFKMeans(
        question.told_k,
        metric=question.distance,
        conflicts="keep",
        random_state=question.random_state("kmprob"),
    )
    return _fitted(model, question)


def chosen(labels: Labels, constraints: PairwiseConstraints) -> int:
    """Member that satisfies most constraints, the first of equals (the External rule)."""
    must, cannot = constraints.satisfied(labels)
    return int(np.argmax(must + cannot))


METHODS: dict[str, Callable[[Question], Front | None]] = {
    "AMOSA": amosa,
    "Internal": internal,
    "External": external,
    "External, literal decode": literal,
    "Objective": objective,
    "Objective + repair at the end": objective_repaired,
    "Assignment": assignment,
    "Exhaustive front": exhaustive,
    "Exhaustive, constraints first": exhaustive_constraints_first,
    "KMDM": kmdm,
    "KMProb": kmprob,
}


def fronts(question: Question) -> Iterator[tuple[str, Front]]:
    """Every method that there is for the distance, by name."""
    for name, run in METHODS.items():
        front = run(question)
        if front is not None:
            yield name, front


def _supervised(question: Question, supervision: str) -> MedoidProblem:
    return question.problem(constraints=question.constraints, supervision=supervision)


def _nsga2(question: Question, problem: MedoidProblem, name: str) -> Result:
    algorithm = NSGA2(
        pop_size=POP_SIZE,
        sampling=MedoidSampling(),
        selection=TournamentSelection(func_comp=batched_tournament),
        crossover=PrefixUnionCrossover("grow", prob=CROSSOVER),
        mutation=MedoidSwapMutation(prob=MUTATION),
        repair=MedoidSetRepair(),
        survival=ConstraintCrowdingSurvival(),
        eliminate_duplicates=False,
    )
    algorithm.tournament_type = "comp_by_rank_and_crowding"
    # pymoo counts the initial population as a generation.
    return minimize(problem, algorithm, ("n_gen", N_GEN + 1), seed=question.random_state(name))


def _evolved(question: Question, problem: MedoidProblem, name: str) -> Front:
    members = _nsga2(question, problem, name).opt
    return Front(problem.partitions(members[_distinct(problem, members)]))


def _distinct(problem: MedoidProblem, members: Any) -> NDArray[np.intp]:
    """Members with different sets of medoids, Xie-Beni ascending."""
    order = np.lexsort(members.get("F").T[::-1])
    canonical = problem.encoding.canonical(problem.medoids(members.get("X")[order]))
    first = np.unique(canonical, axis=0, return_index=True)[1]
    return order[np.sort(first)]


def _medoids(problem: MedoidProblem, members: Any) -> NDArray[Any]:
    return members.get("X")[_distinct(problem, members)]


def _fitted(model: Any, question: Question) -> Front:
    # Terms of other questions' documents are zero throughout.
    used = np.unique(question.X.indices)
    X = question.X[:, used].toarray() if len(used) else np.zeros((question.X.shape[0], 1))
    with warnings.catch_warnings():
        # Fewer different documents than answers, or none apart: nothing the reader could change.
        warnings.simplefilter("ignore", UserWarning)
        return Front(model.fit(X, **_pairs(question.constraints)).labels_[None, :], is_front=False)


def _pairs(constraints: PairwiseConstraints) -> dict[str, NDArray[np.int64]]:
    return {"must_link": constraints.must_link, "cannot_link": constraints.cannot_link}
