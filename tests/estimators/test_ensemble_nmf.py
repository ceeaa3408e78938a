"""EnsembleNMF: what the runs are, what is made of them, and what is refused."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score

from moo_clustering import EnsembleNMF, NCWTransformer, PaperTfidfTransformer, factorization
from moo_clustering.consensus import best_half, cspa, mcla
from moo_clustering.factorization import document_weights, factorization_loss
from moo_clustering.persistence import CheckpointMismatchError
from moo_clustering.validity import nmi

RESULTS = ("labels_", "association_", "confidence_", "run_labels_", "run_losses_", "run_n_iter_")
ALSO = ("selected_runs_", "components_of_best_run_", "cluster_weights_")


def same(one, two):
    for name in RESULTS + ALSO:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    assert one.topics_ == two.topics_


def blocks(n_clusters=3, size=8, n_words=5, seed=0):
    """Documents that share words with their own kind only, in mixed order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_clusters), size))
    X = np.zeros((len(y), n_clusters * n_words))
    for i, c in enumerate(y):
        X[i, c * n_words : (c + 1) * n_words] = rng.integers(1, 6, n_words)
    return X, y


def posts(sizes, seed, own=0.25, n_words=1500, n_own=60):
    """Counts as of newsgroups: Zipf's law, a quarter of the words from the topic's own, unequal lengths."""
    rng = np.random.default_rng(seed)
    common = 1 / np.arange(1, n_words + 1)
    common /= common.sum()
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    shares = np.tile((1 - own) * common, (len(sizes), 1))
    for share in shares:
        ranks = 1 / np.arange(1, n_own + 1)
        share[rng.choice(n_words, n_own, replace=False)] += own * ranks / ranks.sum()
    lengths = np.maximum(rng.lognormal(4.0, 0.6, len(y)).astype(int), 5)
    drawn = [rng.multinomial(length, shares[c]) for length, c in zip(lengths, y, strict=True)]
    counts = sp.csr_array(np.array(drawn))
    return counts[:, np.flatnonzero(np.bincount(counts.indices, minlength=n_words) >= 2)], y


def noisy(seed=0):
    """Weights on which runs end in different places."""
    counts, y = posts((20,) * 6, seed, own=0.12)
    return sp.csr_array(PaperTfidfTransformer().fit_transform(counts)), y


@pytest.fixture(scope="module")
def weights():
    return noisy()[0]


# --- quality ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("consensus", ["mcla", "cspa", "hgpa", "hbgf"])
@pytest.mark.parametrize("document_weighting", ["ncw", None])
def test_blocks_are_found(consensus, document_weighting):
    X, y = blocks()
    for seed in range(3):
        model = EnsembleNMF(
            3, n_runs=12, consensus=consensus, document_weighting=document_weighting, random_state=seed
        )
        assert adjusted_rand_score(y, model.fit_predict(X)) == 1.0
        assert model.labels_.dtype == np.int32
        np.testing.assert_array_equal(np.unique(model.labels_, return_index=True)[0], [0, 1, 2])
        assert np.all(np.diff(np.unique(model.labels_, return_index=True)[1]) > 0)
        np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("solver", ["hals", "mu", "sklearn", "sklearn-mu"])
def test_every_solver(solver):
    X, y = blocks()
    model = EnsembleNMF(3, n_runs=9, solver=solver, random_state=1).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.run_losses_.shape == model.run_n_iter_.shape == (9,)


def test_the_solver_that_is_asked_for_does_it(weights):
    first = {
        solver: EnsembleNMF(6, n_runs=1, solver=solver, max_iter=2, random_state=0)
        .fit(weights)
        .run_losses_[0]
        for solver in ("hals", "mu", "sklearn", "sklearn-mu")
    }
    assert first["hals"] == pytest.approx(first["sklearn"], rel=0.02)
    assert first["mu"] == pytest.approx(first["sklearn-mu"], rel=0.02)
    assert first["hals"] < 0.99 * first["mu"]
    assert len(set(first.values())) == 4


def test_posts_of_three_topics():
    for seed in range(3):
        counts, y = posts((70, 60, 50), seed)
        model = EnsembleNMF(3, n_runs=15, input="counts", random_state=seed).fit(counts)
        assert nmi(y, model.labels_) > 0.9
        assert np.mean(model.predict(counts) == model.labels_) > 0.95


