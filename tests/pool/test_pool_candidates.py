"""Pools of tables and of bags."""

import io
import itertools
import sys
import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import HDBSCAN, Birch, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from moo_clustering.bags import Bags, bag_distance_kinds
from moo_clustering.bags.distances import DISTANCE_KINDS
from moo_clustering.bags.embeddings import EMBEDDINGS
from moo_clustering.graphs import euclidean_mst, self_tuning_graph
from moo_clustering.pool import FAMILIES, bag_candidate_pool, candidate_pool, k_grid
from moo_clustering.pool import candidates as build
from moo_clustering.pool.candidates import pool_of_bag_views
from moo_clustering.pool.families import PoolData, hdbscan_partitions, kmeans_partitions


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, 3, centers=4, cluster_std=0.6, random_state=4)


@pytest.fixture(scope="module")
def pool(blobs):
    return candidate_pool(blobs[0], random_state=7)


def rows_of(pool, family):
    return pool.labels[[name == family for name in pool.families]]


def quiet_pool(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return candidate_pool(*arguments, **options)


def test_all_families_for_all_numbers(pool, blobs):
    assert pool.family_names == FAMILIES
    assert pool.n_samples == 150
    ks = k_grid(150).tolist()
    counts = pool.n_clusters
    for code, family in enumerate(FAMILIES):
        own = counts[pool.family_codes == code].tolist()
        if family == "hdbscan":
            assert own == sorted(own)
            assert min(own) >= 2
        else:
            assert own == ks, family


def test_every_family_finds_plain_groups(pool, blobs):
    for family in FAMILIES:
        best = max(adjusted_rand_score(blobs[1], labels) for labels in rows_of(pool, family))
        assert best > 0.95, family


def test_linkage_is_cut_as_by_scipy(pool, blobs):
    merges = linkage(blobs[0], "ward")
    for labels in rows_of(pool, "ward"):
        # Without ties the numbers of clusters of fcluster are the wanted ones.
        expected = fcluster(merges, labels.max() + 1, "maxclust")
        assert adjusted_rand_score(labels, expected) == 1.0


def test_genie_follows_its_definition(blobs):
    """Sizes sorted anew in every step, links tried one after the other."""
    X = blobs[0][:60]
    tree = euclidean_mst(X, root=0, ties="index")
    children = np.arange(1, 60)
    links = sorted(zip(tree.lengths[children], children, tree.parent[children], strict=True))
    clusters = [{i} for i in range(60)]
    while len(clusters) > 3:
        sizes = sorted(map(len, clusters))
        q = len(sizes)
        gini = sum((2 * t - q - 1) * s for t, s in enumerate(sizes, 1)) / ((q - 1) * 60)
        home = {i: c for c, members in enumerate(clusters) for i in members}
        small = [
            link
            for link in links
            if gini <= 0.3 or min(len(clusters[home[link[1]]]), len(clusters[home[link[2]]])) == sizes[0]
        ]
        links.remove(small[0])
        a, b = sorted((home[small[0][1]], home[small[0][2]]))
        clusters[a] |= clusters.pop(b)
    found = quiet_pool(X, families=["genie"], k_range=[3]).labels[0]
    assert sorted(map(sorted, clusters)) == sorted(np.flatnonzero(found == c).tolist() for c in range(3))


def test_hdbscan_noise_goes_to_the_nearest_clustered_sample(blobs):
    X = np.concatenate([blobs[0], [[50.0, 50.0, 50.0]]])
    raw = HDBSCAN(min_cluster_size=5, min_samples=5, copy=True).fit(X).labels_
    assert raw[-1] == -1
    clustered = np.flatnonzero(raw >= 0)
    expected = [
        raw[i] if raw[i] >= 0 else raw[clustered[((X[clustered] - X[i]) ** 2).sum(axis=1).argmin()]]
        for i in range(151)
    ]
    rows = quiet_pool(X, families=["hdbscan"], random_state=0).labels
    assert any(adjusted_rand_score(row, expected) == 1.0 for row in rows)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
@pytest.mark.parametrize("kind", ["ties", "copies", "groups"])
def test_hdbscan_is_that_of_scikit_learn(kind, metric):
    # Small whole numbers make many equal distances, whose order decides on the tree.
    rng = np.random.default_rng(0)
    X = 4 * rng.integers(3, size=(90, 1)) + rng.integers(2, size=(90, 25))
    if kind == "copies":
        X = np.repeat(X[:15], 6, axis=0)
    elif kind == "groups":
        X = X + rng.normal(size=X.shape)
    rows = cdist(X, X) if metric == "precomputed" else X.astype(float)
    found = hdbscan_partitions(PoolData(rows, metric == "precomputed"), [])
    expected = []
    # The least sizes of clusters of 90 samples.
    for size, method in itertools.product((5, 10), ("eom", "leaf")):
        model = HDBSCAN(size, min_samples=5, metric=metric, cluster_selection_method=method, copy=True)
        labels = model.fit(rows).labels_
        expected += [labels] if labels.max() >= 1 else []
    assert expected
    for mine, theirs in zip(found, expected, strict=True):
        assert_array_equal(mine[theirs >= 0], theirs[theirs >= 0])


def sum_of_squares(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


def test_kmeans_starts_from_ward_too():
    # Random starts miss some of many groups that the Ward cut finds.
    X = make_blobs(400, 4, centers=40, random_state=0)[0]
    cut = fcluster(linkage(X, "ward"), 40, "maxclust")
    means = np.array([X[cut == c].mean(axis=0) for c in range(1, 41)])
    reached = KMeans(40, init=means, n_init=1).fit(X).inertia_
    assert KMeans(40, n_init=3, random_state=0).fit(X).inertia_ > 1.01 * reached
    (labels,) = quiet_pool(X, families=["km"], k_range=[40]).labels
    assert sum_of_squares(X, labels) <= reached * (1 + 1e-9)


@pytest.mark.parametrize("d", [3, 25])
def test_kmeans_is_that_of_scikit_learn(d):
    X = np.random.default_rng(d).normal(size=(300, d))
    data = PoolData(X, False)
    for k, found in zip((2, 9, 40), kmeans_partitions(data, [2, 9, 40]), strict=True):
        expected = KMeans(k, n_init=3, random_state=k).fit_predict(X)
        assert adjusted_rand_score(expected, found) == 1.0


@pytest.mark.parametrize("k", [2, 4, 9])
@pytest.mark.parametrize("d", [1, 2, 12, 14])
def test_mixtures_start_from_kmeans(d, k):
    X = np.random.default_rng(1).normal(100.0, 1.0, size=(120, d))
    means, found = quiet_pool(X, families=["km", "gmm"], k_range=[k]).labels
    indicators = np.eye(k)[means]
    shape = "full" if d <= 12 else "diag"
    expected = GaussianMixture(k, covariance_type=shape, reg_covar=1e-3, max_iter=60)
    expected._initialize(X, indicators)
    for attribute in ("weights", "means"):
        setattr(expected, f"{attribute}_init", getattr(expected, f"{attribute}_"))
    expected.precisions_init = expected.precisions_cholesky_**2
    if shape == "full":
        expected.precisions_init = np.array([root @ root.T for root in expected.precisions_cholesky_])
    assert adjusted_rand_score(expected.fit_predict(X), found) == 1


def test_jobs_and_threads_change_nothing(blobs, pool):
    for n_jobs in (1, 2):
        with threadpool_limits(limits=2):
            again = candidate_pool(blobs[0], random_state=7, n_jobs=n_jobs)
        np.testing.assert_array_equal(again.labels, pool.labels)
        assert again.families == pool.families


def test_neither_seeds_nor_the_order_of_rows_count(blobs, pool):
    order = np.random.default_rng(0).permutation(150)
    for seed in (None, 1, np.int64(2), np.random.default_rng(3)):
        again = candidate_pool(blobs[0], random_state=seed)
        np.testing.assert_array_equal(again.labels, pool.labels)
    turned = candidate_pool(blobs[0][order])
    assert turned.families == pool.families
    for one, other in zip(pool.labels, turned.labels, strict=True):
        assert adjusted_rand_score(one[order], other) == 1


@pytest.mark.parametrize("left_out", ["km", "genie", "gmm", "spec"])
def test_a_family_left_out_changes_no_other(blobs, pool, left_out):
    families = [family for family in reversed(FAMILIES) if family != left_out]
    rest = candidate_pool(blobs[0], families=families, random_state=7)
    expected = pool.subset([family != left_out for family in pool.families])
    assert rest.families == expected.families
    np.testing.assert_array_equal(rest.labels, expected.labels)


def test_a_number_added_changes_no_other_kmeans(blobs):
    few = quiet_pool(blobs[0], families=["km", "gmm"], k_range=[3, 6], random_state=1)
    more = quiet_pool(blobs[0], families=["km", "gmm"], k_range=[3, 6], n_clusters=4, random_state=1)
    assert more.n_clusters.tolist() == [3, 4, 6] * 2
    np.testing.assert_array_equal(more.subset([0, 2, 3, 5]).labels, few.labels)


def test_mixtures_stop_at_twenty():
    X = np.random.default_rng(0).normal(size=(80, 14))
    pool = quiet_pool(X, families=["gmm"], k_range=[19, 20, 22], random_state=0)
    assert pool.n_partitions == 2


def test_a_failing_family_is_named(blobs, pool, monkeypatch):
    def broken(data, ks):
        raise np.linalg.LinAlgError("no\neigenvalues")

    monkeypatch.setitem(build.BUILDERS, "spec", broken)
    with pytest.warns(UserWarning, match="spec") as caught:
        rest = candidate_pool(blobs[0], random_state=7)
    assert [str(w.message) for w in caught] == ["omitted from the pool: spec: LinAlgError: no eigenvalues"]
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(
        rest.labels, pool.subset([family != "spec" for family in pool.families]).labels
    )


def test_a_family_that_fails_in_part_is_named(blobs, monkeypatch):
    kmeans = build.BUILDERS["km"]

    def fickle(data, ks):
        if 3 in ks:
            raise MemoryError
        return kmeans(data, ks)

    monkeypatch.setitem(build.BUILDERS, "km", fickle)
    with pytest.warns(UserWarning, match=r"km \(in part\): MemoryError"):
        pool = candidate_pool(blobs[0], k_range=[2, 3, 4], random_state=7)
    assert pool.n_clusters[pool.family_codes == 0].tolist() == [2, 4]


def test_a_graph_that_fails_leaves_its_families_out(blobs, monkeypatch):
    def broken(self):
        raise MemoryError("too many neighbours")

    monkeypatch.setattr("moo_clustering.pool.families.PoolData.graph", broken)
    with pytest.warns(UserWarning, match="spec: MemoryError: too many neighbours, graph_agg: Mem"):
        pool = candidate_pool(blobs[0], random_state=7)
    assert pool.family_names == ("km", "ward", "genie", "genie_mr", "hdbscan", "gmm")


def test_few_families_are_weak(blobs):
    with pytest.warns(UserWarning, match=r"the pool contains only 3 families \(genie, km, ward\)"):
        candidate_pool(blobs[0], families=["km", "ward", "genie"], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        candidate_pool(blobs[0], families=["km", "ward", "genie", "spec"], random_state=0)


def test_no_candidate_at_all():
    with pytest.raises(ValueError, match="no family found a partition of X with two or more clusters"):
        candidate_pool(np.ones((9, 2)), families=["km", "gmm"], random_state=0)
    with pytest.raises(ValueError, match="no families were requested"):
        candidate_pool(np.eye(9), families=[])


@pytest.mark.parametrize("n", [3, 4, 5, 7, 9, 12])
@pytest.mark.parametrize("n_features", [1, 4])
def test_few_samples(n, n_features):
    X = np.random.default_rng(n).normal(size=(n, n_features))
    for data, metric in ((X, "euclidean"), (squareform(pdist(X)), "precomputed")):
        pool = quiet_pool(data, metric=metric, random_state=0)
        assert set(FAMILIES) - set(pool.family_names) <= {"hdbscan", "gmm"}
        assert pool.n_clusters.min() == 2
        assert pool.n_clusters.max() == min(n - 1, 6)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_copies_only(metric):
    X = np.full((20, 3), 2.0) if metric == "euclidean" else np.zeros((20, 20))
    with pytest.warns(UserWarning, match="km: no partition with two or more clusters"):
        pool = candidate_pool(X, metric=metric, random_state=0)
    assert {"ward", "genie", "spec"} <= set(pool.family_names)


def test_two_places():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 15, axis=0)
    pool = quiet_pool(X, random_state=0)
    for family in FAMILIES:
        assert rows_of(pool, family)[0].tolist() == [0] * 15 + [1] * 15, family


def test_distances(blobs):
    X, y = blobs
    D = squareform(pdist(X, "cityblock"))
    pool = candidate_pool(D, metric="precomputed", random_state=0)
    assert pool.family_names == tuple(family for family in FAMILIES if family != "gmm")
    for family in pool.family_names:
        assert max(adjusted_rand_score(y, row) for row in rows_of(pool, family)) > 0.95, family
    merges = linkage(pdist(X, "cityblock"), "average")
    for labels in rows_of(pool, "ward"):
        assert adjusted_rand_score(labels, fcluster(merges, labels.max() + 1, "maxclust")) == 1.0


def test_trees_and_graphs_of_euclidean_distances_are_those_of_features(blobs, pool):
    D = squareform(pdist(blobs[0]))
    other = candidate_pool(D, metric="precomputed", random_state=7)
    for family in ("genie", "genie_mr", "spec"):
        np.testing.assert_array_equal(rows_of(other, family), rows_of(pool, family))


def test_given_graph(blobs, pool):
    X, families = blobs[0], ["spec", "graph_agg"]
    S = self_tuning_graph(X)
    for given in (S, S.toarray()):
        again = quiet_pool(X, graph=given, families=families, random_state=7)
        for family in families:
            np.testing.assert_array_equal(rows_of(again, family), rows_of(pool, family))
    fewer = quiet_pool(X, n_neighbors=4, families=families, random_state=7)
    thin = self_tuning_graph(X, n_neighbors=4)
    same = quiet_pool(X, graph=thin, families=families, random_state=7)
    np.testing.assert_array_equal(fewer.labels, same.labels)


class Failing(ClusterMixin, BaseEstimator):
    def fit(self, X, y=None):
        raise RuntimeError("no luck")


def test_extra_candidates_come_last_by_family_and_number(blobs, pool):
    X, y = blobs
    finer = 2 * y + (np.arange(150) % 2)
    extra = [("mine", finer), Birch(n_clusters=4), ("mine", y), ("one", np.zeros(150)), Failing()]
    with pytest.warns(UserWarning, match="omitted from the pool") as caught:
        joined = candidate_pool(X, extra_candidates=extra, random_state=7)
    assert len(caught) == 1
    assert "one: no partition" in str(caught[0].message)
    assert "Failing: RuntimeError: no luck" in str(caught[0].message)
    p = pool.n_partitions
    np.testing.assert_array_equal(joined.labels[:p], pool.labels)
    assert joined.families[p:] == ("mine", "mine", "Birch")
    assert joined.n_clusters[p:].tolist() == [4, 8, 4]


def test_extra_candidates_alone(blobs):
    pool = quiet_pool(blobs[0], families=[], extra_candidates=[("mine", blobs[1])])
    assert pool.families == ("mine",)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"families": "km"}, ValueError, "families must be 'auto'"),
        ({"families": ["km", "genei"]}, ValueError, "did you mean 'genie'"),
        ({"families": [1]}, ValueError, "families must be among"),
        ({"metric": "manhattan"}, ValueError, "metric must be"),
        ({"metric": "precomputed", "X": np.zeros((5, 5)), "families": ["gmm"]}, ValueError, "'gmm' requires"),
        ({"metric": "precomputed"}, ValueError, "square"),
        ({"X": np.eye(2)}, ValueError, "at least 3 samples"),
        ({"X": [[1.0], [np.nan], [2.0]]}, ValueError, "NaN"),
        ({"k_range": [1]}, ValueError, "k_range"),
        ({"n_clusters": 31}, ValueError, "n_clusters"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors"),
        ({"n_neighbors": 2.0}, TypeError, "n_neighbors"),
        ({"graph": np.eye(4)}, ValueError, "per sample, 30 in all"),
        ({"graph": -np.eye(30)}, ValueError, "must be non-negative"),
        ({"graph": np.triu(np.ones((30, 30)))}, ValueError, "symmetric"),
        ({"extra_candidates": [("a", [0, 1])]}, ValueError, "length 30"),
    ],
)
def test_what_makes_no_pool(options, error, message):
    data = {"X": np.random.default_rng(0).normal(size=(30, 2)), **options}
    with pytest.raises(error, match=message):
        candidate_pool(data.pop("X"), **data)


