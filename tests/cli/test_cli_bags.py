"""``fit`` on bags."""

import gzip
import json
import math
import re

import numpy as np
import pandas as pd
import pytest

from moo_clustering import CHCMIC
from moo_clustering.bags import BagTransformer, bag_distances
from moo_clustering.cli import describe as describe_module
from moo_clustering.datasets import BagTable, make_bags
from moo_clustering.estimators import BAMIC, MIKMeans
from moo_clustering.estimators._methods import METHODS
from moo_clustering.persistence import read_archive
from moo_clustering.validity import bag_report
from tests.datasets.arff_files import write_bag_arff

SMALL = ("--set", "pop_size=12", "--set", "n_gen=4")


@pytest.fixture
def bags(tmp_path):
    """Thirty bags in three clusters, as relational ARFF, npz, CSV and KEEL."""
    made = make_bags(30, 3, bag_size=(2, 4), random_state=0)
    named = type(made.bags)(
        made.bags.instances, made.bags.offsets, bag_ids=[f"b{i}" for i in range(30)], feature_names=["u", "v"]
    )
    table = BagTable(named, made.labels % 2, ("neg", "pos"), "made")
    write_bag_arff(tmp_path / "bags.arff.gz", table)
    arrays = {"instances": named.instances, "bag_offsets": named.offsets, "bag_labels": table.labels}
    np.savez(tmp_path / "bags.npz", bag_ids=np.array(named.bag_ids), **arrays)
    frame = frame_of(table)
    frame.to_csv(tmp_path / "bags.csv", index=False)
    frame.drop(columns=["kind", "some"]).to_csv(tmp_path / "plain.csv", index=False)
    (tmp_path / "bags.dat").write_text(keel(frame))
    return table


def frame_of(table):
    bag = table.bags.bag_of_instance
    kind = np.array(table.label_names)[table.labels]
    return pd.DataFrame(
        {
            "molecule": np.array(table.bags.bag_ids)[bag],
            "u": table.bags.instances[:, 0],
            "v": table.bags.instances[:, 1],
            "kind": kind[bag],
            "some": np.where(np.arange(30) % 3 == 0, kind, "")[bag],
        }
    )


def keel(frame):
    bags = ",".join(dict.fromkeys(frame["molecule"]))
    head = f"@relation k\n@attribute molecule {{{bags}}}\n@attribute u real\n@attribute v real\n"
    head += "@attribute kind {neg,pos}\n@inputs molecule,u,v\n@outputs kind\n@data\n"
    rows = zip(*(frame[name] for name in ("molecule", "u", "v", "kind")), strict=True)
    return head + "".join(f"{bag},{u!r},{v!r},{kind}\n" for bag, u, v, kind in rows)


def record_of(folder="out"):
    with open(f"{folder}/run.json", encoding="utf-8") as file:
        return json.load(file, parse_constant=lambda name: pytest.fail(f"{name} is not valid JSON"))