def test_consensus_against_its_runs():
    """Mean over sets: no worse than runs on average, and far better than the worst run."""
    found, means, worst = [], [], []
    for sizes, seed in itertools.product([(25,) * 8, (50, 35, 30, 25, 20, 20)], range(3)):
        counts, y = posts(sizes, seed, own=0.18)
        model = EnsembleNMF(len(sizes), n_runs=20, input="counts", random_state=seed).fit(counts)
        quality = np.array([nmi(y, run) for run in model.run_labels_])
        assert np.ptp(quality) > 0.02  # a set with spread
        found.append(nmi(y, model.labels_))
        means.append(quality.mean())
        worst.append(quality.min())
    assert np.mean(found) >= np.mean(means) - 0.03
    assert np.mean(found) >= np.mean(worst) + 0.05


# --- runs ------------------------------------------------------------------------------------------


def test_run_t_is_the_same_for_any_number_of_runs(weights):
    many = EnsembleNMF(6, n_runs=20, random_state=3).fit(weights)
    assert len(np.unique(many.run_losses_)) == 20
    for n_runs in (1, 4, 19):
        few = EnsembleNMF(6, n_runs=n_runs, random_state=3).fit(weights)
        for name in ("run_labels_", "run_losses_", "run_n_iter_"):
            np.testing.assert_array_equal(getattr(few, name), getattr(many, name)[:n_runs], err_msg=name)


@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_workers_and_batches_do_not_matter(weights, solver):
    options = {"n_runs": 40, "solver": solver, "max_iter": 12, "random_state": 3}
    one = EnsembleNMF(6, **options, n_jobs=1).fit(weights)
    for n_jobs in (2, 3):
        same(one, EnsembleNMF(6, **options, n_jobs=n_jobs).fit(weights))
    # A run at work has four copies of its factors: one run at a time, seven, and part of a byte.
    run = 4 * sum(weights.shape) * 6 * 4
    for max_memory in (run, 7 * run, 20.5 * run):
        same(one, EnsembleNMF(6, **options, n_jobs=2, max_memory=max_memory).fit(weights))
    with pytest.raises(ValueError, match="max_memory"):
        EnsembleNMF(6, **options, max_memory=run - 1).fit(weights)


@pytest.mark.slow
def test_workers_of_processes_do_not_matter():
    X, _ = blocks()
    one, two = (EnsembleNMF(3, n_runs=4, solver="sklearn", random_state=0, n_jobs=n).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.run_labels_, two.run_labels_)
    np.testing.assert_allclose(one.run_losses_, two.run_losses_, rtol=1e-5)


def test_single_precision_agrees_with_double(weights):
    single, double = (
        EnsembleNMF(6, n_runs=10, dtype=dtype, tol=0, max_iter=8, random_state=0).fit(weights)
        for dtype in ("float32", "float64")
    )
    np.testing.assert_allclose(single.run_losses_, double.run_losses_, rtol=1e-3)
    assert not np.array_equal(single.run_losses_, double.run_losses_)
    assert np.mean(single.run_labels_ == double.run_labels_) > 0.99
    assert nmi(single.labels_, double.labels_) > 0.9


def test_losses_and_components_are_those_of_the_weighted_documents(weights):
    for document_weighting, B in (("ncw", NCWTransformer().fit_transform(weights)), (None, weights)):
        model = EnsembleNMF(
            6, n_runs=6, document_weighting=document_weighting, dtype="float64", random_state=0
        ).fit(weights)
        topics = model.components_of_best_run_
        assert topics.shape == (6, weights.shape[1])
        least = factorization_loss(B, topics.T, document_weights(B, topics.T))
        assert least <= model.run_losses_.min() * (1 + 1e-9)
        assert least > model.run_losses_.min() * 0.99


def test_ncw_is_that_of_the_transformer(weights):
    weighted = EnsembleNMF(6, n_runs=4, document_weighting=None, random_state=0)
    weighted.fit(NCWTransformer().fit_transform(weights))
    within = EnsembleNMF(6, n_runs=4, document_weighting="ncw", random_state=0).fit(weights)
    plain = EnsembleNMF(6, n_runs=4, document_weighting=None, random_state=0).fit(weights)
    np.testing.assert_array_equal(within.run_losses_, weighted.run_losses_)
    np.testing.assert_array_equal(within.run_labels_, weighted.run_labels_)
    assert not np.isclose(within.run_losses_, plain.run_losses_).any()
    # Clusters are described in the weights that were given.
    for model in (within, plain):
        for c in range(model.n_clusters_):
            mean = weights.toarray()[model.labels_ == c].mean(axis=0)
            np.testing.assert_allclose(model.cluster_weights_[c], mean, atol=1e-12)


