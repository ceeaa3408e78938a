"""Memberships, centres, medoids and genes in problems, for indices and inequalities that request them."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.population import Population
from pymoo.optimize import minimize

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import Encoding, LabelEncoding, MedoidEncoding, MedoidSlotEncoding
from moo_clustering.estimators import FuzzyCMeans
from moo_clustering.estimators.composed import EvolutionaryClusterer
from moo_clustering.problems import CenterEncoding, ChunkedProblem, FuzzyCenterEncoding, PartitionProblem
from moo_clustering.validity import FuzzySumOfSquares, ValidityIndex

RNG = np.random.default_rng(0)
X = RNG.normal(size=(18, 2)) + 5.0 * np.eye(3)[np.arange(18) % 3][:, :2]
FUZZY = FuzzyCenterEncoding(X, 4)
GENES = FUZZY.random(6, RNG)


def naive_memberships(centers, fuzziness):
    rows = []
    for x in X:
        d = [math.dist(x, v) for v in centers]
        if min(d) < 1e-9:
            rows.append([(one < 1e-9) / sum(other < 1e-9 for other in d) for one in d])
        else:
            rows.append([1 / sum((one / other) ** (2 / (fuzziness - 1)) for other in d) for one in d])
    return np.array(rows)


@pytest.mark.parametrize("fuzziness", [1.3, 2.0, 5.0])
def test_memberships_are_those_of_fuzzy_c_means(fuzziness):
    encoding = FuzzyCenterEncoding(X, 4, fuzziness=fuzziness)
    # Random centres are samples, so that some distances are 0.
    genes = np.concatenate([GENES, GENES + 0.1])
    for row, centers in zip(encoding.memberships(genes), encoding.centers(genes), strict=True):
        assert_allclose(row, naive_memberships(centers, fuzziness), rtol=1e-9, atol=1e-9)


def test_a_sample_at_two_centres_belongs_half_to_each():
    encoding = FuzzyCenterEncoding([[0.0], [1.0], [9.0]], 3)
    genes = np.array([[0.0, 0.0, 9.0]]) - np.mean([0.0, 1.0, 9.0])
    assert_allclose(encoding.memberships(genes)[0, 0], [0.5, 0.0, 0.5])
    # The second centre equals the first, which wins all ties, so no sample has its label.
    assert encoding.decode(genes).tolist() == [[0, 0, 1]]
    assert_allclose(encoding.centers(genes)[0, :, 0], [0.0, 9.0, 0.0])


@pytest.mark.parametrize("kind", [CenterEncoding, FuzzyCenterEncoding])
def test_distances_to_centres_are_counted(kind):
    encoding = kind(X, 4)
    encoding.decode(np.tile(encoding.bounds()[0], (3, 1)))
    assert encoding.n_distances == 3 * len(X) * 4


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), fuzziness=st.floats(1.001, 50.0))
def test_labels_are_the_largest_memberships(seed, fuzziness):
    rng = np.random.default_rng(seed)
    encoding = FuzzyCenterEncoding(rng.integers(0, 4, (12, 2)).astype(float), 5, fuzziness=fuzziness)
    genes = encoding.random(4, rng)
    memberships = encoding.memberships(genes)
    assert_allclose(memberships.sum(axis=2), 1.0, rtol=1e-12)
    assert_array_equal(memberships.argmax(axis=2), encoding.decode(genes))


def test_every_encoding_has_memberships():
    labels = LabelEncoding(18, k_max=3)
    genes = labels.random(4, RNG)
    assert_array_equal(labels.memberships(genes).argmax(axis=2), labels.decode(genes))
    assert set(labels.memberships(genes).ravel()) == {0.0, 1.0}


def test_centres_and_medoids_belong_to_the_labels():
    for encoding in (CenterEncoding(X, 4), FUZZY):
        genes = encoding.random(5, RNG)
        for centers, row in zip(encoding.centers(genes), encoding.decode(genes), strict=True):
            assert_array_equal(np.linalg.norm(X[:, None] - centers, axis=2).argmin(axis=1), row)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    for encoding in (MedoidEncoding(X, k_max=4), MedoidSlotEncoding(D, k_max=4)):
        genes = encoding.random(8, RNG)
        for medoids, row in zip(encoding.medoids(genes), encoding.decode(genes), strict=True):
            k = row.max() + 1
            assert_array_equal(row[medoids[:k]], np.arange(k))
            assert (medoids[k:] == -1).all()


class Spread(ValidityIndex):
    """Largest distance of a sample to the centre of its cluster; counts its evaluations."""

    name, greater_is_better = "spread", False

    def fit(self, data):
        self.data = np.asarray(data)
        return self

    def evaluate(self, labels, centers, genes):
        assert len(genes) == len(labels)
        own = np.take_along_axis(centers, labels[:, :, None], axis=1)
        return np.linalg.norm(self.data - own, axis=2).max(axis=1)


class Certain(ValidityIndex):
    """Share of samples with a membership above 0.9, without labels."""

    name, greater_is_better, takes = "certain", True, "memberships"

    def fit(self, data):
        return self

    def evaluate(self, memberships, medoids=None):
        return (memberships.max(axis=2) > 0.9).mean(axis=1)


def sharpness(X, memberships):
    return memberships.max(axis=1).mean()


def n_far(X, labels, *, centers):
    return float((np.linalg.norm(X - centers[labels], axis=1) > 2).sum())


def unsure(memberships, data):
    assert len(data) == 18
    return 0.9 - memberships.max(axis=2).mean(axis=1)


def late(labels, genes):
    assert labels.shape == (len(genes), 18)
    return genes[:, 0]


def test_indices_and_inequalities_receive_what_they_name():
    objectives = [Spread(), (sharpness, "max"), (n_far, "min"), "fuzzy_xie_beni", "silhouette"]
    problem = PartitionProblem(X, FUZZY, objectives, inequalities=[unsure, late])
    out = problem.evaluate(GENES, return_as_dictionary=True)
    F = problem.natural(out["F"])
    centers, labels, memberships = FUZZY.centers(GENES), FUZZY.decode(GENES), FUZZY.memberships(GENES)
    own = np.linalg.norm(X - np.take_along_axis(centers, labels[:, :, None], axis=1), axis=2)
    assert_allclose(F[:, 0], own.max(axis=1), rtol=1e-12)
    assert_allclose(F[:, 1], memberships.max(axis=2).mean(axis=1), rtol=1e-12)
    assert_allclose(F[:, 2], (own > 2).sum(axis=1))
    names = list(problem.constraint_names)
    assert_allclose(out["G"][:, names.index("unsure")], 0.9 - F[:, 1], rtol=1e-12)
    assert_allclose(out["G"][:, names.index("late")], GENES[:, 0])
    chunked = ChunkedProblem(problem, chunk_size=2, n_jobs=2)
    assert_allclose(chunked.evaluate(GENES, return_as_dictionary=True)["F"], out["F"], rtol=1e-12)


def test_a_custom_index_of_memberships_and_medoids():
    encoding = MedoidEncoding(X, k_max=3)
    genes = encoding.random(4, RNG)
    problem = PartitionProblem(X, encoding, [Certain(), "silhouette"])
    assert_array_equal(problem.natural(problem.evaluate(genes))[:, 0], np.ones(4))
    with pytest.raises(TypeError, match="index 'certain' requires medoids, but FuzzyCenterEncoding has no"):
        PartitionProblem(X, FUZZY, [Certain()])


def test_equal_partitions_with_other_memberships_have_other_values():
    genes = np.concatenate([GENES[:1], GENES[:1] * 1.01])
    assert_array_equal(*FUZZY.decode(genes))
    soft, hard = PartitionProblem(X, FUZZY, ["fuzzy_sum_of_squares", "silhouette"]).evaluate(genes).T
    assert soft[0] != soft[1]
    assert hard[0] == hard[1]


def test_undefined_partitions_do_not_shift_what_others_receive():
    class FirstGene(ValidityIndex):
        name, greater_is_better, min_clusters = "first_gene", False, 2

        def fit(self, data):
            return self

        def evaluate(self, labels, genes):
            assert len(labels) == len(genes)
            return genes[:, 0].astype(float)

    genes = LabelEncoding(18, k_max=4, k_min=1).random(4, RNG)
    genes[0], genes[2] = 0, 1  # one cluster
    genes[1, :2], genes[3, :2] = [2, 0], [3, 0]
    problem = PartitionProblem(X, LabelEncoding(18, k_max=4), [FirstGene()])
    out = problem.evaluate(genes, return_as_dictionary=True)
    assert out["F"][[1, 3], 0].tolist() == [2.0, 3.0]
    assert out["G"][:, 0].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_products_are_computed_once_per_population():
    calls = []

    class Counted(FuzzyCenterEncoding):
        def memberships(self, X):
            calls.append(len(X))
            return super().memberships(X)

    objectives = ["fuzzy_sum_of_squares", "partition_entropy", (sharpness, "max")]
    problem = PartitionProblem(X, Counted(X, 4), objectives, inequalities=[unsure])
    problem.evaluate(np.concatenate([GENES, GENES[:2]]))
    assert calls == [6]


def test_constraints_hold_with_memberships():
    pairs = PairwiseConstraints([(0, 3)], [(0, 1)], n_samples=18)
    problem = PartitionProblem(X, FUZZY, ["fuzzy_sum_of_squares"], constraints=pairs)
    assert_allclose(problem.evaluate(GENES)[:, 1], pairs.violation(FUZZY.decode(GENES)))


class TwoSided(Encoding):
    """Memberships by one gene: the share of the first half of the samples in the first cluster."""

    n_samples, n_var = 18, 1
    dtype = np.dtype(float)
    total = 1.0

    def bounds(self):
        return np.zeros(1), np.full(1, 0.4)

    def repair(self, X):
        return np.clip(X, 0.0, 0.4)

    def random(self, n_individuals, rng):
        return rng.uniform(0.0, 0.4, (n_individuals, 1))

    def memberships(self, X):
        first = np.where(np.arange(18) < 9, 1.0 - X, X)
        return np.stack([first, self.total - first], axis=2)

    def decode(self, X):
        return self.memberships(X).argmax(axis=2).astype(np.int32)


def test_memberships_of_a_custom_encoding():
    genes = np.array([[0.0], [0.25]])
    problem = PartitionProblem(X, TwoSided(), ["partition_coefficient"])
    F = problem.evaluate(genes, return_as_dictionary=True)["F"]
    assert_allclose(problem.natural(F)[:, 0], [1.0, 0.75**2 + 0.25**2])
    wrong = TwoSided()
    wrong.total = 1.2
    with pytest.raises(ValueError, match=r"TwoSided.memberships must sum to 1 .* got 1.2 for sample 0"):
        PartitionProblem(X, wrong, ["partition_coefficient"]).evaluate(genes)

    class TooShort(TwoSided):
        def memberships(self, X):
            return super().memberships(X[:1])

        def decode(self, X):
            return super().memberships(X).argmax(axis=2).astype(np.int32)

    problem = PartitionProblem(X, TooShort(), ["partition_coefficient"])
    with pytest.raises(ValueError, match=r"must return 2 rows, one per genotype, got shape \(1, 18, 2\)"):
        problem.evaluate(genes)


def test_what_an_encoding_lacks():
    with pytest.raises(TypeError, match="index 'spread' requires centers, but LabelEncoding has no method"):
        PartitionProblem(X, LabelEncoding(18, k_max=3), [Spread()])

    def near(labels, medoids):
        return medoids[:, 0]

    with pytest.raises(TypeError, match="inequality 'near' requires medoids, but FuzzyCenterEncoding has no"):
        PartitionProblem(X, FUZZY, ["silhouette"], inequalities=[near])
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=3), ["silhouette"], inequalities=[near])
    genes = problem.encoding.random(4, RNG)
    assert_array_equal(problem.evaluate(genes, return_as_dictionary=True)["G"][:, -1], genes[:, 0])


@pytest.mark.parametrize(
    ("fuzziness", "error", "message"),
    [
        (1.0, ValueError, "fuzziness must be a finite number above 1, got 1.0"),
        (math.nan, ValueError, "got nan"),
        (math.inf, ValueError, "got inf"),
        ("2", TypeError, "fuzziness must be a number above 1, got '2'"),
        (True, TypeError, "got True"),
    ],
)
def test_wrong_fuzziness(fuzziness, error, message):
    with pytest.raises(error, match=message):
        FuzzyCenterEncoding(X, 3, fuzziness=fuzziness)


class Fuzzy(EvolutionaryClusterer):
    """Compactness against entropy of the memberships."""

    def make_problem(self, X, constraints):
        return PartitionProblem(X, FuzzyCenterEncoding(X, 3), ["fuzzy_sum_of_squares", "partition_entropy"])


class Hard(EvolutionaryClusterer):
    """Compactness of hard clusters, by an index of memberships."""

    def make_problem(self, X, constraints):
        return PartitionProblem(X, LabelEncoding(len(X), k_max=3, k_min=2), ["fuzzy_sum_of_squares"])


def test_estimators_have_memberships(tmp_path):
    model = Fuzzy(pop_size=12, n_gen=4, random_state=0).fit(X)
    for rule in (0, "partition_entropy", "fuzzy_sum_of_squares"):
        model.choose(rule)
        assert model.memberships_.shape == (18, 3)
        assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
        front = dict(zip(model.objective_names_, model.pareto_front_[model.chosen_], strict=True))
        value = FuzzySumOfSquares().fit(X).evaluate(model.memberships_[np.newaxis])
        assert_allclose(value, front["fuzzy_sum_of_squares"], rtol=1e-9)
    result = model.clustering_result()
    assert (
        f"mean largest membership {model.memberships_.max(axis=1).mean():.3f}"
        in dict(result.facts)["memberships"]
    )
    assert_array_equal(result.arrays()["memberships"], model.memberships_)
    model.report(tmp_path / "report.html", X)
    assert "mean largest membership" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not hasattr(Hard(pop_size=6, n_gen=1, random_state=0).fit(X), "memberships_")


def test_evolution_approaches_fuzzy_c_means():
    problem = PartitionProblem(X, FuzzyCenterEncoding(X, 3), ["fuzzy_sum_of_squares"])
    result = minimize(problem, GA(30, **problem.operators(GA)), ("n_gen", 40), seed=0)
    optimum = FuzzyCMeans(3, random_state=0).fit(X).objective_
    assert optimum * 0.9999 < result.F[0] < optimum * 1.02


def test_equal_partitions_are_no_duplicates():
    duplicates = PartitionProblem(X, FUZZY, ["partition_entropy"]).operators()["eliminate_duplicates"]
    genes = np.concatenate([GENES[:1], GENES[:1] * 1.01, np.roll(GENES[:1], 2, axis=1)])
    assert len(duplicates.do(Population.new(X=genes))) == 2


def values_of(objective=("deviation"), inequalities=(), encoding=FUZZY, data=X):
    problem = PartitionProblem(data, encoding, [objective], inequalities=inequalities)
    out = problem.evaluate(GENES, return_as_dictionary=True)
    return problem.natural(out["F"])[:, 0], None if out["G"] is None else out["G"][:, -1]


def fixed(X, labels, memberships=None):
    return float(np.sum(memberships))


def test_a_partial_keeps_its_own_arguments():
    assert_array_equal(values_of((partial(fixed, memberships=[7.0, 1.0]), "max"))[0], 8.0)
    own = partial(lambda labels, data, genes: np.full(len(labels), float(data + genes)), data=-3, genes=1)
    assert_array_equal(values_of(inequalities=[own])[1], -2.0)


def test_variable_arguments_receive_arrays_only():
    def count(*args, **genes):
        return 10.0 * len(args) + len(genes)

    assert_array_equal(values_of((count, "max"))[0], 20.0)

    def named(*args, memberships):
        return len(args) + memberships.shape[1] / 10

    assert_allclose(values_of((named, "max"))[0], 2.4)


@pytest.mark.parametrize(
    "function",
    [
        lambda data, labels: labels.max(axis=1) - len(data),
        lambda labels, data: labels.max(axis=1) - len(data),
        lambda data, memberships: memberships.argmax(axis=2).max(axis=1) - len(data),
        lambda *, data, memberships: memberships.argmax(axis=2).max(axis=1) - len(data),
        lambda memberships, data: memberships.argmax(axis=2).max(axis=1) - len(data),
    ],
    ids=["data first", "data last", "data, memberships", "by name", "memberships, data"],
)
def test_data_have_any_place_among_the_arguments(function):
    assert_array_equal(values_of(inequalities=[function])[1], FUZZY.decode(GENES).max(axis=1) - len(X))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda X: 1.0, "must accept the data and labels: too many"),
        (lambda X, labels, more: 1.0, "missing a required argument: 'more'"),
        (lambda X, memberships, labels: 1.0, "the data and memberships by name: missing .* 'labels'"),
    ],
    ids=["too few", "too many", "order"],
)
def test_functions_with_wrong_arguments_are_refused(function, message):
    with pytest.raises(TypeError, match=message):
        values_of((function, "max"))
    with pytest.raises(TypeError, match="inequality '<lambda>' must accept"):
        values_of(inequalities=[lambda memberships, labels: -1.0])
    with pytest.raises(TypeError, match="must accept labels: too many"):
        values_of(inequalities=[lambda data: -1.0])


def test_equal_partitions_with_different_medoids_are_no_duplicates():
    encoding = MedoidEncoding(X, k_max=2, k_min=2)
    spread = PartitionProblem(X, encoding, [("spread", lambda X, medoids: float(np.sum(medoids)), "min")])
    crisp = PartitionProblem(X, encoding, [("most", lambda X, memberships: memberships.sum(0).max(), "min")])
    genes = np.array([[a, b] for a in range(len(X)) for b in range(a)])
    for problem, n in ((spread, len(genes)), (crisp, len(np.unique(encoding.decode(genes), axis=0)))):
        found = problem.operators()["eliminate_duplicates"].do(Population.new(X=encoding.repair(genes)))
        assert len(found) <= n
        assert (len(found) == len(genes)) == (problem is spread)