def test_folder_of_a_fit(run, pictures, bags, tmp_path):
    result = run("fit", "bags.arff.gz", "--method", "chcmic", "-k", 3, *SMALL, "--seed", 5, "--out", "out")
    assert result.exit_code == 0, result.output
    model = CHCMIC(3, pop_size=12, n_gen=4, random_state=5).fit(bags.bags)
    labels = pd.read_csv("out/labels.csv")
    assert labels.columns.tolist() == ["bag", "label"]
    assert labels["bag"].tolist() == list(bags.bags.bag_ids)
    assert labels["label"].tolist() == model.labels_.tolist()
    record = record_of()
    assert record["status"] == "complete"
    assert record["data"]["n_samples"] == 30
    assert record["data"]["n_instances"] == bags.bags.n_instances
    assert record["data"]["feature_names"] == ["u", "v"]
    assert record["result"]["sizes"] == model.cluster_sizes_.tolist()
    assert record["result"]["smallest_cluster"] == model.cluster_sizes_.min()
    report = bag_report(BagTransformer().fit_transform(bags.bags), model.labels_, bags.labels)
    assert report["davies_bouldin_bag"] == pytest.approx(model.fitness_)
    for name, value in record["indices"].items():
        assert value == pytest.approx(report[name], rel=1e-9)
    assert {"davies_bouldin_bag", "silhouette_cluster", "sdbw_bag"} <= set(record["indices"])
    assert record["scores"] == {
        **{name: report[name] for name in ("accuracy", "matched_rand_index", "entropy", "f1")},
        "adjusted_rand": report["adjusted_rand"],
        "largest_class": 20 / 30,
    }
    arrays, meta = read_archive("out/result.npz")
    assert arrays["labels"].tolist() == model.labels_.tolist()
    np.testing.assert_allclose(arrays["centers"], model.cluster_centers_)
    assert meta["seed"] == 5
    history = pd.read_csv("out/history.csv")
    assert history["generation"].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(history["min"], model.logbook_.select("min"))
    files = {
        "labels.csv",
        "result.npz",
        "history.csv",
        "bag_distances.png",
        "bag_embedding.png",
        "history.png",
        "report.npz",
        "report.html",
    }
    assert set(record["files"]) == files
    assert {path.name for path in (tmp_path / "out").iterdir()} == files | {"run.json"}
    sizes = sorted(model.cluster_sizes_, reverse=True)
    assert re.search(rf"clusters +3 of {', '.join(map(str, sizes))} bags; the smallest has", result.stdout)
    assert re.search(rf"Davies-Bouldin +{model.fitness_:.4f}", result.stdout)
    assert f"30 bags of 2 to 4 instances ({bags.bags.n_instances} in total), 2 features" in result.stdout


@pytest.mark.slow
def test_same_from_every_kind_of_file(run, bags):
    options = ("--method", "chcmic", "-k", 3, *SMALL, "--quiet", "--out")
    of_csv = ("--bag", "molecule", "--labels", "kind", "--drop", "some")
    for data in ("bags.arff.gz", "bags.npz", "bags.dat", "bags.csv"):
        extra = of_csv if data == "bags.csv" else ()
        result = run("fit", data, *extra, *options, f"{data}.out")
        assert (result.exit_code, result.output) == (0, "")
    frames = [pd.read_csv(f"bags.{kind}.out/labels.csv") for kind in ("arff.gz", "npz", "dat", "csv")]
    assert all(frame.equals(frames[0]) for frame in frames)
    scores = [record_of(f"bags.{kind}.out")["scores"] for kind in ("arff.gz", "npz", "dat", "csv")]
    assert all(each == scores[0] for each in scores)
    run("fit", "bags.npz", *options, "again")
    with open("bags.npz.out/labels.csv", "rb") as one, open("again/labels.csv", "rb") as two:
        assert one.read() == two.read()


@pytest.mark.slow
def test_classes_cannot_reach_the_fit(run, bags, tmp_path, monkeypatch):
    seen = []
    original = MIKMeans.fit

    def fit(self, X, y=None, **options):
        seen.append((X, y, options))
        return original(self, X, y, **options)

    monkeypatch.setattr(MIKMeans, "fit", fit)
    shuffled = np.random.default_rng(4).permutation(bags.labels)
    write_bag_arff(tmp_path / "other.arff", BagTable(bags.bags, shuffled, bags.label_names, "made"))
    for data, out in (("bags.arff.gz", "one"), ("other.arff", "two")):
        assert run("fit", data, "--method", "mi-kmeans", "-k", 3, "--quiet", "--out", out).exit_code == 0
    with open("one/labels.csv", "rb") as one, open("two/labels.csv", "rb") as two:
        assert one.read() == two.read()
    assert record_of("one")["scores"] != record_of("two")["scores"]
    for X, y, options in seen:
        assert bags.bags == X
        assert y is None
        assert options == {}