def test_counts_are_weighted_as_in_the_paper():
    counts, _ = posts((30, 30, 30), 0)
    by_hand = PaperTfidfTransformer().fit_transform(counts)
    one = EnsembleNMF(3, n_runs=5, input="counts", random_state=0).fit(counts)
    two = EnsembleNMF(3, n_runs=5, random_state=0).fit(by_hand)
    same(one, two)
    np.testing.assert_array_equal(
        one.transform(counts[:9]), two.transform(PaperTfidfTransformer().fit(counts).transform(counts[:9]))
    )
    other = TfidfTransformer(smooth_idf=False).fit_transform(counts)
    assert not np.isclose(
        EnsembleNMF(3, n_runs=5, random_state=0).fit(other).run_losses_, one.run_losses_
    ).any()


def test_solver_options_arrive(weights):
    short = EnsembleNMF(6, n_runs=3, tol=0, max_iter=2, random_state=0).fit(weights)
    np.testing.assert_array_equal(short.run_n_iter_, 2)
    assert short.n_iter_ == 2
    loose = EnsembleNMF(6, n_runs=3, tol=0.2, random_state=0).fit(weights)
    assert loose.n_iter_ == loose.run_n_iter_.max() < 6
    default = EnsembleNMF(6, n_runs=3, random_state=0).fit(weights)
    assert (default.run_losses_ < short.run_losses_).all()


def test_labels_without_normalised_topics_differ_and_losses_do_not(weights):
    one, two = (EnsembleNMF(6, n_runs=5, unit_topics=on, random_state=0).fit(weights) for on in (True, False))
    np.testing.assert_array_equal(one.run_losses_, two.run_losses_)
    assert (one.run_labels_ != two.run_labels_).any()


@pytest.mark.parametrize("document_weighting", ["ncw", None])
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_scale_of_the_weights_does_not_matter(weights, document_weighting, scale):
    one, two = (
        EnsembleNMF(6, n_runs=3, document_weighting=document_weighting, dtype="float64", random_state=0).fit(
            X
        )
        for X in (weights, weights * scale)
    )
    np.testing.assert_array_equal(one.run_labels_, two.run_labels_)
    np.testing.assert_allclose(one.transform(weights), two.transform(weights * scale), atol=1e-12)


def test_gold_labels_are_not_looked_at(weights):
    y = noisy()[1]
    models = [
        EnsembleNMF(6, n_runs=4, run_selection="pareto", random_state=0).fit(weights, given)
        for given in (None, y, np.random.default_rng(0).permutation(y), y.astype(str))
    ]
    for model in models[1:]:
        same(models[0], model)


def test_random_states(weights):
    def losses(random_state):
        return EnsembleNMF(6, n_runs=2, max_iter=3, random_state=random_state).fit(weights).run_losses_

    np.testing.assert_array_equal(losses(1), losses(1))
    np.testing.assert_array_equal(losses(1), losses(np.int64(1)))
    for one, two in ((1, 2), (None, None), (rng := np.random.default_rng(0), rng)):
        assert not np.isclose(losses(one), losses(two)).any()
    for make in (np.random.default_rng, np.random.RandomState):
        np.testing.assert_array_equal(losses(make(5)), losses(make(5)))


# --- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array, np.asarray])
def test_any_matrix_will_do_and_stays_as_it_is(container):
    X, _ = blocks()
    given = container(X)
    before = given.copy()
    same(EnsembleNMF(3, n_runs=3, random_state=0).fit(X), EnsembleNMF(3, n_runs=3, random_state=0).fit(given))
    assert (before != given).sum() == 0


@pytest.mark.parametrize("input", ["tfidf", "counts"])
def test_stored_zeros_and_cells_in_parts(input):
    X, _ = blocks()
    zeros = sp.csr_array(X + 1.0)
    zeros.data -= 1.0
    plain = sp.csr_array(X)
    parts = sp.csr_array(
        (np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), plain.indptr * 2), shape=plain.shape
    )
    expected = EnsembleNMF(3, n_runs=3, input=input, random_state=0).fit(plain)
    for matrix in (zeros, parts):
        arrays = [matrix.data, matrix.indices, matrix.indptr]
        before = [array.copy() for array in arrays]
        for array in arrays:
            array.flags.writeable = False
        model = EnsembleNMF(3, n_runs=3, input=input, random_state=0).fit(matrix)
        same(expected, model)
        np.testing.assert_allclose(model.transform(matrix), expected.transform(plain), atol=1e-12)
        for array, old in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
            np.testing.assert_array_equal(array, old)


