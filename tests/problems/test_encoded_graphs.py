"""Partitions encoded as graphs: links stay inside the clusters, and restore them where possible."""

import networkx as nx
import numpy as np
import pytest

from moo_clustering.encodings import relabel_by_first_appearance as numbered
from moo_clustering.problems import NeighborGraphProblem, SRMOSCProblem


def _problems(rng):
    n = int(rng.integers(4, 14))
    X, width = rng.normal(size=(n, 2)), int(rng.integers(1, n))
    for gene in ("rank", "index"):
        yield (
            NeighborGraphProblem.from_data(
                X, n_neighbors=min(2, width), list_width=width if gene == "rank" else None, gene=gene
            ),
            X,
        )
    yield SRMOSCProblem(X, n_candidates=width), X


def _graph(lists, labels):
    """Networkx graph of all candidates inside their clusters."""
    found = nx.DiGraph()
    found.add_nodes_from(range(len(labels)))
    for i, row in enumerate(lists.indices):
        found.add_edges_from((i, j) for j in row if labels[i] == labels[j])
    return found


def _possible(problem, labels):
    """Whether any genotype decodes to the partition, by the structure of the graph."""
    inside = _graph(problem.lists, labels)
    if min(dict(inside.out_degree()).values()) == 0:
        return False
    for cluster in range(labels.max() + 1):
        part = inside.subgraph(np.flatnonzero(labels == cluster).tolist())
        if isinstance(problem, SRMOSCProblem):
            if not nx.is_weakly_connected(part):
                return False
        else:
            # Every sample has one link, so a connected cluster has one cycle, which all samples reach.
            order = nx.condensation(part)
            if sum(degree == 0 for _, degree in order.out_degree()) != 1:
                return False
    return True


def test_encoded_partitions_are_restored_where_a_graph_can():
    rng, seen = np.random.default_rng(0), {True: 0, False: 0}
    for _ in range(30):
        for problem, X in _problems(rng):
            # Half of the partitions follow the data, because random ones are rarely connected.
            side = (X @ rng.normal(size=2) > 0) if rng.random() < 0.5 else rng.integers(0, 3, size=len(X))
            labels = numbered(np.asarray(side, dtype=int))
            genes = problem.encode(labels[None])
            assert genes.shape == (1, problem.n_var)
            assert ((genes >= problem.xl) & (genes <= getattr(problem, "largest_gene", problem.xu))).all()
            same = np.array_equal(numbered(problem.decode(genes))[0], labels)
            assert same == _possible(problem, labels)
            seen[same] += 1
            if isinstance(problem, NeighborGraphProblem):
                links = enumerate(problem.neighbors(genes)[0])
            else:
                links = problem.graph(genes[0]).todok().keys()
                assert (problem.row_tables(genes)[1] > 0).all()
            inside = _graph(problem.lists, labels)
            leaving = {i for i, j in links if labels[i] != labels[j]}
            if isinstance(problem, SRMOSCProblem):
                assert leaving == {i for i, degree in inside.out_degree() if degree == 0}
    assert min(seen.values()) > 12


@pytest.mark.parametrize("full", [False, True])
def test_near_neighbours_are_linked_first(full):
    X = np.concatenate([np.arange(8.0), 100 + np.arange(8.0)])[:, None]
    problem = NeighborGraphProblem.from_data(X, n_neighbors=2, list_width=15 if full else 2)
    genes = problem.encode(np.repeat([[0, 1]], 8, axis=1))
    assert problem.decode(genes).tolist() == np.repeat([[0, 1]], 8, axis=1).tolist()
    assert (np.abs(X[problem.neighbors(genes)[0]] - X) <= 2).all()
