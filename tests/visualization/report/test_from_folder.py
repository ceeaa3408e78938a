"""Reports of folders of runs: as saved, of older versions, with missing and damaged parts."""

import json

import numpy as np
import pytest

from moo_clustering.persistence import read_archive, write_archive
from moo_clustering.visualization.report import Column, ReportContent
from moo_clustering.visualization.report.folders import folder_content
from moo_clustering.visualization.report.page import save_content

LABELS = [0, 0, 1, 1, 2]
FRONT = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 2], [0, 1, 2, 3, 4]]
PNG = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture
def folder(tmp_path):
    """A run as an older version left it."""
    path = tmp_path / "run"
    path.mkdir()
    record(path)
    (path / "labels.csv").write_text(
        "row,label\n" + "".join(f"s{row},{label}\n" for row, label in enumerate(LABELS))
    )
    (path / "front.csv").write_text(
        "member,xie_beni,i_index,n_clusters,must_link_satisfied,chosen\n"
        "0,0.5,10.0,2,0.25,False\n1,0.25,20.0,3,1.0,True\n2,0.125,40.0,5,,False\n"
    )
    (path / "history.csv").write_text("generation,seconds,best_xie_beni,empty\n0,0.1,0.7,\n1,0.2,0.5,\n")
    results(path)
    return path


def record(path, **others):
    known = {
        "format": "moo_clustering run",
        "version": 1,
        "status": "complete",
        "command": "fit",
        "method": "nsga2-clus",
        "estimator": "NSGA2Clus",
        "seed": 3,
        "data": {"name": "some.csv", "n_samples": 5},
        "supervision": {},
        "timings": {"fit": 1.25},
        "result": {"n_clusters": 3, "objectives": ["xie_beni", "i_index"]},
    }
    (path / "run.json").write_text(json.dumps(known | others))


def results(path, **others):
    arrays = {"labels": np.array(LABELS), "front_labels": np.array(FRONT, dtype=np.int32)}
    write_archive(path / "result.npz", {k: v for k, v in (arrays | others).items() if v is not None}, {})


def columns(content):
    return {column.name: column for column in content.columns}


def saved(n_samples=5, **others):
    labels = np.array([LABELS[:n_samples], [0] * n_samples], dtype=np.int32)
    names = np.array([f"s{row}" for row in range(n_samples)])
    return ReportContent("as saved", ["result", "other"], labels, names, **others)


def test_front_of_an_older_run(folder):
    content = folder_content(folder)
    assert content.title == "NSGA2Clus on some.csv"
    assert content.labels.tolist() == FRONT
    assert list(content.names) == ["front 0", "front 1, result", "front 2"]
    assert content.chosen == 1
    assert list(content.sample_names) == ["s0", "s1", "s2", "s3", "s4"]
    found = columns(content)
    objectives = [column for column in content.columns if column.is_objective]
    assert [(c.name, c.greater_is_better) for c in objectives] == [("xie_beni", False), ("i_index", True)]
    np.testing.assert_array_equal(found["xie_beni"].values, [0.5, 0.25, 0.125])
    np.testing.assert_array_equal(found["clusters"].values, [2, 3, 5])
    np.testing.assert_array_equal(found["must-links satisfied"].values, [0.25, 1, np.nan])
    assert found["must-links satisfied"].greater_is_better
    assert content.history.to_dict("list") == {
        "generation": [0, 1], "seconds": [0.1, 0.2], "best_xie_beni": [0.7, 0.5]
    }  # fmt: skip
    assert ("random state", "3") in content.facts
    assert ("seconds of the fit", "1.2") in content.facts
    assert np.diag(content.agreement).tolist() == [1, 1, 1]
    assert any("There is no report.npz" in sentence for sentence in content.missing)
    assert any("There is no map" in sentence for sentence in content.missing)
    assert any("rules of choose()" in sentence for sentence in content.missing)


def test_nothing_is_written(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    folder_content(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_the_run_saved_is_taken_as_it_is(folder):
    save_content(folder / "report.npz", saved(columns=[Column("a", np.array([1.0, 2.0]))], missing=["Said."]))
    content = folder_content(folder)
    assert content.title == "as saved"
    assert list(content.missing) == ["Said."]


def test_labels_that_were_changed_after_the_run(folder):
    save_content(folder / "report.npz", saved(chosen=1))
    assert folder_content(folder).missing[-1].startswith("labels.csv has other labels than the result shown")


@pytest.mark.parametrize(
    ("status", "sentence"),
    [("interrupted", "The run was interrupted"), ("running", "The run is still going on")],
)
@pytest.mark.parametrize("is_saved", [True, False])
def test_status_is_told_once(folder, status, sentence, is_saved):
    record(folder, status=status)
    if is_saved:
        save_content(folder / "report.npz", saved(missing=list(folder_content(folder).missing[:1])))
    told = [line for line in folder_content(folder).missing if line.startswith(sentence)]
    assert len(told) == 1


@pytest.mark.parametrize("damage", ["cut", "version", "foreign"])
def test_unreadable_saved_content_is_put_together_from_the_rest(folder, damage):
    path = folder / "report.npz"
    save_content(path, saved())
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-40])
    elif damage == "version":
        arrays, meta = read_archive(path)
        write_archive(path, arrays, meta | {"version": 99})
    else:
        path.write_text("something else")
    content = folder_content(folder)
    assert content.labels.tolist() == FRONT
    assert content.missing[0].startswith("report.npz ")
    assert str(folder) not in content.missing[0]
    assert ("version 99" in content.missing[0]) == (damage == "version")