def test_single_precision_input(weights):
    one, two = (EnsembleNMF(6, n_runs=3, random_state=0).fit(weights.astype(t)) for t in ("f8", "f4"))
    np.testing.assert_allclose(one.run_losses_, two.run_losses_, rtol=1e-3)
    assert np.mean(one.run_labels_ == two.run_labels_) > 0.98


@pytest.mark.parametrize("input", ["tfidf", "counts"])
@pytest.mark.parametrize("value", [-0.5, np.nan, np.inf])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_bad_entries(input, value, container):
    X, _ = blocks()
    model = EnsembleNMF(3, n_runs=2, input=input, random_state=0).fit(X)
    X[3, 4] = value
    message = "[Nn]egative values" if value < 0 else "NaN|infinity"
    for method in (model.fit, model.predict, model.transform):
        with pytest.raises(ValueError, match=message):
            method(container(X))


@pytest.mark.parametrize(
    ("n_clusters", "X", "message"),
    [
        (5, np.ones((4, 9)), "n_clusters=5 .* documents with terms, 4 of n_samples=4"),
        (
            4,
            np.vstack([np.eye(3, 9), np.zeros((5, 9))]),
            "n_clusters=4 .* documents with terms, 3 of n_samples=8",
        ),
        (5, np.ones((9, 4)), "n_clusters=5 .* number of terms, n_features=4"),
        (1, np.zeros((4, 4)), "documents with terms, 0 of n_samples=4"),
    ],
)
def test_too_many_clusters(n_clusters, X, message):
    with pytest.raises(ValueError, match=message):
        EnsembleNMF(n_clusters, n_runs=2).fit(X)


def test_terms_of_all_documents_are_no_terms():
    with pytest.raises(ValueError, match="documents with terms, 0 of"):
        EnsembleNMF(2, n_runs=2, input="counts").fit(np.ones((6, 3)))
    X, y = blocks()
    model = EnsembleNMF(3, n_runs=4, input="counts", random_state=0).fit(
        np.hstack([X, np.full((len(X), 1), 7)])
    )
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert not model.cluster_weights_[:, -1].any()
    assert all(X.shape[1] not in topic for topic in model.topics_)


# --- documents without terms -----------------------------------------------------------------------


def test_documents_without_terms():
    X, _ = blocks(size=7)
    whole = EnsembleNMF(3, n_runs=6, random_state=0).fit(X)
    # One more of the third cluster makes it the largest.
    third = np.flatnonzero(whole.labels_ == 2)
    X = np.vstack([X, X[third[0]]])
    whole = EnsembleNMF(3, n_runs=6, random_state=0).fit(X)
    empty = np.array([0, 4, len(X) + 2])
    seen = np.setdiff1d(np.arange(len(X) + 3), empty)
    with_empty = np.zeros((len(X) + 3, X.shape[1]))
    with_empty[seen] = X
    with pytest.warns(UserWarning, match="3 of 25 documents have no terms and .* largest cluster") as caught:
        model = EnsembleNMF(3, n_runs=6, random_state=0).fit(with_empty)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(model.run_labels_[:, empty], -1)
    np.testing.assert_array_equal(model.run_labels_[:, seen], whole.run_labels_)
    np.testing.assert_array_equal(model.run_losses_, whole.run_losses_)
    assert adjusted_rand_score(whole.labels_, model.labels_[seen]) == 1.0
    largest = np.bincount(model.labels_[seen]).argmax()
    np.testing.assert_array_equal(model.labels_[empty], largest)
    # The first document is one of them, and clusters are numbered by their first documents.
    assert largest == 0
    assert np.all(np.diff(np.unique(model.labels_, return_index=True)[1]) > 0)
    assert not model.association_[:, empty].any()
    assert not model.confidence_[empty].any()
    for c in range(3):
        members = np.intersect1d(np.flatnonzero(model.labels_ == c), seen)
        np.testing.assert_allclose(model.association_[c, members], 1.0)
    np.testing.assert_array_equal(model.predict(with_empty)[empty], largest)


def test_consensus_of_runs_with_documents_without_terms():
    """The way out that the message names leads to the same clusters."""
    X, truth = blocks()
    X = np.vstack([np.zeros((1, X.shape[1])), X])
    with pytest.warns(UserWarning, match="have no terms"):
        model = EnsembleNMF(3, n_runs=6, random_state=0).fit(X)
    labels = model.run_labels_
    with pytest.raises(ValueError, match=r"labels\[:, \(labels >= 0\)\.any\(axis=0\)\]"):
        mcla(labels, 3)
    found = mcla(labels[:, (labels >= 0).any(axis=0)], 3, random_state=0)
    assert nmi(found, model.labels_[1:]) == pytest.approx(1.0)
    assert nmi(found, truth) == pytest.approx(1.0)


