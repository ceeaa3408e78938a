"""PESC from data to labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import PESC, InconsistentConstraintsError
from moo_clustering.consensus import SIGMA_GRID

QUICK = {"pop_size": 20, "n_gen": 5, "random_state": 0}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=3, n_features=3, cluster_std=0.8, random_state=3)


@pytest.fixture(scope="module")
def fitted(blobs):
    return PESC(3, **QUICK).fit(blobs[0])


def test_separate_clusters_are_found(blobs, fitted):
    assert adjusted_rand_score(blobs[1], fitted.labels_) == 1.0
    np.testing.assert_array_equal(fitted.labels_, PESC(3, **QUICK).fit_predict(blobs[0]))


def test_attributes(blobs, fitted):
    n = len(blobs[0])
    assert fitted.labels_.dtype == np.int32
    assert fitted.labels_[0] == 0
    assert fitted.n_clusters_ == 3
    assert fitted.n_iter_ == 5
    assert fitted.n_features_in_ == 3
    assert not fitted.interrupted_
    assert isinstance(fitted.similarity_, sp.csr_array)
    assert abs(fitted.similarity_ - fitted.similarity_.T).max() == 0
    assert fitted.embedding_.shape == (n, 3)
    m = len(fitted.pareto_front_)
    assert fitted.pareto_front_.shape == (m, 2)
    assert fitted.pareto_neighbors_.shape == (m, n)
    assert fitted.pareto_labels_.shape == (m, n)
    assert fitted.objective_names_ == ("mean_neighbor_distance", "one_minus_diversity")
    assert len(fitted.history_.to_frame()["generation"].unique()) == 6
    np.testing.assert_array_equal(np.sort(fitted.result_.F, axis=0), np.sort(fitted.pareto_front_, axis=0))


def test_the_front_is_measured_in_the_final_population(fitted):
    population = fitted.result_.pop
    neighbours = fitted.result_.problem.neighbors(population.get("X"))
    F = population.get("F")
    f2 = [1 - np.mean([(row != other).mean() for other in neighbours]) for row in neighbours]
    np.testing.assert_allclose(F[:, 1], f2, rtol=1e-12)
    front = NonDominatedSorting().do(F, only_non_dominated_front=True)
    np.testing.assert_array_equal(fitted.pareto_front_, F[np.sort(front)])


def test_support_of_the_similarity_is_what_members_chose(blobs):
    model = PESC(3, min_members=1, **QUICK).fit(blobs[0])
    n = len(blobs[0])
    chosen = np.zeros((n, n), dtype=bool)
    for row in model.pareto_neighbors_:
        chosen[np.arange(n), row] = True
    strong = model.similarity_.toarray()
    strong[strong <= 2e-3 * strong[strong > 0].max()] = 0  # bridges
    assert not (strong > 0)[~(chosen | chosen.T)].any()


@pytest.mark.parametrize("ensemble", ["es1", "es2", "es3"])
@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
@pytest.mark.filterwarnings("ignore:ensemble='es3'")
def test_every_ensemble_and_laplacian(blobs, ensemble, laplacian):
    model = PESC(3, ensemble=ensemble, laplacian=laplacian, **QUICK).fit(blobs[0])
    assert adjusted_rand_score(blobs[1], model.labels_) > 0.95


@pytest.mark.parametrize(
    "options",
    [
        {"operators": "rank"},
        {"operators": "index"},
        {"operators": "rank", "list_width": "full"},
        {"operators": "rank", "list_width": 30},
        {"init": "spread"},
        {"mutation_prob": "individual"},
        {"mutation_prob": "exclusive"},
        {"diversity": "last_front"},
        {"diversity": "none"},
        {"n_div": 3},
        {"ensemble_over": "population"},
        {"es2_weight": "div"},
        {"es2_weight": "count"},
        {"ensemble": "es1", "orientation": "column"},
        {"ensemble": "es1", "min_weight": 1e-6},
        {"ensemble": "es3", "sigma": "grid"},
        {"ensemble": "es3", "sigma": 0.3},
        {"scale": "standard"},
        {"scale": "none"},
        {"metric": "manhattan"},
        {"ties": "index"},
        {"n_neighbors": 9},
        {"pop_size": 7},
    ],
    ids=str,
)
@pytest.mark.parametrize("engine", ["pymoo", pytest.param("deap", marks=pytest.mark.slow)])
def test_every_option_acts_and_finds_the_clusters(blobs, fitted, options, engine):
    model = PESC(3, engine=engine, **{**QUICK, **options}).fit(blobs[0])
    # On rows in random order the literal operators link at random.
    least = 0.3 if options.get("operators") == "index" else 0.95
    assert adjusted_rand_score(blobs[1], model.labels_) > least
    base = fitted if engine == "pymoo" else PESC(3, engine="deap", **QUICK).fit(blobs[0])
    if options != {"ties": "index"}:  # continuous data have no ties
        assert abs(model.similarity_ - base.similarity_).max() > 0


def test_random_initialisation_is_worse_than_neighbours(blobs):
    nearest = PESC(3, **QUICK).fit(blobs[0])
    random = PESC(3, init="random", **QUICK).fit(blobs[0])
    assert random.pareto_front_[:, 0].min() > 2 * nearest.pareto_front_[:, 0].min()


def test_paper_preset():
    model = PESC.paper(3, random_state=1)
    assert (model.operators, model.laplacian, model.list_width) == ("rank", "unnormalized", "full")
    assert PESC.paper(3, laplacian="sym").laplacian == "sym"
    assert (model.pop_size, model.n_gen, model.pc, model.pm) == (100, 100, 0.9, 0.1)


def test_deap_engine_leaves_a_logbook_and_a_hall_of_fame(blobs):
    model = PESC(3, engine="deap", **QUICK).fit(blobs[0])
    assert len(model.logbook_) == 6
    assert len(model.hall_of_fame_) >= 1
    neighbours = model.pareto_neighbors_
    assert neighbours.shape[1] == 120
    np.testing.assert_array_equal(model.result_.F, model.pareto_front_)


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_same_seed_same_result_on_any_number_of_workers(blobs, engine):
    models = [PESC(3, engine=engine, n_jobs=n_jobs, **QUICK).fit(blobs[0]) for n_jobs in (1, 2, 8)]
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].labels_, other.labels_)
        np.testing.assert_array_equal(models[0].pareto_front_, other.pareto_front_)
        assert abs(models[0].similarity_ - other.similarity_).max() == 0
    assert not np.array_equal(
        PESC(3, engine=engine, pop_size=20, n_gen=5, random_state=1).fit(blobs[0]).pareto_front_,
        models[0].pareto_front_,
    )


def test_without_generations_it_is_the_control(blobs):
    model = PESC(3, pop_size=20, n_gen=0, random_state=0).fit(blobs[0])
    assert model.n_iter_ == 0
    assert adjusted_rand_score(blobs[1], model.labels_) > 0.95


@pytest.mark.slow
def test_choose_picks_again_without_searching(blobs):
    model = PESC(3, **QUICK).fit(blobs[0])
    labels, S = model.labels_.copy(), model.similarity_.copy()
    assert model.choose("es3") is model
    assert model.sigma_ > 0
    np.testing.assert_array_equal(model.labels_, PESC(3, ensemble="es3", **QUICK).fit_predict(blobs[0]))
    model.choose("knee")
    assert model.similarity_.nnz < S.nnz
    best = model.pareto_front_[:, 0].argmin()
    np.testing.assert_array_equal(model.choose("mean_neighbor_distance").labels_, model.pareto_labels_[best])
    np.testing.assert_array_equal(model.choose(0).labels_, model.choose(lambda front: 0).labels_)
    model.choose("es2")
    np.testing.assert_array_equal(model.labels_, labels)
    assert abs(model.similarity_ - S).max() == 0
    with pytest.raises(ValueError, match="did you mean 'knee'"):
        model.choose("kneee")
    with pytest.raises(ValueError, match="outside the front"):
        model.choose(1000)


def test_graph_for_networkx(fitted):
    graph = fitted.to_networkx()
    assert graph.number_of_nodes() == 120
    assert graph.number_of_edges() == sp.triu(fitted.similarity_).nnz
    assert {graph.nodes[i]["cluster"] for i in range(120)} == {0, 1, 2}


def test_precomputed_distances_equal_features(blobs, fitted):
    X = blobs[0]
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    D = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    model = PESC(3, metric="precomputed", **QUICK).fit(D)
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    np.testing.assert_allclose(model.pareto_front_, fitted.pareto_front_, rtol=1e-6)
    with pytest.raises(ValueError, match="use 'es2' or 'es3'"):
        PESC(3, metric="precomputed", ensemble="es1", **QUICK).fit(D)


def test_neighbours_from_elsewhere(blobs, fitted):
    lists = fitted.result_.problem.lists
    X = blobs[0]
    model = PESC(3, neighbors=(lists.indices, lists.distances), **QUICK).fit(X)
    np.testing.assert_array_equal(model.pareto_front_, fitted.pareto_front_)
    with pytest.raises(ValueError, match="own neighbour in row 0"):
        PESC(3, neighbors=(np.zeros((120, 1), dtype=int), np.zeros((120, 1))), **QUICK).fit(X)


def shuffled(loader, seed):
    X, y = loader(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order], y[order]


def partial(y, fraction, seed):
    rng = np.random.default_rng(seed)
    known = np.full(len(y), -1)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        drawn = rng.choice(members, max(1, round(fraction * len(members))), replace=False)
        known[drawn] = c
    return known


@pytest.mark.parametrize("operators", ["uniform", "rank", "index"])
@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_no_generation_links_what_labels_forbid(operators, engine):
    X, y = load_iris(return_X_y=True)  # class-sorted, with duplicated rows
    known = partial(y, 0.4, 0)
    seen = []

    model = PESC(3, operators=operators, engine=engine, ensemble_over="population", **QUICK)
    model.fit(X, known)
    problem = model.result_.problem
    population = (
        model.result_.pop.get("X")
        if engine == "pymoo"
        else np.stack([np.asarray(ind) for ind in model.hall_of_fame_])
    )
    seen.append(problem.neighbors(population))
    neighbours = np.concatenate(seen)
    assert (neighbours != np.arange(150)).all()
    mine, theirs = known[None, :], known[neighbours]
    assert not ((mine >= 0) & (theirs >= 0) & (mine != theirs)).any()
    S = model.similarity_.tocoo()
    clash = (known[S.row] >= 0) & (known[S.col] >= 0) & (known[S.row] != known[S.col])
    assert S.data[clash].max(initial=0) <= 1e-3 * S.data.max()  # at most a bridge


def test_explicit_pairs(blobs):
    X, y = blobs
    apart = np.flatnonzero(y == 0)[:2]
    model = PESC(3, **QUICK).fit(X, cannot_link=[apart])
    assert model.similarity_[apart[0], apart[1]] == 0
    across = [np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]]
    joined = PESC(3, **QUICK).fit(X, must_link=[across])
    assert joined.similarity_[across[0], across[1]] == joined.similarity_.max()


@pytest.mark.parametrize("how", [True, "clique", "star"])
def test_labels_can_join_their_class(how):
    X, y = shuffled(load_wine, 0)
    known = partial(y, 0.2, 1)
    plain = PESC(3, **QUICK).fit(X, known)
    joined = PESC(3, must_link_edges=how, **QUICK).fit(X, known)
    assert joined.similarity_.nnz > plain.similarity_.nnz
    free = known < 0
    assert (adjusted_rand_score(y[free], joined.labels_[free])) > 0.75


def test_contradictions_are_named(blobs):
    with pytest.raises(InconsistentConstraintsError):
        PESC(3, **QUICK).fit(blobs[0], must_link=[[0, 1], [1, 2]], cannot_link=[[0, 2]])


def test_labels_reach_the_fit_and_only_the_given_ones():
    X, y = shuffled(load_iris, 0)
    known = partial(y, 0.2, 0)
    model = PESC(3, must_link_edges=True, **QUICK)
    given = model.fit(X, known)
    labels, S = given.labels_, given.similarity_
    np.testing.assert_array_equal(PESC(3, must_link_edges=True, **QUICK).fit_predict(X, known), labels)
    assert abs(PESC(3, must_link_edges=True, **QUICK).fit(X).similarity_ - S).max() > 0
    # Renaming the classes says the same.
    renamed = np.where(known < 0, -1, (known + 1) % 3)
    np.testing.assert_array_equal(PESC(3, must_link_edges=True, **QUICK).fit_predict(X, renamed), labels)


def test_the_input_is_not_changed(blobs):
    X = blobs[0].copy()
    X.setflags(write=False)
    PESC(3, **QUICK).fit(X)
    np.testing.assert_array_equal(X, blobs[0])


@pytest.mark.parametrize("n_clusters", [1, 2, 119, 120])
def test_any_number_of_clusters_up_to_n(blobs, n_clusters):
    model = PESC(n_clusters, **QUICK).fit(blobs[0])
    assert model.n_clusters_ == len(np.unique(model.labels_)) == n_clusters


def test_rows_that_are_all_alike_are_one_cluster():
    with pytest.warns(UserWarning, match="only 1 of n_clusters=3 clusters is non-empty"):
        model = PESC(3, **QUICK).fit(np.ones((20, 2)))
    assert (model.labels_ == 0).all()
    assert model.n_clusters_ == 1


def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[5.0, 0.0], [1.0, 1.0]], 6, axis=0)
    with pytest.warns(UserWarning, match="only 2 of n_clusters=.* fewer distinct rows"):
        model = PESC(4, **QUICK).fit(X)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 6))


def test_one_feature_two_samples():
    assert PESC(2, **QUICK).fit([[0.0], [1.0]]).labels_.tolist() == [0, 1]
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(5, 6, 20)])[:, None]
    np.testing.assert_array_equal(PESC(2, **QUICK).fit_predict(X), np.repeat([0, 1], 20))


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"n_clusters": 0}, None, "n_clusters.*Got 0"),
        ({"n_clusters": 121}, None, "n_clusters=121 must not exceed the number of samples, 120"),
        ({"n_clusters": 2.5}, None, "n_clusters"),
        ({"ensemble": "es4"}, None, "ensemble"),
        ({"pc": 1.5}, None, "pc"),
        ({"metric": "euclid"}, None, "euclid"),
        ({"resume": True}, None, "resume=True requires checkpoint"),
        ({}, [[np.nan, 1.0], [0.0, 1.0]], "NaN"),
        ({}, [[np.inf, 1.0], [0.0, 1.0]], "infinity"),
        ({}, [[0.0, 1.0]], "minimum of 2"),
        ({}, [["a", "b"], ["c", "d"]], "PESC requires numbers"),
        ({"metric": "precomputed"}, [[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]], "square"),
    ],
    ids=str,
)
def test_bad_input_is_named(blobs, options, X, message):
    model = PESC(**{"n_clusters": 2, **QUICK, **options})
    with pytest.raises(ValueError, match=message):
        model.fit(blobs[0] if X is None else X)


def test_bad_supervision_is_named(blobs):
    with pytest.raises(ValueError, match="y"):
        PESC(3, **QUICK).fit(blobs[0], np.zeros(5, dtype=int))
    with pytest.raises(ValueError, match="500"):
        PESC(3, **QUICK).fit(blobs[0], must_link=[[0, 500]])


def test_clone_keeps_parameters():
    model = PESC(3, sigma=SIGMA_GRID[2], must_link_edges="star", **QUICK)
    assert clone(model).get_params() == model.get_params()
