"""Every function of the room ``consensus``: the four that merge labels, by option, and those of graphs."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from contract.estimators import rows
from moo_clustering import consensus
from moo_clustering.graphs import neighbor_lists

needs_metis = pytest.mark.skipif(importlib.util.find_spec("pymetis") is None, reason="requires pymetis")

# Public names of the room that are no functions.
OTHERS = {
    "SIGMA_GRID": "numbers",
    "ParetoSelection": "a result",
    "SelectionFront": "a result",
}


@dataclass(frozen=True, eq=False)
class ConsensusCase:
    """A function and its options; ``exact`` returns identical runs unchanged."""

    of: str
    options: dict[str, Any] = field(default_factory=dict)
    exact: bool = False
    metis: bool = False

    @property
    def function(self):
        """The function itself."""
        return getattr(consensus, self.of)


CONSENSUS = {
    "mcla-matching": ConsensusCase("mcla", {"partitioner": "matching"}, exact=True),
    "cspa-average": ConsensusCase("cspa", exact=True),
    "cspa-spectral": ConsensusCase("cspa", {"partitioner": "spectral"}, exact=True),
    "cspa-svd": ConsensusCase("cspa", {"partitioner": "svd"}, exact=True),
    "hbgf-spectral": ConsensusCase("hbgf", {"partitioner": "spectral"}, exact=True),
    "hgpa-spectral": ConsensusCase("hgpa", {"approximation": "spectral"}, exact=True),
    "mcla": ConsensusCase("mcla"),
    "hbgf": ConsensusCase("hbgf"),
    "hgpa": ConsensusCase("hgpa"),
    "cspa-spectral-neighbors": ConsensusCase("cspa", {"partitioner": "spectral", "n_neighbors": 12}),
    "mcla-unit": ConsensusCase(
        "mcla", {"partitioner": "metis", "vertex_weight": "unit"}, exact=True, metis=True
    ),
    "cspa-metis": ConsensusCase("cspa", {"partitioner": "metis"}, metis=True),
    "cspa-metis-neighbors": ConsensusCase("cspa", {"partitioner": "metis", "n_neighbors": 12}, metis=True),
}


def cases(*, exact=False):
    """Function and options, as pytest's parameters."""
    return [
        pytest.param(case.function, case.options, id=name, marks=[needs_metis] if case.metis else [])
        for name, case in CONSENSUS.items()
        if case.exact or not exact
    ]


def ensemble(n=60, k=3, n_runs=20, noise=0.3, unseen=0.0, seed=0):
    """Runs that err on some objects and name their clusters as they like, and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    runs = np.array(
        [
            np.where(rng.random(n) < noise, rng.integers(0, k, n), rng.permutation(k)[truth])
            for _ in range(n_runs)
        ]
    )
    return np.where(rng.random(runs.shape) < unseen, -1, runs), truth


def rename(runs, seed):
    """Other names in every run; -1 stays."""
    rng = np.random.default_rng(seed)
    names = [np.append(rng.permutation(runs.max() + 5), -1) for _ in runs]
    return np.array([name[run] for name, run in zip(names, runs, strict=True)])


@dataclass(frozen=True, eq=False)
class ToolCase:
    """A function of runs, or of neighbour choices: its arguments, and what it is called with besides."""

    of: str
    arguments: Callable[[], tuple[Any, ...]]
    call: Callable[..., Any]


def _lists():
    return neighbor_lists(rows(), 8, rng=np.random.default_rng(0))


def _ranks():
    return np.random.default_rng(1).integers(0, 8, (5, 24)).astype(np.uint8)


def _tool(name, arguments, **options):
    def call(*given):
        rng = {"rng": np.random.default_rng(3)} if name == "kernel_graph" else {}
        return getattr(consensus, name)(*given, **options, **rng)

    return ToolCase(name, arguments, call)


def _edges():
    return consensus.edge_distances(_ranks(), _lists())


_F = np.random.default_rng(2).random((6, 2))
TOOLS = {
    case.of: case
    for case in (
        _tool("best_half", lambda: (ensemble()[0],)),
        _tool("diversity_graph", lambda: (_ranks(), _lists()), weight="div"),
        _tool("diversity_weights", lambda: (_ranks(), _lists())),
        _tool("edge_distances", lambda: (_ranks(), _lists())),
        _tool("ensemble_members", lambda: (_F.copy(),), min_members=2),
        _tool("kernel_graph", lambda: (_ranks(), _lists()), sigma="mean", n_clusters=3, laplacian="sym"),
        _tool("kernel_weights", lambda: (*_edges(), 0.5)),
        _tool("reconstruction_graph", lambda: (_ranks(), _lists(), rows())),
        _tool("reconstruction_weights", lambda: (rows(), _edges()[0])),
        _tool("select_pareto", lambda: (ensemble()[0], 3), pop_size=8, n_gen=3, random_state=0),
        _tool("to_csr", lambda: (np.random.default_rng(4).random((24, 8)), _lists())),
    )
}