def test_documents_whose_terms_weigh_nothing_are_told_once():
    X, _ = blocks(2, size=5)
    counts = np.hstack([np.vstack([X, np.zeros((2, X.shape[1]))]), np.ones((12, 1))])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = EnsembleNMF(2, n_runs=4, input="counts", random_state=0).fit(counts)
        model.predict(counts)
    assert [str(warning.message) for warning in caught] == [
        "2 of 12 documents have no terms and were assigned to the largest cluster"
    ]
    np.testing.assert_array_equal(model.run_labels_[:, -2:], -1)


def test_documents_without_terms_and_a_selection():
    X = np.vstack([np.zeros(15), blocks()[0]])
    for selection, choose in (("best_half", "anmi"), ("pareto", "anmi"), ("pareto", "i2")):
        with pytest.warns(UserWarning, match="no terms"):
            model = EnsembleNMF(3, n_runs=8, run_selection=selection, select=choose, random_state=0).fit(X)
        np.testing.assert_array_equal(model.run_labels_[:, 0], -1)
        assert model.n_clusters_ == 3


# --- consensus -------------------------------------------------------------------------------------


def test_association_by_definition(weights):
    model = EnsembleNMF(6, n_runs=7, run_selection="best_half", consensus="cspa", random_state=2).fit(weights)
    runs = model.run_labels_[model.selected_runs_]
    expected = np.zeros((model.n_clusters_, weights.shape[0]))
    for c in range(model.n_clusters_):
        members = np.flatnonzero(model.labels_ == c)
        for i in range(weights.shape[0]):
            expected[c, i] = np.mean([run[i] == run[j] for run in runs for j in members])
    np.testing.assert_allclose(model.association_, expected, atol=1e-12)
    assert 0 < expected.max() <= 1
    np.testing.assert_allclose(model.confidence_, expected.max(axis=0) / expected.sum(axis=0), atol=1e-12)
    assert model.confidence_.min() >= 1 / model.n_clusters_ - 1e-12
    assert model.confidence_.max() <= 1 + 1e-12
    assert model.confidence_.std() > 0.01
    # The consensus is where a document is most of the time.
    assert np.mean(model.association_.argmax(axis=0) == model.labels_) > 0.9


def test_association_of_meta_clusters(weights):
    """Of MCLA it is the mean of the clusters that make a meta-cluster, and decides the labels."""
    empty = sp.csr_array((1, weights.shape[1]))
    with pytest.warns(UserWarning, match="no terms"):
        model = EnsembleNMF(6, n_runs=7, random_state=2).fit(sp.vstack([empty, weights]))
    inside = model.association_[:, 1:]
    np.testing.assert_array_equal(inside.argmax(axis=0), model.labels_[1:])
    assert not model.association_[:, 0].any()
    assert inside.min() >= 0
    assert inside.max() <= 1 + 1e-12
    np.testing.assert_allclose(model.confidence_[1:], inside.max(axis=0) / inside.sum(axis=0))


def test_a_single_run_is_its_own_consensus(weights):
    for options in ({}, {"run_selection": "best_half"}, {"run_selection": "pareto"}, {"consensus": "cspa"}):
        model = EnsembleNMF(6, n_runs=1, random_state=0, **options).fit(weights)
        assert nmi(model.labels_, model.run_labels_[0]) == pytest.approx(1.0)
        np.testing.assert_allclose(model.confidence_, 1.0)
        np.testing.assert_array_equal(model.selected_runs_, [0])


def test_one_cluster():
    X, _ = blocks()
    model = EnsembleNMF(1, n_runs=3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, 0)
    np.testing.assert_array_equal(model.confidence_, 1.0)
    assert model.transform(X).shape == (24, 1)


def test_consensus_functions_by_name_and_by_hand(weights):
    seen = {}

    def by_hand(labels, n_clusters, *, random_state):
        seen["labels"], seen["n_clusters"] = labels, n_clusters
        seen["draw"] = random_state.integers(2**40)
        return cspa(labels, n_clusters)

    named = EnsembleNMF(6, n_runs=5, consensus="cspa", random_state=0).fit(weights)
    given = EnsembleNMF(6, n_runs=5, consensus=by_hand, random_state=0).fit(weights)
    same(named, given)
    np.testing.assert_array_equal(seen["labels"], given.run_labels_)
    assert seen["n_clusters"] == 6
    draw = seen["draw"]
    EnsembleNMF(6, n_runs=5, consensus=by_hand, random_state=0).fit(weights)
    assert seen["draw"] == draw
    EnsembleNMF(6, n_runs=5, consensus=by_hand, random_state=1).fit(weights)
    assert seen["draw"] != draw
    plain = EnsembleNMF(6, n_runs=5, random_state=0).fit(weights)
    assert nmi(plain.labels_, mcla(plain.run_labels_, 6, random_state=0)) > 0.6
    assert not np.array_equal(plain.labels_, named.labels_)


