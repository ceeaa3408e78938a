"""The SISC-ML tables and figures on small written collections, through the command."""

import csv
import gzip
import json
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix, save_npz
from sklearn.metrics import roc_auc_score

from moo_clustering.datasets import DataError
from papers import sisc_ml as _cells
from papers import sisc_ml as _splits
from papers import sisc_ml as rivals
from papers import sisc_ml_tables as _plan
from papers import sisc_ml_tables as figures
from papers.__main__ import reproduce
from papers.runner import Settings, find_experiment
from papers.sisc_ml import (
    ALL,
    DATASETS,
    FRACTIONS,
    METHODS,
    ONE,
    OPTIONS,
    SUM,
    TABLE2,
    TABLE3,
    Split,
    Task,
    load_labelled_sets,
    make_split,
    run_task,
)
from papers.sisc_ml_tables import LOGISTIC, NOTES, PROTOCOLS, SISC_ML, Results, all_scored, notes, title_of

SMALL = {
    "SISC": {"n_clusters": 6, "max_iter": 3},
    "SCAD2": {"n_clusters": 6, "max_iter": 3},
    "EntropyWeightedKMeans": {"n_clusters": 6},
    "SISCEnsemble": {"n_clusters": [4, 6], "n_estimators": 2},
    "SISCStacked": {"cv": 2, "weights": [0.0, 0.5]},
}
LIMITED = [method.name for method in METHODS.values() if method.limited]
WORDS = ["runway", "engine", "radio", "cabin", "wheat", "sugar", "crude", "trade", "hockey", "space"]


def documents(n, n_labels, n_words, rng, *, single=False):
    """Indicators, and words that go with them; every label has documents."""
    Y = np.eye(n_labels, dtype=np.uint8)[np.arange(n) % n_labels]
    if not single:
        Y |= (rng.random((n, n_labels)) < 0.15).astype(np.uint8)
    p = np.where(Y @ (rng.random((n_labels, n_words)) < 0.3) > 0, 0.7, 0.15)
    return Y, (rng.random((n, n_words)) < p).astype(np.uint8)


def write_text(path, Y, X, labels):
    names = [*WORDS, *(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(X.shape[1]))]
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for row, (has, words) in enumerate(zip(Y, X, strict=True)):
            text = "the of " + " ".join(names[i] for i in np.flatnonzero(words))
            topics = [labels[i] for i in np.flatnonzero(has)]
            out.write(json.dumps({"id": str(row), "title": "", "text": text, "labels": topics}) + "\n")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    place = tmp_path_factory.mktemp("data") / "text"
    place.mkdir()
    rng = np.random.default_rng(0)
    Y, X = documents(90, 4, 40, rng)
    save_npz(place / "asrs_tmc2007_500_X.npz", csr_matrix(X))
    np.savez(place / "asrs_tmc2007_500_Y.npz", Y=Y)
    write_text(place / "reuters21578.jsonl.gz", *documents(80, 4, 30, rng), ["earn", "acq", "grain", "ship"])
    single = documents(80, 4, 30, rng, single=True)
    write_text(place / "20news_bydate.jsonl.gz", *single, ["sci.med", "rec.autos", "alt.atheism", "misc"])
    return place.parent


def smaller(patch):
    for name, options in SMALL.items():
        patch.setitem(OPTIONS, name, options)
    for module in (_plan, _splits):
        patch.setattr(module, "N_FEATURES", 25)
    patch.setattr(_cells, "perf_counter", lambda: 0.0)


@pytest.fixture(autouse=True)
def less_effort(monkeypatch):
    smaller(monkeypatch)
    monkeypatch.delenv("MOO_CLUSTERING_DATA", raising=False)


def command(*arguments, view="table2", data=None):
    given = [] if data is None else ["--data", data]
    return CliRunner().invoke(reproduce, [str(part) for part in (f"sisc-ml-{view}", *given, *arguments)])