TRUTH = np.repeat([0, 1, 2], 12)


@pytest.fixture(scope="module")
def bags():
    """Three clouds of bags."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[TRUTH]
    return Bags.from_list([rng.normal(centre, 1.0, (rng.integers(1, 6), 2)) for centre in centres])


@pytest.fixture(scope="module")
def found(bags):
    return bag_candidate_pool(bags, random_state=0)


def test_families_and_numbers_of_clusters(bags, found):
    pool, matrices = found
    expected = [f"{f}@{d}" for d in DISTANCE_KINDS for f in ("kmed", "avg", "spec", "genie", "hdbscan")]
    expected += [f"{f}@{e}" for e in EMBEDDINGS for f in ("km", "ward")]
    assert list(pool.family_names) == expected
    assert list(matrices) == list(DISTANCE_KINDS)
    ks = k_grid(len(bags)).tolist()
    for code, family in enumerate(expected):
        sizes = pool.n_clusters[pool.family_codes == code]
        if not family.startswith("hdbscan"):
            assert sizes.tolist() == ks, family


def test_every_family_finds_three_clouds(found):
    pool, _ = found
    scores = np.array([adjusted_rand_score(TRUTH, labels) for labels in pool.labels])
    for code, family in enumerate(pool.family_names):
        assert scores[pool.family_codes == code].max() == 1, family


def test_leaving_out_a_view_changes_no_other(bags, found):
    pool, matrices = found
    few, some = bag_candidate_pool(bags, distances=["energy"], embeddings=["prototypes"], random_state=0)
    assert list(some) == ["energy"]
    assert_array_equal(some["energy"], matrices["energy"])
    for code, family in enumerate(few.family_names):
        same = pool.family_names.index(family)
        assert_array_equal(few.labels[few.family_codes == code], pool.labels[pool.family_codes == same])


def test_same_seed_on_any_number_of_workers(bags, found):
    again, _ = bag_candidate_pool(bags, random_state=0, n_jobs=2)
    assert again.families == found[0].families
    assert_array_equal(again.labels, found[0].labels)


def test_permuted_bags(bags, found):
    """Families that draw nothing give the permuted partitions."""
    order = np.random.default_rng(1).permutation(len(bags))
    permuted, matrices = bag_candidate_pool(bags[order], random_state=0)
    for kind in DISTANCE_KINDS:
        assert_allclose(matrices[kind], found[1][kind][np.ix_(order, order)], atol=1e-7)
    for family in ("avg@symmetric", "avg@energy", "ward@mean", "ward@prototypes"):
        ours, theirs = (
            pool.labels[pool.family_codes == pool.family_names.index(family)] for pool in (found[0], permuted)
        )
        for a, b in zip(ours, theirs, strict=True):
            assert adjusted_rand_score(a[order], b) == 1, family


@pytest.mark.filterwarnings("ignore:only [23] families")
def test_wanted_number_and_given_candidates(bags):
    pool, _ = bag_candidate_pool(bags, embeddings=["mean"], distances=[], k_range=[2], n_clusters=11)
    assert pool.families == ("km@mean", "km@mean", "ward@mean", "ward@mean")
    assert pool.n_clusters.tolist() == [2, 11, 2, 11]
    joined = pool_of_bag_views(
        bags,
        {},
        distances=[],
        embeddings=["mean"],
        k_range=[3],
        extra=[("mine", TRUTH + 4)],
    )
    assert joined.families == ("km@mean", "ward@mean", "mine")
    assert_array_equal(joined.labels[-1], TRUTH)


def test_few_families_are_said_to_be_weak(bags):
    with pytest.warns(UserWarning, match="only 2 families"):
        bag_candidate_pool(bags, distances=[], embeddings=["mean"], k_range=[2])


def test_identical_bags():
    bags = [[[0.0, 1.0], [2.0, 2.0]]] * 6 + [[[5.0, 5.0]]] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        pool, matrices = bag_candidate_pool(bags, random_state=0)
    two = pool.labels[pool.n_clusters == 2]
    assert (np.array([adjusted_rand_score(np.repeat([0, 1], 6), labels) for labels in two]) == 1).mean() > 0.5
    for matrix in matrices.values():
        assert_array_equal(matrix[:6, :6], 0)


def test_three_bags():
    pool, _ = bag_candidate_pool([[[0.0]], [[1.0]], [[9.0]]], random_state=0)
    assert set(pool.n_clusters) == {2}
    assert_array_equal(pool.labels[pool.families.index("avg@average")], [0, 0, 1])


def test_matrices_are_those_of_the_bags(bags, found):
    expected = bag_distance_kinds(bags, kinds=("symmetric", "average", "energy"))
    for kind, matrix in expected.items():
        assert_array_equal(found[1][kind], matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distances": ["hausdorff"]}, "every entry of distances must be one of"),
        ({"embeddings": ["means"]}, "did you mean 'mean'"),
        ({"embeddings": "mean"}, "sequence"),
        ({"distances": [], "embeddings": []}, "at least one view"),
        ({"n_clusters": 100}, "n_clusters"),
    ],
)
def test_bad_options(bags, options, message):
    with pytest.raises(ValueError, match=message):
        bag_candidate_pool(bags, **options)


def test_too_few_bags():
    with pytest.raises(ValueError, match="at least 3 bags"):
        bag_candidate_pool([[[0.0]], [[1.0]]])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_an_interrupted_progress_bar_blocks_no_other_thread(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stderr", Terminal())
    with build.progress_bar(total=2) as bar:
        with monkeypatch.context() as patch:
            patch.setattr(type(bar), "display", interrupted)
            with pytest.raises(KeyboardInterrupt):
                bar.refresh()
        other = threading.Thread(target=bar.set_description, args=("next",), daemon=True)
        other.start()
        other.join(timeout=10)
        assert not other.is_alive()
    assert "next" in sys.stderr.getvalue()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_progress_bar_names_the_families_in_turn_on_terminals_only(n_jobs, metric, monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 2))
    given = X if metric == "euclidean" else cdist(X, X)
    options = {"metric": metric, "families": ["km", "ward", "genie", "hdbscan"], "k_range": [2, 3]}
    pools = []
    for verbose, stream in ((True, Terminal()), (False, Terminal()), (True, io.StringIO())):
        monkeypatch.setattr(sys, "stderr", stream)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pools.append(candidate_pool(given, n_jobs=n_jobs, verbose=verbose, **options))
        words = ["k-means", "Ward"] if metric == "euclidean" else ["k-medoids", "average linkage"]
        shown = stream.getvalue()
        places = [shown.find(word) for word in (*words, "Genie", "HDBSCAN")]
        if verbose and isinstance(stream, Terminal):
            assert -1 < places[0] < places[1] < places[2] < places[3]
            assert "/4" in shown
        else:
            assert not shown
    assert_array_equal(pools[0].labels, pools[1].labels)