def test_labels_of_a_consensus_function_may_be_any_numbers_from_0():
    X, y = blocks()
    names = np.array([7, 10**15, 3])

    def renamed(labels, n_clusters, *, random_state):
        return names[mcla(labels, n_clusters, random_state=random_state)].tolist()

    model = EnsembleNMF(3, n_runs=4, consensus=renamed, random_state=0).fit(X)
    same(EnsembleNMF(3, n_runs=4, random_state=0).fit(X), model)
    assert adjusted_rand_score(y, model.labels_) == 1.0


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda runs: runs[0][:-1], r"consensus must return .* \(24\), got int32 of shape \(23,\)"),
        (lambda runs: runs, r"consensus must return .* got int32 of shape \(4, 24\)"),
        (lambda runs: runs[0] + 0.5, "consensus must return .* got float64"),
        (lambda runs: (runs[0], np.zeros((3, 24))), "consensus must return .* got 'tuple'"),
        (lambda runs: None, "consensus must return .* got object"),
        (lambda runs: ["a"] * 24, "consensus must return .* got <U1"),
        (lambda runs: runs[0] - 1, "consensus must return non-negative labels, got -1"),
    ],
)
def test_wrong_values_of_a_consensus_function(returned, message):
    X, _ = blocks()
    with pytest.raises(ValueError, match=message):
        EnsembleNMF(3, n_runs=4, consensus=lambda labels, k, random_state: returned(labels)).fit(X)


def test_cspa_is_refused_before_the_runs(weights, monkeypatch):
    n = weights.shape[0]
    enough = EnsembleNMF(
        6, n_runs=2, consensus="cspa", max_memory=max(8 * n * n, 4 * sum(weights.shape) * 24)
    )
    assert enough.fit(weights).n_clusters_ <= 6
    many = sp.vstack([weights] * 20, format="csr")
    monkeypatch.setattr(factorization, "map_nmf", lambda *args, **options: pytest.fail("runs were made"))
    with pytest.raises(ValueError, match="cspa compares all pairs of 2400 samples"):
        EnsembleNMF(6, n_runs=2, consensus="cspa", max_memory=8 * 2400**2 - 1).fit(many)


def test_best_half(weights):
    model = EnsembleNMF(6, n_runs=9, run_selection="best_half", random_state=0).fit(weights)
    assert len(model.selected_runs_) == 5
    np.testing.assert_array_equal(model.selected_runs_, best_half(model.run_labels_))
    all_runs = EnsembleNMF(6, n_runs=9, random_state=0).fit(weights)
    np.testing.assert_array_equal(all_runs.selected_runs_, np.arange(9))
    np.testing.assert_array_equal(all_runs.run_labels_, model.run_labels_)


@pytest.mark.parametrize("choose", ["anmi", "i2"])
def test_pareto(weights, choose):
    taken = []

    def consensus(labels, n_clusters, *, random_state):
        taken.append(labels)
        return mcla(labels, n_clusters, random_state=random_state)

    options = {"n_runs": 10, "run_selection": "pareto", "select": choose, "random_state": 0}
    model = EnsembleNMF(6, consensus=consensus, **options).fit(weights)
    assert 5 <= len(model.selected_runs_) <= 10
    assert np.all(np.diff(model.selected_runs_) > 0)
    np.testing.assert_array_equal(taken[0], model.run_labels_[model.selected_runs_])
    by_name = EnsembleNMF(6, **options).fit(weights)
    np.testing.assert_array_equal(by_name.labels_, model.labels_)
    np.testing.assert_array_equal(by_name.selected_runs_, model.selected_runs_)
    for n_runs in (2, 3):
        few = EnsembleNMF(6, **{**options, "n_runs": n_runs}).fit(weights)
        np.testing.assert_array_equal(few.selected_runs_, np.arange(n_runs))


# --- new documents and topics ----------------------------------------------------------------------