@pytest.fixture(scope="module")
def study(data, tmp_path_factory):
    """Folder with all views, and what the command said about each."""
    folder = tmp_path_factory.mktemp("study") / "all"
    said = {}
    with pytest.MonkeyPatch.context() as patch:
        smaller(patch)
        once, asrs = ("--out", folder, "--seeds", 1), ("--collections", "asrs")
        said["table2"] = command(*once, data=data)
        said["table3"] = command(*once, *asrs, view="table3", data=data)
        cells = (folder / "results.jsonl").read_bytes()
        # Figures compute nothing that the tables have not.
        patch.setattr(_plan, "run_task", None)
        said["fig2"] = command(*once, view="fig2", data=data)
        said["fig3"] = command(*once, *asrs, view="fig3", data=data)
    for view, result in said.items():
        assert result.exit_code == 0, (view, result.output, result.exception)
    assert (folder / "results.jsonl").read_bytes() == cells
    return folder, {view: result.stdout for view, result in said.items()}


def table(folder, name):
    return list(csv.DictReader((folder / f"{name}.csv").read_text().splitlines()))


def runs(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()[1:]
    return {json.dumps(run["key"]): run for run in map(json.loads, lines)}


def areas(folder, method, kind, **wanted):
    return [
        run["value"]["kinds"][kind]["auc"]
        for run in runs(folder).values()
        if run["key"]["method"] == method and all(run["key"][name] == value for name, value in wanted.items())
    ]


def row(rows, **wanted):
    (found,) = [r for r in rows if all(r[name] == value for name, value in wanted.items())]
    return found


def failure(result):
    assert result.exit_code == 2, result.output
    return result.stderr


def test_published_tables():
    assert list(DATASETS.values()) == ["ASRS", "Reuters", "20 Newsgroups"]
    assert TABLE2["SISC-ML"] == (0.666, 0.815, 0.84)
    assert TABLE2["MetaLabeler"] == (0.58, 0.762, 0.766)
    assert TABLE3["reuters"] == (0.821, 0.818, 0.795, 0.808, 0.815)
    assert [len(values) for values in TABLE2.values()] == [3] * 6
    # With all documents labelled the tables are of the same runs.
    assert [TABLE3[name][-1] for name in DATASETS] == list(TABLE2["SISC-ML"])
    for i in range(3):
        assert max(TABLE2, key=lambda name: TABLE2[name][i]) == "SISC-ML"


@pytest.mark.nightly
def test_every_method_runs_on_every_split(study):
    folder, _ = study
    found = runs(folder)
    wanted = 3 * 2 * len(METHODS) + 2 * 4 * 2 * len(LIMITED)
    assert len(found) == wanted
    for run in found.values():
        assert list(run["value"]["kinds"]) == list(METHODS[run["key"]["method"]].kinds)
        for kind in run["value"]["kinds"].values():
            assert 0.0 <= kind["auc"] <= 1.0
            assert len(kind["tpr"]) == 101
            assert kind["tpr"][-1] == 1.0
    for name in DATASETS:
        assert areas(folder, "class shares", "", set=name) == [0.5, 0.5]
        assert min(areas(folder, "logistic regression (tf-idf, C=1)", "", set=name, fraction=1.0)) > 0.7
        assert min(areas(folder, "SISC-ML", ALL, set=name, fraction=1.0)) > 0.6


@pytest.mark.slow
def test_table2_holds_the_paper_and_the_means_of_the_cells(study):
    folder, said = study
    shown = table(folder, "table2")
    assert [r["method"] for r in shown] == [title_of(scored) for scored in all_scored()]
    literal = row(shown, method=f"SISC-ML, {SUM}")
    assert [literal[f"{name} paper"] for name in DATASETS.values()] == ["0.666", "0.815", "0.84"]
    assert literal["row of the paper"] == "SISC-ML"
    mine = row(shown, method="logistic regression (binary, C=0.1)")
    assert (mine["row of the paper"], mine["ASRS paper"]) == ("", "")
    for method, kind in all_scored():
        for name, title in DATASETS.items():
            values = areas(folder, method, kind, set=name, fraction=1.0)
            text = f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}"
            assert row(shown, method=title_of((method, kind)))[f"{title} here"] == text
    costs = table(folder, "table2-costs")
    assert len(costs) == 3 * len(all_scored())
    assert {r["undefined"] for r in costs} == {"0.0"}
    assert NOTES["single"] in said["table2"]
    assert "With several labels: ASRS" in said["table2"]
    assert "20 Newsgroups 0%" in said["table2"]


