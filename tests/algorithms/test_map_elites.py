"""MAP-Elites: the best of every cell, a naive search with equal results, encodings, resumed runs."""

import copy
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from contract.encodings import EVERY_ENCODING
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.optimize import minimize
from sklearn.metrics import silhouette_score

from moo_clustering.algorithms import MapElites, PymooSearch, drive, evolve
from moo_clustering.algorithms.map_elites import CellSurvival, evenness, n_clusters, singletons
from moo_clustering.constraints import ClusterSizes
from moo_clustering.controls import compare
from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding, MedoidEncoding
from moo_clustering.estimators.composed import EvolutionaryClusterer
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import CenterEncoding, FuzzyCenterEncoding, PartitionProblem
from moo_clustering.validity import Silhouette

X = np.random.default_rng(0).normal(size=(24, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 8, axis=0)
PROBLEM = PartitionProblem(X, LabelEncoding(24, 5, 2), ["silhouette", "deviation"])


def found_by(problem=PROBLEM, n_gen=8, seed=1, pop_size=20, **options):
    algorithm = MapElites(pop_size=pop_size, **options, **problem.operators(MapElites))
    return evolve(problem, algorithm, n_gen=n_gen, seed=seed)


def naive_descriptors(labels):
    sizes = [list(labels).count(cluster) for cluster in set(labels)]
    shares = [size / len(labels) for size in sizes]
    even = -sum(p * math.log(p) for p in shares) / math.log(len(sizes)) if len(sizes) > 1 else 1.0
    return len(sizes), even, sizes.count(1) / len(labels)


def test_descriptors_by_hand():
    labels = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 2, 3], [0, 1, 2, 2]])
    assert n_clusters(labels).tolist() == [2, 2, 1, 4, 3]
    # -(3/4 log2 3/4 + 1/4 log2 1/4), and -(1/2 log3 1/2 + 2/4 log3 1/4) for the last.
    np.testing.assert_allclose(evenness(labels), [0.8112781, 1, 1, 1, 0.9463946], atol=1e-7)
    assert singletons(labels).tolist() == [0.25, 0, 0, 1, 0.5]


@given(
    labels=arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=st.integers(0, 4)),
    data=st.data(),
)
@settings(max_examples=100, deadline=None)
def test_descriptors_do_not_depend_on_numbers_of_clusters_or_on_other_partitions(labels, data):
    problem = SimpleNamespace(decode=lambda genes: genes)
    survival = CellSurvival(["n_clusters", "evenness", "singletons"], {}, {}, None, 0.0)
    described = survival._describe(problem, Population.new(X=labels))
    expected = [naive_descriptors(row) for row in labels.tolist()]
    np.testing.assert_allclose(described, expected, atol=1e-12)
    assert (described[:, 1] <= 1).all()
    numbers = np.array(data.draw(st.permutations(range(5))))
    np.testing.assert_array_equal(described, survival._describe(problem, Population.new(X=numbers[labels])))
    alone = [survival._describe(problem, Population.new(X=row[None]))[0] for row in labels]
    np.testing.assert_array_equal(described, alone)