def test_transform_is_the_cosine_with_the_mean_of_a_cluster(weights):
    model = EnsembleNMF(6, n_runs=5, random_state=0).fit(weights)
    dense = weights.toarray()
    expected = np.zeros((len(dense), model.n_clusters_))
    for c in range(model.n_clusters_):
        mean = dense[model.labels_ == c].mean(axis=0)
        for i, row in enumerate(dense):
            expected[i, c] = row @ mean / np.linalg.norm(row) / np.linalg.norm(mean)
    np.testing.assert_allclose(model.transform(weights), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(weights), expected.argmax(axis=1))
    assert np.mean(model.predict(weights) == model.labels_) > 0.8
    # Documents are judged one by one, whatever comes with them.
    np.testing.assert_allclose(model.transform(dense[7:8] * 5), expected[7:8], atol=1e-12)


def test_new_documents():
    X, y = blocks(n_words=6)
    X[:, [5, 11, 17]] = 0  # words of no document
    first, other = y[0], (y[0] + 1) % 3
    X, y = np.vstack([X, X[y == other][:2]]), np.append(y, [other, other])
    model = EnsembleNMF(3, n_runs=5, random_state=0).fit(X)
    new = np.zeros((5, 18))
    new[0, 0], new[1, 7], new[2, 13] = 3, 1, 2
    new[3, 11] = 4  # not a known word
    labels = model.predict(new)
    of_kind = [model.labels_[y == c][0] for c in range(3)]
    np.testing.assert_array_equal(labels[:3], of_kind)
    # The largest cluster, not the first one.
    np.testing.assert_array_equal(labels[3:], of_kind[other])
    assert of_kind[first] == 0
    assert labels.dtype == np.int32
    assert not model.transform(new)[3:].any()
    counts = EnsembleNMF(3, n_runs=5, input="counts", random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(counts.predict(sp.csr_array(new)), labels)


def test_topics():
    X, y = blocks()
    X[0] = 0
    X[0, y[0] * 5] = 9
    model = EnsembleNMF(3, n_runs=4, n_top_terms=4, random_state=0).fit(X)
    for c, topic in enumerate(model.topics_):
        assert len(topic) == 4
        assert all(type(term) is int for term in topic)
        own = model.cluster_weights_[c]
        np.testing.assert_allclose(own, X[model.labels_ == c].mean(axis=0))
        assert list(topic) == sorted(np.flatnonzero(own), key=lambda term, own=own: -own[term])[:4]
    assert [len(topic) for topic in EnsembleNMF(3, n_runs=4, random_state=0).fit(X).topics_] == [5, 5, 5]
    named = EnsembleNMF(3, n_runs=4, n_top_terms=4, random_state=0)
    named.fit(X, feature_names=[f"w{term}" for term in range(15)])
    assert named.topics_ == tuple(tuple(f"w{term}" for term in topic) for topic in model.topics_)
    for wrong in (["a"] * 14, []):
        with pytest.raises(
            ValueError, match=rf"feature_names must have one name per term \(15\), got {len(wrong)}"
        ):
            named.fit(X, feature_names=wrong)


# --- checkpoints -----------------------------------------------------------------------------------


def interrupt_at(monkeypatch, call):
    """Stop the given batch of runs as Ctrl-C does; how many seeds every batch had."""
    original, sizes = factorization.map_nmf, []

    def map_nmf(function, B, n_components, *, seeds, **options):
        sizes.append(len(seeds))
        if len(sizes) == call:
            raise KeyboardInterrupt
        return original(function, B, n_components, seeds=seeds, **options)

    monkeypatch.setattr(factorization, "map_nmf", map_nmf)
    return sizes


@pytest.mark.parametrize("every", [1, 4, 100])
def test_checkpoints_do_not_change_results(weights, tmp_path, every):
    options = {"n_runs": 9, "random_state": 2}
    whole = EnsembleNMF(6, **options).fit(weights)
    path = tmp_path / "folder" / "runs.npz"
    same(whole, EnsembleNMF(6, **options, checkpoint=str(path), checkpoint_every=every).fit(weights))
    assert path.is_file()


def test_resumed_equals_uninterrupted(weights, tmp_path, monkeypatch):
    options = {"n_runs": 11, "random_state": 2}
    whole = EnsembleNMF(6, **options).fit(weights)
    saved = {"checkpoint": tmp_path / "runs.npz", "checkpoint_every": 3, **options}
    sizes = interrupt_at(monkeypatch, call=3)
    with pytest.raises(KeyboardInterrupt):
        EnsembleNMF(6, **saved).fit(weights)
    assert sizes == [3, 3, 3]
    rest = EnsembleNMF(6, resume=True, n_jobs=2, **{**saved, "checkpoint_every": 4}).fit(weights)
    assert sizes == [3, 3, 3, 4, 1]
    same(whole, rest)
    # All runs are there: nothing is left to do but the consensus.
    again = EnsembleNMF(6, resume=True, **saved).fit(weights)
    assert len(sizes) == 5
    same(whole, again)
    # Without resume all are made anew.
    same(whole, EnsembleNMF(6, **saved).fit(weights))
    assert sum(sizes[5:]) == 11


def test_more_runs_go_on_and_fewer_are_refused(weights, tmp_path, monkeypatch):
    saved = {"checkpoint": tmp_path / "runs.npz", "resume": True, "random_state": 2}
    EnsembleNMF(6, n_runs=4, **saved).fit(weights)
    sizes = interrupt_at(monkeypatch, call=0)
    more = EnsembleNMF(6, n_runs=7, **saved).fit(weights)
    assert sizes == [3]
    monkeypatch.undo()
    same(EnsembleNMF(6, n_runs=7, random_state=2).fit(weights), more)
    before = saved["checkpoint"].read_bytes()
    with pytest.raises(ValueError, match=r"n_runs must be at least 7, .*runs\.npz; got 5"):
        EnsembleNMF(6, n_runs=5, **saved).fit(weights)
    assert saved["checkpoint"].read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        {"n_clusters": 5},
        {"solver": "mu"},
        {"document_weighting": None},
        {"unit_topics": False},
        {"dtype": "float64"},
        {"input": "counts"},
        {"tol": 1e-3},
        {"max_iter": 7},
        {"random_state": 3},
    ],
)
def test_runs_of_other_parameters_are_refused(weights, tmp_path, change):
    saved = {"n_clusters": 6, "n_runs": 2, "random_state": 2, "checkpoint": tmp_path / "runs.npz"}
    EnsembleNMF(**saved).fit(weights)
    before = saved["checkpoint"].read_bytes()
    with pytest.raises(CheckpointMismatchError, match=next(iter(change))):
        EnsembleNMF(**{**saved, "n_runs": 3, "resume": True, **change}).fit(weights)
    assert saved["checkpoint"].read_bytes() == before