@pytest.mark.slow
def test_table3_has_both_ways_to_choose_features(study):
    folder, said = study
    shown = table(folder, "table3")
    assert [float(row(shown, method="SISC-ML, paper")[f"{f:.0%}"]) for f in FRACTIONS] == [*TABLE3["asrs"]]
    differs = 0
    for method, kind in all_scored(limited=True):
        both = [row(shown, method=title_of((method, kind)), features=words) for words in PROTOCOLS.values()]
        for features, found in zip(PROTOCOLS, both, strict=True):
            for fraction in FRACTIONS:
                chosen = "labelled" if fraction == 1.0 else features
                values = areas(folder, method, kind, set="asrs", fraction=fraction, features=chosen)
                text = f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}"
                assert found[f"{fraction:.0%}"] == text
        assert both[0]["100%"] == both[1]["100%"]
        differs += both[0]["10%"] != both[1]["10%"]
    assert differs > 5
    gaps = table(folder, "table3-difference")
    assert len(gaps) == 4
    for scored in LOGISTIC:
        a, b = (np.array(areas(folder, *s, fraction=0.25, features="all_train")) for s in (SISC_ML, scored))
        found = row(gaps, **{"SISC-ML minus": scored[0], "features": PROTOCOLS["all_train"]})["25%"]
        error = np.std(a - b, ddof=1) / np.sqrt(2)
        # Text that begins with a sign is guarded from spreadsheets.
        assert found.removeprefix("'") == f"{np.mean(a - b):+.3f} ± {error:.3f}"
    assert "A plain linear model" in said["table3"]
    assert NOTES["leak"] in said["table3"]


@pytest.mark.slow
def test_figures_are_drawn_for_every_set(study):
    folder, said = study
    names = [f"figure2-{name}" for name in DATASETS] + ["figure3-asrs", "figure3-asrs-literal"]
    for name in names:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.png").stat().st_size > 20_000
    assert sorted(path.stem for path in folder.glob("*.png")) == sorted(names)
    for view, number in (("fig2", 2), ("fig3", 3)):
        assert f"(figure{number}-asrs.png)" in (folder / f"sisc-ml-{view}.md").read_text()
        assert f"see sisc-ml-{view}.md there" in said[view]
    shown = table(folder, "figure2")
    assert [r["method"] for r in shown] == [title_of(scored) for scored in figures.SHOWN]
    assert (
        row(shown, method=title_of(SISC_ML))["ASRS"]
        == row(table(folder, "table2"), method=title_of(SISC_ML))["ASRS here"]
    )
    assert len({title_of(scored) for scored in figures.SHOWN}) == len(figures.SHOWN)


@pytest.mark.slow
def test_goes_on_after_a_kill_and_with_another_collection(study, data, tmp_path):
    folder, _ = study
    asked = ("--out", tmp_path / "x", "--seeds", 1, "--collections")
    assert command(*asked, "reuters", data=data).exit_code == 0
    path = tmp_path / "x" / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * len(METHODS)
    path.write_bytes(b"".join(lines[:9]) + lines[9][:50])
    assert command(*asked, "reuters,20news", data=data).exit_code == 0
    assert path.read_bytes().startswith(b"".join(lines[:9]))
    whole, here = runs(folder), runs(tmp_path / "x")
    assert len(here) == 2 * 2 * len(METHODS)
    assert all(whole[name]["value"] == run["value"] for name, run in here.items())
    kept = [name for name in table(folder, "table2")[0] if "ASRS" not in name]
    assert [{name: r[name] for name in kept} for r in table(folder, "table2")] == table(
        tmp_path / "x", "table2"
    )


