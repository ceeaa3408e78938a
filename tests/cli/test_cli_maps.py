"""``fit`` of maps: files, record, roles of columns, other formats, refusals."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from moo_clustering.constraints import Contiguity
from moo_clustering.visualization.report.page import load_content

pytest.importorskip("shapely")
WIDE, TALL = 5, 4
QUICK = ("--method", "regions", "--set", "n_gen=2", "--set", "n_proposals=500")


def square(i, j, size=1.0):
    ring = [[i, j], [i + size, j], [i + size, j + size], [i, j + size], [i, j]]
    return {"type": "Polygon", "coordinates": [ring]}


def features():
    """Unit squares in a grid, at degrees of longitude and latitude."""
    return [
        {
            "type": "Feature",
            "id": k,
            "geometry": square(10 + k % WIDE, 50 + k // WIDE),
            "properties": {
                "name": f"area {k}",
                "people": 1 + k % 3,
                "income": float(k % WIDE),
                "kind": "town" if k % 2 else "country",
                "district": None if k == 7 else "west" if k % WIDE < 2 else "east",
            },
        }
        for k in range(WIDE * TALL)
    ]


def neighbors():
    i, j = np.divmod(np.arange(WIDE * TALL), WIDE)
    return (np.abs(i - i[:, None]) + np.abs(j - j[:, None]) == 1).astype(int)


@pytest.fixture
def areas(run, tmp_path):
    path = tmp_path / "areas.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "name": "my areas", "features": features()}))
    run.pictures = False
    return path.name


def test_columns_with_a_role_are_not_called_unused(run, areas):
    options = (*QUICK, "-k", 3, "--id-column", "name", "--weight", "people", "--start", "district")
    assert run("fit", areas, *options, "--tolerance", "40%", "--drop", "kind", "--out", "out").exit_code == 0
    assert [name for name, *_ in load_content("out/report.npz").left_out] == ["kind"]


def test_an_earlier_run_is_a_start(run, areas, tmp_path):
    options = (*QUICK, "-k", 3, "--id-column", "name", "--no-report", "--tolerance", "40%")
    assert run("fit", areas, *options, "--out", "first").exit_code == 0
    result = run("fit", areas, *options, "--start", "first", "--out", "second")
    assert result.exit_code == 0, result.output
    assert "changed" in (tmp_path / "second" / "front.csv").read_text().splitlines()[0]


def test_files_record_and_report(run, areas, tmp_path):
    options = ("-k", 3, "--weight", "people", "--tolerance", "30%", "--id-column", "name", "--drop", "kind")
    result = run("fit", areas, *QUICK, *options, "--start", "district", "--out", "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    record = json.loads((out / "run.json").read_text())
    assert set(record["files"]) == {
        "clustered.csv",
        "clusters.csv",
        "front.csv",
        "history.csv",
        "labels.csv",
        "model.skops",
        "regions.geojson",
        "report.html",
        "report.npz",
        "result.npz",
    }
    assert record["parameters"]["n_regions"] == 3
    assert record["parameters"]["tolerance"] == 0.3
    assert record["data"]["feature_names"] == ["income"]
    assert (record["data"]["weight"], record["data"]["start"]) == ("people", "district")
    assert [(limit["name"], limit["violation"]) for limit in record["limits"]] == [
        ("contiguity", 0.0),
        ("cluster_weights", 0.0),
    ]
    assert "limits    contiguity holds, cluster_weights holds" in result.output
    assert "20 areas" in result.output
    labels = pd.read_csv(out / "labels.csv")
    assert labels["row"].tolist() == [f"area {k}" for k in range(20)]
    # Regions have the names of the earlier regions that they match.
    names = pd.read_csv(out / "clusters.csv")["name"]
    assert names.isin(["east", "west"]).sum() == 2
    # The map is unchanged except for the regions.
    saved = json.loads((out / "regions.geojson").read_text())
    assert saved["name"] == "my areas"
    assert [each["properties"].pop("region") for each in saved["features"]] == labels["label"].tolist()
    found = [each["properties"].pop("region_name") for each in saved["features"]]
    assert found == names[labels["label"]].tolist()
    assert saved["features"] == features()
    # Regions are connected and even.
    found = labels["label"].to_numpy()
    people = np.array([each["properties"]["people"] for each in features()])
    loads = np.bincount(found, people)
    assert len(loads) == 3
    assert np.abs(loads / (people.sum() / 3) - 1).max() <= 0.3
    assert not Contiguity(neighbors()).violations(found[None]).any()
    content = load_content(out / "report.npz")
    assert content.sample_kind == "area"
    assert dict(content.facts)["columns not used"] == "name, kind"
    assert [name for name, _, values in content.limits if not values.any()] == [
        "contiguity",
        "cluster_weights",
    ]
    places = content.map.outlines[:, 0]
    assert (np.bincount(places[~np.isnan(places)].astype(int)) == 5).all()


def test_another_solution_is_chosen(run, areas, tmp_path):
    options = ("-k", 3, "--weight", "people", "--tolerance", "50%", "--id-column", "name")
    objectives = "objectives=['sum_of_squares', 'load_variation', 'compactness']"
    fitted = run("fit", areas, *QUICK, *options, "--set", objectives, "--start", "district", "--out", "out")
    assert fitted.exit_code == 0, fitted.output
    out = tmp_path / "out"
    names = ("labels.csv", "regions.geojson", "front.csv")
    before = {name: (out / name).read_bytes() for name in names}
    front = pd.read_csv(out / "front.csv")
    with np.load(out / "result.npz") as archive:
        front_labels = archive["front_labels"]
    other = int(front["member"][~front["chosen"]].iloc[0])
    result = run("choose", "out", other)
    assert result.exit_code == 0, result.output
    labels = pd.read_csv(out / "labels.csv")["label"].to_numpy()
    np.testing.assert_array_equal(labels, front_labels[other])
    saved = json.loads((out / "regions.geojson").read_text())["features"]
    assert [each["properties"].pop("region") for each in saved] == labels.tolist()
    named = [each["properties"].pop("region_name") for each in saved]
    assert named == pd.read_csv(out / "clusters.csv")["name"][labels].tolist()
    assert saved == features()
    assert pd.read_csv(out / "front.csv").query("chosen")["member"].tolist() == [other]
    record = json.loads((out / "run.json").read_text())
    assert [limit["violation"] for limit in record["limits"]] == [0.0, 0.0]
    content = load_content(out / "report.npz")
    np.testing.assert_array_equal(content.labels[content.chosen], labels)
    assert content.limits
    assert content.map.outlines is not None
    assert not any("predict" in line for _, line in content.lines)
    # The most compact regions are those with the greatest value.
    assert run("choose", "out", "compactness").exit_code == 0
    compact = pd.read_csv(out / "front.csv").query("chosen")["compactness"].iloc[0]
    assert compact == front["compactness"].max()
    assert run("choose", "out", "knee").exit_code == 0
    assert {name: (out / name).read_bytes() for name in names} == before
    assert run("rename", "out", "1=north").exit_code == 0
    assert run("choose", "out", other).exit_code == 0
    renamed = json.loads((out / "regions.geojson").read_text())["features"]
    named = {each["properties"]["region"]: each["properties"]["region_name"] for each in renamed}
    assert (named[0], named[1]) == ("east", "north")
    assert list(renamed[0]["properties"]) == [*features()[0]["properties"], "region", "region_name"]
    for command in (("predict", "out", "out/clustered.csv"), ("explain", "out")):
        refused = run(*command)
        assert refused.exit_code == 2
        assert "method regions cannot predict; fit all rows together instead" in refused.stderr


def test_the_largest_number_of_regions(run, areas, tmp_path):
    result = run(
        "fit",
        areas,
        *QUICK,
        "-k",
        "auto",
        "--set",
        "min_cluster_weight=4",
        "--weight",
        "people",
        "--drop",
        "district",
        "--out",
        "out",
        "--no-report",
    )
    assert result.exit_code == 0, result.output
    found = pd.read_csv(tmp_path / "out" / "clustered.csv")
    assert found.groupby("cluster")["people"].sum().min() >= 4
    assert found["cluster"].nunique() >= 6


def test_without_attributes_the_centres_are_the_features(run, areas, tmp_path):
    dropped = [word for name in ("name", "income", "kind", "district") for word in ("--drop", name)]
    result = run("fit", areas, *QUICK, "-k", 4, "--weight", "people", *dropped, "--out", "out", "--no-report")
    assert result.exit_code == 0, result.output
    assert "so the centres of the areas are used" in result.output
    found = pd.read_csv(tmp_path / "out" / "clustered.csv")
    # Degrees of longitude are shorter in the north.
    assert found["centre x"].diff()[1:WIDE].to_numpy() == pytest.approx(np.cos(np.radians(52)))
    assert found["centre y"][0] == pytest.approx(50.5)


def test_other_formats_are_read_by_geopandas(run, areas, tmp_path, monkeypatch):
    document = json.loads((tmp_path / areas).read_text())
    for each in document["features"]:
        each["properties"]["region"] = "taken"
    asked = []

    class Frame:
        crs = "EPSG:3035"

        def to_crs(self, code):
            asked.append(code)
            return self

        def to_json(self, **options):
            return json.dumps(document)

    stub = SimpleNamespace(read_file=lambda path: Frame(), read_parquet=lambda path: Frame())
    monkeypatch.setitem(sys.modules, "geopandas", stub)
    for name in ("areas.gpkg", "areas.parquet"):
        (tmp_path / name).touch()
        out = name.replace(".", "-")
        result = run("fit", name, *QUICK, "-k", 2, "--drop", "district", "--out", out, "--no-report")
        assert result.exit_code == 0, result.output
        saved = json.loads((tmp_path / out / "regions.geojson").read_text())
        assert {each["properties"]["region_"] for each in saved["features"]} == {0, 1}
    assert asked == [4326, 4326]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "requires the number of regions; set it with -k"),
        (
            ("-k", "auto"),
            "requires a minimum load per region; use --set min_cluster_weight=",
        ),
        (("-k", "few"), "'few' is not valid; use a number (3), an interval (2-5) or auto"),
        (("-k", 2, "--weight", "peple"), "has no column 'peple' (--weight); did you mean 'people'?"),
        (("-k", 2, "--weight", "name"), "weight must be real numbers, got 'area 0'"),
        (("-k", 2, "--tolerance", "wide"), "'wide' is not a valid share; use a value such as 15% or 0.15"),
        (("-k", 2, "--tolerance", "-1%"), "'-1%' is not a valid share"),
        (("-k", 2, "--set", "tolerance=0.2"), "tolerance must be set with --tolerance"),
        (("-k", 2, "--text-columns", "name"), "cannot be used with maps"),
        (("-k", 21), "n_regions=21 must not exceed the number of areas, 20"),
        (("-k", 7, "--weight", "people", "--tolerance", "0"), "found no plan of 7 connected regions"),
    ],
)
def test_refused_options(run, areas, options, message):
    result = run("fit", areas, *QUICK, *options, "--out", "out")
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("areas.geojson",), "maps and --weight require method regions, got pareto-clustering"),
        (("iris", *QUICK, "-k", 3), "requires a map (.geojson, .json, .gpkg or .parquet), got iris"),
        (("table.csv", *QUICK, "-k", 3), "requires a map (.geojson, .json, .gpkg or .parquet)"),
        (("table.csv", "-k", "auto"), "-k auto requires method regions"),
        (("table.csv", "--weight", "a"), "for other methods, omit --weight"),
        (("areas.gpkg", *QUICK, "-k", 3), "run pip install geopandas pyarrow, or convert the map to GeoJSON"),
    ],
)
def test_maps_and_other_methods(run, areas, table, tmp_path, monkeypatch, options, message):
    monkeypatch.setitem(sys.modules, "geopandas", None)
    (tmp_path / "areas.gpkg").touch()
    result = run("fit", *options, "--out", "out")
    assert result.exit_code == 2
    assert message in result.output


def without_geometry():
    return [*features()[:3], {"type": "Feature", "geometry": None, "properties": {}}]


def bow_tie():
    ring = [[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]
    return [*features()[:3], {"geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {}}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as GeoJSON"),
        ("[1]", "must be a GeoJSON FeatureCollection with at least one feature"),
        ('{"features": []}', "at least one feature"),
        ('{"features": [3]}', "feature 0 has no geometry"),
        ('{"features": [{"geometry": {"type": "Blob"}}]}', "map.json: "),
        ('{"features": [{"geometry": {"type": "Point"}, "properties": 3}]}', "properties of feature 0 must"),
        (json.dumps({"features": without_geometry()}), "feature 3 has no geometry; remove the feature"),
        (json.dumps({"features": bow_tie()}), "the polygon of area 3 is invalid (Self-intersection"),
    ],
    ids=range(8),
)
def test_malformed_maps(run, tmp_path, text, message):
    (tmp_path / "map.json").write_text(text)
    result = run("fit", "map.json", *QUICK, "-k", 2, "--out", "out")
    assert result.exit_code == 2, result.output
    assert message in result.output
