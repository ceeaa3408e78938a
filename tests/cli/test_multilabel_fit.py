"""``fit`` with the methods that weigh features and predict labels."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from moo_clustering.cli import folder as _results
from moo_clustering.estimators import SISC
from moo_clustering.estimators._methods import METHODS
from moo_clustering.persistence import read_archive
from moo_clustering.validity import macro_auc

WORDS = {
    "engine": ["engine", "flame", "smoke", "oil", "shutdown", "thrust"],
    "runway": ["runway", "taxi", "tower", "hold", "taxiway", "clear"],
    "cabin": ["passenger", "seat", "attendant", "meal", "door", "aisle"],
}
COMMON = ["pilot", "flight", "report"]
VOCABULARY = sorted([*COMMON, *(word for words in WORDS.values() for word in words)])


def reports(n=60, seed=0):
    """Texts of one or two topics each; of every fourth the labels are missing."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        topics = sorted(rng.choice(list(WORDS), size=rng.integers(1, 3), replace=False).tolist())
        words = [word for topic in topics for word in rng.choice(WORDS[topic], 4, replace=False)]
        made.append(
            {
                "id": f"r{number:02d}",
                "text": " ".join([*words, *rng.choice(COMMON, 2)]),
                "topics": topics,
                "some": topics if number % 4 else [],
                "first": topics[0],
                "mark": topics[0] if number % 4 else "",
            }
        )
    return made


def indicators(rows, names=tuple(WORDS)):
    return np.array([[int(name in row["topics"]) for name in names] for row in rows])


def arff(rows, relation="reports", missing=()):
    lines = [f"@relation '{relation}'"]
    lines += [f"@attribute {word} {{0,1}}" for word in VOCABULARY]
    lines += [f"@attribute is_{name} {{0,1}}" for name in WORDS]
    lines.append("@data")
    for number, row in enumerate(rows):
        words = set(row["text"].split())
        labels = ["?"] * 3 if number in missing else [str(value) for value in indicators([row])[0]]
        lines.append(",".join([*(str(int(word in words)) for word in VOCABULARY), *labels]))
    return "\n".join(lines) + "\n"


XML = (
    '<labels xmlns="http://mulan.sourceforge.net/labels">'
    + "".join(f'<label name="is_{name}"/>' for name in WORDS)
    + "</labels>"
)


@pytest.fixture
def rows(tmp_path):
    made = reports()
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    (tmp_path / "set.arff").write_text(arff(made, missing=(3, 5)))
    (tmp_path / "set.xml").write_text(XML)
    (tmp_path / "meka.arff").write_text(arff(made, relation="reports: -C -3"))
    (tmp_path / "plain.arff").write_text(arff(made))
    lines = [
        ",".join(str(1 + list(WORDS).index(topic)) for topic in row["topics"])
        + " "
        + " ".join(f"{place + 1}:1" for place, word in enumerate(VOCABULARY) if word in row["text"].split())
        for row in made
    ]
    (tmp_path / "set.svm").write_text("\n".join(lines) + "\n")
    return made


