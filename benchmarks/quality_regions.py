"""Compare directed walks with pygeoda and spopt within the same limits, and a front with GerryChain.

For every rival, walks from random plans minimise the sum of squares with the rival's number of regions and
lower bound of the loads. Then boundary climbs start from the rival's result. The last column shows the
rival's loads relative to their mean, and whether one plan of the front of ``Regions`` (loads within 15% of
their mean) has a lower sum of squares, fewer cut edges and more even loads.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering import Regions
from moo_clustering._arrays import non_dominated
from moo_clustering.encodings import RegionEncoding
from moo_clustering.operators import BoundaryClimb
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import CutEdges, LoadVariation
from moo_clustering.validity.internal import SumOfSquares
from papers.regions import METHODS, OURS, SECONDS, Areas, Regionalisation
from papers.runner import Settings

# Climbs and proposed moves of each, floor of the loads relative to their mean, seconds of a chain.
CLIMBS, PROPOSALS, FLOOR, OF_CHAIN = 3, 400_000, 0.5, 3.0


def rivals(areas: Areas, floor: float) -> Iterator[tuple[str, float, Callable[[], Any]]]:
    """Names of methods, the lower bounds set for them, and calls that return the region of every area."""
    k, X, weight = areas.n_regions, areas.X, areas.weight
    import pygeoda

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map.gal"
        graph, n = areas.graph, len(weight)
        lines = [f"0 {n} map id"]
        for i in range(n):
            neighbours = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
            lines += [f"{i} {len(neighbours)}", " ".join(str(j) for j in neighbours)]
        path.write_text("\n".join(lines) + "\n")
        neighbours = pygeoda.read_gal(str(path), [str(i) for i in range(n)])
    columns = [list(column) for column in X.T]
    bound = {"bound_variable": list(weight), "min_bound": floor}
    calls = {
        "pygeoda SKATER": (0.0, lambda: pygeoda.skater(k, neighbours, columns)),
        "pygeoda SKATER, floor": (floor, lambda: pygeoda.skater(k, neighbours, columns, **bound)),
        "pygeoda SCHC": (0.0, lambda: pygeoda.schc(k, neighbours, columns, "ward")),
        "pygeoda REDCAP": (0.0, lambda: pygeoda.redcap(k, neighbours, columns, "fullorder-wardlinkage")),
        "pygeoda AZP-SA, floor": (floor, lambda: pygeoda.azp_sa(k, neighbours, columns, 0.85, **bound)),
        "pygeoda max-p, floor": (
            floor,
            lambda: pygeoda.maxp_greedy(neighbours, columns, list(weight), floor),
        ),
    }
    for name, (least, call) in calls.items():
        yield name, least, lambda call=call: np.array(call()["Clusters"]) - 1
    import pandas as pd
    from libpysal.weights import WSP
    from spopt.region import RegionKMeansHeuristic, WardSpatial

    links = WSP(areas.graph.tocsr()).to_W(silence_warnings=True)
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)

    def solved(model: Any) -> Any:
        model.solve()
        return np.asarray(model.labels_)

    yield "spopt Ward", 0.0, lambda: solved(WardSpatial(frame, links, names, n_clusters=k))
    yield "spopt RegionKMeans", 0.0, lambda: solved(RegionKMeansHeuristic(X, k, links))


def searched(areas: Areas, k: int, floor: float) -> float:
    """Least sum of squares found by walks from random plans."""
    encoding = RegionEncoding(areas.graph, k, weight=areas.weight, low=floor)
    problem = PartitionProblem(None, encoding, [SumOfSquares().fit(areas.X)])
    return float(METHODS[OURS](problem, 0, SECONDS)[0].min())


def climbed(areas: Areas, k: int, floor: float, start: NDArray[np.int32]) -> float:
    """Least sum of squares found by climbs from a plan."""
    encoding = RegionEncoding(areas.graph, k, weight=areas.weight, low=floor, plan=start)
    problem = PartitionProblem(None, encoding, [SumOfSquares().fit(areas.X)])
    climb = BoundaryClimb(PROPOSALS, heat=0.1, recombine=0.0)
    plans = np.repeat(start[None], CLIMBS, axis=0)
    found = climb.toward(problem, plans, np.ones((CLIMBS, 1)), np.random.default_rng(0))
    return float(problem.evaluate(found, return_values_of=["F"]).min())


def chained(areas: Areas, tolerance: float, seconds: float) -> NDArray[np.int32]:
    """Plans of a recombination chain of GerryChain, from a plan of this package."""
    import networkx as nx
    from gerrychain import Graph, MarkovChain, Partition, accept, constraints, updaters
    from gerrychain.proposals import recom

    graph = nx.from_scipy_sparse_array(areas.graph)
    nx.set_node_attributes(graph, dict(enumerate(areas.weight.tolist())), "load")
    mean = areas.weight.sum() / areas.n_regions
    bounds = {"low": (1 - tolerance) * mean, "high": (1 + tolerance) * mean}
    encoding = RegionEncoding(areas.graph, areas.n_regions, weight=areas.weight, **bounds)
    start = encoding.random(1, np.random.default_rng(0))[0]
    first = Partition(
        Graph.from_networkx(graph),
        dict(enumerate(start.tolist())),
        {"load": updaters.Tally("load"), "cut_edges": updaters.cut_edges},
    )
    propose = partial(recom, pop_col="load", pop_target=mean, epsilon=tolerance)
    within = constraints.within_percent_of_ideal_population(first, tolerance, pop_key="load")
    chain = MarkovChain(propose, [within], accept.always_accept, first, total_steps=10**9)
    plans, begun = [], process_time()
    for state in chain:
        plans.append(state.assignment.to_series().sort_index().to_numpy())
        if process_time() - begun > seconds:
            return np.array(plans, dtype=np.int32)
    raise AssertionError("the chain has no end")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder that contains maps/*.npz")
    parser.add_argument("--sets", default="", help="names of maps, separated by commas")
    options = parser.parse_args()
    names = tuple(filter(None, options.sets.split(",")))
    plan = Regionalisation(Settings(data=options.data, sets=names, seeds=1))
    print(f"{'map':<12}{'rival':<24}{'k':>4}{'theirs':>9}{'walks':>9}{'from it':>9}{'s':>7}  loads")
    for name in dict.fromkeys(str(key["map"]) for key in plan.cells):
        areas = plan.data({"map": name})
        features = SumOfSquares().fit(areas.X)
        indices = [features, CutEdges().fit(areas.graph), LoadVariation().fit(areas.weight)]
        model = Regions(areas.n_regions, scale="none", random_state=0)
        front = model.fit(areas.X, graph=areas.graph, weight=areas.weight).pareto_front_
        floor = FLOOR * areas.weight.sum() / areas.n_regions
        for rival, least, call in rivals(areas, floor):
            begun = process_time()
            labels = np.unique(call(), return_inverse=True)[1].reshape(-1).astype(np.int32)
            theirs, k = process_time() - begun, int(labels.max()) + 1
            loads = np.bincount(labels, areas.weight)
            own = np.array([index.evaluate(labels[None])[0] for index in indices])
            floor_holds = loads.min() >= least * (1 - 1e-9)
            fresh = searched(areas, k, least)
            again = climbed(areas, k, least, labels) if floor_holds else np.nan
            facts = f"{loads.min() / loads.mean():.2f} to {loads.max() / loads.mean():.2f}"
            facts += "" if floor_holds else ", below the floor"
            if k == areas.n_regions and (front < own).all(axis=1).any():
                facts += ", dominated"
            print(
                f"{name:<12}{rival:<24}{k:>4}{own[0]:>9.1f}{fresh:>9.1f}{again:>9.1f}{theirs:>7.2f}  {facts}",
                flush=True,
            )
        plans = chained(areas, 0.15, OF_CHAIN)
        values = np.column_stack([index.evaluate(plans) for index in indices])
        values = values[non_dominated(values)]
        dominated = sum(bool((front <= own).all(axis=1).any()) for own in values)
        print(
            f"{name:<12}GerryChain: {len(plans)} plans in {OF_CHAIN:g} s, {dominated} of the {len(values)} "
            "non-dominated ones dominated by the front of Regions",
            flush=True,
        )


if __name__ == "__main__":
    main()
