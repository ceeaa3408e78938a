"""Locus-based adjacency, with and without a spanning tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, coo_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_iris

from moo_clustering._kernels.loci import component_rows
from moo_clustering._kernels.partitions import number_by_first_appearance
from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.encodings.loci import relevant_links
from moo_clustering.graphs import locus_graph, neighbor_lists

NEIGHBORS = np.array([[1, 2], [0, 2], [1, 3], [2, 4], [3, 2]])


def components(links: np.ndarray) -> list[int]:
    """Components by spreading labels until nothing changes, numbered by first appearance."""
    label = list(range(len(links)))
    changed = True
    while changed:
        changed = False
        for i, j in enumerate(links):
            low = min(label[i], label[j])
            changed |= label[i] != low or label[j] != low
            label[i] = label[j] = low
    numbers: dict[int, int] = {}
    return [numbers.setdefault(c, len(numbers)) for c in label]


def test_decode_of_the_worked_crossover():
    A = [1, 2, 3, 1, 3, 4, 7, 6]
    B = [2, 0, 1, 2, 5, 4, 5, 6]
    C = [1, 0, 3, 1, 5, 4, 7, 6]
    decoded = LocusAdjacencyEncoding(n_samples=8).decode(np.array([A, B, C]))
    assert_array_equal(
        decoded, [[0, 0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2]]
    )


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_decode_equals_the_definition_and_scipy(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    X = rng.integers(0, n, size=(4, n))
    X[rng.random(X.shape) < 0.4] = -1
    X = np.where(X < 0, np.arange(n), X)  # self links, else nearly all is one component
    labels = LocusAdjacencyEncoding(n_samples=n).decode(X)
    assert_array_equal(labels, [components(row) for row in X])
    for row, partition in zip(X, labels, strict=True):
        graph = coo_matrix((np.ones(n), (np.arange(n), row)), shape=(n, n))
        assert connected_components(graph, directed=False)[0] == partition.max() + 1


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64])
def test_kernels_take_any_integer(dtype):
    links = np.array([[1, 2, 3, 4, 4], [0, 0, 2, 2, 4]], dtype=dtype)
    labels = np.empty((2, 5), dtype=np.int32)
    component_rows(links, 0, 2, labels)
    assert_array_equal(labels, [[0, 0, 0, 0, 0], [0, 0, 2, 2, 4]])
    number_by_first_appearance(links, np.empty(5, dtype=np.int32), labels)
    assert_array_equal(labels, [[0, 1, 2, 3, 3], [0, 0, 1, 1, 2]])


def test_a_long_chain_is_one_component():
    n = 20_000
    links = np.array([np.minimum(np.arange(1, n + 1), n - 1), np.maximum(np.arange(-1, n - 1), 0)])
    assert not LocusAdjacencyEncoding(n_samples=n).decode(links).any()


def test_encode_links_each_sample_to_the_next_of_its_cluster():
    encoding = LocusAdjacencyEncoding(n_samples=6)
    labels = np.array([[0, 1, 0, 1, 0, 2], [0, 0, 0, 0, 0, 0]])
    assert_array_equal(encoding.encode(labels), [[2, 3, 4, 3, 4, 5], [1, 2, 3, 4, 5, 5]])


def neighbour_links(neighbors, links):
    """Which links lead to a neighbour, in either direction, or to the sample itself."""
    return [
        int(j) == i or int(j) in neighbors[i] or i in neighbors[int(j)] for i, j in enumerate(links.tolist())
    ]


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_encode_keeps_to_the_neighbours_wherever_they_connect_the_clusters(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    width = int(rng.integers(1, min(5, n)))
    neighbors = np.array([rng.permutation(np.delete(np.arange(n), i))[:width] for i in range(n)])
    encoding = LocusAdjacencyEncoding(neighbors)
    # Clusters that links to neighbours make need no others, and no list is followed backwards.
    made = encoding.decode(encoding.random(4, rng))
    links = encoding.encode(made)
    assert_array_equal(encoding.decode(links), made)
    for row in links:
        assert all(int(j) == i or int(j) in neighbors[i] for i, j in enumerate(row))
    # Other clusters get a link more for every piece that is not connected, and stay what they are.
    labels = rng.integers(0, 3, n)
    row = encoding.encode(labels[None])[0]
    assert_array_equal(encoding.decode(row[None])[0], components(encoding.encode(labels[None])[0]))
    ends = np.array([(i, j) for i in range(n) for j in neighbors[i] if labels[i] == labels[j]]).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    n_pieces = connected_components(graph, directed=False)[0]
    assert len(np.unique(encoding.decode(row[None]))) == len(np.unique(labels))
    assert n - sum(neighbour_links(neighbors, row)) <= n_pieces - len(np.unique(labels))
    assert sum(int(j) == i for i, j in enumerate(row)) == len(np.unique(labels))


def test_encoded_classes_of_a_table_are_links_to_neighbours():
    X, y = load_iris(return_X_y=True)
    neighbors = neighbor_lists(X, 10, rng=np.random.default_rng(0)).indices
    encoding = LocusAdjacencyEncoding(neighbors)
    links = encoding.encode(y[None])
    assert_array_equal(encoding.decode(links)[0], y)
    assert all(neighbour_links(neighbors, links[0]))


def test_repair_takes_the_nearest_neighbour_or_no_link():
    X = np.array([[-1, 4, 5, 2.4, 99]])
    assert_array_equal(LocusAdjacencyEncoding(NEIGHBORS).repair(X), [[1, 4, 1, 2, 3]])
    assert_array_equal(LocusAdjacencyEncoding(n_samples=5).repair(X), [[0, 4, 2, 2, 4]])


def test_random_draws_the_sample_itself_and_its_neighbours_equally():
    X = LocusAdjacencyEncoding(NEIGHBORS).random(9000, np.random.default_rng(0))
    for i, others in enumerate(NEIGHBORS):
        shares = np.bincount(X[:, i], minlength=5) / 9000
        assert_allclose(shares[[i, *others]], 1 / 3, atol=0.02)


def test_random_without_neighbours_draws_all_samples_equally():
    X = LocusAdjacencyEncoding(n_samples=5).random(9000, np.random.default_rng(0))
    for column in X.T:
        assert_allclose(np.bincount(column) / 9000, 0.2, atol=0.02)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({}, "neighbors or n_samples"),
        ({"n_samples": 0}, "at least 1"),
        ({"neighbors": NEIGHBORS, "n_samples": 6}, "n_samples=6 rows, got 5"),
        ({"neighbors": [[1], [1]]}, "own neighbour"),
        ({"neighbors": [[1], [2]]}, "from 0 to 1"),
        ({"neighbors": [[1.0], [0.0]]}, "integers"),
        ({"neighbors": [1, 0]}, "shape"),
        ({"neighbors": np.empty((3, 0), dtype=int)}, "n_neighbors >= 1"),
    ],
)
def test_misuse(kwargs, match):
    with pytest.raises(ValueError, match=match):
        LocusAdjacencyEncoding(**kwargs)


def test_the_lists_of_the_caller_are_copied():
    lists = NEIGHBORS.copy()
    encoding = LocusAdjacencyEncoding(lists)
    lists[:] = 0
    assert_array_equal(encoding.neighbors, NEIGHBORS)


LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])
SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=30, deadline=None)


def line(kind, delta=40.0):
    graph = locus_graph(LINE, n_neighbors=2, root=0, ties="index", rng=np.random.default_rng(0))
    return LocusAdjacencyEncoding(graph=graph, kind=kind, delta=delta)


def any_encoding(seed, kind):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    X = rng.integers(0, 5, (n, d)).astype(float) if rng.random() < 0.5 else rng.normal(size=(n, d))
    graph = locus_graph(X, n_neighbors=int(rng.integers(1, 12)), rng=rng)
    delta = float(rng.choice([0, 20, 50, 80, 99.9]))
    return LocusAdjacencyEncoding(graph=graph, kind=kind, delta=delta), rng


def naive_components(links):
    """Clusters of every row of links by SciPy, numbered by first appearance."""
    rows = []
    for row in links:
        n = len(row)
        found = connected_components(
            coo_array((np.ones(n), (np.arange(n), row)), shape=(n, n)), directed=False
        )[1]
        first: dict[int, int] = {}
        rows.append([first.setdefault(int(c), len(first)) for c in found])
    return rows


@pytest.mark.parametrize(
    ("delta", "n", "expected"),
    [
        (80, 6, 1),
        (40, 6, 3),
        (0, 6, 5),
        (80, 1000, 199),
        (80.0, 1001, 200),
        (99.99, 500, 1),
        (70, 101, 30),
        ("sr5", 1000, 158),
        ("sr5", 5000, 353),
        ("sr5", 100_000, 1581),
        ("sr5", 20, 19),
        ("auto", 1000, 199),
        ("auto", 1001, 158),
        ("auto", 62_500, 1250),
        ("auto", 62_501, 1250),
        ("auto", 10**6, 19_999),
        ("auto", 2, 1),
        (0, 1, 0),
        ("auto", 1, 0),
        ("sr5", 1, 0),
    ],
)
def test_number_of_genes(delta, n, expected):
    assert relevant_links(delta, n) == expected


@pytest.mark.parametrize("delta", [-1, 100, 101.5, "most", True, np.nan, None])
def test_bad_delta(delta):
    with pytest.raises(ValueError, match="delta must be a percentage"):
        relevant_links(delta, 10)


def test_the_worked_example():
    for kind in ("short", "split"):
        encoding = line(kind)
        assert encoding.relevant.tolist() == [3, 2, 5]
        assert encoding.base.tolist() == [0, 0, 1, 2, 2, 3]
        assert encoding.n_parts == 4
        assert encoding.links.above.tolist() == [0, 0, 1, 2]
        assert encoding.links.gene.tolist() == [0, 1, 0, 2]
        assert encoding.links.top.tolist() == [0, 2, 3, 5]
    bits = np.array([[int(b) for b in f"{g:03b}"] for g in range(8)], dtype=np.uint8)
    split = line("split")
    assert split.n_clusters(bits).tolist() == [4, 3, 3, 2, 3, 2, 2, 1]
    assert split.decode(bits).tolist() == [
        [0, 0, 1, 2, 2, 3],
        [0, 0, 1, 2, 2, 2],
        [0, 0, 0, 1, 1, 2],
        [0, 0, 0, 1, 1, 1],
        [0, 0, 1, 1, 1, 2],
        [0, 0, 1, 1, 1, 1],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0],
    ]
    assert line("split", 80).n_var == line("short", 80).n_var == 1
    assert (split.dtype, line("short").dtype, line("locus").dtype) == (np.uint8, np.int32, np.int32)


def test_short_links_lead_anywhere():
    short = line("short")
    # 3 to 4 and 2 to 1 and 5 to 0: the last joins across the gap; then a circle 3-4, no effect.
    X = np.array([[4, 1, 0], [4, 2, 4], [3, 2, 5], [2, 1, 4]])
    assert short.decode(X).tolist() == [
        [0, 0, 0, 1, 1, 0],
        [0, 0, 1, 2, 2, 2],
        [0, 0, 1, 2, 2, 3],
        [0, 0, 0, 0, 0, 0],
    ]
    assert short.n_clusters(X).tolist() == [2, 3, 4, 1]


def test_the_worked_crossover():
    A, B = np.array([[1, 2, 3, 1, 3, 4, 7, 6], [2, 0, 1, 2, 5, 4, 5, 6]])
    mask = np.array([0, 1, 0, 0, 1, 1, 0, 0], dtype=bool)
    C = np.where(mask, B, A)
    assert C.tolist() == [1, 0, 3, 1, 5, 4, 7, 6]
    encoding = LocusAdjacencyEncoding(n_samples=8)
    assert encoding.decode(np.array([A, B, C])).tolist() == [
        [0, 0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 1, 1, 1],
        [0, 0, 0, 0, 1, 1, 2, 2],
    ]


@pytest.mark.parametrize("kind", ["short", "split"])
@given(seed=SEEDS)
@FEW
def test_parts_are_what_the_other_links_join(kind, seed):
    encoding, _ = any_encoding(seed, kind)
    n, tree = encoding.n_samples, encoding.graph.tree
    assert_array_equal(encoding.relevant, encoding.graph.interest.order[: encoding.n_var])
    # The root has no link, so no gene.
    assert tree.root not in encoding.relevant
    fixed = tree.parent.copy()
    fixed[encoding.relevant] = encoding.relevant
    expected = naive_components([fixed])[0]
    assert (
        len(set(zip(expected, encoding.base.tolist(), strict=True))) == max(expected) + 1 == encoding.n_parts
    )
    assert encoding.n_parts == encoding.n_var + 1
    assert encoding.base[tree.root] == 0
    links = encoding.links
    for c in range(1, encoding.n_parts):
        top = encoding.relevant[links.gene[c]]
        assert encoding.base[top] == c
        assert encoding.base[tree.parent[top]] == links.above[c] < c
    assert n == len(encoding.base)


@pytest.mark.parametrize("kind", ["locus", "short", "split"])
@given(seed=SEEDS)
@FEW
def test_decoding_is_that_of_all_links(kind, seed):
    encoding, rng = any_encoding(seed, kind)
    anywhere = rng.integers(0, encoding.n_samples, (3, encoding.n_var))
    X = np.vstack([encoding.random(5, rng), anywhere % 2 if kind == "split" else anywhere])
    full = encoding.to_full(X)
    assert full.shape == (8, encoding.n_samples)
    assert full.dtype == np.int32
    labels = encoding.decode(X)
    assert labels.tolist() == naive_components(full)
    assert_array_equal(encoding.n_clusters(X), labels.max(axis=1) + 1)
    assert_array_equal(encoding.from_full(full), X)
    assert encoding.from_full(full).dtype == encoding.dtype
    parts = encoding.parts(X)
    for row, partition in zip(parts, labels, strict=True):
        for i in range(encoding.n_samples):
            own = encoding.base[partition == partition[i]]
            assert row[encoding.base[i]] == own.min()
    if kind == "split":
        assert_array_equal(encoding.n_clusters(X), 1 + (X == 0).sum(axis=1))


@given(seed=SEEDS)
@FEW
def test_short_contains_split(seed):
    encoding, rng = any_encoding(seed, "split")
    short = LocusAdjacencyEncoding(
        graph=encoding.graph, kind="short", delta=100.0 * (1 - encoding.n_var / (encoding.n_samples - 1))
    )
    assert short.n_var == encoding.n_var
    X = encoding.random(5, rng)
    as_links = short.from_full(encoding.to_full(X))
    assert_array_equal(short.decode(as_links), encoding.decode(X))


@given(seed=SEEDS)
@FEW
def test_short_encodes_any_union_of_parts(seed):
    encoding, rng = any_encoding(seed, "short")
    labels = rng.integers(0, min(4, encoding.n_samples), (4, encoding.n_parts))[:, encoding.base]
    X = encoding.encode(labels)
    for row, expected in zip(encoding.decode(X), labels, strict=True):
        pairs = set(zip(row.tolist(), expected.tolist(), strict=True))
        assert len(pairs) == len(set(row.tolist())) == len(set(expected.tolist()))


@pytest.mark.parametrize("kind", ["short", "split"])
def test_encoding_the_parents_is_one_cluster(kind):
    encoding = line(kind)
    whole = encoding.from_full(encoding.graph.tree.parent[None])
    assert encoding.n_clusters(whole).tolist() == [1]
    assert_array_equal(encoding.encode(np.zeros((1, 6), dtype=int)), whole)


def test_repair():
    assert line("split").repair([[-3, 0.4, 7]]).tolist() == [[0, 0, 1]]
    # Genes that name nobody become the link of the tree: 3-2, 2-1, 5-4.
    assert line("short").repair([[-1, 99, 5]]).tolist() == [[2, 1, 5]]
    assert line("locus").repair([[-1, 0, 0, 6, 4, 4]]).tolist() == [[1, 0, 0, 4, 4, 4]]


def test_random_genes_are_self_or_neighbours():
    X = line("short").random(400, np.random.default_rng(0))
    for e, (i, allowed) in enumerate(((3, {3, 4, 5}), (2, {2, 1, 0}), (5, {5, 4, 3}))):
        assert set(X[:, e].tolist()) == allowed
        counts = np.unique(X[:, e], return_counts=True)[1]
        assert (abs(counts - 400 / 3) < 5 * np.sqrt(400 * 2 / 9)).all(), i
    bits = line("split").random(400, np.random.default_rng(0))
    assert abs(bits.mean() - 0.5) < 4 * 0.5 / np.sqrt(1200)


@pytest.mark.parametrize("kind", ["locus", "short", "split"])
def test_any_number_of_threads(kind):
    rng = np.random.default_rng(0)
    graph = locus_graph(rng.normal(size=(5000, 2)), rng=rng)
    one, eight = (LocusAdjacencyEncoding(graph=graph, kind=kind, delta=0, n_jobs=n) for n in (1, 8))
    X = one.random(600, rng)
    assert_array_equal(one.parts(X), eight.parts(X))
    assert_array_equal(one.decode(X[:400]), eight.decode(X[:400]))


def test_one_sample():
    graph = locus_graph([[1.0]], rng=np.random.default_rng(0))
    for kind in ("locus", "short", "split"):
        encoding = LocusAdjacencyEncoding(graph=graph, kind=kind)
        assert encoding.n_var == (kind == "locus")
        X = encoding.random(3, np.random.default_rng(0))
        assert encoding.decode(X).tolist() == [[0]] * 3
        assert encoding.n_clusters(X).tolist() == [1] * 3


def test_bad_options():
    graph = line("short").graph
    with pytest.raises(ValueError, match="kind must be one of"):
        LocusAdjacencyEncoding(graph=graph, kind="long")
    with pytest.raises(ValueError, match="requires graph"):
        LocusAdjacencyEncoding(n_samples=6, kind="short")
    with pytest.raises(ValueError, match="delta"):
        LocusAdjacencyEncoding(graph=graph, kind="split", delta=100)
    with pytest.raises(ValueError, match="not both"):
        LocusAdjacencyEncoding(graph.neighbors, graph=graph)
    with pytest.raises(ValueError, match="n_samples=7 rows, got 6"):
        LocusAdjacencyEncoding(graph=graph, n_samples=7)
    with pytest.raises(ValueError, match="one of graph, neighbors or n_samples"):
        LocusAdjacencyEncoding()
    with pytest.raises(ValueError, match="from 0 to 5, got 0 to 6"):
        line("locus").from_full([[0, 1, 2, 3, 4, 6]])
    with pytest.raises(ValueError, match=r"from 0 to 1"):
        line("split").decode([[0, 2, 1]])
    with pytest.raises(ValueError, match=r"from 0 to 5"):
        line("short").decode([[0, -1, 1]])
