"""Reader for graphs in GML, GraphML, edge lists and adjacency matrices."""

import re
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from moo_clustering._arrays import warn_caller
from moo_clustering._messages import message_line, quoted
from moo_clustering.datasets import files, tables
from moo_clustering.datasets.files import DataError, NotNumericError
from moo_clustering.persistence import read_arrays

_FORMS = "it must have two node columns and an optional weight column, or be a square numeric matrix"


def read_graph(path: str | PathLike[str], *, labels: str | None = None) -> tables.Table:
    """Read the adjacency matrix of a graph from GML, GraphML, an edge list or a matrix.

    Edge weights are ignored; if they differ, a UserWarning is issued. Parallel edges count as one edge. Loops
    are omitted with a UserWarning. Raises a DataError if the file is not a readable graph. Takes O(bytes)
    time and memory, or O(n_nodes^2) for a matrix.

    Parameters
    ----------
    path : path-like
        - ``.gml``, ``.graphml``: directed or undirected graphs with node names and attributes.
        - ``.edges``, ``.edgelist``: undirected edges, two nodes per line, separated by whitespace or commas.
        - ``.csv`` and other formats of :func:`read_table`: two or three columns are read as undirected edges
          (two nodes and, optionally, a weight), and more columns as an adjacency matrix.
        - ``.npz`` files written by :func:`scipy.sparse.save_npz`: a sparse adjacency matrix.
    labels : str, optional
        GML or GraphML node attribute that contains the known classes for scoring.

    Returns
    -------
    Table
        ``X`` contains 0 and 1; ``row_ids`` and ``feature_names`` are the node names.
    """
    path = files.data_path(path)
    classes = None
    with files.readable(path):
        if files.suffix_of(path) in files.GRAPHS:
            names, matrix, weights, classes = _parsed_graph(path, labels)
        else:
            if not (tables.holds_columns(path) or path.suffix.lower() == ".npz"):
                known = f"{', '.join(files.GRAPHS)}, and those of tables, such as .csv and .npz"
                raise DataError(f"{path} has the suffix {path.suffix!r}; supported suffixes are {known}")
            names, matrix, weights = _graph_of_table(path)
    if labels is not None and classes is None:
        raise DataError(f"{path} has no node attributes; labels={labels!r} requires GML or GraphML")
    graph = csr_array(matrix, dtype=np.float64)
    if not np.isfinite(graph.data).all():
        raise DataError(f"{path} must have finite weights, got NaN or infinity; use 0 for no edge")
    if loops := int(np.count_nonzero(graph.diagonal())):
        warn_caller(f"{path.name}: omitted {loops} loop{'s' * (loops > 1)} (edges from a node to itself)")
        graph.setdiag(0.0)
    graph.eliminate_zeros()
    if not graph.nnz:
        raise DataError(f"{path} has no edges between different nodes")
    if np.ptp(graph.data) > 0 if weights is None else len({*map(str, weights)} - {"None", ""}) > 1:
        warn_caller(f"{path.name}: the edge weights are ignored")
    graph.data[:] = 1.0
    ids = tables.identifiers(names, "label", path)
    return tables.labelled(tables.Table(path.name, graph, tuple(ids.tolist()), ids), classes, None)


def _parsed_graph(path: Path, labels: str | None) -> tuple[list[Any], Any, list[Any], list[Any] | None]:
    """Parse a file with networkx.

    Returns the node names, the adjacency matrix, the edge weights, and the nodes' attribute ``labels`` (None
    without ``labels``).
    """
    import networkx as nx

    notes: list[str] = []
    suffix, text = files.suffix_of(path), files.file_text(path, notes=notes)
    for note in notes:
        warn_caller(f"{path.name}: {note}")
    try:
        if suffix == ".gml":
            if "multigraph" not in text:  # networkx rejects parallel edges unless the graph is a multigraph
                text = re.sub(r"^(\s*graph\s*\[)", r"\1 multigraph 1 ", text, count=1, flags=re.MULTILINE)
            graph = nx.parse_gml(text.splitlines(), label="id")
        elif suffix == ".graphml":
            if "<!" in re.sub("<!--.*?-->", "", text, flags=re.DOTALL):
                raise ValueError("document types and CDATA sections are not supported")
            graph = nx.parse_graphml(text)
        else:
            graph = nx.Graph()
            graph.add_edges_from((a, b, {"weight": " ".join(rest)}) for a, b, *rest in _node_pairs(text))
    except Exception as error:  # networkx raises many types of errors for malformed files
        raise DataError(f"{path} cannot be read as a graph: {message_line(error)}") from error
    if not len(graph):
        raise DataError(f"{path} has no nodes")
    classes = None
    if labels is not None:
        known = {name for _, attributes in graph.nodes(data=True) for name in attributes}
        files.check_names({labels: "labels"}, sorted(known), path, "node attribute")
        classes = ["" if value is None else str(value) for _, value in graph.nodes(data=labels)]
    # GML nodes were parsed by their ids, because the labels of nodes may be missing or repeated.
    names = [node if suffix == ".graphml" else shown or node for node, shown in graph.nodes(data="label")]
    weights = [weight for *_, weight in graph.edges(data="weight")]
    return list(map(str, names)), nx.to_scipy_sparse_array(graph, weight=None), weights, classes


