"""The experiment of regions: maps, tables, and a short run of every method."""

import numpy as np
import pytest

from moo_clustering.encodings import RegionEncoding
from papers import regions
from papers.runner import Settings


def test_maps(tmp_path, monkeypatch):
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)
    assert {key["map"] for key in regions.Regionalisation(Settings(seeds=2)).cells} == {"generated"}
    found = regions.generated(6, 3)
    (tmp_path / "maps").mkdir()
    graph, weight, X, k = found
    parts = {"indptr": graph.indptr, "indices": graph.indices, "weight": weight, "X": X, "p": k}
    np.savez(tmp_path / "maps" / "own.npz", **parts)
    plan = regions.Regionalisation(Settings(tmp_path, sets=("own",)))
    assert len(plan.cells) == 4
    read = plan.data(plan.cells[0])
    assert abs(read.graph - graph).max() == 0
    np.testing.assert_array_equal(read.X, X)
    with pytest.raises(ValueError, match="sets must be among generated, own; got 'other'"):
        regions.Regionalisation(Settings(tmp_path, sets=("other",)))
    with pytest.raises(ValueError, match="blocks must be among search, start; got 'fit'"):
        regions.Regionalisation(Settings(tmp_path, blocks=("fit",)))


@pytest.mark.slow
def test_a_cell_and_its_tables(monkeypatch):
    monkeypatch.setattr(regions, "SECONDS", 0.05)
    monkeypatch.setattr(regions, "_LONG_CLIMB", 2_000)
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)
    plan = regions.Regionalisation(Settings())
    values = [plan.compute(key, regions.generated(10, 4)) for key in plan.cells]
    means, differences, started, compared = plan.tables(values)
    assert [row[2] for row in means.rows] == [*regions.METHODS] * 2
    assert all(row[-1] == 0 for row in means.rows)
    assert [row[0] for row in differences.rows] == [name for name in regions.METHODS if name != regions.OURS]
    names = ["from last year's regions", "from random regions", "from random regions, unguided"]
    assert [row[2] for row in started.rows] == names * 2
    assert all(row[-1] == 0 for row in started.rows)
    assert [row[0] for row in compared.rows] == names[1:]
    alone = regions.Regionalisation(Settings(blocks=("start",)))
    assert [table.name for table in alone.tables(values[2:])] == [started.name, compared.name]
    assert plan.figures(values) == []


def test_hypervolumes_are_relative_to_the_front_of_all():
    first = {"a": np.array([[0.0, 1.0], [1.0, 0.0]]), "b": np.array([[1.0, 1.0]])}
    second = {"a": np.array([[0.0, 0.0]]), "b": np.array([[5.0, 5.0]])}
    alone = regions.hypervolumes([first])
    assert alone["a"][0] == pytest.approx(1.1**2 - 1.0)
    assert alone["b"][0] == pytest.approx(0.01)
    assert regions.hypervolumes([first, second])["b"][1] == 0


def test_the_generated_map_can_be_divided():
    areas = regions.generated()
    mean = areas.weight.sum() / areas.n_regions
    RegionEncoding(areas.graph, areas.n_regions, weight=areas.weight, low=0.95 * mean, high=1.05 * mean)