def test_partial_labels_and_pairs_reach_the_fit(run, bags, monkeypatch):
    seen = {}
    original = BAMIC.fit

    def fit(self, X, y=None, **options):
        seen.update(options, X=X, y=y)
        return original(self, X, y, **options)

    monkeypatch.setattr(BAMIC, "fit", fit)
    with open("must.csv", "w") as file:
        file.write("b1,b2\n")
    with open("cannot.csv", "w") as file:
        file.write("b4,b5\nb1,b7\n")
    result = run(
        "fit", "bags.csv", "--bag", "molecule", "--labels", "kind", "--partial-labels", "some", "--must-link",
        "must.csv", "--cannot-link", "cannot.csv", "--method", "bamic", "-k", 2, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert seen["X"].feature_names == ("u", "v")
    assert seen["y"].tolist() == np.where(np.arange(30) % 3 == 0, bags.labels, -1).tolist()
    assert seen["must_link"].tolist() == [[1, 2]]
    assert seen["cannot_link"].tolist() == [[4, 5], [1, 7]]
    labels = pd.read_csv("out/labels.csv")["label"]
    assert labels[1] == labels[2]
    record = record_of()
    assert record["supervision"]["partial_labels"] == {"column": "some", "n_labelled": 10}
    assert record["supervision"]["cannot_link"] == {"file": "cannot.csv", "n_pairs": 2}
    unlabelled = np.arange(30) % 3 != 0
    expected = bag_report(None, labels[unlabelled], bags.labels[unlabelled], indices={})["accuracy"]
    assert record["scores"]["accuracy_unlabelled"] == expected
    assert "medoids" in read_archive("out/result.npz")[0]


def test_minus_one_is_an_unlabelled_bag(run, bags, monkeypatch):
    seen = {}
    monkeypatch.setattr(BAMIC, "fit", lambda self, X, y=None: seen.update(y=y) or 1 / 0)
    labels = np.where(np.arange(30) < 5, 7, -1)
    np.savez(
        "partly.npz", instances=bags.bags.instances, bag_offsets=bags.bags.offsets, bag_labels=bags.labels,
        some=labels,
    )  # fmt: skip
    run(
        "fit",
        "partly.npz",
        "--labels",
        "bag_labels",
        "--partial-labels",
        "some",
        "--method",
        "bamic",
        "--out",
        "o",
    )
    assert seen["y"].tolist() == np.where(np.arange(30) < 5, 0, -1).tolist()


def test_unknown_classes_are_not_scored(run, bags, tmp_path):
    labels = bags.labels.copy()
    labels[::4] = -1
    write_bag_arff(tmp_path / "gaps.arff", BagTable(bags.bags, labels, bags.label_names, "gaps"))
    run("fit", "gaps.arff", "--method", "mi-kmeans", "-k", 2, "--quiet", "--out", "out")
    found = pd.read_csv("out/labels.csv")["label"].to_numpy()
    known = labels >= 0
    report = bag_report(None, found[known], labels[known], indices={})
    scores = record_of()["scores"]
    assert scores["entropy"] == report["entropy"]
    assert scores["f1"] == report["f1"]
    assert scores["largest_class"] == np.bincount(labels[known]).max() / known.sum()
    run(
        "fit", "plain.csv", "--bag", "molecule", "--method", "mi-kmeans", "-k", 2, "--quiet", "--out", "plain"
    )
    assert record_of("plain")["scores"] == {}


def test_undefined_indices_are_null(run, tmp_path):
    rows = "".join(f"{bag},1,2\n" for bag in "aabbcc")
    (tmp_path / "same.csv").write_text(f"bag,u,v\n{rows}")
    result = run("fit", "same.csv", "--bag", "bag", "--method", "mi-kmeans", "-k", 2, "--out", "out")
    assert result.exit_code == 0, result.output
    indices = record_of()["indices"]
    assert indices["davies_bouldin_bag"] is None
    assert re.search(r"Davies-Bouldin +undefined", result.stdout)


@pytest.mark.slow
def test_silhouettes_are_left_out_of_large_data(run, bags, monkeypatch):
    monkeypatch.setattr(describe_module, "MOST_BAGS", 20)
    result = run("fit", "bags.npz", "--method", "mi-kmeans", "-k", 3, "--out", "out")
    assert result.exit_code == 0, result.output
    report = bag_report(BagTransformer().fit_transform(bags.bags), pd.read_csv("out/labels.csv")["label"])
    indices = record_of()["indices"]
    assert set(indices) == {"davies_bouldin_bag", "sdbw_bag"}
    assert indices["davies_bouldin_bag"] == pytest.approx(report["davies_bouldin_bag"])
    assert "silhouette" not in result.stdout


@pytest.mark.slow
def test_least_size_and_the_remark_about_small_clusters(run, tmp_path):
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(39, 2)), [[40.0, 40.0]]])
    frame = pd.DataFrame(points, columns=["u", "v"]).assign(bag=[f"x{i}" for i in range(40)])
    pd.concat([frame, frame.assign(u=frame["u"] + 0.1)]).to_csv(tmp_path / "far.csv", index=False)
    common = ("fit", "far.csv", "--bag", "bag", "--method", "memetic-chcmic", "-k", 2, *SMALL)
    loose = run(*common, "--set", "min_cluster_size=1", "--out", "loose")
    assert record_of("loose")["result"]["smallest_cluster"] == 1
    assert "A cluster contains only 1 of 40 bags" in loose.stdout
    assert "--set min_cluster_size=N" in loose.stdout
    assert re.search(r"39, 1 bags; the smallest has 1 bag \(2\.5%\)", loose.stdout)
    tight = run(*common, "--set", "min_cluster_size=10", "--out", "tight")
    assert record_of("tight")["result"]["smallest_cluster"] >= 10
    assert record_of("tight")["parameters"]["min_cluster_size"] == 10
    assert "A cluster contains only" not in tight.stdout