@given(data=st.data(), n=st.integers(1, 25))
@settings(max_examples=150, deadline=None)
def test_every_cell_holds_its_best_by_the_rule_of_deb(data, n):
    # Several batches of the same stream of solutions, with ties in everything.
    small = arrays(float, n, elements=st.integers(0, 2).map(float))
    F, violation, place = data.draw(small), data.draw(small), data.draw(small)
    values = np.column_stack([place, data.draw(small)]) * 2 - 1
    ids = np.arange(n)
    problem = SimpleNamespace(n_obj=1, decode=lambda genes: np.zeros((len(genes), 3), dtype=int))
    survival = CellSurvival(
        [("a", lambda labels: now[0]), ("b", lambda labels: now[1])],
        {"a": 2, "b": 3}, {"a": (0.0, 2.0), "b": (0.0, 3.0)}, None, 5.0,
    )  # fmt: skip
    survival.set_up(problem)
    cut = data.draw(st.integers(1, n))
    pop, best = Population(), {}
    for batch in filter(len, (ids[:cut], ids[cut:])):
        now = values[batch].T
        new = Population.new(X=batch[:, None], F=F[batch, None], G=violation[batch, None])
        new.apply(lambda one: one.evaluated.update("FG"))
        pop = survival.do(problem, Population.merge(pop, new))
        for i in batch:
            cell = min(max(int(values[i, 0] // 1), 0), 1), min(max(int(values[i, 1] // 1), 0), 2)
            mine = (violation[i], F[i])
            if cell not in best or mine < (violation[best[cell]], F[best[cell]]):
                best[cell] = i
        assert pop.get("X")[:, 0].tolist() == [best[cell] for cell in sorted(best)]
        feasible = [i for i in best.values() if violation[i] == 0]
        assert survival.course[-1][1:3] == (batch[-1] + 1, len(feasible) / 6)
        assert survival.course[-1][3] == pytest.approx(sum(5.0 - F[i] for i in feasible))


def naive_search(problem, n_gen, seed, size):
    """MAP-Elites with dictionaries and pymoo's operators, without the algorithm of the package."""
    rng, parts = np.random.default_rng(seed), problem.operators()
    crossover, mutation, archive = parts["crossover"], parts["mutation"], {}
    genes = parts["sampling"].do(problem, size, random_state=rng).get("X")
    for generation in range(n_gen + 1):
        if generation:
            members = [archive[cell][1] for cell in sorted(archive)]
            n_matings = -(-size // crossover.n_offsprings)
            wanted = n_matings * crossover.n_parents
            turns = [rng.permutation(len(members)) for _ in range(-(-wanted // len(members)))]
            parents = np.concatenate(turns)[:wanted].reshape(n_matings, -1)
            pop = Population.new(X=np.array(members))
            pop = mutation(problem, crossover(problem, pop, parents, random_state=rng), random_state=rng)
            genes = parts["repair"](problem, pop, random_state=rng).get("X")[:size]
        for row, labels in zip(genes, problem.decode(genes), strict=True):
            k, even, _ = naive_descriptors(labels.tolist())
            cell, score = (k, min(int(even * 10), 9)), silhouette_score(X, labels)
            if cell not in archive or score > archive[cell][0] + 1e-12:
                archive[cell] = score, row
    return archive


@pytest.mark.parametrize("encoding", [LabelEncoding(24, 5, 2), MedoidEncoding(X, k_max=6)])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_naive_search_with_the_same_random_numbers(encoding, seed):
    problem = PartitionProblem(X, encoding, "silhouette")
    operators = problem.operators(MapElites) | {"eliminate_duplicates": False}
    archive = evolve(problem, MapElites(pop_size=16, **operators), n_gen=12, seed=seed).algorithm.archive_
    naive = naive_search(problem, 12, seed, 16)
    assert [(k + 2, e) for k, e in archive.cells.tolist()] == sorted(naive)
    np.testing.assert_allclose(archive.quality, [naive[cell][0] for cell in sorted(naive)])
    np.testing.assert_array_equal(archive.X, [naive[cell][1] for cell in sorted(naive)])
    assert len(naive) > 10


def test_the_result_is_the_archive():
    result = found_by(reference=1.0)
    archive, course = result.algorithm.archive_, result.algorithm.course_
    assert len(result.opt) == len(result.F) == len(archive.cells) == len(np.unique(archive.cells, axis=0))
    np.testing.assert_array_equal(PROBLEM.natural(result.F)[:, 0], archive.quality)
    np.testing.assert_allclose(archive.quality, Silhouette().fit(X).evaluate(archive.labels))
    np.testing.assert_array_equal(archive.descriptors[:, 0], archive.labels.max(axis=1) + 1)
    assert (archive.quality_name, archive.greater_is_better) == ("silhouette", True)
    assert course["evaluations"].tolist() == [20 * (i + 1) for i in range(9)]
    assert course["coverage"].is_monotonic_increasing
    assert course["qd_score"].is_monotonic_increasing
    assert course["coverage"].iloc[-1] == archive.coverage == len(archive.cells) / 40
    assert course["qd_score"].iloc[-1] == pytest.approx((1 + archive.quality).sum())
    best = archive.best(n_clusters=3)
    assert archive.quality[best] == archive.quality[archive.descriptors[:, 0] == 3].max()
    assert archive.quality[archive.best()] == archive.quality.max()
    with pytest.raises(ValueError, match=r"the archive has no member with n_clusters=5 and evenness=0\.05"):
        archive.best(n_clusters=5, evenness=0.05)
    with pytest.raises(ValueError, match="descriptor must be one of 'n_clusters', 'evenness', got 'k'"):
        archive.best(k=5)


def test_minimised_and_weighted_qualities():
    problem = PartitionProblem(X, LabelEncoding(24, 5, 2), ["deviation", "silhouette"])
    archive = found_by(problem, reference=100.0).algorithm.archive_
    assert (archive.quality_name, archive.greater_is_better) == ("deviation", False)
    assert archive.quality[archive.best()] == archive.quality.min() > 0
    result = found_by(problem, weights=[0.5, 10.0], reference=100.0)
    archive = result.algorithm.archive_
    np.testing.assert_allclose(archive.quality, result.F @ [0.5, 10.0])
    assert archive.quality_name == "weighted sum"
    assert result.algorithm.course_["qd_score"].iloc[-1] == pytest.approx((100 - archive.quality).sum())


def test_descriptors_of_indices_and_functions_and_values_beyond_the_range():
    first = lambda labels: (labels == 0).mean(axis=1)  # noqa: E731
    options = {
        "descriptors": [("first", first), PROBLEM.indices[0], "n_clusters"],
        "ranges": {"first": (0.3, 0.5), "silhouette": (-1, 1), "n_clusters": (3, 4)},
        "cells": {"first": 2},
    }
    archive = found_by(**options).algorithm.archive_
    assert [len(edges) - 1 for edges in archive.edges] == [2, 10, 2]
    np.testing.assert_allclose(archive.descriptors[:, 0], first(archive.labels))
    np.testing.assert_allclose(archive.descriptors[:, 1], archive.quality)
    # The outer cells include values outside the range.
    np.testing.assert_array_equal(archive.cells[:, 0], archive.descriptors[:, 0] >= 0.4)
    np.testing.assert_array_equal(archive.cells[:, 2], archive.descriptors[:, 2] > 3)
    assert {2, 5} & set(archive.descriptors[:, 2])


def test_infeasible_partitions_do_not_count():
    sizes = ClusterSizes(low=5)
    problem = PartitionProblem(X, LabelEncoding(24, 5, 2), "silhouette", limits=[sizes])
    result = found_by(problem, n_gen=15)
    archive = result.algorithm.archive_
    assert len(archive.cells) == len(result.opt) < len(result.pop)
    assert (sizes.violations(archive.labels) <= 0).all()
    assert result.algorithm.course_["coverage"].iloc[-1] == archive.coverage
    never = PartitionProblem(
        X, LabelEncoding(24, 5, 2), "silhouette", inequalities=[lambda labels: np.ones(len(labels))]
    )
    result = found_by(never, n_gen=2)
    assert result.X is None
    assert result.algorithm.archive_.labels.shape == (0, 24)
    assert result.algorithm.archive_.coverage == 0
    with pytest.raises(ValueError, match=r"the archive has no member$"):
        result.algorithm.archive_.best()


@pytest.mark.parametrize("limits", [(), (ClusterSizes(low=4),)])
def test_an_interrupted_run_goes_on_to_the_same_result(tmp_path, limits):
    problem = PartitionProblem(X, LabelEncoding(24, 5, 2), ["silhouette", "deviation"], limits=limits)

    def run(n_gen, checkpoint=None):
        search = PymooSearch(problem, MapElites(pop_size=15, **problem.operators(MapElites)), seed=3)
        drive(search, n_gen=n_gen, checkpoint=checkpoint)
        return search.result()

    whole = run(12)
    path = tmp_path / "run.npz"
    run(5, Checkpoint(path, every=1))
    resumed = run(12, Checkpoint(path, every=1, resume=True))
    for one, other in zip(whole.algorithm.archive_, resumed.algorithm.archive_, strict=True):
        assert np.all(one == other) if not isinstance(one, tuple) else len(one) == len(other)
    np.testing.assert_array_equal(whole.pop.get("X"), resumed.pop.get("X"))
    pd.testing.assert_frame_equal(whole.algorithm.course_, resumed.algorithm.course_)


def test_ask_and_tell_minimize_and_copies_agree():
    made = lambda: MapElites(pop_size=20, **PROBLEM.operators(MapElites))  # noqa: E731
    seen = []
    whole = minimize(
        PROBLEM, made(), ("n_gen", 9), seed=1, callback=lambda one: seen.append(one.archive_.coverage),
        save_history=True,
    )  # fmt: skip
    algorithm = copy.deepcopy(made())
    algorithm.setup(PROBLEM, termination=("n_gen", 9), seed=1)
    while algorithm.has_next():
        infills = algorithm.ask()
        algorithm.evaluator.eval(PROBLEM, infills)
        algorithm.tell(infills=infills)
    for other in (algorithm.archive_, found_by().algorithm.archive_):
        np.testing.assert_array_equal(whole.algorithm.archive_.X, other.X)
    assert seen == whole.algorithm.course_["coverage"].tolist()
    assert [one.archive_.coverage for one in whole.history] == seen


@pytest.mark.filterwarnings("ignore:the search found no new:UserWarning", "ignore:found only:UserWarning")
@pytest.mark.parametrize("name", EVERY_ENCODING)
def test_every_encoding(name):
    encoding = EVERY_ENCODING[name].make(12, np.random.default_rng(0))
    n = encoding.n_samples
    data = np.random.default_rng(1).normal(size=(n, 2))
    problem = PartitionProblem(data, encoding, ["deviation"])
    result = found_by(problem, n_gen=3, pop_size=10)
    archive = result.algorithm.archive_
    assert archive.labels.shape == (len(archive.cells), n)
    np.testing.assert_allclose(archive.quality, problem.natural(problem.evaluate(archive.X))[:, 0])
    np.testing.assert_array_equal(archive.descriptors[:, 0], archive.labels.max(axis=1) + 1)


def test_controls():
    found = compare(PROBLEM, MapElites(pop_size=20, **PROBLEM.operators(MapElites)), n_evals=100, seeds=1)
    assert {"evolution", "drift", "random", "climbs"} <= set(found.runs["method"])


class Mapped(EvolutionaryClusterer):
    def make_problem(self, X, constraints):
        return PartitionProblem(X, MedoidEncoding(X, k_max=6), ["silhouette", "deviation"])


@pytest.mark.parametrize("algorithm", [MapElites(pop_size=20), MapElites])
def test_an_estimator_selects_the_best_of_the_requested_number(algorithm):
    model = Mapped(algorithm=algorithm, n_gen=8, random_state=0).fit(X)
    archive = model.result_.algorithm.archive_
    np.testing.assert_array_equal(model.pareto_labels_, archive.labels)
    for k in (2, 4):
        assert model.choose(archive.best(n_clusters=k)).n_clusters_ == k
        assert silhouette_score(X, model.labels_) == pytest.approx(
            archive.quality[archive.cells[:, 0] == k - 2].max()
        )
    assert model.choose("silhouette").n_clusters_ == 3


def with_nan(labels):
    return np.where(labels.max(axis=1) > 2, np.nan, 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"descriptors": []}, r"descriptors must be a list of unique descriptors, got \[\]"),
        ({"descriptors": "evenness"}, "must be a list of unique descriptors, got 'evenness'"),
        ({"reference": np.nan}, "reference must be finite numbers, got nan"),
        ({"descriptors": ["evenness", "evenness"]}, r"of unique descriptors, got \['evenness', 'ev"),
        ({"descriptors": ["noise"]}, r"descriptor must be one of \('n_clusters', .* fitted .*; got 'noise'"),
        ({"descriptors": [("a", 3)]}, r"a function of labels or a tuple \(name, function\); got \('a', 3\)"),
        ({"cells": {"evenness": 0}}, r"cells\['evenness'\] must be an integer of at least 1, got 0"),
        ({"cells": {"eveness": 3}}, "must be one of 'n_clusters', 'evenness', got 'eveness'.*evenness"),
        ({"ranges": {"evenness": (1, 0)}}, r"ranges\['evenness'\] must be two ascending finite"),
        ({"ranges": {"evenness": (0, np.inf)}}, "must be two ascending finite numbers"),
        ({"weights": [1.0]}, r"weights must have one finite number per objective \(2\)"),
        ({"descriptors": [("own", with_nan)]}, r"ranges must contain the descriptor 'own', as in {'own': "),
        ({"pop_size": 0}, "pop_size must be an integer of at least 1, got 0"),
    ],
)  # fmt: skip
def test_bad_options_are_refused_before_the_search(options, message):
    seen = []
    problem = PartitionProblem(X, LabelEncoding(24, 5, 2), ["silhouette", "deviation"])
    problem._evaluate = lambda *args, **kwargs: seen.append(1)
    with pytest.raises(ValueError, match=message):
        found_by(problem, **options)
    assert not seen


def test_bad_values_of_descriptors_and_problems():
    with pytest.raises(ValueError, match=r"descriptor 'with_nan' must return one finite value per partition"):
        found_by(descriptors=[with_nan], ranges={"with_nan": (0, 1)})
    with pytest.raises(ValueError, match=r"descriptor 'short' must return .* an array of shape \(20,\)"):
        found_by(descriptors=[("short", lambda labels: [0.5])], ranges={"short": (0, 1)})
    with pytest.raises(TypeError, match=r"problem must have decode\(X\), as PartitionProblem, got Prob"):
        evolve(Problem(n_var=2, n_obj=1, xl=0, xu=1), MapElites(), n_gen=1)
    with pytest.raises(TypeError, match="MapElites does not support selection"):
        MapElites(selection=None)
    with pytest.raises(AttributeError, match="MapElites has no archive before its first generation"):
        MapElites().archive_  # noqa: B018


def test_values_of_descriptors_are_numbers_and_a_new_search_has_no_course():
    archive = found_by(n_gen=1).algorithm.archive_
    with pytest.raises(TypeError, match=r"n_clusters must .*got 'five'"):
        archive.best(n_clusters="five")
    with pytest.raises(ValueError, match="n_clusters must be finite numbers"):
        archive.best(n_clusters=np.nan)
    assert MapElites().course_.empty


@pytest.mark.parametrize("kind", [CenterEncoding, FuzzyCenterEncoding])
def test_centres_have_cells_up_to_their_number(kind):
    archive = found_by(PartitionProblem(X, kind(X, 4), "deviation"), n_gen=1).algorithm.archive_
    np.testing.assert_allclose(archive.edges[0], np.arange(0.5, 5))


def test_numbers_of_clusters_of_links_are_those_of_the_samples():
    problem = PartitionProblem(X, LocusAdjacencyEncoding(n_samples=24), "deviation")
    archive = found_by(problem, n_gen=1).algorithm.archive_
    np.testing.assert_allclose(archive.edges[0], np.arange(0.5, 25))


def test_a_range_without_any_partition_is_reported():
    problem = PartitionProblem(X, MedoidEncoding(X, k_max=4), "silhouette")
    made = MapElites(6, ranges={"n_clusters": (10, 20)}, **problem.operators(MapElites))
    with pytest.warns(UserWarning, match="'n_clusters' is outside its range, 9.5"):
        minimize(problem, made, ("n_gen", 1), seed=0)
    with pytest.raises(
        TypeError, match=r"cells must be a mapping with descriptor names as keys, got \[5, 5\]"
    ):
        MapElites(cells=[5, 5])