@pytest.mark.nightly
def test_two_jobs_and_two_seeds_by_default_give_the_same(study, data, tmp_path):
    folder, _ = study
    asked = ("--out", tmp_path / "x", "--collections", "asrs", "--jobs", 2)
    result = command(*asked, view="fig3", data=data)
    assert result.exit_code == 0, result.output
    whole, here = runs(folder), runs(tmp_path / "x")
    assert len(here) == 2 * 2 * len(FRACTIONS)
    first = {name: run for name, run in here.items() if run["key"]["repeat"] == 0}
    assert len(first) == 2 * len(FRACTIONS)
    assert all(whole[name]["value"]["kinds"] == kinds_of(run) for name, run in first.items())
    assert "2 folds, 2 repetitions" in result.stdout
    other = [run["value"]["kinds"][ALL]["auc"] for run in here.values() if run["key"]["repeat"] == 1]
    assert not set(other) & {run["value"]["kinds"][ALL]["auc"] for run in first.values()}


def kinds_of(run):
    """The value without seconds, which other processes measure."""
    kinds = run["value"]["kinds"]
    return {name: {**kind, "predict_seconds": 0.0} for name, kind in kinds.items()}


def test_sets_keep_the_commonest_labels(data, tmp_path):
    asrs, reuters, news = load_labelled_sets(data)
    assert (asrs.X.shape, reuters.Y.shape[1], news.Y.sum(axis=1).tolist()) == ((90, 40), 4, [1] * 80)
    assert all(set(np.unique(found.X.data)) == {1.0} for found in (asrs, reuters, news))
    # Stop words are no words.
    assert reuters.X.shape[1] == 30
    assert (asrs.n_drawn, asrs.size) == (90, 10_000)
    rng = np.random.default_rng(1)
    Y = (rng.random((60, 23)) < np.linspace(0.1, 0.9, 23)).astype(np.uint8)
    Y[:, 5], Y[:, 9] = 0, np.arange(60) < 2
    save_npz(tmp_path / "asrs_tmc2007_500_X.npz", csr_matrix(np.eye(60, dtype=np.uint8)))
    np.savez(tmp_path / "asrs_tmc2007_500_Y.npz", Y=Y)
    (found,) = load_labelled_sets(tmp_path)
    assert found.Y.tolist() == np.delete(Y, [5, 9], axis=1).tolist()
    texts = [[f"t{i % 20:02d}"] for i in range(60)] + [["t03", "rare"], ["rare"], []]
    with gzip.open(tmp_path / "reuters21578.jsonl.gz", "wt") as out:
        for i, labels in enumerate(texts):
            out.write(
                json.dumps({"title": f"word{'ab'[i % 2]} Landing", "text": "the landing", "labels": labels})
                + "\n"
            )
    found = load_labelled_sets(tmp_path, ["reuters"])[0]
    # The document of a rare topic only, and that of none, are left out.
    assert (found.Y.shape, found.Y.sum()) == ((61, 20), 61)
    assert found.X.toarray()[:2].tolist() == [[1, 1, 0], [1, 0, 1]]
    before = load_labelled_sets(data, ["reuters"])[0].identity
    assert (before == reuters.identity, found.identity == before, len(before)) == (True, False, 16)