@pytest.mark.slow
def test_resumed_run_equals_an_uninterrupted_one(run, bags, tmp_path):
    common = (
        "fit",
        "bags.npz",
        "--method",
        "memetic-chcmic",
        "-k",
        3,
        "--set",
        "pop_size=8",
        "--quiet",
        "--out",
    )
    assert run(*common, "whole", "--set", "n_gen=6").exit_code == 0
    (tmp_path / "cut").mkdir()
    METHODS["memetic-chcmic"].load()(
        3, pop_size=8, n_gen=3, random_state=0, checkpoint=str(tmp_path / "cut" / "checkpoint.npz"),
        checkpoint_every=1,
    ).fit(bags.bags)  # fmt: skip
    assert (tmp_path / "cut" / "checkpoint.npz").exists()
    assert run(*common, "cut", "--set", "n_gen=6", "--resume").exit_code == 0
    assert not (tmp_path / "cut" / "checkpoint.npz").exists()
    with open("whole/labels.csv", "rb") as one, open("cut/labels.csv", "rb") as two:
        assert one.read() == two.read()
    one, two = (pd.read_csv(f"{name}/history.csv").drop(columns="seconds") for name in ("whole", "cut"))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.bags])
def test_every_method_of_bags(run, bags, method):
    flags = SMALL if "genetic" in METHODS[method].summary or "CHC" in METHODS[method].summary else ()
    result = run("fit", "bags.arff.gz", "--method", method, "-k", 3, *flags, "--out", "out")
    assert result.exit_code == 0, result.output
    assert record_of()["result"]["n_clusters"] == 3
    assert "bag_embedding.png" in record_of()["files"]


