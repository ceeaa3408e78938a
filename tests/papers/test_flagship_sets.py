"""Sets with classes from folders that nobody prepared."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from moo_clustering.datasets import DataError
from papers.flagship_generated import STRUCTURED
from papers.flagship_sets import MOST_ROWS, coded, frame_table, json_texts, load_suite, made_set


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)


def two_groups(n=24, d=3, seed=0):
    y = np.arange(n) % 2
    return np.random.default_rng(seed).normal(size=(n, d)) * [1, 40, 1][:d] + 5 * y[:, None], y


def by_name(suite):
    return {one.name: one for one in suite.sets}


def reasons(suite):
    return {one.file: one.reason for one in suite.skipped}


@pytest.fixture
def folder(tmp_path):
    X, y = two_groups()
    np.savez(tmp_path / "plain.npz", X=X, y=y)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.assign(Class=np.where(y, "yes", "no"), more=1.5).to_csv(tmp_path / "named.csv", index=False)
    frame.assign(last=y).to_csv(tmp_path / "last.tsv", index=False, sep="\t")
    frame.assign(target=y).to_parquet(tmp_path / "binary.parquet")
    (tmp_path / "notes.md").write_text("not data")
    (tmp_path / "broken.npz").write_bytes(b"nothing")
    np.savez(tmp_path / "bags.npz", instances=X)
    frame.assign(price=np.random.default_rng(1).random(24)).to_csv(tmp_path / "prices.csv", index=False)
    return tmp_path


def test_every_file_that_can_be_read_is_a_set_and_the_rest_has_a_reason(folder):
    suite = load_suite(folder)
    assert [one.name for one in suite.sets] == ["binary", "last", "named", "plain"]
    assert {one.n_classes for one in suite.sets} == {2}
    assert {one.kind for one in suite.sets} == {"o"}
    found = reasons(suite)
    assert set(found) == {"notes.md", "broken.npz", "bags.npz", "prices.csv"}
    assert "measurements" in found["prices.csv"]
    assert "instances" in found["bags.npz"]
    assert not any("\n" in reason or str(folder) in reason for reason in found.values())


def test_the_same_rows_are_read_from_every_format(folder):
    sets = by_name(load_suite(folder))
    for name in ("last", "binary"):
        assert np.allclose(sets[name].table, sets["plain"].table)
        assert (sets[name].classes == sets["plain"].classes).all()
    # Column "Class" is not the last one.
    assert sets["named"].table.shape[1] == 4


def test_rows_are_shuffled_once_and_cut():
    n = MOST_ROWS + 50
    X, y = np.arange(n, dtype=float)[:, None] * [1, 2], np.arange(n) % 3
    found = made_set("many", "u", X, y)
    order = np.random.default_rng(0).permutation(n)[:MOST_ROWS]
    assert (found.table[:, 0] == order).all()
    assert (found.classes == y[order]).all()
    assert found.head(40).table.shape == (40, 2)
    assert (found.head(40).table == found.table[:40]).all()


def test_scales_by_kind(tmp_path):
    X, y = two_groups()
    for place in ("shapes", "uci"):
        (tmp_path / place).mkdir()
        np.savez(tmp_path / place / f"of_{place}.npz", X=X, y=y)
    near = X / X.std(axis=0) * [1, 2, 3]
    np.savez(tmp_path / "near.npz", X=near, y=y)
    sets = by_name(load_suite(tmp_path))
    assert {name: (one.kind, one.scale) for name, one in sets.items()} == {
        "of_shapes": ("s", "isotropic"),
        "of_uci": ("u", "standard"),
        "digits": ("d", "isotropic"),
        "near": ("o", "isotropic"),
    }
    assert np.allclose(sets["of_uci"].features().std(axis=0), 1)
    isotropic = sets["of_shapes"].features()
    assert np.allclose(isotropic.mean(axis=0), 0)
    assert np.isclose(np.sqrt((isotropic**2).mean()), 1)
    assert np.allclose(isotropic.std(axis=0) / isotropic.std(), sets["of_shapes"].table.std(axis=0)
                       / np.sqrt((sets["of_shapes"].table.var(axis=0)).mean()))  # fmt: skip


def test_noise_is_no_class():
    assert coded(np.array([0, 1, -1, 1])).tolist() == [0, 1, -1, 1]
    # -1 and 1 are the usual names of two classes.
    assert coded(np.array([-1, 1, 1])).tolist() == [0, 1, 1]
    assert coded(np.array(["b", "a", None, "b"], dtype=object)).tolist() == [1, 0, -1, 1]
    X, y = two_groups(30)
    found = made_set("noisy", "s", X, np.where(np.arange(30) < 5, -1, y))
    assert (found.n_classes, found.n_noise) == (2, 5)


def test_missing_values_are_medians_and_categories_indicators(tmp_path):
    lines = ["a,colour,name,class"]
    lines += [
        f"{'?' if i == 3 else i},{['red', 'blue'][i % 2]},{'x' * i + 'z'},{'uv'[i % 2]}" for i in range(24)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    table = frame_table(tmp_path / "t.csv")
    assert table.X.shape == (24, 3)
    assert "without name" in table.note
    found = by_name(load_suite(tmp_path))["t"]
    # The median of 0..23 without 3 is 12.
    row = np.random.default_rng(0).permutation(24).tolist().index(3)
    assert found.table[row, 0] == 12
    assert "1 missing" in found.note


def test_a_table_without_a_header(tmp_path):
    X, y = two_groups()
    pd.DataFrame(X).assign(y=np.where(y, "Iris-a", "Iris-b")).to_csv(
        tmp_path / "t.data", index=False, header=False
    )
    table = frame_table(tmp_path / "t.data")
    assert table.X.shape == X.shape
    assert np.allclose(table.X, X)


def test_texts(tmp_path):
    words = {"sea": "ship water wave harbour sail", "sky": "cloud bird wind feather wing"}
    rng = np.random.default_rng(0)
    with gzip.open(tmp_path / "news.jsonl.gz", "wt") as file:
        for i in range(26):
            label = ["sea", "sky"][i % 2] if i < 24 else ["sea", "sky"]
            text = " ".join(rng.choice(words[["sea", "sky"][i % 2]].split(), 12))
            file.write(json.dumps({"id": str(i), "text": text, "labels": label}) + "\n")
    (tmp_path / "other.jsonl").write_text('{"text": "no label"}\n')
    found = json_texts(tmp_path / "news.jsonl.gz")
    assert len(found.texts) == 24
    suite = load_suite(tmp_path)
    (news,) = suite.sets
    assert (news.kind, news.scale, news.n_classes) == ("t", "none", 2)
    assert "no field" in reasons(suite)["other.jsonl"]
    assert news.features().shape[0] == 24


def test_without_a_folder_there_are_sets_of_scikit_learn():
    suite = load_suite(None, ["iris"])
    assert by_name(suite)["iris"].n_samples == 150


def test_what_cannot_be_used(tmp_path, folder):
    with pytest.raises(ValueError, match="did you mean 'plain'"):
        load_suite(folder, ["plane"])
    with pytest.raises(DataError, match="no folder"):
        load_suite(tmp_path / "nowhere")
    for y, message in (
        (np.zeros(20), "single class"),
        (np.arange(20), "not classes"),
        ([0, 1], "fewer than"),
    ):
        with pytest.raises(DataError, match=message):
            made_set("one", "u", np.ones((len(y), 2)), np.asarray(y, dtype=int))


def test_files_of_one_name_are_told_apart(tmp_path):
    X, y = two_groups()
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        np.savez(tmp_path / place / "same.npz", X=X, y=y)
    assert [one.name for one in load_suite(tmp_path).sets] == ["a/same", "b/same"]
    assert [one.name for one in load_suite(tmp_path, ["b/same"]).sets] == ["b/same"]


@pytest.mark.parametrize("form", ["moo_clustering run", "moo_clustering experiment"])
def test_what_this_package_wrote_is_no_set(folder, form):
    X, y = two_groups()
    for place, record in {
        "own": json.dumps({"format": form}),
        "other": '{"format": "a run"}',
        "odd": "[",
    }.items():
        (folder / place / "below").mkdir(parents=True)
        (folder / place / "run.json").write_text(record)
        pd.DataFrame(X).assign(label=y).to_csv(folder / place / f"{place}.csv", index=False)
        pd.DataFrame(X).assign(label=y).to_csv(folder / place / "below" / f"{place}-below.csv", index=False)
    suite = load_suite(folder)
    assert {"other", "other-below", "odd", "odd-below"} <= set(by_name(suite))
    own = {"own/run.json", "own/own.csv", "own/below/own-below.csv"}
    assert {file for file, reason in reasons(suite).items() if "a run of this package" in reason} == own


def test_a_folder_without_a_set_says_why(tmp_path):
    with pytest.raises(DataError, match=r"contains no set with classes \(no files\)"):
        load_suite(tmp_path)
    (tmp_path / "notes.md").write_text("not data")
    (tmp_path / "small.csv").write_text("a,class\n1,x\n2,y\n")
    told = r"notes.md: of an unsupported type; small.csv: 2 rows with a class, fewer than"
    with pytest.raises(DataError, match=told):
        load_suite(tmp_path)


def test_generated_sets():
    suite = load_suite(None, ["generated/nested/0", "iris"])
    nested = next(one for one in suite.sets if one.kind == "g")
    assert (nested.name, nested.note) == ("generated/nested/0", "nested")
    assert suite.sets[0].name == "iris"
    assert len(load_suite(None, ["generated"]).sets) == 3 * len(STRUCTURED)


def test_the_folder_of_the_environment(folder, monkeypatch):
    monkeypatch.setenv("MOO_CLUSTERING_DATA", str(folder))
    assert [one.name for one in load_suite(None).sets] == ["binary", "last", "named", "plain"]
    monkeypatch.setenv("MOO_CLUSTERING_DATA", str(folder / "nowhere"))
    with pytest.raises(DataError, match=r"there is no folder .*nowhere"):
        load_suite(None)


def test_hidden_files_are_passed_over(folder):
    (folder / ".cache").mkdir()
    for place in (folder, folder / ".cache"):
        (place / ".plain.npz").write_bytes((folder / "plain.npz").read_bytes())
    (folder / ".cache" / "more.npz").write_bytes((folder / "plain.npz").read_bytes())
    suite = load_suite(folder)
    assert set(by_name(suite)) == {"binary", "last", "named", "plain"}
    assert not any(file.startswith(".") for file in reasons(suite))
