"""Regions: feasible fronts on any map, starts, the largest number of regions, sources of maps, refusals."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from scipy import sparse

from moo_clustering import Regions
from moo_clustering.constraints import ClusterWeights, Contiguity
from moo_clustering.estimators.regions import _earlier_regions, most_regions, neighbor_matrix, rook_neighbors
from moo_clustering.validity import ChangedShare

SIDE = 9
LATTICE = nx.grid_2d_graph(SIDE, SIDE)
GRID = nx.to_scipy_sparse_array(LATTICE, format="csr")
RNG = np.random.default_rng(0)
X = np.array(list(LATTICE), dtype=float) + RNG.normal(size=(SIDE**2, 2))
WEIGHT = RNG.lognormal(sigma=0.4, size=SIDE**2)
QUICK = {"n_gen": 3, "n_proposals": 1_000, "random_state": 0}


@pytest.fixture(scope="module")
def model():
    return Regions(5, **QUICK).fit(X, graph=LATTICE, weight=WEIGHT)


def assert_feasible(model, graph=GRID, weight=WEIGHT):
    low, high = model.bounds_
    limits = Contiguity(graph), ClusterWeights(weight, low, None if np.isinf(high) else high)
    for limit in limits:
        assert not limit.violations(model.pareto_labels_).any()


@pytest.mark.parametrize("tolerance", [0.15, 0.05])
def test_every_solution_is_feasible(tolerance):
    model = Regions(5, tolerance=tolerance, **QUICK).fit(X, graph=GRID, weight=WEIGHT)
    assert_feasible(model)
    mean = WEIGHT.sum() / 5
    assert model.bounds_ == pytest.approx(((1 - tolerance) * mean, (1 + tolerance) * mean))
    np.testing.assert_allclose(model.loads_, np.bincount(model.labels_, WEIGHT))


def test_objectives_are_those_of_the_partitions(model):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert model.objective_names_ == ("sum_of_squares", "cut_edges", "load_variation")
    for labels, (squares, cut, variation) in zip(model.pareto_labels_, model.pareto_front_, strict=True):
        own = [Z[labels == r] for r in range(5)]
        assert squares == pytest.approx(sum(((rows - rows.mean(axis=0)) ** 2).sum() for rows in own))
        assert cut == sum(labels[i] != labels[j] for i, j in zip(*GRID.nonzero(), strict=True)) / 2
        loads = np.bincount(labels, WEIGHT)
        assert variation == pytest.approx(loads.std() / loads.mean())
    for row in model.pareto_front_:
        others = model.pareto_front_
        assert not ((others <= row).all(axis=1) & (others < row).any(axis=1)).any()


def test_a_fit_again_finds_the_same_and_another_seed_another_front(model):
    again = Regions(5, **QUICK).fit(X, graph=GRID, weight=WEIGHT)
    np.testing.assert_array_equal(again.pareto_labels_, model.pareto_labels_)
    other = Regions(5, **QUICK | {"random_state": 1}).fit(X, graph=GRID, weight=WEIGHT)
    assert not np.array_equal(other.pareto_front_, model.pareto_front_)


def test_units_of_weights_do_not_matter(model):
    other = Regions(5, **QUICK).fit(X, graph=GRID, weight=8.0 * WEIGHT)
    np.testing.assert_array_equal(other.labels_, model.labels_)


def test_choose_report_and_table(model, tmp_path):
    other = Regions(5, **QUICK).fit(X, graph=GRID, weight=WEIGHT).choose("cut_edges")
    assert other.pareto_front_[other.chosen_, 1] == other.pareto_front_[:, 1].min()
    assert dict(other.clustering_result().facts)["loads"].startswith(f"{other.loads_.min():g} to ")
    frame = model.table(pd.DataFrame(X, columns=["east", "north"]))
    assert frame["cluster"].tolist() == model.labels_.tolist()
    model.report(tmp_path / "page.html", X)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "cut_edges" in page
    assert "permitted" in page


def test_a_run_goes_on_from_its_checkpoint(tmp_path, model):
    path = tmp_path / "run.npz"
    Regions(5, **QUICK | {"n_gen": 1}, checkpoint=path, checkpoint_every=1).fit(X, graph=GRID, weight=WEIGHT)
    found = Regions(5, **QUICK, checkpoint=path, resume=True).fit(X, graph=GRID, weight=WEIGHT)
    np.testing.assert_array_equal(found.pareto_labels_, model.pareto_labels_)
    with pytest.raises(ValueError, match="data"):
        Regions(5, **QUICK, checkpoint=path, resume=True).fit(X, graph=GRID, weight=WEIGHT[::-1])


def test_a_checkpoint_belongs_to_its_shapes(tmp_path):
    options = {**QUICK, "objectives": ["compactness", "cut_edges"], "checkpoint": tmp_path / "run.npz"}
    areas, rims = np.ones(len(X)), np.full(len(X), 4.0)
    Regions(4, **options).fit(X, graph=GRID, shapes=(areas, rims, GRID))
    for other in ((areas / 2, rims, GRID), (areas, rims, GRID * 0.5)):
        with pytest.raises(ValueError, match="data"):
            Regions(4, **options, resume=True).fit(X, graph=GRID, shapes=other)


def test_nodes_are_matched_by_name(model):
    shuffled = nx.Graph()
    shuffled.add_nodes_from(RNG.permutation(len(X)).tolist())
    shuffled.add_edges_from(nx.convert_node_labels_to_integers(LATTICE).edges)
    named = nx.relabel_nodes(shuffled, {i: f"area {i}" for i in shuffled})
    frame = pd.DataFrame(X, index=[f"area {i}" for i in range(len(X))])
    for table, graph in ((X, shuffled), (frame, named), (frame, shuffled)):
        found = Regions(5, **QUICK).fit(table, graph=graph, weight=WEIGHT)
        np.testing.assert_array_equal(found.pareto_labels_, model.pareto_labels_)


def test_areas_without_a_start():
    names = ["north", "south"] * 40 + ["north"]
    numbers = [int(name == "south") for name in names]
    expected = _earlier_regions([*numbers[:-1], -1], 81)[0]
    assert expected.tolist() == [*numbers[:-1], -1]
    for missing in (-1, None, np.nan, ""):
        given = [*names[:-1], missing]
        for start in (given, pd.Series(given), np.array(given, dtype=object)):
            np.testing.assert_array_equal(_earlier_regions(start, 81)[0], expected)
    for start in ([*numbers[:-1], np.nan], pd.Series([*numbers[:-1], None], dtype="Int64")):
        np.testing.assert_array_equal(_earlier_regions(start, 81)[0], expected)
    for wrong, got in (
        ([*names[:-1], 3], "3"),
        ([*names[:-1], 0], "0"),
        (np.array([*names[:-1], -1]), "'-1'"),
    ):
        with pytest.raises(ValueError, match=f"either integers or region names.* got {got}$"):
            _earlier_regions(wrong, 81)


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_extreme_units_of_weights(unit, model):
    found = Regions(5, **QUICK).fit(X, graph=LATTICE, weight=WEIGHT * unit)
    assert_feasible(found, weight=WEIGHT * unit)
    np.testing.assert_allclose(found.pareto_front_, model.pareto_front_)


def test_another_algorithm_and_controls():
    model = Regions(4, **QUICK, algorithm=NSGA2, pop_size=8).fit(X, graph=GRID)
    assert_feasible(model, weight=np.ones(len(X)))
    found = Regions(4, **QUICK, pop_size=6).controls(
        X, graph=GRID, n_evals=30, seeds=2, controls=["drift", "random"]
    )
    assert set(found.runs["method"]) >= {"drift", "random"}


def test_this_year_against_last():
    last = np.arange(SIDE**2) // SIDE // 3
    model = Regions(3, **QUICK).fit(X, graph=GRID, start=last)
    assert model.objective_names_[-1] == "changed"
    # The start is feasible, so the front has a solution without changes, which keeps the numbers.
    row = int(model.pareto_front_[:, -1].argmin())
    assert model.pareto_front_[row, -1] == 0
    np.testing.assert_array_equal(model.pareto_labels_[row], last)
    assert not model.choose("changed").changed_.any()
    for labels, value in zip(model.pareto_labels_, model.pareto_front_[:, -1], strict=True):
        assert (labels != last).mean() == pytest.approx(value)
    assert "areas" in dict(model.clustering_result().facts)["changed"]


def test_a_start_outside_the_limits_is_mended_with_a_warning():
    names = np.array(list("abcd"))[np.minimum(np.arange(SIDE**2) // 12, 3)]
    message = r"start, with 4 regions, must have 3 .* areas were moved"
    with pytest.warns(UserWarning, match=message):
        model = Regions(3, **QUICK).fit(X, graph=GRID, start=names)
    assert_feasible(model, weight=np.ones(len(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = np.where(np.arange(SIDE**2) < 5, -1, np.arange(SIDE**2) // SIDE // 3)
        model = Regions(3, tolerance=0.2, **QUICK).fit(X, graph=GRID, start=new)
    assert not model.choose("changed").changed_.any()
    assert ChangedShare().fit(new).evaluate(model.labels_)[0] == 0
    with pytest.raises(ValueError, match=r"start, with 4 regions, must have 3 .*; change start, or use"):
        Regions(3, **QUICK).fit(X, graph=GRID, start=names, repair_start=False)


def test_names_of_earlier_regions_are_kept():
    last = np.arange(SIDE**2) // SIDE // 3
    names = np.array(["south", "centre", "north"])[last]
    model = Regions(3, **QUICK).fit(X, graph=GRID, start=names, repair_start=False)
    assert model.cluster_names_ == {0: "centre", 1: "north", 2: "south"}
    for number, name in model.cluster_names_.items():
        assert (names[(model.labels_ == number) & ~model.changed_] == name).all()
    assert set(model.describe(X).names) == {"centre", "north", "south"}
    # Other solutions have the same names, also those that the user changed.
    model.choose("sum_of_squares").rename({1: "up"})
    assert model.changed_.any()
    assert model.choose("changed").cluster_names_ == {0: "centre", 1: "up", 2: "south"}
    # One of four earlier regions has no region to match.
    names = np.array(list("abcd"))[np.minimum(np.arange(SIDE**2) // 12, 3)]
    with pytest.warns(UserWarning, match="areas were moved"):
        model = Regions(3, **QUICK).fit(X, graph=GRID, start=names)
    for row in range(len(model.pareto_front_)):
        assert len(model.choose(row).cluster_names_) == 3
        for number, name in model.cluster_names_.items():
            assert (names[(model.labels_ == number) & ~model.changed_] == name).all()
    assert Regions(3, **QUICK).fit(X, graph=GRID, start=last).cluster_names_ == {}


def test_the_largest_number_of_regions():
    model = Regions("auto", min_cluster_weight=8, **QUICK).fit(X, graph=GRID)
    assert 9 <= model.n_clusters_ <= SIDE**2 // 8
    assert model.bounds_ == (8, np.inf)
    assert_feasible(model, weight=np.ones(len(X)))
    two = nx.disjoint_union(nx.path_graph(10), nx.path_graph(7))
    labels = most_regions(neighbor_matrix(two), np.ones(17), 3.0, np.random.default_rng(0))
    assert labels.max() + 1 == 3 + 2


def test_disconnected_maps():
    two = nx.disjoint_union(nx.grid_2d_graph(4, 5), nx.grid_2d_graph(4, 5))
    model = Regions(4, **QUICK).fit(X[:40], graph=two)
    assert_feasible(model, nx.to_scipy_sparse_array(two), np.ones(40))
    assert set(model.labels_[:20]).isdisjoint(model.labels_[20:])


def test_sources_of_graphs():
    class Weights:  # like libpysal
        sparse = GRID

    for graph in (
        LATTICE,
        GRID,
        GRID.toarray(),
        2.5 * GRID,
        Weights(),
        sparse.coo_matrix(GRID),
        nx.DiGraph(LATTICE),
    ):
        assert abs(neighbor_matrix(graph) - GRID).max() == 0
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(people=WEIGHT)
    by_name = Regions(5, **QUICK).fit(frame, graph=GRID, weight="people")
    by_array = Regions(5, **QUICK).fit(frame[["a", "b"]], graph=GRID, weight=WEIGHT)
    np.testing.assert_array_equal(by_name.labels_, by_array.labels_)
    assert by_name.feature_names_in_.tolist() == ["a", "b"]


def test_compactness_of_shapes():
    shapes = np.ones(SIDE**2), np.full(SIDE**2, 4.0), GRID
    model = Regions(5, **QUICK, objectives=["compactness", "cut_edges"]).fit(X, graph=GRID, shapes=shapes)
    assert 0 < model.pareto_front_[:, 0].min() <= model.pareto_front_[:, 0].max() < np.pi / 4 + 1e-9
    assert model.choose("compactness").pareto_front_[model.chosen_, 0] == model.pareto_front_[:, 0].max()


def test_polygons():
    shapely = pytest.importorskip("shapely")
    cells = [shapely.box(i, j, i + 1, j + 1) for i in range(4) for j in range(3)]
    areas, perimeters, borders = rook_neighbors(cells)
    assert areas.tolist() == [1.0] * 12
    assert perimeters.tolist() == [4.0] * 12
    np.testing.assert_array_equal(borders.toarray(), nx.to_numpy_array(nx.grid_2d_graph(4, 3)))
    bowtie = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])
    with pytest.raises(ValueError, match=r"the polygon of area 1 is invalid \(Self-intersection"):
        rook_neighbors([cells[0], bowtie])
    with pytest.raises(ValueError, match="geometry must consist of polygons, got Point; pass graph"):
        rook_neighbors([shapely.Point(0, 0)])


ISLAND = nx.disjoint_union(nx.path_graph(9), nx.path_graph(1))
LINE = {"graph": nx.path_graph(10)}


@pytest.mark.parametrize(
    ("options", "given", "message"),
    [
        (
            {},
            {},
            "Regions requires a neighbour graph; pass graph as a sparse matrix, a networkx graph",
        ),
        ({}, {"graph": ISLAND}, "the island with area 9 weighs 1, .*widen the bounds.* tolerance=0.15"),
        ({"n_regions": 1}, {"graph": ISLAND}, "2 connected components, more than n_regions=1"),
        ({"n_regions": 11}, LINE, "n_regions=11 must not exceed the number of areas, 10"),
        ({}, {"graph": nx.path_graph(9)}, r"graph must have one node per area \(10\), got 9"),
        ({}, {**LINE, "weight": -np.ones(10)}, "weight must be non-negative, got -1 for area 0"),
        ({}, {**LINE, "weight": "people"}, "weight='people' is not a column of X"),
        (
            {},
            {**LINE, "weight": [30] + [1] * 9},
            "area 0 alone weighs 30, more than high=14.95; .*the bounds are .*tolerance=0.15",
        ),
        ({"tolerance": 0}, LINE, "found no plan of 3 connected regions with loads from 3.33333 to 3.33333"),
        ({}, {"graph": np.triu(np.ones((10, 10)))}, "area 1 is a neighbour of area 0 and not vice versa"),
        ({"n_regions": "auto"}, LINE, "n_regions='auto' requires min_cluster_weight"),
        ({"n_regions": "some"}, LINE, "n_regions must be an integer or 'auto', got 'some'"),
        (
            {"n_regions": "auto", "min_cluster_weight": 2},
            {"graph": ISLAND},
            "the graph component of area 9 weighs 1, less than min_cluster_weight=2",
        ),
        ({"min_cluster_weight": 2}, LINE, "min_cluster_weight requires n_regions='auto'"),
        (
            {"objectives": ["changed"]},
            LINE,
            "the objective 'changed' requires the earlier regions; pass start",
        ),
        ({"objectives": ["compactness"]}, LINE, "the objective 'compactness' requires shapes"),
        ({"objectives": ["size"]}, LINE, r"objectives must be unique names from .* got \['size'\]"),
        ({}, {**LINE, "start": [0, 1]}, r"start must have one region per area \(10\), got 2"),
        ({}, {**LINE, "start": [-1] * 10}, "start must assign a region to at least one area"),
        (
            {},
            {**LINE, "start": [np.nan] * 10},
            "start contains only missing values; omit it to fit without earlier",
        ),
    ],
)
def test_what_cannot_be_is_refused(options, given, message):
    with pytest.raises(ValueError, match=message):
        Regions(**{"n_regions": 3, **QUICK, **options}).fit(np.arange(10.0)[:, None], **given)
