"""The genetic estimators of bags: optima, values, counts, least sizes, constraints, degenerate data."""

from __future__ import annotations

import pickle
import random
import warnings

import numpy as np
import pytest
from genetic_bag_tools import (
    ALL,
    PARTITIONS,
    SMALL,
    around,
    db,
    db_of_medoids,
    ftwcv,
    hausdorff,
    medoid_sets,
    overlapping,
    partitions,
    radii,
    records,
    same_run,
    scaled,
    twcv,
)
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from moo_clustering.bags import BagObjective, Bags
from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints
from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.estimators._methods import METHODS
from moo_clustering.estimators.bags_base import BagData
from moo_clustering.estimators.bags_genetic import (
    CHCMIC,
    MIFGKA,
    MIGCUK,
    MIGKA,
    MedoidBagScore,
    MemeticCHCMIC,
)
from moo_clustering.operators.deap import EvaluateGenes
from moo_clustering.validity import BagDaviesBouldin

EVERY = pytest.mark.parametrize("cls", ALL)
EVERY_PARTITION = pytest.mark.parametrize("cls", PARTITIONS)
OBJECTIVES = {MIGKA: twcv, MIFGKA: ftwcv, CHCMIC: db, MemeticCHCMIC: db}
TOY = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]


@pytest.fixture(scope="module")
def eastwest(data_folder):
    path = data_folder / "mil" / "eastwest.npz"
    if not path.exists():
        pytest.skip("no East-West trains")
    with np.load(path) as data:
        return Bags(data["instances"], data["bag_offsets"], bag_ids=data["bag_ids"].tolist())


# ---------------------------------------------------------------------------------------- East-West


def ids_of_smallest(model, bags):
    return {bags.bag_ids[i] for i in np.flatnonzero(model.labels_ == model.cluster_sizes_.argmin())}


def test_trains_one_against_all(eastwest):
    model = CHCMIC(pop_size=60, n_gen=60, random_state=0).fit(eastwest)
    assert model.fitness_ == pytest.approx(2.6991, abs=5e-5)
    assert ids_of_smallest(model, eastwest) == {"128"}


@pytest.mark.slow
@pytest.mark.parametrize("cls", [CHCMIC, MemeticCHCMIC])
def test_trains_in_fours(cls, eastwest):
    model = cls(min_cluster_size=4, random_state=0).fit(eastwest)
    assert model.fitness_ == pytest.approx(4.5004, abs=5e-5)
    assert model.cluster_sizes_.min() == 4
    assert db(scaled([*eastwest]), model.labels_) == pytest.approx(model.fitness_)


@pytest.mark.slow
def test_trains_by_the_reading_that_was_run(eastwest):
    model = MIFGKA(reading="printed_meansq", random_state=0).fit(eastwest)
    assert ids_of_smallest(model, eastwest) == {"100"}
    assert model.fitness_ == pytest.approx(67.8983918129)
    assert db(scaled([*eastwest]), model.labels_) == pytest.approx(3.2190, abs=5e-5)


# ------------------------------------------------------------------------------------ optima, values


# Model, number of clusters, least size, and what is to be least.
OPTIMA = [
    (MIGKA(), 2, 1, twcv),
    (MIGKA(weighting="instance"), 2, 1, lambda b, y: twcv(b, y, "instance")),
    (MIFGKA(), 2, 1, ftwcv),
    (MIFGKA(reading="printed"), 2, 1, lambda b, y: ftwcv(b, y, reading="printed")),
    (CHCMIC(), 2, 3, db),
    (CHCMIC(crossover="hux", distance="aligned", threshold_rule="no_acceptance"), 2, 2, db),
    (MemeticCHCMIC(pop_size=10, n_gen=8), 2, 2, db),
]
FURTHER_OPTIMA = [
    (MIGKA(3), 3, 1, twcv),
    (MIFGKA(3), 3, 1, ftwcv),
    (MIFGKA(weighting="instance"), 2, 1, lambda b, y: ftwcv(b, y, "instance")),
    (MIFGKA(reading="printed_meansq"), 2, 1, lambda b, y: ftwcv(b, y, reading="printed_meansq")),
    (MIFGKA(reading="printed_meansq"), 2, 3, lambda b, y: ftwcv(b, y, reading="printed_meansq")),
    (CHCMIC(), 2, 1, db),
    (CHCMIC(3), 3, 2, db),
    (CHCMIC(weighting="instance", mutate="population"), 2, 2, lambda b, y: db(b, y, "instance")),
    (CHCMIC(draw_weights="greedy", crossover="uniform"), 2, 2, db),
    (MemeticCHCMIC(3, pop_size=10, n_gen=8), 3, 2, db),
]