def test_runs_of_other_data_are_refused(weights, tmp_path):
    saved = {"n_runs": 2, "random_state": 2, "checkpoint": tmp_path / "runs.npz"}
    EnsembleNMF(6, **saved).fit(weights)
    wider = sp.hstack([weights, sp.csr_array((weights.shape[0], 1))], format="csr")
    for other in (weights * 1.0000001, weights[1:], wider):
        with pytest.raises(CheckpointMismatchError, match="the data differ"):
            EnsembleNMF(6, **saved, resume=True).fit(other)


@pytest.mark.parametrize(
    "change",
    [
        {"consensus": "cspa"},
        {"consensus": lambda labels, k, random_state: labels[0]},
        {"run_selection": "best_half"},
        {"run_selection": "pareto", "select": "i2"},
        {"n_top_terms": 2},
        {"n_jobs": 2},
        {"max_memory": 10**7},
        {"verbose": True},
    ],
)
def test_saved_runs_serve_any_consensus(weights, tmp_path, monkeypatch, change):
    saved = {"n_runs": 8, "random_state": 2, "checkpoint": tmp_path / "runs.npz"}
    EnsembleNMF(6, **saved).fit(weights)
    sizes = interrupt_at(monkeypatch, call=1)
    resumed = EnsembleNMF(6, **saved, resume=True, **change).fit(weights.toarray())
    assert not sizes
    monkeypatch.undo()
    same(EnsembleNMF(6, n_runs=8, random_state=2, **change).fit(weights), resumed)


def test_a_checkpoint_needs_a_seed_and_resume_a_checkpoint(weights, tmp_path):
    for random_state in (None, np.random.default_rng(0)):
        with pytest.raises(ValueError, match="integer random_state"):
            EnsembleNMF(6, checkpoint=tmp_path / "runs.npz", random_state=random_state).fit(weights)
    with pytest.raises(ValueError, match="resume=True requires checkpoint"):
        EnsembleNMF(6, resume=True, random_state=0).fit(weights)
    fresh = EnsembleNMF(6, n_runs=2, checkpoint=tmp_path / "none.npz", resume=True, random_state=0)
    same(EnsembleNMF(6, n_runs=2, random_state=0).fit(weights), fresh.fit(weights))


def test_progress_bar(weights, capsys):
    EnsembleNMF(6, n_runs=3, max_iter=2, random_state=0).fit(weights)
    assert capsys.readouterr() == ("", "")
    EnsembleNMF(6, n_runs=3, max_iter=2, verbose=True, random_state=0).fit(weights)
    captured = capsys.readouterr()
    assert "3/3" in captured.err
    assert not captured.out