@pytest.mark.slow
def test_generations_are_short_for_a_setting(run, slices, table):
    assert (
        run("fit", "wine", "-k", 3, "--set", "n_gen=2", "--set", "pop_size=10", "--out", "out").exit_code == 0
    )
    assert record_of()["parameters"]["n_gen"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "bags.arff.gz --method pesc -k 2",
            "bags.arff.gz contains bags of instances, but method pesc accepts only single samples; "
            "methods that accept bags are pareto-bags, bamic, .*memetic-chcmic$",
        ),
        (
            "bags.npz --method nsga2-clus",
            "bags.npz contains bags of instances, but method nsga2-clus accepts",
        ),
        (
            "bags.csv --bag molecule --method pesc -k 2",
            "--bag molecule groups the rows of bags.csv into bags, but method pesc",
        ),
        (
            "bags.csv --method chcmic",
            "chcmic requires bags of instances, but bags.csv contains single samples.*--bag COLUMN",
        ),
        ("wine --method chcmic", "chcmic requires bags of instances, but wine contains single samples"),
        ("wine --bag x --method chcmic", "--bag cannot be used with the bundled data set"),
        ("bags.csv --bag molecul --method chcmic", r"no column 'molecul' \(--bag\); did you mean 'molecule'"),
        (
            "text.csv --bag bag --method chcmic",
            "'t' is not numeric .* drop it with --drop 't', or if .* --labels 't'$",
        ),
        ("bags.npz --bag x --method chcmic", "not by a column; omit --bag 'x'$"),
        (
            "bags.npz --id-column x --method chcmic",
            "--id-column does not apply to bags",
        ),
        (
            "bags.npz --svd 3 --method chcmic",
            "be used only for documents, but bags.npz is read as bags of instances$",
        ),
        ("bags.npz --method bamic --checkpoint-every 3", "bamic writes no checkpoints"),
        ("bags.npz --method bamic --set n_gen=3", "method bamic has no option 'n_gen'"),
        (
            "bags.npz --method chcmic --set min_cluster_size=0",
            "'min_cluster_size' parameter of CHCMIC must be an int in the range",
        ),
        ("bags.npz --method chcmic -k 40", "n_clusters=40 must not exceed the number of bags"),
        ("bags.npz --method chcmic -k 4 --set min_cluster_size=8", "require at least 32 bags, got 30"),
        ("bags.npz --method chcmic --labels y", "no array 'y'"),
        (
            "class.csv --bag bag --partial-labels some --method chcmic",
            "'class' would be a feature.*--labels class, or exclude it with --drop class",
        ),
        (
            "class.csv --bag bag --labels class --partial-labels class --method chcmic",
            "column 'class' cannot be both",
        ),
        (
            "none.csv --bag bag --labels class --partial-labels none --method chcmic",
            r"column 'none' \(--partial-labels\) contains no labels",
        ),
        (
            "mixed.csv --bag bag --method chcmic",
            "; specify the class column with --labels COLUMN, or drop it with --drop 'class'$",
        ),
        ("gap.csv --bag bag --method chcmic", "fill it in, or drop the column with --drop 'u'$"),
        ("broken.arff.gz --method chcmic", "is not a valid gzip file|is truncated"),
        ("none.arff --method chcmic", "file none.arff does not exist"),
        ("none.arff", "file none.arff does not exist"),
    ],
)
def test_mistakes(fails, bags, tmp_path, arguments, message):
    for name, text in {
        "class.csv": "bag,u,class,some\na,1,0,x\na,2,0,x\nb,1,1,\nb,3,1,\n",
        "none.csv": "bag,u,class,none\na,1,0,\na,2,0,\nb,1,1,\n",
        "mixed.csv": "bag,u,class\na,1,x\na,2,y\nb,1,x\n",
        "text.csv": "bag,u,t,class\na,1,x,1\na,2,y,1\nb,1,x,0\n",
        "gap.csv": "bag,u\na,1\na,\nb,2\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken.arff.gz").write_bytes(gzip.compress(b"@relation x\n" * 50)[:-12])
    assert re.search(message, fails("fit", *arguments.split(), "--out", "out"))
    assert not (tmp_path / "out").exists()


def test_list_says_which_methods_take_bags(run):
    entries = run("methods").stdout.split("\n\n")
    shown = {entry.split()[0]: "bags of instances (" in " ".join(entry.split()) for entry in entries}
    assert shown == {name: method.bags for name, method in METHODS.items()}


@pytest.mark.slow
def test_pictures_show_the_scale_of_the_fit(run, bags, monkeypatch):
    from moo_clustering.visualization import bags as pictures

    seen = {}
    original = pictures.plot_bag_distances

    def plot(data, labels, **options):
        seen.update(data=data, labels=labels)
        return original(data, labels, **options)

    monkeypatch.setattr(pictures, "plot_bag_distances", plot)
    assert run("fit", "bags.npz", "--method", "bamic", "-k", 3, "--out", "out").exit_code == 0
    expected = bag_distances(BagTransformer().fit_transform(bags.bags))
    np.testing.assert_allclose(bag_distances(seen["data"]), expected)
    assert not math.isclose(bag_distances(bags.bags).max(), expected.max())
    assert seen["labels"].tolist() == pd.read_csv("out/labels.csv")["label"].tolist()