def _node_pairs(text: str) -> list[list[str]]:
    """Return the two nodes and the weight, if any, of each line, separated by whitespace or by commas."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "%"))]
    pairs = [line.split(maxsplit=2) for line in lines]
    has_commas = all("," in line for line in lines)
    if has_commas and any(len(pair) < 2 or pair[0].endswith(",") for pair in pairs):
        pairs = [[node.strip() for node in line.split(",", 2)] for line in lines]
    for line, pair in zip(lines, pairs, strict=True):
        if len(pair) < 2 or not all(pair[:2]):
            raise ValueError(f"line {quoted(line)} must contain two nodes separated by a space or comma")
    return pairs


def _graph_of_table(path: Path) -> tuple[list[Any], Any, Any]:
    """Read node names, adjacency matrix and edge weights from a table or from a sparse npz file."""
    weights: Any = None  # for a matrix, which contains them
    if tables.array_names(path) >= {"format", "shape", "data"}:
        from moo_clustering.datasets.multilabel import sparse_matrix

        matrix: Any = sparse_matrix(read_arrays(path, DataError), path)
        names: Any = np.arange(matrix.shape[0])
    elif tables.holds_columns(path) and (edges := _edges(path)) is not None:
        weights = edges[:, 2:].ravel()
        codes, names = pd.factorize(edges[:, :2].ravel())
        ones = np.ones(len(edges)), codes.reshape(-1, 2).T
        matrix = csr_array(ones, shape=(len(names), len(names)))
        matrix = matrix + matrix.T
    else:
        try:
            table = tables.read_table(path)
            matrix, names = table.X, np.array(table.feature_names)
            if set(table.row_ids) == set(names):
                matrix = matrix[np.argsort(table.row_ids)][np.argsort(np.argsort(names))]
            elif not set(names).isdisjoint(table.row_ids):
                raise DataError(f"{path} must have the same node names in its first column and line")
        except NotNumericError as error:
            wrong = ", ".join(map(repr, error.columns[:5]))
            raise DataError(f"{path} is not a graph: {_FORMS}; got non-numeric columns {wrong}") from error
    if matrix.shape[0] != matrix.shape[1]:
        got = f"{matrix.shape[0]} rows, {matrix.shape[1]} columns"
        raise DataError(f"{path} is not a graph: {_FORMS}; got {got}")
    return list(names), matrix, weights


def _edges(path: Path) -> NDArray[Any] | None:
    """Return the two nodes and a possible weight of each edge; None if the table is not an edge list."""
    frame, roles, notes = tables.read_frame(path, tables.Roles(header=False))
    for note in notes:
        warn_caller(f"{path.name}: {note}")
    if not tables.is_text_table(path):
        frame = frame.drop(columns=[roles.id_column] if roles.id_column else [])
        frame = pd.DataFrame([list(frame.columns), *frame.to_numpy(dtype=object)])
    rows = [[tables.class_name(files.written(cell)) for cell in row] for row in frame.to_numpy()]
    cells = np.array(rows, object)
    head, rest = cells[0], cells[1:]
    if not head[0] and cells.shape[1] > 2:  # the first column contains row names
        if set(rest[:, 0]) == set(head[1:]):
            return None
        head, rest = head[1:], rest[:, 1:]
    if len(head) not in (2, 3):
        return None
    known = [name for name in head[:2] if name in rest[:, :2]]
    is_data = any(map(files.is_written_number, head)) and head.tolist() != [*map(str, range(len(head)))]
    if known or is_data:
        if not is_data:
            node = quoted(known[0])
            warn_caller(f"{path.name}: the first line is read as an edge, because {node} is also a node")
        rest = np.vstack([head, rest])
    if len(empty := np.flatnonzero((rest[:, :2] == "").any(axis=1))):
        raise DataError(f"{path} must have two nodes in every row, got one in row {empty[0] + 1}")
    if other := [cell for cell in rest[:, 2:].ravel() if cell and not files.is_written_number(cell)]:
        fault = f"must have numeric weights in the third column, got {quoted(other[0])}"
        raise DataError(f"{path} {fault}; an edge list has two node columns and an optional weight column")
    return rest
