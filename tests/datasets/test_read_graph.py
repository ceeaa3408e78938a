"""Graphs from GML, GraphML, edge lists and matrices."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, save_npz

from moo_clustering.datasets import DataError, read_graph

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d e")]
ADJACENCY = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]


def written(folder, suffix):
    graph, path = nx.Graph(EDGES), folder / f"graph{suffix}"
    nx.set_node_attributes(graph, {"a": "x", "b": "y"}, "club")
    if suffix == ".gml":
        nx.write_gml(graph, path)
    elif suffix == ".graphml":
        nx.write_graphml(graph, path)
    elif suffix == ".edges":
        path.write_text("# comment\n% another\na b\nb c 3\nc a 0\nc d_e\n")
    elif suffix == ".npz":
        save_npz(path, csr_array(ADJACENCY))
    elif suffix == ".tsv":
        rows = "".join("\t".join(map(str, row)) + "\n" for row in ADJACENCY)
        path.write_text("a\tb\tc\td e\n" + rows)
    else:
        path.write_text("from,to,weight\n" + "".join(f"{a},{b},2.5\n" for a, b in EDGES))
    return path


@pytest.mark.parametrize("suffix", [".gml", ".graphml", ".edges", ".csv", ".tsv", ".npz"])
def test_reads_every_format(tmp_path, suffix):
    graph = read_graph(written(tmp_path, suffix))
    assert (graph.X.toarray() == ADJACENCY).all()
    names = {".npz": ["0", "1", "2", "3"], ".edges": ["a", "b", "c", "d_e"]}
    assert graph.row_ids.tolist() == list(graph.feature_names) == names.get(suffix, ["a", "b", "c", "d e"])


@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_attributes_of_nodes_are_classes(tmp_path, suffix):
    path = written(tmp_path, suffix)
    graph = read_graph(path, labels="club")
    assert (graph.y.tolist(), graph.target_names) == ([0, 1, -1, -1], ("x", "y"))
    with pytest.raises(DataError, match=r"has no node attribute 'clubs'.*did you mean 'club'"):
        read_graph(path, labels="clubs")


def test_numbered_nodes_loops_parallel_edges_and_directions(tmp_path):
    path = tmp_path / "numbered.gml"
    edges = [(7, 9), (7, 9), (9, 9), (3, 7)]
    nodes = "".join(f"  node\n  [\n    id {i}\n  ]\n" for i in (3, 7, 9))
    links = "".join(f"  edge\n  [\n    source {a}\n    target {b}\n  ]\n" for a, b in edges)
    path.write_text(f'Creator "somebody"\ngraph\n[\n  directed 1\n{nodes}{links}]\n')
    with pytest.warns(UserWarning, match=r"numbered.gml: omitted 1 loop \(edges from a node to itself\)"):
        graph = read_graph(path)
    assert graph.row_ids.tolist() == ["3", "7", "9"]
    assert (graph.X.toarray() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]).all()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.gml", "graph [ node [ id 1 ]", "a.gml cannot be read as a graph"),
        ("a.gml", "graph [ ]", "a.gml has no nodes"),
        ("a.gml", "graph [ node [ id 1 ] ]", "a.gml has no edges between different nodes"),
        (
            "a.graphml",
            "<!DOCTYPE x [<!ENTITY y 'z'>]><graphml/>",
            "document types and CDATA sections are not supported",
        ),
        ("a.graphml", "<graphml", "a.graphml cannot be read as a graph"),
        ("a.edges", "a b\nc\n", "line 'c' must contain two nodes separated by a space or comma"),
        ("a.csv", "x,y\n1,2\n1,\n", "a.csv must have two nodes in every row, got one in row 2"),
        ("a.csv", "x,y,z,t\n1,2,3,red\n", "a.csv is not a graph: it must have two node columns"),
        ("a.csv", "s,t,kind\na,b,friend\n", r"numeric weights in the third column, got 'friend'"),
        (
            "a.csv",
            ",a,b,c,d\na,0,1,0,0\nb,1,0,1,0\nc,0,1,0,0\ne,0,0,0,0\n",
            "the same node names in its first column and line",
        ),
        ("a.mtx", "%%MatrixMarket", "suffix '.mtx'; supported suffixes are .gml, .graphml, .edges"),
        ("a.csv", "x,y,z,t\n1,2,3,4\n", "a square numeric matrix; got 1 rows, 4 columns"),
    ],
)
def test_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_graph(tmp_path / name)


def test_labels_need_attributes(tmp_path):
    with pytest.raises(DataError, match=r"has no node attributes; labels='club' requires GML or GraphML"):
        read_graph(written(tmp_path, ".csv"), labels="club")


def test_is_independent_of_the_order_of_edges(tmp_path):
    rng = np.random.default_rng(0)
    graph = nx.gnp_random_graph(20, 0.3, seed=1)
    lines = [f"{b} {a}" if rng.random() < 0.5 else f"{a} {b}" for a, b in rng.permutation([*graph.edges])]
    (tmp_path / "a.edges").write_text("\n".join(lines))
    found = read_graph(tmp_path / "a.edges")
    order = np.argsort(found.row_ids.astype(int))
    expected = nx.to_numpy_array(graph, sorted(map(int, found.row_ids)), weight=None)
    assert (found.X.toarray()[order][:, order] == expected).all()


LINKS = [["a", "b"], ["b", "c"]]


@pytest.mark.parametrize(
    ("text", "suffix", "pairs"),
    [
        ("a,b\nb,c\n", ".csv", LINKS),  # no names of columns
        ("0,1\n0,2\n", ".csv", [["0", "1"], ["0", "2"]]),
        ("0,1\na,b\nb,c\n", ".csv", LINKS),  # numbers of columns
        ("a,a\na,b\n", ".csv", [["a", "a"], ["a", "b"]]),
        ("a,b,2\nc,d,3\n", ".csv", [["a", "b"], ["c", "d"]]),
        (",from,to\n0,a,b\n1,b,c\n", ".csv", LINKS),  # as pandas writes an index
        (",from,to,weight\n0,a,b,1\n1,b,c,0\n", ".csv", LINKS),
        ("s,t\n1.0,2\n1,3\n", ".csv", [["1", "2"], ["1", "3"]]),
        (",a,b\na,0,1\nb,1,0\n", ".csv", [["a", "b"]]),  # a matrix of two nodes
        (",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", ".csv", LINKS),
        (",a,b,c\nc,0,1,0\na,0,1,0\nb,1,0,1\n", ".csv", LINKS),  # rows in another order
        ("a,b\nb,c\n", ".edges", LINKS),
        ("a, b\nb, c\n", ".edges", LINKS),
        ("a,b,2\nb,c,0.5\n", ".edges", LINKS),
        ("x#1 x#2 7\n", ".edges", [["x#1", "x#2"]]),
        ("Smith,J Doe,K\n", ".edges", [["Smith,J", "Doe,K"]]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*(first line is read as an edge|omitted 1 loop)")
def test_edges_as_programs_write_them(tmp_path, text, suffix, pairs):
    path = tmp_path / f"graph{suffix}"
    path.write_text(text)
    graph, expected = read_graph(path), nx.Graph(pairs)
    expected.remove_edges_from(list(nx.selfloop_edges(expected)))
    found = [{str(graph.row_ids[i]), str(graph.row_ids[j])} for i, j in zip(*graph.X.nonzero(), strict=True)]
    assert set(map(frozenset, found)) == set(map(frozenset, expected.edges))
    assert set(graph.row_ids) == set(expected)
    assert len(found) == 2 * len(expected.edges)


@pytest.mark.parametrize("weights", [(1, 1), (1, 2)])
@pytest.mark.parametrize("suffix", [".csv", ".edges", ".gml", ".npz"])
def test_weights_that_differ_are_ignored_with_a_warning(tmp_path, suffix, weights, recwarn):
    path, graph = tmp_path / f"graph{suffix}", nx.Graph()
    graph.add_weighted_edges_from([("a", "b", weights[0]), ("b", "c", weights[1])])
    if suffix == ".gml":
        nx.write_gml(graph, path)
    elif suffix == ".npz":
        save_npz(path, csr_array(nx.to_scipy_sparse_array(graph)))
    else:
        path.write_text("".join(f"{a},{b},{weight}\n" for a, b, weight in graph.edges(data="weight")))
    assert set(read_graph(path).X.data) == {1.0}
    said = [str(warning.message) for warning in recwarn if "weights" in str(warning.message)]
    assert said == [f"graph{suffix}: the edge weights are ignored"] * (weights[0] != weights[1])


@pytest.mark.parametrize("suffix", [".xlsx", ".parquet"])
def test_edges_in_other_tables(tmp_path, suffix):
    pytest.importorskip("openpyxl" if suffix == ".xlsx" else "pyarrow")
    frame, path = pd.DataFrame(LINKS, columns=["from", "to"]), tmp_path / f"graph{suffix}"
    (frame.to_excel if suffix == ".xlsx" else frame.to_parquet)(path, index=False)
    graph = read_graph(path)
    assert graph.row_ids.tolist() == ["a", "b", "c"]
    assert graph.X.nnz == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.edges", "ä b\n"),
        ("a.gml", 'graph [\n node [ id 0 label "ä" ]\n node [ id 1 ]\n edge [ source 0 target 1 ]\n]'),
        (
            "a.graphml",
            '<?xml version="1.0" encoding="ISO-8859-1"?><graphml><graph edgedefault="undirected">'
            '<node id="ä"/><node id="b"/><edge source="ä" target="b"/></graph></graphml>',
        ),
    ],
)
def test_letters_of_windows(tmp_path, name, text):
    (tmp_path / name).write_bytes(text.encode("cp1252"))
    with pytest.warns(UserWarning, match=r"was read as Windows-1252; check its non-ASCII letters"):
        graph = read_graph(tmp_path / name)
    assert graph.row_ids[0] == "ä"
    assert graph.X.nnz == 2


def test_equal_names_of_nodes_are_numbered(tmp_path):
    nodes = "".join(f'node [ id {i} label "{name}" ] ' for i, name in enumerate(["a", "a", "b"]))
    (tmp_path / "a.gml").write_text(f"graph [ {nodes} edge [ source 0 target 2 ] ]")
    with pytest.warns(UserWarning, match=r"'label' has repeated values \('a'\), which are numbered"):
        graph = read_graph(tmp_path / "a.gml")
    assert graph.row_ids.tolist() == ["a (1)", "a (2)", "b"]


def test_weights_are_finite(tmp_path):
    save_npz(tmp_path / "a.npz", csr_array([[0.0, np.nan], [1.0, 0.0]]))
    with pytest.raises(DataError, match=r"must have finite weights, got NaN or infinity; use 0 for no edge"):
        read_graph(tmp_path / "a.npz")