def test_labelled_documents_are_nested_and_halves_disjoint(data):
    (asrs,) = load_labelled_sets(data, ["asrs"])
    marked = type(asrs)(asrs.name, "", 60, asrs.Y, 90, lambda: csr_matrix(np.eye(90)))
    folds = []
    for fold in (0, 1):
        before = np.zeros(30, dtype=bool)
        for fraction in FRACTIONS:
            split = make_split(marked, fraction, "all_train", 0, fold)
            labelled = split.y_train[:, 0] >= 0
            assert labelled.sum() == round(fraction * 30)
            assert (labelled >= before).all()
            assert (labelled == (split.y_train >= 0).all(axis=1)).all()
            assert split.labelled.tolist() == np.flatnonzero(labelled).tolist()
            before = labelled
        folds.append(split)
        assert split.X_train.shape == (30, 25)
        assert split.y_test.shape == (30, 4)
    # Of the 60 drawn documents each is trained on once; the words kept are those of training documents.
    assert folds[0].y_test.tolist() == folds[1].y_train.tolist()
    assert folds[0].y_train.tolist() == folds[1].y_test.tolist()
    assert folds[0].X_test.nnz == 0
    assert make_split(marked, 1.0, "labelled", 1, 0).y_test.tolist() != folds[0].y_test.tolist()


def changed(given, rows):
    """The set with labels of some rows turned round."""
    Y = given.Y.copy()
    Y[rows] = 1 - Y[rows]
    return type(given)(given.name, given.identity, given.size, Y, 40, lambda: given.X)


def test_only_the_leaky_selector_sees_labels_of_unlabelled_documents(data, monkeypatch):
    monkeypatch.setattr(_splits, "N_FEATURES", 12)
    (asrs,) = load_labelled_sets(data, ["asrs"])
    # The number of every document in binary, to see which are labelled.
    bits = np.arange(90)[:, None] >> np.arange(7) & 1
    numbered = type(asrs)(asrs.name, "", 90, bits.astype(np.int8), 40, lambda: asrs.X)
    split = make_split(numbered, 0.25, "labelled", 0, 0)
    hidden = np.setdiff1d(np.arange(90), split.y_train[split.labelled] @ (1 << np.arange(7)))
    assert len(hidden) == 90 - 11
    poisoned = changed(asrs, hidden)
    for features, same in (("labelled", True), ("all_train", False)):
        one, other = (make_split(given, 0.25, features, 0, 0) for given in (asrs, poisoned))
        assert one.X_train.shape == (45, 12)
        assert (one.X_train != other.X_train).nnz == 0 if same else (one.X_train != other.X_train).nnz > 0
        assert (one.y_train == other.y_train).all()
        assert (one.y_test != other.y_test).all()


@pytest.mark.parametrize("name", METHODS)
def test_labels_of_test_documents_reach_no_fit(data, name):
    (asrs,) = load_labelled_sets(data, ["asrs"])
    split = make_split(asrs, 0.5, "labelled", 0, 0)
    hidden = split._replace(y_test=None, X_test=None)
    one, other = (METHODS[name].fit(given, 3, OPTIONS) for given in (split, hidden))
    assert tuple(one) == METHODS[name].kinds
    for kind in one:
        scores = one[kind](split.X_test)
        assert scores.shape == split.y_test.shape
        assert (scores == other[kind](split.X_test)).all()


def test_kinds_of_scores_of_one_fit(data):
    (asrs,) = load_labelled_sets(data, ["asrs"])
    split = make_split(asrs, 1.0, "labelled", 0, 0)
    kinds = METHODS["SISC-ML"].fit(split, 0, OPTIONS)
    from moo_clustering.estimators.subspace import SISC

    model = SISC(**OPTIONS["SISC"], random_state=0).fit(split.X_train, split.y_train)
    d, shares = model.transform(split.X_test), model.class_shares_
    assert (d > 0).all()
    nearest = np.argsort(d, axis=1, kind="stable")
    for j in range(len(d)):
        five = nearest[j, :5]
        assert kinds[SUM](split.X_test)[j] == pytest.approx((shares[five] / d[j, five, None]).sum(axis=0))
        assert kinds[ONE](split.X_test)[j] == pytest.approx(shares[nearest[j, 0]])
        weights = 1 / d[j]
        assert kinds[ALL](split.X_test)[j] == pytest.approx(weights @ shares / weights.sum())
    value = run_task(Task(split, "SISC-ML", ("a", 0), OPTIONS))
    assert set(value["kinds"]) == {SUM, ONE, ALL}


