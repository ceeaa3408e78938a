"""Maps of areas and tables of limits in the content of reports."""

from dataclasses import replace

import numpy as np
import pytest

from moo_clustering import ConstrainedKMeans
from moo_clustering.constraints import (
    ClusterCount,
    ClusterSizes,
    Contiguity,
    Diameter,
    GroupShares,
    Kept,
    Limit,
)
from moo_clustering.encodings import LabelEncoding
from moo_clustering.estimators.composed import EvolutionaryClusterer
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization.report import report_content
from moo_clustering.visualization.report.page import fits, load_content, merge, payload, save_content

shapely = pytest.importorskip("shapely")
X = np.arange(6.0)[:, None]
BOXES = [shapely.box(i, 0, i + 1, 1) for i in range(6)]


class Even(EvolutionaryClusterer):
    """Two clusters of at least two samples, and another limit."""

    def make_problem(self, X, constraints):
        limits = [ClusterSizes(2), Short()]
        return PartitionProblem(X, LabelEncoding(len(X), 2, 2), ["deviation", "silhouette"], limits=limits)


class Short(Limit):
    def violations(self, labels):
        return np.zeros(len(labels))


def fitted(**options):
    return ConstrainedKMeans(2, min_cluster_size=3, random_state=0, **options).fit(X)


def rings_of(content, place):
    """Rings of an area from the outlines, split at NaN."""
    outlines = content.map.outlines
    ends = np.flatnonzero(np.isnan(outlines[:, 0]))
    rings = np.split(outlines, ends + 1)
    return [ring[:-1, 1:] for ring in rings if len(ring) and ring[0, 0] == place]


def test_outlines_have_all_parts_and_holes():
    hole = shapely.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2), (1, 2)]])
    two = shapely.MultiPolygon([shapely.box(10, 0, 11, 1), shapely.box(12, 0, 13, 1)])
    content = report_content(fitted(), X, geometry=[hole, two, *BOXES[2:]])
    areas = [shapely.Polygon(ring).area for ring in rings_of(content, 0)]
    assert areas == [16.0, 1.0]
    assert [ring[:, 0].min() for ring in rings_of(content, 1)] == [10.0, 12.0]
    assert hole.contains(shapely.Point(content.map.positions[0]))


def test_outlines_survive_the_archive_and_the_page(tmp_path):
    content = report_content(fitted(), X, geometry=BOXES)
    save_content(tmp_path / "c", content)
    loaded = load_content(tmp_path / "c")
    np.testing.assert_array_equal(loaded.map.outlines, content.map.outlines)
    assert [row[:2] for row in loaded.limits] == [row[:2] for row in content.limits]
    data = payload(loaded, 10**7)
    assert data["map"]["outlines"]["shape"] == list(content.map.outlines.shape)
    assert data["limits"][0]["name"] == "cluster_sizes"


def test_outlines_must_belong_to_samples():
    content = report_content(fitted(), X, geometry=BOXES)
    for wrong in (content.map.outlines[:, :2], content.map.outlines + np.array([6, 0, 0])):
        assert not fits(replace(content, map=replace(content.map, outlines=wrong)))
    assert not fits(replace(content, limits=[("a", "b", np.zeros(9))]))


def test_a_part_of_many_areas_is_shown_as_points():
    X = np.arange(60.0)[:, None]
    model = ConstrainedKMeans(2, n_init=1, random_state=0).fit(X)
    boxes = [shapely.box(i, 0, i + 1, 1) for i in range(60)]
    content = report_content(model, X, geometry=boxes, max_points=30)
    assert len(content.map.rows) == 30
    assert content.map.outlines is None
    assert "Each point lies inside its area" in content.map.note


def test_other_numbers_of_polygons_are_refused():
    with pytest.raises(ValueError, match=r"geometry must have one polygon per sample \(6\), got 4"):
        report_content(fitted(), X, geometry=BOXES[:4])
    with pytest.raises(ValueError, match="geometry must have one polygon per sample"):
        report_content(fitted(), X, geometry=[1, 2, 3, 4, 5, 6])


def test_merged_reports_keep_outlines_and_limits():
    first = report_content(fitted(), sample_names=list("abcdef"))
    second = report_content(fitted(), X[::-1], sample_names=list("fedcba"), geometry=BOXES[::-1])
    merged = merge([first, second], ["p", "q"])
    for place in range(6):
        (ring,) = rings_of(merged, place)
        assert ring[:, 0].min() == place
    assert [name for name, _, _ in merged.limits] == ["p: cluster_sizes", "q: cluster_sizes"]
    known = [np.isfinite(values).tolist() for _, _, values in merged.limits]
    in_first = np.arange(merged.n_solutions) < first.n_solutions
    assert known == [in_first.tolist(), (~in_first).tolist()]


def test_limits_of_problems_are_measured_for_every_solution():
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = Even(pop_size=8, n_gen=3, random_state=0).fit(X)
    content = report_content(model, X)
    (name, requirement, values), (other, text, _) = content.limits
    assert (name, requirement) == ("cluster_sizes", "Every cluster contains between 2 and ∞ samples.")
    assert (other, text) == ("short", "short")
    assert len(values) == content.n_solutions
    for labels, value in zip(content.labels, values, strict=True):
        assert value == sum(max(0, 2 - size) / 2 for size in np.bincount(labels))


def test_samples_in_no_cluster_have_no_violation():
    model = fitted()
    model.labels_ = np.where(np.arange(6) == 0, -1, model.labels_)
    ((_, _, values),) = report_content(model, X).limits
    assert np.isnan(values).all()


@pytest.mark.parametrize(
    ("limit", "requirement"),
    [
        (ClusterSizes(3, 8), "Every cluster contains between 3 and 8 samples."),
        (ClusterSizes([1, 2], [3, 4]), "Every cluster contains between (1, 2) and (3, 4) samples."),
        (Contiguity(np.eye(3)), "Every cluster is connected in a graph of neighbours."),
        (GroupShares([0, 1]), "The share of every group in every cluster is 0.8 to 1.25 times its share"),
        (Diameter([[0, 1], [1, 0]], 4), "No two samples of a cluster are farther apart than 4."),
        (ClusterCount(2), "The number of clusters is between 2 and ∞."),
        (Kept([0, 1], 0.1), "At most a share of 0.1 of the samples changes cluster"),
    ],
    ids=["sizes", "sizes per cluster", "contiguity", "shares", "diameter", "count", "kept"],
)
def test_requirements_name_their_bounds(limit, requirement):
    assert " ".join(limit.requirement.split()).startswith(requirement)
