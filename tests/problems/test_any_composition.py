"""Any encoding with any index, any handling of constraints and any algorithm of pymoo."""

import itertools

import numpy as np
import pytest
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.algorithms.moo.unsga3 import UNSGA3
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions

from moo_clustering import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding, MedoidEncoding, MedoidSlotEncoding
from moo_clustering.graphs import locus_graph
from moo_clustering.problems import PartitionProblem

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)
D = np.linalg.norm(X[:, None] - X, axis=2)
GRAPH = locus_graph(X, n_neighbors=5, rng=np.random.default_rng(0))
PAIRS = PairwiseConstraints([[0, 1], [10, 11]], [[0, 10], [1, 20]], n_samples=30)
ENCODINGS = {
    "labels": LabelEncoding(30, k_max=5, k_min=2),
    "medoids": MedoidEncoding(X, k_max=5),
    "slots": MedoidSlotEncoding(D, k_max=5),
    "links": LocusAdjacencyEncoding(np.argsort(D, axis=1)[:, 1:6]),
    "short links": LocusAdjacencyEncoding(graph=GRAPH, kind="short"),
    "cut links": LocusAdjacencyEncoding(graph=GRAPH, kind="split"),
}
INDICES = (
    "calinski_harabasz",
    "cdbw",
    "connectivity",
    "davies_bouldin",
    "dbcv",
    "deviation",
    "dunn",
    "likelihood_gain",
    "minimax_silhouette",
    "pbm",
    "silhouette",
    "xie_beni",
)
HANDLINGS = ("objective", "constraint", "crowding", "none")
ALGORITHMS = {kind.__name__: kind for kind in (NSGA2, NSGA3, UNSGA3, MOEAD, SMSEMOA, SPEA2, AGEMOEA, RVEA)}
EVERY = list(itertools.product(ENCODINGS, INDICES, HANDLINGS, ALGORITHMS))
# Each name of each kind at least once.
SAMPLE = [
    (encoding, INDICES[i], HANDLINGS[i % 4], list(ALGORITHMS)[i % 8])
    for i, encoding in zip(range(12), itertools.cycle(ENCODINGS), strict=False)
]


def run(encoding, index, handling, algorithm):
    objectives = [index, "silhouette" if index == "deviation" else "deviation"]
    problem = PartitionProblem(
        X, ENCODINGS[encoding], objectives, constraints=PAIRS, constraint_handling=handling
    )
    kind = ALGORITHMS[algorithm]
    options = {"pop_size": 10}
    if kind in (NSGA3, UNSGA3, MOEAD, RVEA):
        n_partitions = {2: 9, 3: 3}[problem.n_obj]
        options = {"ref_dirs": get_reference_directions("uniform", problem.n_obj, n_partitions=n_partitions)}
    if kind is MOEAD:
        options["n_neighbors"] = 4
        if problem.n_ieq_constr:
            pytest.skip("pymoo's MOEAD takes no constraints")
    return problem, minimize(problem, kind(**options, **problem.operators(kind)), ("n_gen", 5), seed=1)


def check(names):
    problem, result = run(*names)
    F = result.pop.get("F")
    assert np.isfinite(F).all()
    assert F.shape[1] == problem.n_obj
    labels = problem.decode(result.pop.get("X"))
    assert labels.shape[1] == 30
    np.testing.assert_allclose(problem.indices[0].evaluate(labels), problem.natural(F)[:, 0])


# pymoo compiles AGEMOEA anew in every process.
QUICK = [
    pytest.param(names, marks=[pytest.mark.slow] * ("AGEMOEA" in names), id="-".join(names))
    for names in SAMPLE
]


@pytest.mark.parametrize("names", QUICK)
def test_a_sample_of_compositions(names):
    check(names)


@pytest.mark.nightly
@pytest.mark.parametrize("names", EVERY, ids="-".join)
def test_every_composition(names):
    check(names)