def test_scores_are_means_over_labels(data):
    (asrs,) = load_labelled_sets(data, ["asrs"])
    split = make_split(asrs, 1.0, "labelled", 0, 0)
    y_test = split.y_test.copy()
    y_test[:, 2] = 0
    name = "logistic regression (binary, C=0.1)"
    found = run_task(Task(split._replace(y_test=y_test), name, ("a",), OPTIONS))["kinds"][""]
    scores = METHODS[name].fit(split, 0, OPTIONS)[""](split.X_test)
    wanted = [roc_auc_score(y_test[:, t], scores[:, t]) for t in (0, 1, 3)]
    assert found["auc"] == pytest.approx(np.mean(wanted))
    assert found["undefined"] == 1


def test_rivals_by_hand():
    X = csr_matrix([[1.0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0]])
    y = np.array([[1, 0], [1, 1], [0, 1], [-1, -1], [0, 0]], dtype=np.int8)
    split = Split(X, y, X, y)
    # The labelled documents nearest to 0 0 1 1: number 2 (1 apart), then 1 (3 apart; 0 is 4 apart).
    found = rivals.neighbors(split, "euclidean", (1, 2, 50))
    asked = csr_matrix([[0.0, 0, 1, 1]])
    assert found["kappa=1"](asked).tolist() == [[0, 1]]
    assert found["kappa=2"](asked)[0, 1] == 1.0
    assert found["kappa=50"](asked).tolist() == [[0.5, 0.5]]
    # Cosines with 1 1 0 0: 1, .82, 0, .71.
    assert rivals.neighbors(split, "cosine", (3,))["kappa=3"](csr_matrix([[1.0, 1, 0, 0]])).tolist() == [
        pytest.approx([2 / 3, 1 / 3])
    ]
    assert rivals.class_shares(split, 0)(X[:2]).tolist() == [[0.5, 0.5]] * 2
    scores = rivals.random_scores(split, 1)(X)
    assert scores.shape == (5, 2)
    assert (scores != rivals.random_scores(split, 2)(X)).all()


def made(areas_by_method, fractions):
    """Results with given areas: method and kind -> fraction -> one value for each fold."""
    given = SimpleNamespace(name="asrs", title="ASRS", Y=np.array([[1, 1], [1, 0]]))
    cells, values = [], []
    for fraction in fractions:
        for features in ("labelled", "all_train") if fraction < 1 else ("labelled",):
            for method, kinds in areas_by_method.items():
                for fold in (0, 1):
                    key = {"set": "asrs", "fraction": fraction, "features": features, "repeat": 0}
                    cells.append({**key, "fold": fold, "method": method})
                    found = {
                        kind: {"auc": areas[fraction][fold], "undefined": 0, "tpr": [0.0] * 101}
                        | {"predict_seconds": 0.0}
                        for kind, areas in kinds.items()
                    }
                    values.append({"fit_seconds": 0.0, "kinds": found})
    return Results([given], cells, values), given


def test_notes_say_where_linear_models_win():
    logistic = {name: {"": {0.1: (0.6, 0.7), 1.0: (0.9, 0.8)}} for name, _ in LOGISTIC}
    logistic[LOGISTIC[0][0]][""][1.0] = (0.5, 0.5)
    results, given = made({"SISC-ML": {ALL: {0.1: (0.7, 0.7), 1.0: (0.8, 0.7)}}, **logistic}, (0.1, 1.0))
    (note,) = notes(results, "linear")
    assert note.endswith("on ASRS at 100% (by 0.100).")
    # Differences .1 and 0: mean .05, deviation .1/sqrt(2), over the root of two.
    gap = results.difference(given, SISC_ML, LOGISTIC[1], 0.1, "all_train")
    assert (gap.mean, gap.std) == (pytest.approx(0.05), pytest.approx(0.05))
    assert results.size == "2 folds, 1 repetition"
    (note,) = notes(results, "flat")
    assert "ASRS 0.020 there, 0.050 here, 0.050 leaky." in note


