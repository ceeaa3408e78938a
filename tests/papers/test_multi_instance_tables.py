"""The multi-instance tables on small generated bags, through the command."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from moo_clustering.bags import Bags
from moo_clustering.datasets import DataError, make_bags
from papers import multi_instance as _cells
from papers import multi_instance_tables as _plan
from papers.__main__ import reproduce
from papers.multi_instance import (
    EFFORT,
    ENTRIES,
    Task,
    average_linkage,
    load_bag_sets,
    mirrored_distances,
    random_labels,
    run_task,
    scores,
    spectral,
)
from papers.multi_instance_tables import DATASETS, ERRATA, METHODS, PUBLISHED
from papers.runner import Settings, find_experiment

FILES = {"musk1": 14, "img_tiger": 16, "eastwest": 12}
VIEWS = ("table4", "table5", "table6", "table7", "table8", "fig1", "fig2")


def written(path, n_bags, seed, **changes):
    table = make_bags(n_bags, 2, bag_size=(1, 4), bag_std=6.0, random_state=seed)
    arrays = {"instances": table.bags.instances, "bag_offsets": table.bags.offsets}
    np.savez(path, **{**arrays, "bag_labels": table.labels, **changes})


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    place = tmp_path_factory.mktemp("data") / "mil"
    place.mkdir()
    for seed, (name, n_bags) in enumerate(FILES.items()):
        written(place / f"{name}.npz", n_bags, seed)
    written(place / "thioredoxin.npz", 10, 3)
    return place.parent


@pytest.fixture(autouse=True)
def less_effort(monkeypatch):
    for size in EFFORT:
        monkeypatch.setitem(EFFORT, size, {"pop_size": 6, "n_gen": 2})
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)


def command(*arguments, view="table3", data=None):
    given = [] if data is None else ["--data", data]
    return CliRunner().invoke(
        reproduce, [str(part) for part in (f"multi-instance-{view}", *given, *arguments)]
    )


@pytest.fixture(scope="module")
def study(data, tmp_path_factory):
    """Folder with all views of two seeds, and what the command said about each."""
    folder = tmp_path_factory.mktemp("study") / "all"
    with pytest.MonkeyPatch.context() as patch:
        for size in EFFORT:
            patch.setitem(EFFORT, size, {"pop_size": 6, "n_gen": 2})
        patch.setattr(_cells, "perf_counter", lambda: 0.0)
        said = {"table3": command("--out", folder, "--seeds", 2, data=data)}
        cells = (folder / "results.jsonl").read_bytes()
        patch.setattr(_plan, "run_task", None)
        for view in VIEWS:
            said[view] = command("--out", folder, "--seeds", 2, view=view, data=data)
    for view, result in said.items():
        assert result.exit_code == 0, (view, result.output, result.exception)
    # Other views compute nothing.
    assert (folder / "results.jsonl").read_bytes() == cells
    return folder, {view: result.stdout for view, result in said.items()}


def table(folder, name):
    return list(csv.DictReader((folder / f"{name}.csv").read_text().splitlines()))


def runs(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()[1:]
    return [json.loads(line) for line in lines]


def row(rows, **wanted):
    (found,) = [r for r in rows if all(r[name] == value for name, value in wanted.items())]
    return found


def failure(result):
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.mark.nightly
def test_every_method_runs_on_every_set_and_seed(study):
    folder, _ = study
    found = runs(folder)
    assert len(found) == len(FILES) * 2 * len(ENTRIES)
    for run in found:
        value = run["value"]
        assert len(value["labels"]) == FILES[run["key"]["set"]]
        assert value["n_clusters"] == len(set(value["labels"])) == 2
        assert value["smallest_cluster"] == min(value["cluster_sizes"])
        genetic = ENTRIES[run["key"]["method"], run["key"]["reading"]].effort == "genetic"
        assert not genetic or value["evaluations"] >= 6
        tried = run["key"]["method"] in ("MIGKA", "CHCMIC", "MemeticCHCMIC")
        assert (value["trials"] or 0) > 0 if tried else not value["trials"]


@pytest.mark.slow
def test_tables_hold_the_means_of_the_cells(study):
    folder, _ = study
    found = runs(folder)

    def values(method, reading, score):
        return [
            run["value"][score]
            for run in found
            if (run["key"]["set"], run["key"]["method"], run["key"]["reading"]) == ("musk1", method, reading)
        ]

    db = table(folder, "table3-db")
    published = row(db, set="Musk1", whose="paper")
    assert [float(published[name]) for name in METHODS] == list(PUBLISHED["DB"].values[0])
    wanted = values("CHCMIC", "table", "davies_bouldin_instance")
    text = f"{np.mean(wanted):.3f} ± {np.std(wanted, ddof=1):.3f}"
    assert row(db, set="Musk1", whose="here, as in the tables")["CHCMIC"] == text
    wanted = values("BAMIC", "", "davies_bouldin_bag")
    shown = row(db, set="Musk1", whose="here, defaults")["BAMIC"]
    assert shown == f"{np.mean(wanted):.3f} ± {np.std(wanted, ddof=1):.3f}"
    everything = table(folder, "table3-methods")
    assert len(everything) == len(FILES) * 2 * 11
    shown = row(everything, set="Musk1", reading="defaults", method="MIGKA")
    assert float(shown["S"]) == pytest.approx(np.mean(values("MIGKA", "default", "silhouette_cluster")))
    assert float(shown["smallest"]) == np.mean(values("MIGKA", "default", "smallest_cluster"))
    assert float(shown["trials"]) == np.mean(values("MIGKA", "default", "trials"))
    shown = row(everything, set="Musk1", reading="as in the tables", method="MIGCUK, centers='mean'")
    assert float(shown["S"]) == pytest.approx(np.mean(values("MIGCUK", "table", "silhouette_printed")))
    # Both readings show what has none.
    controls = [r for r in everything if r["method"] == "spectral" and r["set"] == "Musk1"]
    assert [r["reading"] for r in controls] == ["as in the tables", "defaults"]
    assert controls[0]["smallest"] == controls[1]["smallest"]


@pytest.mark.slow
def test_tiger_is_beside_both_rows(study):
    folder, _ = study
    rows = table(folder, "table6-f1")
    for name, whose in (("ImgT", "paper"), ("ImgF", "paper, its row ImgF")):
        shown = row(rows, set="ImgT", whose=whose)
        assert [float(shown[m]) for m in METHODS] == list(PUBLISHED["F1"].values[DATASETS.index(name)])
    ranks = table(folder, "table7")
    names = [r["whose"].strip() for r in ranks if r["index"] == "RI"]
    assert names == [
        "paper, as printed", "paper, all ten rows", "paper, 3 rows found here",
        "the same, ImgF for ImgT", "here, as in the tables", "here, defaults",
    ]  # fmt: skip
    # E of Musk1, ImgF, EastW, ranked by hand.
    shown = row(ranks, index="E", whose="   the same, ImgF for ImgT")
    places = [(3, 6, 2, 5, 1, 4), (4, 3, 5, 6, 2, 1), (3, 6, 5, 4, 2, 1)]
    wanted = [sum(column) / 3 for column in zip(*places, strict=True)]
    assert [float(shown[m]) for m in METHODS] == pytest.approx(wanted)


def naive_f1(classes, labels, positive):
    """Best of both one-to-one maps of two clusters; the first map on ties, as 0 -> 0, 1 -> 1."""
    maps = [np.asarray(labels), 1 - np.asarray(labels)]
    predicted = max(maps, key=lambda found: int((found == classes).sum()))
    tp = int(((predicted == positive) & (classes == positive)).sum())
    return 2 * tp / (int((predicted == positive).sum()) + int((classes == positive).sum()))


@pytest.mark.slow
def test_swapped_classes_are_scored_from_the_same_runs(study, data):
    folder, said = study
    assert ERRATA["west"] in said["table6"]
    (east,) = load_bag_sets(data, ["eastwest"])
    for metric in ("ri", "e"):
        rows = table(folder, f"table6-{metric}")
        for whose in ("here, as in the tables", "here, defaults"):
            shown = [row(rows, set=name, whose=whose) for name in ("EastW", "WestE")]
            assert [shown[0][m] for m in METHODS] == [shown[1][m] for m in METHODS]
    rows = table(folder, "table6-f1")
    for name, positive in (("EastW", 1), ("WestE", 0)):
        shown = row(rows, set=name, whose="here, defaults")
        for method in METHODS:
            f1 = [
                naive_f1(east.classes, run["value"]["labels"], positive)
                for run in runs(folder)
                if run["key"]["set"] == "eastwest"
                and run["key"]["method"] == method
                and run["key"]["reading"] in ("default", "")
            ]
            assert len(f1) == 2
            assert float(shown[method].split()[0]) == pytest.approx(np.mean(f1), abs=6e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("metrics", "ranks", "tests"), [("S DB S_Dbw", 4, 5), ("RI E F1", 7, 8)])
def test_statistics_of_the_published_tables(study, metrics, ranks, tests):
    folder, said = study
    for metric in metrics.split():
        printed = PUBLISHED[metric]
        shown = row(table(folder, f"table{ranks}"), index=metric, whose="paper, all ten rows")
        assert [float(shown[m]) for m in METHODS] == pytest.approx(printed.ranks, abs=1e-9)
        shown = row(table(folder, f"table{tests}"), index=metric, whose="paper, all ten rows")
        assert float(shown["χ²"]) == pytest.approx(printed.statistic, abs=5e-4)
        assert float(shown["p"]) == pytest.approx(printed.p_value, abs=6e-5)
        ours = [r for r in table(folder, f"table{tests}") if r["whose"].startswith("here")]
        assert {r["rows"] for r in ours} == {"3"}
    known = {
        "DB": {"MIGCUK": 0.000146, "MIFGKA": 0.00528, "BAMIC": 0.01886, "MIGKA": 0.01886, "MIKM": 0.1683},
        "S_Dbw": {"BAMIC": 0.0421, "MIGCUK": 0.0421},
        "RI": {"MIGCUK": 0.0421, "MIFGKA": 0.1018},
        "E": {"MIKM": 0.0421, "MIGKA": 0.0598},
    }
    for metric in set(metrics.split()) & set(known):
        shown = row(table(folder, f"table{tests}-pairs"), index=metric, whose="paper, all ten rows")
        for method, p in known[metric].items():
            assert float(shown[method]) == pytest.approx(p, rel=5e-3), (metric, method)
        assert shown["best rank"] == "CHCMIC"
    if tests == 5:
        assert "CHCMIC is better than MIGCUK and MIFGKA (adjusted p = 0.0001 and 0.0053)." in said["table5"]


@pytest.mark.slow
def test_errata_are_said(study):
    _, said = study
    wanted = {
        "table3": ("readings", "order", "swapped", "degenerate", "bold", "shuffled", "trials"),
        "table4": ("once", "tiger", "bold"),
        "table5": ("claims", "once"),
        "table6": ("rand", "log", "seeds", "swapped", "west"),
        "fig1": ("bars",),
    }
    for view, names in wanted.items():
        for name in names:
            assert ERRATA[name] in said[view], (view, name)
    assert "paper's rows Musk2, MutA, MutB, MutC, ImgE, ImgF" in said["table3"]
    assert {name for names in wanted.values() for name in names} == set(ERRATA)


@pytest.mark.slow
def test_figures_are_drawn_beside_their_reports(study):
    folder, said = study
    for number in (1, 2):
        figure = (folder / f"figure{number}.png").read_bytes()
        assert figure.startswith(b"\x89PNG")
        assert len(figure) > 20_000
        report = (folder / f"multi-instance-fig{number}.md").read_text()
        assert f"(figure{number}.png)" in report
        assert f"see multi-instance-fig{number}.md there" in said[f"fig{number}"]
    assert "99%" in (folder / "multi-instance-fig1.md").read_text()
    assert "95%" in (folder / "multi-instance-fig2.md").read_text()


@pytest.mark.slow
def test_goes_on_after_a_kill_and_with_more_seeds(study, data, tmp_path, monkeypatch):
    folder, _ = study
    monkeypatch.setattr(_cells, "perf_counter", lambda: 0.0)
    assert command("--out", tmp_path / "x", "--seeds", 1, data=data).exit_code == 0
    path = tmp_path / "x" / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + len(FILES) * len(ENTRIES)
    path.write_bytes(b"".join(lines[:20]) + lines[20][:50])
    result = command("--out", tmp_path / "x", "--seeds", 2, data=data)
    assert result.exit_code == 0
    assert path.read_bytes().startswith(b"".join(lines[:20]))
    for name in ("scores", "table3-s", "table3-db", "table3-s-dbw", "table3-methods"):
        assert table(tmp_path / "x", name) == table(folder, name), name


@pytest.mark.nightly
def test_two_jobs_give_the_same(study, data, tmp_path):
    folder, _ = study
    asked = ("--seeds", 1, "--sets", "eastwest", "--jobs", 2)
    result = command("--out", tmp_path / "x", *asked, data=data)
    assert result.exit_code == 0, result.output
    alone = {json.dumps(run["key"]): run["value"] for run in runs(folder)}
    for run in runs(tmp_path / "x"):
        assert {**run["value"], "seconds": 0.0} == alone[json.dumps(run["key"])]
    # One set is not enough for tests, and none of ours is shown.
    result = command("--out", tmp_path / "x", *asked, view="table5", data=data)
    assert result.exit_code == 0, result.output
    assert {r["whose"] for r in table(tmp_path / "x", "table5")} == {
        "paper, as printed",
        "paper, all ten rows",
    }
    assert command("--out", tmp_path / "x", *asked, view="fig2", data=data).exit_code == 0


def test_extra_sets_only_on_request(data, tmp_path):
    result = command("--out", tmp_path / "x", "--seeds", 1, "--sets", "musk1, thioredoxin", data=data)
    assert result.exit_code == 0, result.output
    rows = table(tmp_path / "x", "table3-db")
    assert {r["whose"].strip() for r in rows if r["set"] == "thioredoxin"} == {
        "here, as in the tables", "here, defaults", "smallest cluster",
    }  # fmt: skip
    assert [found.name for found in load_bag_sets(data)] == list(FILES)


def test_command_refuses(data, tmp_path):
    out = ("--out", tmp_path / "x")
    assert "set MOO_CLUSTERING_DATA" in failure(command(*out))
    assert "there is none of musk1.npz, musk2.npz" in failure(command(*out, data=tmp_path))
    assert "there is no mutatoms.npz" in failure(command(*out, "--sets", "mutatoms", data=data))
    assert "did you mean 'eastwest'" in failure(command(*out, "--sets", "eastwst", data=data))
    assert "multi-instance-table3 has no setting questions" in failure(
        command(*out, "--questions", 2, data=data)
    )
    result = CliRunner().invoke(reproduce, ["nsga2-clus-table2", "--out", "x", "--sets", "musk1"])
    assert "nsga2-clus-table2 has no setting sets" in failure(result)
    assert not (tmp_path / "x").exists()
    written(tmp_path / "musk1.npz", 8, 0, bag_labels=np.zeros(8, dtype=int))
    with pytest.raises(DataError, match="at least two classes"):
        load_bag_sets(tmp_path)


def test_fifteen_seeds_unless_said_otherwise(data, tmp_path, monkeypatch):
    asked = []

    def noted(experiment, out, settings, **options):
        asked.append(settings)
        raise ValueError("enough")

    monkeypatch.setattr("papers.runner.reproduce", noted)
    command("--out", tmp_path / "x", data=data)
    command("--out", tmp_path / "x", "--seeds", 3, "--sets", "musk1,eastwest", data=data)
    CliRunner().invoke(reproduce, ["nsga2-clus-table2", "--out", "x"])
    assert [(settings.seeds, settings.sets) for settings in asked] == [
        (15, ()), (3, ("musk1", "eastwest")), (1, ()),
    ]  # fmt: skip
    plan = find_experiment("multi-instance-fig2").plan(Settings(data, seeds=15))
    assert len(plan.cells) == 15 * len(FILES) * len(ENTRIES)
    assert len({json.dumps(key) for key in plan.cells}) == len(plan.cells)


def test_partitions_come_back_in_the_order_of_the_file(data):
    (musk,) = load_bag_sets(data, ["musk1"])
    direct = average_linkage(musk.bags, 2, 0)
    same = (direct[:, None] == direct).astype(int)
    for seed in range(3):
        labels = np.array(run_task(Task(musk, "average linkage", "", seed, EFFORT))["labels"])
        assert labels[0] == 0
        assert ((labels[:, None] == labels).astype(int) == same).all()


def test_controls():
    bags = Bags.from_list([[[0.0], [1.0]], [[0.5]], [[9.0]], [[8.0], [8.5]], [[0.2]]])
    for method in (average_linkage, spectral):
        labels = method(bags, 2, 0)
        assert (labels == labels[0]).tolist() == [True, True, False, False, True]
    assert len(spectral(Bags.from_list([[[1.0]]] * 5), 2, 0)) == 5
    draws = [random_labels(bags, 3, seed) for seed in range(30)]
    assert all(set(draw.tolist()) == {0, 1, 2} for draw in draws)
    assert len({tuple(draw) for draw in draws}) > 10


def test_half_of_the_distances_counts_for_both_directions():
    # Directed: from {0, 2} to {0} 2, back 0; {0, 2} and {5}: 5, 3; {0} and {5}: 5.
    bags = Bags([[0.0], [2.0], [0.0], [5.0]], [0, 2, 3, 4])
    assert mirrored_distances(bags).tolist() == [[0, 2, 5], [2, 0, 5], [5, 5, 0]]
    numbered = Bags(bags.instances, bags.offsets, bag_ids=["10", "9", "11"])
    assert mirrored_distances(numbered).tolist() == [[0, 0, 5], [0, 0, 5], [5, 5, 0]]
    named = Bags(bags.instances, bags.offsets, bag_ids=["b10", "b9", "b8"])
    assert mirrored_distances(named).tolist() == [[0, 2, 5], [2, 0, 5], [5, 5, 0]]


def test_printed_accuracies_are_means_of_five_runs():
    n_bags = dict(zip(DATASETS, (92, 102, 188, 188, 188, 200, 200, 200, 20, 20), strict=True))
    steps = PUBLISHED["RI"].frame().mul([5 * n_bags[name] for name in DATASETS], axis=0)
    off = (steps - steps.round()).abs() > 5e-5 * 5 * steps.index.map(n_bags).to_numpy()[:, None] + 1e-9
    assert [(name, method) for name in DATASETS for method in METHODS if off.loc[name, method]] == [
        ("ImgE", "BAMIC")
    ]


def test_a_single_train_gives_the_printed_figures(data_folder):
    if not (data_folder / "mil" / "eastwest.npz").exists():
        pytest.skip("no East-West set in the data folder")
    (trains,) = load_bag_sets(data_folder, ["eastwest"])
    labels = np.array([int(name == "100") for name in trains.bags.bag_ids], dtype=np.int32)
    found = scores(trains, labels)
    printed = {metric: PUBLISHED[metric].frame()["MIFGKA"] for metric in PUBLISHED}
    assert found["silhouette_printed"] == pytest.approx(printed["S"]["EastW"], abs=5e-5)
    assert found["sdbw_printed"] == pytest.approx(printed["S_Dbw"]["EastW"], abs=5e-5)
    assert found["matched_rand_index"] == pytest.approx(printed["RI"]["EastW"])
    assert found["entropy"] == pytest.approx(printed["E"]["EastW"], abs=5e-5)
    assert found["f1"] == pytest.approx(printed["F1"]["EastW"], abs=5e-5)
    # 20/29 exactly; the paper prints 0.6898.
    assert found["f1_swapped"] == pytest.approx(printed["F1"]["WestE"], abs=2e-4)


def test_real_sets_have_all_cells(data_folder):
    if not (data_folder / "mil" / "musk1.npz").exists():
        pytest.skip("no multi-instance sets in the data folder")
    plan = find_experiment("multi-instance-table3").plan(Settings(data_folder, seeds=2))
    names = list(dict.fromkeys(key["set"] for key in plan.cells))
    assert "thioredoxin" not in names
    assert len(plan.cells) == 2 * len(names) * len(ENTRIES)