@pytest.mark.parametrize(
    ("model", "k", "least", "value"),
    [*OPTIMA, *(pytest.param(*case, marks=pytest.mark.slow) for case in FURTHER_OPTIMA)],
)
def test_best_of_all_partitions(model, k, least, value):
    bags, _ = overlapping(8 if k == 3 else 9, 3, 2, seed=5)
    whole = scaled(bags)
    best = min(value(whole, y) for y in partitions(len(bags), k, least))
    if not isinstance(model, MemeticCHCMIC):
        model.set_params(pop_size=40, n_gen=60, min_cluster_size=least)
    model.set_params(random_state=3).fit(bags)
    assert model.fitness_ == pytest.approx(best)
    assert value(whole, model.labels_) == pytest.approx(best)
    assert model.cluster_sizes_.min() >= least


@pytest.mark.parametrize(
    ("centers", "mutation"),
    [
        ("medoid", "index"),
        ("mean", "rank"),
        pytest.param("medoid", "rank", marks=pytest.mark.slow),
        pytest.param("mean", "index", marks=pytest.mark.slow),
    ],
)
def test_best_of_all_medoids(centers, mutation):
    bags, _ = overlapping(10, 3, 2, seed=2)
    whole = scaled(bags)
    H = hausdorff(whole)
    for k in (2, 3):
        values = {}
        for medoids in medoid_sets(10, k):
            labels = around(H, medoids)
            values[medoids] = db(whole, labels) if centers == "mean" else db_of_medoids(H, labels, medoids)
        model = MIGCUK(k, centers=centers, mutation=mutation, pop_size=80, n_gen=40, random_state=0)
        model.fit(bags)
        assert model.fitness_ == pytest.approx(min(values.values()))
        assert values[tuple(sorted(model.medoid_indices_.tolist()))] == pytest.approx(model.fitness_)


@EVERY_PARTITION
@pytest.mark.parametrize("weighting", ["bag", "instance"])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_fitness_is_that_of_the_labels(cls, weighting, k):
    bags, _ = overlapping(25, 4, seed=k)
    model = cls(k, weighting=weighting, **SMALL).fit(bags)
    whole = scaled(bags)
    value = OBJECTIVES[cls](whole, model.labels_, weighting)
    assert model.fitness_ == pytest.approx(value)
    assert model.hall_of_fame_[0].fitness.values[0] == pytest.approx(value)
    assert model.logbook_[-1]["min"] == pytest.approx(value)
    assert model.violation_ == 0.0
    assert model.n_clusters_ == k
    assert model.labels_.dtype == np.int32
    first = [int(np.flatnonzero(model.labels_ == c)[0]) for c in range(k)]
    assert first == sorted(first)
    np.testing.assert_array_equal(model.cluster_sizes_, np.bincount(model.labels_))
    lengths = np.array([len(bag) for bag in bags])
    for c, center in enumerate(model.cluster_centers_):
        inside = np.flatnonzero(model.labels_ == c)
        means = np.array([bags[i].mean(axis=0) for i in inside])
        np.testing.assert_allclose(
            center, np.average(means, axis=0, weights=None if weighting == "bag" else lengths[inside])
        )
    # the farthest instance of a bag decides
    centers = dict(enumerate((model.cluster_centers_ - model.data_min_) / model.data_range_))
    own = model.transform(bags)[np.arange(25), model.labels_]
    np.testing.assert_allclose(own, radii(whole, model.labels_, centers))


@pytest.mark.parametrize(
    ("cls", "value"),
    [(MIGKA, 80.3333333333), (MIFGKA, 54.3333333333), (CHCMIC, 0.8293670559), (MemeticCHCMIC, 0.8293670559)],
)
def test_worked_values(cls, value):
    model = cls(normalize=False, constraint_handling="repair", **SMALL).fit(TOY, [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1, 1])
    assert model.fitness_ == pytest.approx(value)
    np.testing.assert_allclose(model.cluster_centers_, [[0.5, 0.5], [20 / 3, 14 / 3]])


# ------------------------------------------------------------------------------------------- MIGCUK


