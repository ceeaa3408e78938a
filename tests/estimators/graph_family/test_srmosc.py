"""SRMOSC from data to labels."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import SRMOSC
from moo_clustering.constraints import InconsistentConstraintsError
from moo_clustering.graphs import ratio_cut, symmetrize
from moo_clustering.validity import clustering_accuracy

QUICK = {"pop_size": 12, "n_gen": 5, "random_state": 0}
SOLVERS = ["hull", "nsga2"]


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(120, centers=3, n_features=3, cluster_std=0.8, random_state=3)
    return X, y


@pytest.mark.parametrize("final", ["rcut", "consensus"])
@pytest.mark.parametrize("search", SOLVERS)
def test_separate_clusters_are_found(blobs, search, final):
    model = SRMOSC(3, search=search, final=final, **QUICK).fit(blobs[0])
    assert adjusted_rand_score(blobs[1], model.labels_) > (0.95 if search == "hull" else 0.6)


@pytest.mark.parametrize("search", SOLVERS)
def test_attributes(blobs, search):
    model = SRMOSC(3, search=search, **QUICK).fit(blobs[0])
    m = len(model.pareto_front_)
    assert model.labels_.dtype == np.int32
    assert model.labels_[0] == 0
    assert model.n_clusters_ == 3
    assert model.n_features_in_ == 3
    assert m <= 12
    assert (np.diff(model.pareto_front_[:, 0]) < 0).all()
    assert (np.diff(model.pareto_front_[:, 1]) > 0).all()
    assert model.objective_names_ == ("reconstruction_error", "n_links")
    assert abs(model.similarity_ - model.similarity_.T).max() == 0
    assert model.embedding_.shape == (120, 3)
    assert 0 <= model.chosen_ < m
    labels = model.pareto_labels_
    assert labels.shape == (m, 120)
    np.testing.assert_array_equal(labels[model.chosen_], model.labels_)
    assert sorted(map(tuple, model.result_.F)) == sorted(map(tuple, model.pareto_front_)) or search == "nsga2"
    assert model.n_iter_ == (5 if search == "nsga2" else 0)
    assert hasattr(model, "hull_") == (search == "hull")
    assert hasattr(model, "history_") == (search == "nsga2")
    graph = model.to_networkx()
    assert {graph.nodes[i]["cluster"] for i in range(120)} == {0, 1, 2}


def test_the_hull_spans_the_front(blobs):
    model = SRMOSC(3, pop_size=10, random_state=0).fit(blobs[0])
    np.testing.assert_array_equal(model.pareto_front_[[0, -1]], model.hull_.F[[0, -1]])
    gaps = np.diff(model.pareto_front_[:, 1])
    assert gaps.max() <= 2 * gaps.min()


@pytest.mark.slow
def test_the_rcut_pick_has_the_least_cut_of_reliable_members(blobs):
    X = np.concatenate([blobs[0], blobs[0][:3] + 0.01])
    model = SRMOSC(3, search="nsga2", **QUICK).fit(X)
    members = model.graphs_
    mean = sum(symmetrize(members.graph(k)).toarray() for k in range(len(members.F))) / len(members.F)
    assert abs(members.mean_graph().toarray() - mean).max() < 1e-12
    parts = np.array([members.partition(k).n_components for k in range(len(members.F))])
    cuts = np.where((parts <= 3) | (parts.min() > 3), ratio_cut(mean, model.pareto_labels_), np.inf)
    assert model.chosen_ == cuts.argmin()


def test_members_in_too_many_parts_do_not_count(blobs, monkeypatch):
    model = SRMOSC(3, **QUICK).fit(blobs[0])
    members = model.graphs_
    m = len(members.F)
    parts = np.array([members.n_components(k) for k in range(m)])
    np.testing.assert_array_equal(parts, [members.partition(k).n_components for k in range(m)])
    assert parts[0] > 3
    assert parts.min() <= 3
    good = members.labels(int(parts.argmin()))
    for k in range(m):  # nothing is a smaller cut than none
        members.known_labels[k] = np.zeros(120, dtype=np.int32) if parts[k] > 3 else good
    assert parts[members.least_cut()] <= 3
    monkeypatch.setattr(type(members), "n_components", lambda self, member: 4)
    assert parts[members.least_cut()] > 3  # with none reliable all count


def test_choose_picks_again_without_searching(blobs):
    model = SRMOSC(3, **QUICK).fit(blobs[0])
    labels, front = model.labels_.copy(), model.pareto_front_.copy()
    assert model.choose("consensus") is model
    assert model.chosen_ is None
    direct = SRMOSC(3, final="consensus", **QUICK).fit(blobs[0])
    np.testing.assert_array_equal(model.labels_, direct.labels_)
    assert abs(model.similarity_ - direct.similarity_).max() == 0
    directed = [model.graphs_.graph(k).toarray() for k in range(len(front))]
    mean = np.mean([np.maximum(S, S.T) for S in directed], axis=0)
    np.testing.assert_allclose(model.similarity_.toarray()[mean > 0], mean[mean > 0], rtol=1e-12)
    # The mean graph has a component for each of the three blobs, which two bridges connect.
    assert model.similarity_.nnz == np.count_nonzero(mean) + 2 * 2
    assert model.choose("reconstruction_error").chosen_ == len(front) - 1
    assert model.choose("n_links").chosen_ == 0
    assert model.choose(2).chosen_ == model.choose(lambda F: 2).chosen_ == 2
    np.testing.assert_array_equal(model.labels_, model.pareto_labels_[2])
    assert 0 <= model.choose("knee").chosen_ < len(front)
    np.testing.assert_array_equal(model.choose("rcut").labels_, labels)
    with pytest.raises(ValueError, match="did you mean 'rcut'"):
        model.choose("rcutt")
    with pytest.raises(ValueError, match="outside the front"):
        model.choose(1000)


@pytest.mark.slow
@pytest.mark.parametrize("search", SOLVERS)
def test_same_seed_same_result_on_any_number_of_workers(blobs, search):
    models = [SRMOSC(3, search=search, n_jobs=n, **QUICK).fit(blobs[0]) for n in (1, 2, 4)]
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].labels_, other.labels_)
        np.testing.assert_array_equal(models[0].pareto_front_, other.pareto_front_)
        assert abs(models[0].similarity_ - other.similarity_).max() == 0
    if search == "nsga2":
        other = SRMOSC(3, search=search, **{**QUICK, "random_state": 1}).fit(blobs[0])
        assert not np.array_equal(models[0].pareto_front_, other.pareto_front_)


@pytest.mark.slow
def test_threads_in_evolution_change_nothing():
    X = make_blobs(4200, centers=3, n_features=90, random_state=0)[0]
    options = {"search": "nsga2", "final": "consensus", "pop_size": 4, "n_gen": 2, "random_state": 0}
    one, two = (SRMOSC(3, n_candidates=12, n_jobs=n, **options).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.pareto_front_, two.pareto_front_)
    np.testing.assert_array_equal(one.labels_, two.labels_)


@pytest.fixture(scope="module")
def base(blobs):
    return SRMOSC(3, n_candidates=8, **QUICK).fit(blobs[0])


@pytest.mark.parametrize(
    "options",
    [
        {"n_candidates": 5},
        {"n_candidates": "all"},
        {"rho": 0.0},
        {"rho": 1.0},
        {"pop_size": 6},
        {"laplacian": "rw"},
        {"laplacian": "unnormalized"},
        {"scale": "standard"},
        {"scale": "none"},
        {"metric": "manhattan"},
        {"final": "consensus"},
    ],
    ids=str,
)
def test_options_act(blobs, base, options):
    model = SRMOSC(3, **{"n_candidates": 8, **QUICK, **options}).fit(blobs[0])
    differs = (
        model.pareto_front_.shape != base.pareto_front_.shape
        or (model.pareto_front_ != base.pareto_front_).any()
        or model.embedding_.shape != base.embedding_.shape
        or abs(model.embedding_ - base.embedding_).max() > 0
    )
    assert differs
    # Standardised samples have opposites that rebuild nothing; far samples link clusters.
    if options.get("scale") != "standard" and options.get("n_candidates") != "all":
        assert adjusted_rand_score(blobs[1], model.labels_) > 0.85


def partial(y, fraction, seed):
    known = np.full(len(y), -1)
    drawn = np.random.default_rng(seed).random(len(y)) < fraction
    known[drawn] = y[drawn]
    return known


@pytest.mark.slow
@pytest.mark.parametrize("search", SOLVERS)
def test_labels_forbid_links_in_every_member(search):
    X, y = load_iris(return_X_y=True)
    known = partial(y, 0.4, 0)
    model = SRMOSC(3, search=search, **QUICK).fit(X, known)
    for k in range(len(model.pareto_front_)):
        S = model.graphs_.graph(k).tocoo()
        both = (known[S.row] >= 0) & (known[S.col] >= 0)
        assert (known[S.row] == known[S.col])[both].all()
    free = SRMOSC(3, search=search, **QUICK).fit(X).graphs_.graph(5).tocoo()
    both = (known[free.row] >= 0) & (known[free.col] >= 0)
    assert (known[free.row] != known[free.col])[both].any()


def test_explicit_pairs(blobs):
    X, y = blobs
    apart = np.flatnonzero(y == 0)[:2]
    model = SRMOSC(3, final="consensus", **QUICK).fit(X, cannot_link=[apart])
    assert model.similarity_[apart[0], apart[1]] == 0
    across = [np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]]
    joined = SRMOSC(3, final="consensus", **QUICK).fit(X, must_link=[across])
    assert joined.similarity_[across[0], across[1]] == joined.similarity_.max()
    with pytest.raises(InconsistentConstraintsError):
        SRMOSC(3, **QUICK).fit(X, must_link=[[0, 1], [1, 2]], cannot_link=[[0, 2]])


@pytest.mark.parametrize("how", [True, "clique", "star"])
def test_labels_can_join_their_class(how):
    X, y = load_wine(return_X_y=True)
    known = partial(y, 0.2, 1)
    plain = SRMOSC(3, final="consensus", **QUICK).fit(X, known)
    joined = SRMOSC(3, final="consensus", must_link_edges=how, **QUICK).fit(X, known)
    assert joined.similarity_.nnz > plain.similarity_.nnz
    assert adjusted_rand_score(y[known < 0], joined.labels_[known < 0]) > 0.75
    np.testing.assert_array_equal(
        SRMOSC(3, final="consensus", must_link_edges=how, **QUICK).fit_predict(X, known), joined.labels_
    )


def test_too_much_is_refused():
    X = np.random.default_rng(0).random((2001, 2))
    with pytest.raises(ValueError, match="set n_candidates=None"):
        SRMOSC(2, n_candidates="all").fit(X)
    with pytest.raises(ValueError, match="max_memory"):
        SRMOSC(2, search="nsga2", max_memory=1000).fit(X)
    with pytest.raises(ValueError, match="must not be"):
        SRMOSC(2, metric="precomputed").fit(np.ones((4, 4)))
    with pytest.raises(ValueError, match="must not exceed the number of samples"):
        SRMOSC(5).fit(np.ones((4, 4)))


@pytest.mark.parametrize("n_clusters", [1, 2, 119, 120])
def test_any_number_of_clusters_up_to_n(blobs, n_clusters):
    model = SRMOSC(n_clusters, final="consensus", **QUICK).fit(blobs[0])
    assert model.n_clusters_ == len(np.unique(model.labels_)) == n_clusters


@pytest.mark.parametrize("search", SOLVERS)
@pytest.mark.parametrize("X", [np.ones((6, 2)), np.zeros((6, 2)), np.repeat([[0.0, 1], [3, 4]], 5, axis=0)])
def test_degenerate_data(X, search):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.warns(UserWarning, match="of n_clusters=3 clusters .* fewer distinct rows"):
            model = SRMOSC(3, search=search, **QUICK).fit(X)
    assert model.n_clusters_ == len(np.unique(X, axis=0))


def test_two_samples():
    assert SRMOSC(2, random_state=0).fit([[0.0], [1.0]]).labels_.tolist() == [0, 1]


def test_the_input_is_not_changed_and_models_can_be_stored(blobs):
    X = blobs[0].copy()
    X.setflags(write=False)
    for search in SOLVERS:
        model = SRMOSC(3, search=search, **QUICK).fit(X)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.choose("consensus").labels_, model.choose("consensus").labels_)
    np.testing.assert_array_equal(X, blobs[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loader", "n_clusters", "rcut", "consensus"),
    [(load_iris, 3, 0.873, 0.887), (load_wine, 3, 0.955, 0.955), (load_breast_cancer, 2, 0.933, 0.940)],
)
def test_known_accuracies_of_the_hull(loader, n_clusters, rcut, consensus):
    X, y = loader(return_X_y=True)
    order = np.random.default_rng(5).permutation(len(X))
    model = SRMOSC(n_clusters, random_state=5).fit(X[order])
    assert clustering_accuracy(y[order], model.labels_) == pytest.approx(rcut, abs=0.02)
    model.choose("consensus")
    assert clustering_accuracy(y[order], model.labels_) == pytest.approx(consensus, abs=0.02)


@parametrize_with_checks(
    [
        SRMOSC(n_clusters=3, pop_size=8, random_state=0),
        SRMOSC(n_clusters=3, search="nsga2", final="consensus", pop_size=8, n_gen=2, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:only .* distinct rows")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