def test_notes_say_what_is_not_reproduced():
    everything = {}
    for method, kind in all_scored():
        everything.setdefault(method, {})[kind] = {1.0: (0.5, 0.5)}
    everything["SISC-ML"] = {SUM: {1.0: (0.66, 0.68)}, ONE: {1.0: (0.6, 0.6)}, ALL: {1.0: (0.8, 0.8)}}
    everything["MetaLabeler"] = {"cut": {1.0: (0.7, 0.7)}, "uncut": {1.0: (0.9, 0.9)}}
    results, _ = made(everything, (1.0,))
    missed, claims = notes(results, "missed", "claims")
    assert "ASRS k-NN (0.552 there, 0.500 here), ASRS MetaLabeler (0.580 there, 0.700 here)." in missed
    assert "SISC-ML (" not in missed
    assert "literal readings ahead of the literal SISC-ML: MetaLabeler, cut;" in claims
    assert "ahead of the normalised SISC-ML: MetaLabeler, uncut." in claims


def test_command_refuses(data, tmp_path):
    out = ("--out", tmp_path / "x")
    assert "set MOO_CLUSTERING_DATA" in failure(command(*out))
    assert "there is none of asrs_tmc2007_500_X.npz" in failure(command(*out, data=tmp_path))
    assert "did you mean 'reuters'" in failure(command(*out, "--collections", "reuter", data=data))
    assert "sisc-ml-table2 has no setting sets" in failure(command(*out, "--sets", "asrs", data=data))
    save_npz(tmp_path / "asrs_tmc2007_500_X.npz", csr_matrix(np.eye(5)))
    assert "there is no asrs_tmc2007_500_Y.npz" in failure(
        command(*out, "--collections", "asrs", data=tmp_path)
    )
    for Y, words in ((np.ones((4, 2)), "for each of the 5 rows"), (np.eye(5)[:, :1], "at least two labels")):
        np.savez(tmp_path / "asrs_tmc2007_500_Y.npz", Y=Y)
        with pytest.raises(DataError, match=words):
            load_labelled_sets(tmp_path)
    np.savez(tmp_path / "asrs_tmc2007_500_Y.npz", other=np.eye(5))
    with pytest.raises(DataError, match="cannot read"):
        load_labelled_sets(tmp_path)
    assert not (tmp_path / "x").exists()


def test_views_share_their_cells(data):
    plans = {
        view: find_experiment(f"sisc-ml-{view}").plan(Settings(data, seeds=2, collections=["asrs"]))
        for view in ("table2", "table3", "fig2", "fig3")
    }
    keys = {view: {json.dumps(key) for key in plan.cells} for view, plan in plans.items()}
    assert all(len(keys[view]) == len(plan.cells) for view, plan in plans.items())
    assert keys["fig2"] == keys["table2"]
    assert keys["fig3"] < keys["table3"]
    assert len(keys["table2"] & keys["table3"]) == 2 * 2 * len(LIMITED)
    assert len({json.dumps(plan.parameters) for plan in plans.values()}) == 1


def test_real_sets_have_all_cells(data_folder, monkeypatch):
    if not (data_folder / "text" / "asrs_tmc2007_500_X.npz").exists():
        pytest.skip("no multi-label sets in the data folder")
    settings = Settings(data_folder, collections=["asrs"])
    plan = find_experiment("sisc-ml-table3").plan(settings)
    assert len(plan.cells) == 2 * 9 * len(LIMITED)
    # To choose 1000 of 500 words is no choice.
    monkeypatch.setattr(_plan, "N_FEATURES", 1000)
    assert len(find_experiment("sisc-ml-table3").plan(settings).cells) == 2 * 5 * len(LIMITED)
    task = plan.data(plan.cells[0])
    assert task.split.X_train.shape[0] == task.split.X_test.shape[0] == 5000
    assert (task.split.y_train.shape[1], len(task.split.labelled)) == (21, 500)