@pytest.mark.parametrize("options", [{}, {"mutation": "rank"}, {"pc": 1.0}])
@pytest.mark.parametrize("centers", ["medoid", "mean"])
@pytest.mark.parametrize("seed", range(3))
def test_medoids_labels_and_value_agree(centers, options, seed):
    bags, _ = overlapping(30, 4, seed=seed)
    model = MIGCUK(6, k_min=2, centers=centers, pop_size=15, n_gen=8, random_state=seed, **options).fit(bags)
    whole = scaled(bags)
    H = hausdorff(whole)
    k = model.n_clusters_
    assert 2 <= k <= 6
    assert k == len(model.medoid_indices_) == len(model.medoid_bags_) == len(model.cluster_sizes_)
    np.testing.assert_array_equal(model.labels_, around(H, model.medoid_indices_))
    np.testing.assert_array_equal(model.predict(bags), model.labels_)
    np.testing.assert_allclose(model.transform(bags), H[:, model.medoid_indices_], atol=1e-12)
    if centers == "medoid":
        assert model.fitness_ == pytest.approx(db_of_medoids(H, model.labels_, model.medoid_indices_))
    else:
        index = BagDaviesBouldin().fit(Bags.from_list(whole))
        assert model.fitness_ == pytest.approx(float(index.evaluate(model.labels_[None])[0]))
        assert model.fitness_ == pytest.approx(db(whole, model.labels_))
    assert model.n_trial_evaluations_ == 0
    np.testing.assert_array_equal(model.medoid_bags_[0], bags[model.medoid_indices_[0]])


def test_number_of_clusters_varies_only_if_asked_to():
    rng = np.random.default_rng(1)
    bags = [10 * np.eye(5)[i % 5] + 0.3 * rng.standard_normal((rng.integers(1, 5), 5)) for i in range(30)]
    found = {
        MIGCUK(8, k_min=2, pop_size=40, n_gen=25, random_state=s).fit(bags).n_clusters_ for s in range(5)
    }
    assert found == {5}
    for k in (2, 3, 8):
        assert MIGCUK(k, pop_size=10, n_gen=5, random_state=0).fit(bags).n_clusters_ == k
    with pytest.raises(ValueError, match="k_min=4 must not exceed n_clusters=3"):
        MIGCUK(3, k_min=4).fit(bags)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", [{"min_cluster_size": 5}, {"constraint_handling": "repair"}])
def test_medoids_stay_in_their_clusters(options, seed):
    bags, _ = overlapping(24, 3, seed=seed)
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(24) < 0.4, rng.integers(0, 3, 24), -1)
    y[:3] = 0, 1, 2
    if "min_cluster_size" in options:
        y = None
    model = MIGCUK(3, pop_size=12, n_gen=6, random_state=seed, **options).fit(bags, y)
    np.testing.assert_array_equal(model.labels_[model.medoid_indices_], range(3))
    H = hausdorff(scaled(bags))
    assert model.fitness_ == pytest.approx(db_of_medoids(H, model.labels_, model.medoid_indices_))


