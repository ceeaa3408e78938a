"""Graphs from GML, GraphML, edge lists and matrices."""

import networkx as nx
import numpy as np
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
            "a document type or CDATA is not supported",
        ),
        ("a.graphml", "<graphml", "a.graphml cannot be read as a graph"),
        ("a.edges", "a b\nc\n", "the line 'c' must contain two nodes"),
        ("a.csv", "x,y\n1,2\n1,\n", "a.csv must have two nodes in every row, got one in row 2"),
        ("a.csv", "x,y,z,t\n1,2,3,red\n", "a.csv is not a graph: it must have two columns of nodes"),
        ("a.csv", "x,y,z,t\n1,2,3,4\n", "a.csv is not a graph: it must have two columns of nodes"),
    ],
)
def test_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_graph(tmp_path / name)


def test_labels_need_attributes(tmp_path):
    with pytest.raises(DataError, match=r"has no node attributes; use GML or GraphML for labels='club'"):
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