def test_without_a_front(folder):
    (folder / "front.csv").unlink()
    results(folder, front_labels=None)
    record(folder, result={"n_clusters": 3})
    content = folder_content(folder)
    assert content.labels.tolist() == [LABELS]
    assert list(content.names) == ["result"]
    assert not any(column.is_objective for column in content.columns)
    assert content.chosen == 0


def test_front_whose_partitions_were_not_saved(folder):
    results(folder, front_labels=None)
    content = folder_content(folder)
    assert content.labels.tolist() == [LABELS]
    assert any("The front had 3 members, whose partitions were not saved" in line for line in content.missing)


def test_front_of_another_length(folder):
    results(folder, front_labels=np.array(FRONT[:2]))
    content = folder_content(folder)
    assert content.n_solutions == 2
    assert any("front.csv has 3 members and result.npz 2" in line for line in content.missing)
    assert not any(column.is_objective for column in content.columns)


def test_result_that_is_no_member_of_the_front(folder):
    text = (folder / "front.csv").read_text()
    (folder / "front.csv").write_text(text.replace("True", "False"))
    results(folder, front_labels=np.array([FRONT[0], FRONT[2], FRONT[2]]))
    content = folder_content(folder)
    assert content.chosen == 3
    assert content.labels[3].tolist() == LABELS
    np.testing.assert_array_equal(columns(content)["xie_beni"].values, [0.5, 0.25, 0.125, np.nan])


def test_alternatives_are_rules(folder):
    others = np.array([[0, 0, 0, 0, 1], FRONT[2]])
    results(folder, alternative_labels=others)
    (folder / "alternatives_summary.csv").write_text(
        "alternative,family,n_clusters,xie_beni,score\nalternative-0,km,2,0.75,0.5\nalternative-1,km,5,0.9,0.6\n"
    )
    content = folder_content(folder)
    assert content.rules == {"alternative-0": 3, "alternative-1": 2}
    assert content.names[2] == "front 2, alternative-1"
    assert content.labels[3].tolist() == others[0].tolist()
    # What the front says of a partition stands.
    np.testing.assert_array_equal(columns(content)["xie_beni"].values, [0.5, 0.25, 0.125, 0.75])
    np.testing.assert_array_equal(columns(content)["score"].values, [np.nan, np.nan, 0.6, 0.5])