def test_others_leave_before_the_medoids_do():
    H = np.full((6, 6), 9.0)
    H[:, 0], H[:, 1] = 1.0, 5.0
    H[0, 1] = 0.1  # no bag loses as little as this medoid
    np.fill_diagonal(H, 0.0)
    bags, encoding = Bags.from_list(np.zeros((6, 1, 1))), MedoidSlotEncoding(H, 3, 2)
    data = BagData(bags, bags, None, np.random.SeedSequence(0), np.arange(6))
    score = MedoidBagScore(MIGCUK(3, min_cluster_size=2), data, encoding)
    labels, medoids = score.partitions(np.array([[0, -1, 1], [4, 5, -1]]))
    np.testing.assert_array_equal(medoids, [[0, 1, -1], [4, 5, -1]])
    np.testing.assert_array_equal(labels[0], [0, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(labels[1], [1, 0, 0, 0, 0, 1])


# ------------------------------------------------------------------------------------------- counts


def counted(monkeypatch):
    """Counts of rows that were evaluated, and of trials, taken beneath the estimators."""
    counts = {"rows": 0, "trials": 0}
    whole = EvaluateGenes.batch

    def batch(self, matrix):
        counts["rows"] += len(matrix)
        return whole(self, matrix)

    monkeypatch.setattr(EvaluateGenes, "batch", batch)
    for name in ("improve", "descend"):
        method = getattr(BagObjective, name)

        def sweep(self, *args, method=method, **options):
            improved = method(self, *args, **options)
            counts["trials"] += int(improved.n_trials.sum())
            return improved

        monkeypatch.setattr(BagObjective, name, sweep)
    return counts


@EVERY
@pytest.mark.parametrize("max_evals", [1, 5, 12, 13, 30, 101, 640, 5000, None])
def test_budget_is_met_exactly(cls, max_evals, monkeypatch):
    bags, _ = overlapping(24)
    counts = counted(monkeypatch)
    model = cls(3, max_evals=max_evals, **{**SMALL, "n_gen": 25}).fit(bags)
    used = model.n_evaluations_ + model.n_trial_evaluations_
    assert {"rows": model.n_evaluations_, "trials": model.n_trial_evaluations_} == counts
    assert sum(model.logbook_.select("nevals")) == model.n_evaluations_
    assert sum(model.logbook_.select("ntrials")) == model.n_trial_evaluations_
    assert len(model.logbook_) == model.n_iter_ + 1
    if max_evals is not None:
        assert used <= max_evals
        assert used == max_evals or model.n_iter_ == 25
        assert max_evals > 101 or model.n_iter_ < 25
    assert model.n_clusters_ == 3
    assert not model.interrupted_


def test_trials_are_all_that_was_tried():
    bags, _ = overlapping(20, 2)
    model = MIGKA(3, pm=1.0, p_gene=1.0, p_km=0.0, pop_size=10, n_gen=5, random_state=0).fit(bags)
    most = 10 * 5 * 20 * 2
    assert 0.95 * most <= model.n_trial_evaluations_ <= most
    assert model.n_evaluations_ == 60
    assert MIGKA(pm=0.0, **SMALL).fit(bags).n_trial_evaluations_ == 0


@EVERY
def test_the_best_never_worsens(cls):
    bags, y = overlapping(24, 4)
    y, improved = np.where(np.arange(24) % 3 == 0, y, -1), False
    for seed, options in enumerate(({}, {"min_cluster_size": 5}, {"constraint_handling": "repair"})):
        model = cls(4, pop_size=12, n_gen=20, random_state=seed, **options)
        model.fit(bags, y if options else None)
        best = model.logbook_.select("min")
        assert (np.diff([value for value in best if value == value]) <= 0).all()  # no legal one: NaN
        assert best[-1] == model.hall_of_fame_[0].fitness.values[0]
        improved |= best[-1] < np.nanmax(best)
    assert improved


@pytest.mark.parametrize("cls", [CHCMIC, MemeticCHCMIC])
def test_restarts_keep_the_best(cls):
    bags, _ = overlapping(12, 2)
    options = {"difference_threshold": 1, "pm": 0.1} if cls is CHCMIC else {}
    model = cls(pop_size=8, n_gen=40, random_state=1, **options).fit(bags)
    assert model.n_restarts_ == sum(model.logbook_.select("restart")) > 1
    assert (np.diff(model.logbook_.select("min")) <= 0).all()


def test_permuted_labels_are_no_diversity():
    bags, _ = overlapping(30, 2)
    crossed = {
        distance: sum(
            CHCMIC(distance=distance, pop_size=30, n_gen=30, random_state=0)
            .fit(bags)
            .logbook_.select("ncross")[-10:]
        )
        for distance in ("hamming", "aligned")
    }
    assert crossed["aligned"] < crossed["hamming"] / 3


# -------------------------------------------------------------------------------------- repeatability


@EVERY
def test_same_seed_same_run(cls):
    bags, y = overlapping()
    state, numpy_state = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    first = cls(3, **SMALL).fit(bags)
    same_run(first, clone(first).fit(Bags.from_list(bags)))
    same_run(first, clone(first).set_params(penalty=9.0).fit(bags))
    assert random.getstate() == state
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002
    others = [clone(first).set_params(random_state=seed).fit(bags) for seed in range(1, 4)]
    assert any(records(other) != records(first) for other in others)
    rng = np.random.default_rng(0)
    one, two = (clone(first).set_params(random_state=rng) for _ in range(2))
    assert records(one.fit(bags)) != records(two.set_params(random_state=one.random_state).fit(bags))
    clone(first).set_params(random_state=np.random.RandomState(0)).fit(bags, y)


SHARED = [
    {"pm": 0.4},
    {"p_gene": 0.2},
    {"weighting": "instance"},
    {"min_cluster_size": 4},
    {"max_evals": 40},
]
OF_PARTITIONS = [{"p_km": 0.9}, {"constraint_handling": "repair"}, {"penalty": 7.0}, {"normalize": False}]
WEIGHTS = [
    {"draw_weights": "scaled"},
    {"draw_weights": "printed"},
    {"draw_weights": "greedy"},
    {"empty": "closest"},
]
OPTIONS = {
    MIGKA: [*SHARED, *OF_PARTITIONS, *WEIGHTS, {"elitism": 0}],
    MIFGKA: [
        *[{"pm": 0.4}, {"p_gene": 0.2}, {"weighting": "instance"}, {"max_evals": 40}, *OF_PARTITIONS],
        *[{"bias": 0.1}, {"reading": "printed"}, {"legality": "count"}, {"elitism": 0}],
    ],
    CHCMIC: [
        *[*SHARED, *OF_PARTITIONS, *WEIGHTS, {"difference_threshold": 11}],
        *[{"difference_threshold": 1, "n_keep": 3}],
        *[{"threshold_rule": "no_acceptance"}, {"mutate": "population"}, {"crossover": "hux"}],
        *[{"crossover": "uniform"}, {"distance": "aligned"}],
    ],
    MIGCUK: [
        *[*SHARED[:2], *OF_PARTITIONS[1:], {"k_min": 2}, {"kind": "symmetric"}, {"kind": "mean"}],
        *[{"kind": "min_min"}, {"kind": "mean_min"}, {"centers": "mean"}, {"mutation": "rank"}],
        *[{"pc": 0.9}, {"elitism": 0}, {"max_evals": 40}],
        *[{"min_cluster_size": 4}],
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("cls", OPTIONS)
def test_every_option_counts(cls):
    rng = np.random.default_rng(5)
    bags = [
        [3.0, 1.0] * rng.standard_normal(2) + rng.standard_normal((rng.integers(1, 5), 2)) for _ in range(20)
    ]
    y = np.where(np.arange(20) < 6, np.arange(20) % 2, -1)
    base = cls(4, pop_size=14, n_gen=12, random_state=0)
    if cls is CHCMIC:
        base.set_params(n_clusters=5, p_km=0.6, n_gen=40)
    runs = {str({}): clone(base).fit(bags, y)}
    for change in OPTIONS[cls]:
        runs[str(change)] = clone(base).set_params(**change).fit(bags, y)
    columns = {name: str([[one["min"], one["avg"]] for one in records(run)]) for name, run in runs.items()}
    same = [(a, b) for a in columns for b in columns if a < b and columns[a] == columns[b]]
    assert not same
    if cls is MIGCUK:
        instance = clone(base).set_params(centers="mean", weighting="instance").fit(bags, y)
        assert records(instance) != records(runs[str({"centers": "mean"})])


@pytest.mark.slow
@EVERY
def test_any_number_of_workers(cls, monkeypatch):
    monkeypatch.setattr("moo_clustering._kernels.threads._WORTH_A_THREAD", 0)
    bags, y = overlapping()
    runs = [
        cls(3, n_jobs=n, min_cluster_size=2, **SMALL).fit(bags, np.where(y == 2, -1, y)) for n in (1, 2, 8)
    ]
    same_run(runs[0], runs[1])
    same_run(runs[0], runs[2])


# ---------------------------------------------------------------------------------------- least sizes


@EVERY
@pytest.mark.parametrize(("k", "least"), [(2, 1), (2, 5), (2, 12), (3, 8), (5, 4)])
@pytest.mark.parametrize("n_gen", [0, 5])
@pytest.mark.filterwarnings("ignore:MIFGKA found no partition")
def test_no_cluster_is_smaller_than_asked(cls, k, least, n_gen):
    bags, _ = overlapping(24, 2, seed=1)
    bags[0] = np.full((1, 3), 1e3)  # would be alone
    model = cls(k, min_cluster_size=least, pop_size=4, n_gen=n_gen, random_state=1).fit(bags)
    assert model.cluster_sizes_.min() >= least
    assert model.n_clusters_ == k
    assert model.cluster_sizes_.sum() == 24


@pytest.mark.parametrize(
    "options",
    [
        {"draw_weights": "printed", "empty": "closest", "difference_threshold": 1, "n_keep": 1},
        {"mutate": "population", "crossover": "hux", "distance": "aligned"},
        {"pm": 0.0, "p_km": 1.0},
    ],
)
def test_literal_options_keep_sizes_too(options):
    bags, _ = overlapping(20, 2, seed=1)
    for cls, own in (
        (CHCMIC, options),
        (MIGKA, {"draw_weights": "printed", "empty": "closest", "elitism": 0}),
    ):
        model = cls(3, min_cluster_size=5, pop_size=8, n_gen=15, random_state=0, **own).fit(bags)
        assert model.cluster_sizes_.min() >= 5


def test_all_in_one_never_wins(monkeypatch):
    monkeypatch.setattr(
        BagObjective, "random", lambda self, n, rng: np.zeros((n, self.n_bags), dtype=np.int32)
    )
    bags, _ = overlapping(12, 3)
    for cls in PARTITIONS:
        options = {"pm": 0.0, "p_km": 0.0} if cls is not MemeticCHCMIC else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if cls is MIFGKA else "error")
            model = cls(3, min_cluster_size=2, **options, **SMALL).fit(bags)
        assert model.cluster_sizes_.min() >= 2, cls
        assert model.n_clusters_ == 3
        assert model.fitness_ == pytest.approx(OBJECTIVES[cls](scaled(bags), model.labels_))
    with pytest.warns(UserWarning, match="MIFGKA found no partition with 3 clusters of at least 2 bags"):
        MIFGKA(3, min_cluster_size=2, pm=0.0, p_km=0.0, **SMALL).fit(bags)


# ---------------------------------------------------------------------------------------- constraints


@pytest.mark.slow
@EVERY
def test_a_tenth_of_the_labels_moves_the_result(cls):
    gains, known_gains = [], []
    for seed in range(4):
        bags, truth = overlapping(60, 3, 3, seed, 2.0)
        y = np.full(60, -1)
        known = np.random.default_rng(seed).permutation(60)[:6]
        y[known] = truth[known]
        model = cls(
            3, constraint_handling="repair", min_cluster_size=6, pop_size=16, n_gen=25, random_state=seed
        )
        free, given = (clone(model).fit(bags, labels).labels_ for labels in (None, y))
        gains.append(adjusted_rand_score(truth, given) - adjusted_rand_score(truth, free))
        soft = clone(model).set_params(constraint_handling="penalty", penalty=3.0).fit(bags, y).labels_
        known_gains.append(
            adjusted_rand_score(truth[known], soft[known]) - adjusted_rand_score(truth[known], free[known])
        )
    assert np.mean(gains) > 0.03
    assert np.mean(known_gains) > 0.2


@EVERY
@pytest.mark.parametrize("seed", range(4))
def test_repair_satisfies_what_can_be(cls, seed):
    bags, _ = overlapping(24, 3, seed=seed)
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(24) < 0.4, rng.integers(0, 3, 24), -1)
    y[:3] = 0, 1, 2
    model = cls(3, constraint_handling="repair", **SMALL).fit(bags, y)
    assert model.violation_ == 0.0
    known = y >= 0
    assert adjusted_rand_score(y[known], model.labels_[known]) == 1.0
    must, cannot = [(3, 4), (4, 5), (6, 7)], [(5, 7), (8, 9), (9, 10), (7, 8)]
    model = cls(3, constraint_handling="repair", **SMALL).fit(bags, must_link=must, cannot_link=cannot)
    assert model.violation_ == 0.0
    labels = model.labels_
    assert all(labels[i] == labels[j] for i, j in must)
    assert all(labels[i] != labels[j] for i, j in cannot)


@EVERY
def test_penalty(cls):
    bags, _ = overlapping(24)
    y = np.full(24, -1)
    y[[0, 1, 2, 3, 4, 5]] = 0, 0, 0, 1, 1, 1  # against the classes of the data
    free = cls(3, **SMALL).fit(bags)
    same_run_but_violation = cls(3, penalty=0.0, **SMALL).fit(bags, y)
    np.testing.assert_array_equal(free.labels_, same_run_but_violation.labels_)
    np.testing.assert_equal(records(free), records(same_run_but_violation))
    pairs = PairwiseConstraints.from_partial_labels(y)
    violation = float(pairs.violation(free.labels_)[0])
    assert violation > 0.5
    assert same_run_but_violation.violation_ == pytest.approx(violation)
    assert free.violation_ == 0.0
    strict = cls(3, penalty=50.0, **{**SMALL, "n_gen": 30, "pop_size": 30}).fit(bags, y)
    assert strict.violation_ == pytest.approx(float(pairs.violation(strict.labels_)[0]))
    assert strict.violation_ < violation
    if cls is not MIGCUK:
        plain = OBJECTIVES[cls](scaled(bags), strict.labels_)
        assert strict.fitness_ == pytest.approx(plain * (1 + 50.0 * strict.violation_))


@EVERY
@pytest.mark.parametrize("handling", ["penalty", "repair"])
def test_what_no_partition_can_satisfy(cls, handling):
    bags, _ = overlapping(12, 2)
    triangle = [(0, 1), (1, 2), (0, 2)]
    model = cls(constraint_handling=handling, **SMALL).fit(bags, cannot_link=triangle)
    assert model.n_clusters_ == 2
    assert model.violation_ >= 1 / 3 - 1e-9
    if handling == "repair":
        assert model.violation_ == pytest.approx(1 / 3)
    three = cls(constraint_handling=handling, **SMALL).fit(bags, [0, 1, 2, 0, 1, 2, *[-1] * 6])
    assert three.violation_ > 0
    assert three.fitness_ == pytest.approx(three.hall_of_fame_[0].fitness.values[0])


@EVERY
@pytest.mark.filterwarnings("ignore:MIFGKA found no partition")
def test_constraints_that_leave_a_cluster_small(cls):
    # the labels leave a bag alone, and clusters are to have six
    rng = np.random.default_rng(0)
    bags = [np.array([[5.0, 0], [13, 0], [12, 0]]), *(rng.standard_normal((4, 2)) for _ in range(11))]
    y = np.repeat([0, 1], [1, 11])
    model = cls(min_cluster_size=6, constraint_handling="repair", **SMALL)
    with pytest.warns(UserWarning, match="smallest cluster has 1 bags, fewer than min_cluster_size=6"):
        model.fit(bags, y)
    np.testing.assert_array_equal(model.labels_, y)
    assert model.violation_ == 0
    if cls is not MIGCUK:  # (5, 0) is the farthest from its own mean, but not from that of six bags
        assert model.fitness_ == pytest.approx(OBJECTIVES[cls](scaled(bags), y))


@EVERY
def test_contradictions_are_refused(cls):
    bags, _ = overlapping()
    with pytest.raises(InconsistentConstraintsError):
        cls(3, **SMALL).fit(bags, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    y = np.full(24, -1)
    y[[0, 1]] = 0, 1
    with pytest.raises(InconsistentConstraintsError):
        cls(3, **SMALL).fit(bags, y, must_link=[(0, 1)])


# ------------------------------------------------------------------------------- bad and odd input


@EVERY
def test_bad_input_is_refused_before_any_work(cls, monkeypatch):
    monkeypatch.setattr(cls, "_fit", None)
    bags, _ = overlapping(5, 2)
    with pytest.raises(ValueError, match="n_clusters=6 must not exceed the number of bags, n_samples=5"):
        cls(6).fit(bags)
    with pytest.raises(ValueError, match="min_cluster_size=3 require at least 6 bags, got 5"):
        cls(2, min_cluster_size=3).fit(bags)
    with pytest.raises(ValueError, match="n_samples=1"):
        cls(2).fit(bags[:1])
    with pytest.raises(ValueError, match="bag 1, row 1, column 0 is nan"):
        cls(2).fit([[[1.0, 2.0]], [[0.0, 1.0], [np.nan, 2.0]], [[1.0, 1.0]]])
    with pytest.raises(ValueError, match="bag 1 must not be empty"):
        cls(2).fit([[[1.0, 2.0]], np.empty((0, 2)), [[1.0, 1.0]]])
    with pytest.raises(ValueError, match=r"one value per sample \(5\), got 6"):
        cls(2).fit(bags, np.zeros(6, dtype=int))
    wrong = {
        "pop_size": 1,
        "n_gen": -1,
        "max_evals": 0,
        "penalty": -0.5,
        "constraint_handling": "both",
        "min_cluster_size": 0,
        "n_clusters": 0,
        "weighting": "rows",
        "checkpoint_every": 0,
    }
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter"):
            cls().set_params(**{name: value}).fit(bags)


@pytest.mark.parametrize("cls", [MIGCUK, MemeticCHCMIC])
def test_distances_that_do_not_fit_are_refused(cls):
    with pytest.raises(ValueError, match="max_memory=1000 bytes"):
        cls(max_memory=1000).fit(overlapping(24)[0])


@EVERY
@pytest.mark.parametrize("least", [1, 3])
def test_bags_that_are_all_the_same(cls, least, tmp_path):
    bag = np.array([[1.0, 2.0], [3.0, 4.0]])
    bags = [bag, bag[::-1], bag[[0, 1, 1]][:2], bag, bag, bag]
    path = tmp_path / "run.npz"
    model = cls(min_cluster_size=least, checkpoint=path, **SMALL)
    with pytest.warns(UserWarning, match="only 1 of n_clusters=2 .* fewer distinct bags than"):
        model.fit(bags)
    assert model.labels_.tolist() == model.predict(bags).tolist() == [0] * 6
    assert model.fitness_ == pytest.approx({MIGKA: 3.0, MIFGKA: 0.0}.get(cls, np.inf), abs=1e-9)
    with pytest.warns(UserWarning, match="only 1 of n_clusters=2 .* fewer distinct bags than"):
        longer = clone(model).set_params(n_gen=9, resume=True).fit(bags)
    assert longer.n_iter_ == 9
    with pytest.warns(UserWarning, match="fewer distinct bags than|because of min_cluster_size"):
        cls(3, **SMALL).fit([*bags, bag + 1])


@EVERY
def test_few_bags(cls):
    for n, k in ((2, 2), (3, 2), (3, 3), (5, 5)):
        bags = [[[float(i)], [i + 0.5]] for i in range(n)]
        model = cls(k, **SMALL).fit(bags)
        assert model.n_clusters_ == k
    model = cls(1, **SMALL).fit([[[1.0, 2.0], [3.0, 5.0]]])
    np.testing.assert_array_equal(model.labels_, [0])
    np.testing.assert_array_equal(model.predict([[[9.0, 9.0]]]), [0])


def test_medoid_of_a_single_cluster():
    bags = [[[float(i)]] for i in (0, 1, 2, 50, 3)]
    assert MIGCUK(1, **SMALL).fit(bags).medoid_indices_ == [2]


@EVERY
def test_every_kind_of_input_gives_the_same(cls):
    table = np.random.default_rng(1).random((12, 3, 2))
    rows, groups = table.reshape(-1, 2), np.repeat([f"bag{i}" for i in range(12)], 3)
    expected = cls(3, **SMALL).fit(table)
    for X, options in [
        (list(table), {}),
        (Bags(rows, np.arange(0, 37, 3)), {}),
        (rows, {"offsets": np.arange(0, 37, 3)}),
        (rows, {"groups": groups}),
    ]:
        same_run(expected, clone(expected).fit(X, **options))
    alone = cls(3, **SMALL).fit(rows)
    same_run(alone, clone(alone).fit(rows[:, None, :]))


# ------------------------------------------------------------------------------------ fitted objects


@EVERY
@pytest.mark.parametrize("options", [{}, {"constraint_handling": "repair"}])
def test_fitted_estimators_are_light(cls, options):
    rng = np.random.default_rng(0)
    bags = [rng.random((20, 3)) for _ in range(60)]
    model = cls(3, **SMALL, **options).fit(bags, np.where(np.arange(60) < 6, np.arange(60) % 3, -1))
    data = pickle.dumps(model)
    assert len(data) < 40_000  # products of means and instances alone would take 576,000
    for name in (b"BagGeometry", b"BagObjective", b"MedoidSlotEncoding", b"MedoidBagScore", b"Toolbox"):
        assert name not in data
    again = pickle.loads(data)
    same_run(model, again)
    np.testing.assert_array_equal(model.predict(bags), again.predict(bags))
    assert again.get_params() == model.get_params()
    same_run(model, again.fit(bags, np.where(np.arange(60) < 6, np.arange(60) % 3, -1)))
    hidden = {name for name in vars(model) if name.startswith("_")}
    assert hidden <= {"_centers", "_kind", "_sklearn_output_config"}


@pytest.mark.parametrize(
    "method",
    [method for method in METHODS.values() if method.bags and method.paper != "this package"],
    ids=lambda method: method.name,
)
def test_names_of_the_papers(method):
    bags, _ = overlapping(12, 2)
    for alias, options in {"": {}, **method.aliases}.items():
        model = method.load()(**options)
        assert {name: model.get_params()[name] for name in options} == dict(options), alias
        small = {name: value for name, value in SMALL.items() if name in model.get_params()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(model.set_params(**small).fit_predict(bags)) == 12
