"""Groups of methods that cannot be told apart."""

from __future__ import annotations

import pandas as pd


def cliques(pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    """Maximal groups of methods of which no two are significantly different.

    Parameters
    ----------
    pairs : DataFrame
        As :func:`shaffer_static`, :func:`holm` and :func:`nemenyi` return it.

    Returns
    -------
    list of tuple of str
        Each group and the list are ordered from the best method to the worst. A method may be in
        several groups, and is alone in one if it differs from all others.

    Notes
    -----
    O(n_methods + groups) for groups that are intervals of ranks, as those of the three procedures are.

    Examples
    --------
    >>> from moo_clustering.stats import shaffer_static
    >>> cliques(shaffer_static({"a": 1.0, "b": 2.4, "c": 2.6}, n_datasets=10))
    [('a',), ('b', 'c')]
    """
    import networkx as nx

    wins = pairs["method_1"].value_counts()
    graph = nx.Graph()
    graph.add_nodes_from([*pairs["method_1"], *pairs["method_2"]])
    same = pairs[~pairs["significant"].astype(bool)]
    graph.add_edges_from(zip(same["method_1"], same["method_2"], strict=True))
    # The better of two is first, so the best method is first in most pairs.
    order = {name: place for place, name in enumerate(sorted(graph, key=lambda m: -wins.get(m, 0)))}
    groups = [tuple(sorted(group, key=order.__getitem__)) for group in nx.find_cliques(graph)]
    return sorted(groups, key=lambda group: [order[name] for name in group])