@pytest.fixture(autouse=True)
def drawn(monkeypatch, request):
    """Most tests do without pictures, which take a second each."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr(_results, "draw_pictures", lambda *_: [])


@pytest.fixture
def fitted(monkeypatch):
    """What SISC was given, fit by fit."""
    calls = []
    original = SISC.fit

    def fit(self, X, y=None):
        calls.append((X, y))
        return original(self, X, y)

    monkeypatch.setattr(SISC, "fit", fit)
    return calls


def record_of(folder="out"):
    with open(f"{folder}/run.json", encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.slow
def test_mulan_files(run, rows, fitted, pictures, tmp_path):
    result = run("fit", "set.arff", "--method", "sisc", "-k", 6, "--hold-out", "0.5", "--out", "out")
    assert result.exit_code == 0, result.output
    X, y = fitted[0]
    truth = indicators(rows)
    given = (y >= 0).all(axis=1)
    assert X.shape == (60, len(VOCABULARY))
    assert given.sum() == 29  # of 58 with labels
    np.testing.assert_array_equal(y[given], truth[given])
    predictions = pd.read_csv("out/predictions.csv", keep_default_na=False)
    assert predictions.columns.tolist() == ["row", "predicted", "labels", "status"]
    status = np.where(given, "given", "held out").astype(object)
    status[[3, 5]] = "unlabelled"
    assert predictions["status"].tolist() == status.tolist()
    expected = [";".join(f"is_{name}" for name in WORDS if name in row["topics"]) for row in rows]
    expected[3] = expected[5] = ""
    assert predictions["labels"].tolist() == expected
    probabilities = pd.read_csv("out/probabilities.csv")
    assert probabilities.columns.tolist() == ["row", "is_engine", "is_runway", "is_cabin"]
    model = SISC(6, random_state=0).fit(X, y)
    np.testing.assert_allclose(probabilities.iloc[:, 1:], model.predict_proba(X), rtol=1e-12)
    chosen = [
        ";".join(f"is_{name}" for name, has in zip(WORDS, row, strict=True) if has)
        for row in model.predict(X)
    ]
    assert predictions["predicted"].tolist() == chosen
    held = status == "held out"
    record = record_of()
    found = record["prediction"]
    assert found["macro_auc"] == pytest.approx(macro_auc(truth[held], model.predict_proba(X)[held]))
    assert found["macro_auc"] > 0.8
    assert (found["n_given"], found["n_scored"], found["n_labels_scored"]) == (29, 29, 3)
    assert record["supervision"]["partial_labels"] == {"n_labels": 3, "n_labelled": 29, "n_held_out": 29}
    assert record["scores"]["entropy"] < record["scores"]["entropy_random"]
    assert f"macro AUC     {found['macro_auc']:.4f}" in result.stdout
    assert (
        "3 labels, any number per sample; the fit uses the labels of 29 samples; "
        "29 others are withheld for scoring" in (result.stdout)
    )
    assert set(record["files"]) == {path.name for path in (tmp_path / "out").iterdir()} - {"run.json"}
    assert {"roc.png", "terms.png", "history.png", "history.csv"} < set(record["files"])


@pytest.mark.parametrize("column", ["topics", "two", "first"])
def test_sums_of_votes_are_scored_as_they_are(run, rows, fitted, tmp_path, column):
    for row in rows:
        row["two"] = "yes" if "cabin" in row["topics"] else "no"
    (tmp_path / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--partial-labels", column, "--hold-out", "0.5", "-k", 6)
    result = run("fit", "more.jsonl", "--method", "SISC-ML-literal", *options, "--out", "out")
    assert result.exit_code == 0, result.output
    X, y = fitted[0]
    model = SISC(6, aggregation="sum", n_neighbors=5, random_state=0).fit(X, y)
    held = (pd.read_csv("out/predictions.csv")["status"] == "held out").to_numpy()
    names = sorted({name for row in rows for name in np.atleast_1d(row[column])})
    truth = np.array([[name in np.atleast_1d(row[column]) for name in names] for row in rows])[held]
    if column != "topics":
        truth = truth.argmax(axis=1)
    found = record_of()["prediction"]["macro_auc"]
    assert found == pytest.approx(macro_auc(truth, model.decision_function(X)[held]))
    probabilities = pd.read_csv("out/probabilities.csv").iloc[:, 1:]
    np.testing.assert_allclose(probabilities, model.predict_proba(X))
    if column != "two":
        assert found != pytest.approx(macro_auc(truth, probabilities[held]))


def test_clusters_and_arrays(run, rows, tmp_path):
    result = run("fit", "set.arff", "--method", "SISC-ML", "-k", 4, "--quiet", "--out", "out")
    assert (result.exit_code, result.output) == (0, "")
    arrays = read_archive(tmp_path / "out" / "result.npz")[0]
    assert arrays["memberships"].shape == (60, 4)
    assert arrays["feature_weights"].shape == arrays["centers"].shape == (4, len(VOCABULARY))
    assert arrays["class_shares"].shape == (4, 3)
    assert arrays["feature_names"].tolist() == VOCABULARY
    assert arrays["class_names"].tolist() == [f"is_{name}" for name in WORDS]
    clusters = pd.read_csv("out/clusters.csv")
    assert clusters.columns.tolist() == ["cluster", "size", "impurity", "classes", "features"]
    labels = pd.read_csv("out/labels.csv")["label"]
    assert clusters["size"].tolist() == labels.value_counts().sort_index().tolist()
    for row in clusters.itertuples():
        entries = re.findall(r"(\w+) \(([\d.]+)\)", row.classes)
        shares = arrays["class_shares"][row.cluster]
        assert [float(value) for _, value in entries] == np.round(np.sort(shares)[::-1], 2).tolist()
        assert entries[0][0] == f"is_{list(WORDS)[shares.argmax()]}"
        for name, value in re.findall(r"(\w+) \(([\d.]+)\)", row.features):
            weight = arrays["feature_weights"][row.cluster, VOCABULARY.index(name)] * len(VOCABULARY)
            assert float(value) == pytest.approx(weight, abs=0.006)
    history = pd.read_csv("out/history.csv")
    assert history.columns.tolist() == ["sweep", "objective"]
    assert history["sweep"].tolist() == list(range(1, len(history) + 1))
    assert len(history) == record_of()["result"]["n_iter"]


def test_all_labels_given_are_not_scored(run, rows, fitted, monkeypatch):
    result = run("fit", "meka.arff", "--method", "sisc", "-k", 3, "--out", "out")
    assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(fitted[0][1], indicators(rows))
    record = record_of()
    assert record["prediction"] == {"n_given": 60, "n_scored": 0}
    assert record["scores"] == {}
    assert "The predictions cannot be scored" in result.stdout
    assert set(pd.read_csv("out/predictions.csv")["status"]) == {"given"}


def test_all_labels_held_out(run, rows, fitted):
    result = run("fit", "set.svm", "--method", "sisc", "-k", 3, "--hold-out", 1, "--out", "out")
    assert result.exit_code == 0, result.output
    assert fitted[0][1] is None
    record = record_of()
    assert "prediction" not in record
    assert {"entropy", "entropy_random"} == set(record["scores"])
    assert not {"predictions.csv", "probabilities.csv"} & set(record["files"])
    assert "classes" not in pd.read_csv("out/clusters.csv")


def test_every_format_is_the_same_data(run, rows, fitted):
    for name in ("set.svm", "meka.arff"):
        assert run("fit", name, "--method", "sisc", "-k", 3, "--quiet", "--out", name[:4]).exit_code == 0
    named = ("--partial-labels", "is_engine, is_runway,is_cabin")
    assert (
        run("fit", "plain.arff", "--method", "sisc", "-k", 3, *named, "--quiet", "--out", "p").exit_code == 0
    )
    file = ("--label-file", "set.xml")
    assert (
        run("fit", "plain.arff", "--method", "sisc", "-k", 3, *file, "--quiet", "--out", "q").exit_code == 0
    )
    assert len(fitted) == 4
    for X, y in fitted:
        np.testing.assert_array_equal(X.toarray(), fitted[0][0].toarray())
        np.testing.assert_array_equal(y, indicators(rows))


def test_archives(run, rows, fitted, tmp_path):
    X = np.array([[word in row["text"].split() for word in VOCABULARY] for row in rows], dtype=float)
    Y = indicators(rows)
    np.savez(tmp_path / "both.npz", X=X, Y=Y, label_names=np.array(list(WORDS)))
    np.savez(tmp_path / "x.npz", X=X)
    np.savez(tmp_path / "y.npz", Y=Y)
    for number, data in enumerate([("both.npz",), ("x.npz", "--label-file", "y.npz")]):
        result = run("fit", *data, "--method", "sisc", "-k", 3, "--out", f"out{number}")
        assert result.exit_code == 0, result.output
        np.testing.assert_array_equal(fitted[number][0].toarray(), X)
        np.testing.assert_array_equal(fitted[number][1], Y)
    assert pd.read_csv("out0/probabilities.csv").columns.tolist() == ["row", *WORDS]


def test_documents_with_label_sets(run, rows, fitted):
    result = run(
        "fit", "notes.jsonl", "--method", "sisc", "-k", 6, "--partial-labels", "some", "--labels", "topics",
        "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    X, y = fitted[0]
    expected = indicators(rows, sorted(WORDS))
    expected[::4] = -1
    np.testing.assert_array_equal(y, expected)
    words = [[int(word in row["text"].split()) for word in VOCABULARY] for row in rows]
    np.testing.assert_array_equal(X.toarray(), words)
    record = record_of()
    assert record["data"]["text"] == {
        "n_terms": len(VOCABULARY),
        "features": "presence of words",
        "min_df": 1,
        "max_df": 1.0,
        "svd": None,
    }
    assert record["prediction"]["n_scored"] == 15
    assert record["prediction"]["macro_auc"] > 0.8
    assert record["supervision"]["partial_labels"]["column"] == "some"
    predictions = pd.read_csv("out/predictions.csv")
    assert predictions["row"].tolist() == [row["id"] for row in rows]
    assert (predictions["status"] == "held out").tolist() == [number % 4 == 0 for number in range(60)]
    clusters = pd.read_csv("out/clusters.csv")
    assert clusters.columns.tolist() == [
        "cluster", "size", "document", "title", "impurity", "classes", "features",
    ]  # fmt: skip
    texts = {row["id"]: row["text"] for row in rows}
    assert clusters["title"].tolist() == [texts[document] for document in clusters["document"]]


@pytest.mark.parametrize("method", ["sisc", "scad2", "entropy-weighted-kmeans", "nsga2-sisc"])
def test_documents_of_one_class_each(run, rows, method):
    quick = ("--set", "n_gen=2", "--set", "pop_size=4") if method == "nsga2-sisc" else ()
    result = run(
        "fit", "notes.jsonl", "--method", method, "-k", 6, "--partial-labels", "mark", "--labels", "first",
        *quick, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = record_of()["prediction"]
    assert (found["n_given"], found["n_scored"]) == (45, 15)
    assert 0 <= found["accuracy"] <= 1
    assert found["macro_auc"] > 0.6
    probabilities = pd.read_csv("out/probabilities.csv")
    np.testing.assert_allclose(probabilities.iloc[:, 1:].sum(axis=1), 1.0)
    predictions = pd.read_csv("out/predictions.csv")
    best = probabilities.columns[1:][probabilities.iloc[:, 1:].to_numpy().argmax(axis=1)]
    assert predictions["predicted"].tolist() == best.tolist()
    assert "  accuracy" in result.stdout


def test_front_of_label_sets(run, rows, pictures):
    options = ("--set", "n_gen=2", "--set", "pop_size=4")
    result = run(
        "fit", "set.arff", "--method", "nsga2-sisc", "-k", 4, "--hold-out", "0.3", *options, "--out", "out"
    )
    assert result.exit_code == 0, result.output
    front = pd.read_csv("out/front.csv")
    assert front.columns.tolist() == ["member", "dispersion", "impurity", "chosen"]
    assert front["chosen"].sum() == 1
    record = record_of()
    row = front[front["chosen"]].iloc[0]
    assert record["chosen"] == pytest.approx({"dispersion": row["dispersion"], "impurity": row["impurity"]})
    assert set(record["control"]) == {"dispersion", "impurity"}
    assert f"best of {record['n_random_starts']} random starts" in result.stdout


def test_information_gain_of_the_labels_given(run, rows, fitted):
    options = ("--method", "sisc", "-k", 3, "--features", 5, "--hold-out", "0.5")
    assert run("fit", "meka.arff", *options, "--out", "a").exit_code == 0
    arrays = read_archive("a/result.npz")[0]
    from moo_clustering.features import information_gain

    X = np.array([[int(word in row["text"].split()) for word in VOCABULARY] for row in rows])
    y = fitted[0][1]
    best = np.argsort(-information_gain(X, y).round(12), kind="stable")[:5]
    assert arrays["feature_names"].tolist() == [VOCABULARY[column] for column in sorted(best)]
    np.testing.assert_array_equal(fitted[0][0].toarray(), X[:, sorted(best)])
    result = run(
        "fit",
        "notes.jsonl",
        "--method",
        "sisc",
        "-k",
        3,
        "--features",
        5,
        "--partial-labels",
        "some",
        "--out",
        "b",
    )
    assert result.exit_code == 0, result.output
    text = record_of("b")["data"]["text"]
    assert text["selected_by"] == "information gain"
    assert (text["n_terms"], text["n_terms_before"]) == (5, len(VOCABULARY))


def test_no_informative_features(run, tmp_path):
    (tmp_path / "all.svm").write_text("".join(f"{i % 3} 1:{i + 1} 2:1\n" for i in range(20)))
    result = run("fit", "all.svm", "--method", "sisc", "-k", 3, "--features", 1, "--out", "out")
    assert result.exit_code == 2
    assert "--features removed all features of all.svm; fit without --features" in result.output


def test_tables_with_partial_labels(run, table, fitted):
    result = run(
        "fit", "table.csv", "--id-column", "id", "--method", "sisc", "-k", 6, "--partial-labels", "some",
        "--labels", "kind", "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert (fitted[0][1] >= 0).sum() == 12
    record = record_of()
    assert record["prediction"]["n_scored"] == 48
    assert record["prediction"]["accuracy"] > 0.8
    assert "terms.png" not in record["files"]
    assert pd.read_csv("out/probabilities.csv").columns.tolist() == ["row", "blue", "green", "red"]


def test_without_any_label(run, table):
    result = run(
        "fit", "table.csv", "--id-column", "id", "--drop", "some", "--labels", "kind", "--method", "scad2",
        "-k", 3, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    record = record_of()
    assert record["scores"]["accuracy"] > 0.9
    assert "prediction" not in record
    assert "classes" not in pd.read_csv("out/clusters.csv")


def test_labels_without_samples_in_the_fit(run, rows, tmp_path):
    # Which rows are held out does not depend on their labels.
    options = ("--method", "sisc", "-k", 3, "--partial-labels", "topics", "--hold-out", "0.5")
    assert run("fit", "notes.jsonl", *options, "--out", "before").exit_code == 0
    status = pd.read_csv("before/predictions.csv")["status"]
    held = int(np.flatnonzero(status == "held out")[0])
    rows[held]["topics"].append("rare")
    (tmp_path / "rare.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("fit", "rare.jsonl", *options, "--out", "out")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith(
        "Warning: the fit cannot predict the label 'rare', which no sample in the fit has"
    )
    assert pd.read_csv("out/predictions.csv")["status"].equals(status)
    probabilities = pd.read_csv("out/probabilities.csv")
    assert (probabilities["rare"] == 0).all()
    pd.testing.assert_frame_equal(
        probabilities.drop(columns="rare"), pd.read_csv("before/probabilities.csv"), check_exact=True
    )
    assert record_of()["prediction"]["auc"]["rare"] == 0.5
    assert len(record_of()["warnings"]) == 1


LABEL_FILE = "--label-file requires an .arff or .npz"
HELD_OUT = "--features requires labels in the fit, but there are none"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "set.arff --method pesc",
            "set.arff contains samples with several labels, which method pesc does",
        ),
        ("set.svm --method bamic", "does not accept; methods that accept label sets are .*sisc"),
        ("meka.arff --method nsga2-clus", "meka.arff contains samples with several labels"),
        (
            "plain.arff --method sisc",
            r"with --label-file FILE \(MULAN's XML file\), or with --partial-labels NAME,NAME,",
        ),
        (
            "plain.arff --method sisc --partial-labels is_cab",
            "the list of labels contains 'is_cab'",
        ),
        ("set.arff --method sisc --labels is_cabin", "--labels does not apply to set.arff.*--hold-out"),
        ("set.arff --method sisc --label-file no.xml", "file no.xml does not exist"),
        ("set.arff --method sisc --min-df 2", "set.arff is read as features and label sets"),
        (
            "set.arff --method sisc --hold-out 1 --features 3",
            HELD_OUT + ", because --hold-out",
        ),
        ("set.arff --method sisc --must-link x.csv", "method sisc does not accept --must-link"),
        ("notes.jsonl --method sisc --features 3", HELD_OUT + "$"),
        (
            "notes.jsonl --method sisc --hold-out 0.2",
            "but notes.jsonl contains none; specify a label column with --partial-labels",
        ),
        ("notes.jsonl --method sisc --svd 3", "uses the presence of words and does not accept --svd"),
        ("notes.jsonl --method sisc --stemmer porter", "sisc does not stem words; those that do are"),
        ("notes.jsonl --method sisc --min-df 61", "leave no terms in the 60 documents"),
        (
            "notes.jsonl --method pesc --hold-out 0.2",
            "pesc does not accept --hold-out; methods that do are .*sisc",
        ),
        (
            "notes.jsonl --method pesc --features 2",
            "pesc does not accept --features; methods that do are .*sisc",
        ),
        ("notes.jsonl --method sisc --partial-labels none", "no column 'none'"),
        (
            "notes.jsonl --method pesc --partial-labels topics",
            "contains 2 labels, but .* one with method pesc; met",
        ),
        ("number.csv --method sisc --partial-labels some --features 1", "number.csv is a table of numbers"),
        ("number.csv --method sisc --label-file set.xml", LABEL_FILE),
        (
            "wine --method sisc --label-file set.xml",
            "--label-file cannot be used with the bundled",
        ),
        (
            "blank.csv --method sisc --partial-labels some",
            r"column 'some' \(--partial-labels\) contains no labels",
        ),
    ],
)
def test_mistakes(fails, rows, tmp_path, arguments, message):
    (tmp_path / "blank.csv").write_text("a,b,some\n1,2,\n2,1,\n")
    (tmp_path / "number.csv").write_text("a,b,some\n1,2,1\n2,1,\n")
    k = () if "nsga2-clus" in arguments else ("-k", 2)
    found = fails("fit", *arguments.split(), *k, "--out", "out")
    assert re.search(message, found), found
    assert not (tmp_path / "out").exists()


def test_methods_tell_what_they_take(run):
    for name in ("sisc", "scad2", "entropy-weighted-kmeans", "nsga2-sisc"):
        assert METHODS[name].presence
        assert METHODS[name].sparse
        assert set(METHODS[name].supervision) == {"labels", "label_sets"}
        assert "--partial-labels, label sets (.arff, .svm, lists in .jsonl)" in run("methods", name).stdout