@pytest.mark.parametrize("name", ["result.npz", "front.csv", "history.csv"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00"])
def test_missing_or_damaged_part(folder, name, content):
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    found = folder_content(folder)
    assert found.labels[found.chosen].tolist() == LABELS
    assert (found.history is None) == (name == "history.csv")
    if content is not None or name == "result.npz":
        assert any(name in sentence for sentence in found.missing)


def test_embedding_is_the_map(folder):
    embedding = np.array([[0.0, 1.0], [4.0, 1.0], [8.0, 1.0], [12.0, 1.0], [16.0, 1.0]])
    results(folder, embedding=embedding)
    plane = folder_content(folder).map
    assert plane.rows.tolist() == [0, 1, 2, 3, 4]
    # All on a line: distances along it stay.
    np.testing.assert_allclose(np.abs(np.diff(plane.positions[:, 0])), 4)
    np.testing.assert_allclose(plane.positions[:, 1], 0, atol=1e-9)


def test_embedding_with_gaps_shows_the_other_samples(folder):
    results(folder, embedding=np.array([[0.0, 1.0], [np.nan, 1.0], [8.0, 2.0], [1.0, np.inf], [16.0, 1.0]]))
    plane = folder_content(folder).map
    assert plane.rows.tolist() == [0, 2, 4]
    assert "2 samples have NaN or infinite values" in plane.note


@pytest.mark.parametrize(
    "embedding", [np.full((5, 2), np.nan), np.zeros((4, 2)), np.zeros((5, 0)), np.zeros(5)]
)
def test_embedding_that_is_none(folder, embedding):
    results(folder, embedding=embedding)
    content = folder_content(folder)
    assert content.map is None
    assert any("There is no map of the samples: the embedding" in line for line in content.missing)


def test_documents_with_their_terms(folder):
    record(folder, data={"name": "d.jsonl", "n_samples": 5, "text": {"n_terms": 9}})
    (folder / "clusters.csv").write_text(
        "cluster,size,document,title,terms\n0,2,s1,A title,heart blood\n1,2,s2,,lung\n2,1,s4,,\n"
    )
    content = folder_content(folder)
    assert content.sample_kind == "document"
    assert content.features_title == "leading terms"
    facts = content.clusters[content.chosen]
    assert [[name for name, _ in fact.features] for fact in facts] == [["heart", "blood"], ["lung"], []]
    assert [fact.typical for fact in facts] == [(1,), (2,), (4,)]


def test_typical_values_of_columns(folder):
    (folder / "clusters.csv").write_text(
        "cluster,size,typical values,a\n0,2,a 3.0 (all: 2.6); b 2.5 (all: 2.0),3.0\n1,2,a 1,1\n2,1,,0\n"
    )
    facts = folder_content(folder).clusters[1]
    assert [name for name, _ in facts[0].features] == ["a 3.0 (all: 2.6)", "b 2.5 (all: 2.0)"]
    assert np.isnan(facts[0].features[0][1])


def test_damaged_clusters(folder):
    (folder / "clusters.csv").write_text("cluster,size\nx,1\n")
    content = folder_content(folder)
    assert content.clusters == {}
    assert any("clusters.csv is damaged" in line for line in content.missing)


def test_bags_with_classes_and_samples_in_none(folder):
    (folder / "labels.csv").write_text("bag,label,class\nb0,0,fox\nb1,0,fox\nb2,1,hare\nb3,1,hare\nb4,-1,\n")
    results(folder, front_labels=None)
    (folder / "front.csv").unlink()
    content = folder_content(folder)
    assert content.sample_kind == "bag"
    assert content.labels.tolist() == [[0, 0, 1, 1, -1]]
    assert content.cluster_names == {0: ["fox", "hare"]}


def test_constraints_that_are_not_there_any_more(folder):
    record(folder, supervision={"must_link": {"file": "m.csv", "n_pairs": 4}})
    assert any("Which pairs of samples" in line for line in folder_content(folder).missing)
    assert not any("Which pairs of samples" in line for line in folder_content_of(folder).missing)


def folder_content_of(folder):
    record(folder)
    return folder_content(folder)


def test_pictures_of_the_run(folder):
    (folder / "similarity.png").write_bytes(PNG)
    (folder / "terms.png").write_text("no picture")
    panels = folder_content(folder).panels
    assert [(panel.title, panel.image) for panel in panels] == [("Similarity", PNG)]


def test_odd_names_stay_text(folder):
    (folder / "labels.csv").write_text('row,label\n<script>,0\nNA,0\n"a,b",1\n001,1\n,2\n')
    assert list(folder_content(folder).sample_names) == ["<script>", "NA", "a,b", "001", ""]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "row,label\ns0,0\ns1,1\n",
            r"front_labels in result\.npz has shape \(3, 5\), and labels\.csv 2 samples",
        ),
        ("row,label\ns0,0\ns1,x\n", r"row 2 has the label 'x'; labels are whole numbers from -1 to 1"),
        ("row,label\ns0,0.5\n", r"row 1 has the label '0\.5'"),
        ("row,label\ns0,\n", r"row 1 has the label ''"),
        ("row,label\ns0,7\n", r"row 1 has the label '7'"),
        ("row,label\n", r"labels\.csv has no samples"),
        ("row,cluster\ns0,1\n", r"no columns of names and of labels"),
        ("label\n1\n", r"no columns of names and of labels"),
        ("", r"labels\.csv is damaged"),
    ],
)
def test_labels_that_cannot_be(folder, rows, message):
    (folder / "labels.csv").write_text(rows)
    with pytest.raises(ValueError, match=message) as caught:
        folder_content(folder)
    assert "\n" not in str(caught.value)


def test_labels_of_another_run_than_the_saved_content(folder):
    save_content(folder / "report.npz", saved(n_samples=4))
    with pytest.raises(
        ValueError, match=r"labels\.csv has 5 samples and report\.npz 4; they are not of the same"
    ):
        folder_content(folder)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("running", "still going on or was killed, and has no result yet"),
        ("interrupted", "was interrupted before it had a result"),
        ("complete", r"a run without labels\.csv"),
    ],
)
def test_without_a_result(folder, status, message):
    record(folder, status=status)
    (folder / "labels.csv").unlink()
    with pytest.raises(ValueError, match=message):
        folder_content(folder)


def test_no_folder_of_a_run(tmp_path):
    with pytest.raises(ValueError, match="nothing does not exist"):
        folder_content(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="file is a file, not a folder of a run"):
        folder_content(tmp_path / "file")
    with pytest.raises(ValueError, match=r"not the folder of a run: it has no run\.json"):
        folder_content(tmp_path)
    for text in ("", "[]", "{}", '{"format": "x", "status": "complete"}'):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(ValueError, match=r"its run\.json is of something else, or damaged"):
            folder_content(tmp_path)
