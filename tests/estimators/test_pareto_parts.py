"""ParetoClustering of tables in parts: equal bits for all divisions, the clusters in memory, labels."""

import os
import pickle
import signal
import threading

import numpy as np
import pandas as pd
import pytest
from parts.part_data import sources, write_parquet
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK, PESC, ParetoBagClustering, ParetoClustering
from moo_clustering._kernels.kmeans import row_products
from moo_clustering.constraints import InconsistentConstraintsError
from moo_clustering.parts import parts

OPTIONS = {
    "families": ("km", "ward", "genie", "spec"),
    "k_range": (2, 3, 4, 5),
    "criterion": "modularity",
    "n_landmarks": 80,
    "random_state": 0,
}


def grouped(n=2500, rare=24, far=2, seed=1):
    """Three groups, a rare group of ``rare`` rows and ``far`` outliers, in float32 and random order."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(3, size=n), np.full(rare, 3))
    centers = np.array([[0.0, 0, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0], [-14, -14, 5, 0]])
    X = centers[y] + rng.normal(size=(len(y), 4)) * np.where(y == 3, 0.2, 1.0)[:, None]
    X = np.concatenate([X, 400.0 * rng.choice([-1, 1], size=(far, 4))])
    order = rng.permutation(len(X))
    return X[order].astype(np.float32), np.append(y, np.full(far, -1))[order]


def bits(model):
    """Return the attributes of a fit as bytes, for comparison."""
    found = model.landmarks_, model.landmark_weights_, model.outliers_, model.landmark_of_, model.labels_
    return [*(np.asarray(value).tobytes() for value in found), model.rare_groups_.to_csv(), model.n_clusters_]


@pytest.fixture(scope="module")
def fitted():
    X, y = grouped()
    table = parts(X, rows_per_part=400)
    return X, y, ParetoClustering(**OPTIONS).fit(table), table


@pytest.mark.parametrize("noise", ["assign", "label"])
def test_all_sources_and_cuts_give_the_same_bits(noise, tmp_path):
    X, _ = grouped()
    known = bits(ParetoClustering(noise=noise, **OPTIONS).fit(parts(X)))
    found = sources(tmp_path, X)
    names = ("cut array", "glob", "dask array", "zarr") if noise == "assign" else ("glob",)
    for name in [name for name in names if name in found]:
        source, options = found[name]
        source = source if name in ("dask array", "zarr") else parts(source, **options)
        assert bits(ParetoClustering(noise=noise, **OPTIONS).fit(source)) == known, name


def test_the_clusters_are_those_in_memory(fitted):
    X, y, model, table = fitted
    labels = np.asarray(model.labels_)
    memory = ParetoClustering(**OPTIONS).fit(X)
    assert labels.dtype == np.int32
    assert table.n_passes == 1
    assert (model.parts_.n_rows, model.parts_.n_passes, model.parts_.far_share) == (len(X), 1, 2 / len(X))
    assert repr(model.parts_) == "Parts(2526 rows, 4 columns, 7 parts, 1 pass, 0.08% far rows)"
    np.testing.assert_array_equal(labels, memory.labels_)
    assert adjusted_rand_score(labels[y >= 0], y[y >= 0]) > 0.99
    # Clusters are numbered by their first row.
    assert np.unique(labels, return_index=True)[1].tolist() == sorted(np.unique(labels, return_index=True)[1])
    row = model.rare_groups_.iloc[0]
    assert (row["n_samples"], row["sample"], row["is_cluster"]) == (24, np.flatnonzero(y == 3)[0], True)
    assert row["share"] == 24 / len(X)
    np.testing.assert_array_equal(labels == row["cluster"], y == 3)
    np.testing.assert_array_equal(model.outliers_, y == -1)
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_array_equal(model.predict(parts(X, rows_per_part=99)), labels)
    np.testing.assert_array_equal(memory.predict(parts(X, rows_per_part=99)), memory.predict(X))


KINDS_OF_FITS = {
    "plain": {},
    "noise": {"noise": "label"},
    "number": {"n_clusters": 4},
    "scale": {"scale": "isotropic", "n_neighbors": 5},
    "cosine": {"metric": "cosine"},
    "reduced": {"metric": "cosine", "n_components": 3},
    "clusterer": {"extra_candidates": [KMeans(4, n_init=1)]},
    "evolved": {"n_gen": 1, "pop_size": 6},
    "labels": {},
    "labels and noise": {"noise": "label"},
    "labels without clamp": {"clamp": False},
    "labels of some classes": {"novel": "allow"},
    "pairs": {},
}


@pytest.mark.parametrize(("sampled", "dtype"), [(True, np.float32), (False, np.float64)])
@pytest.mark.parametrize("name", KINDS_OF_FITS)
@pytest.mark.filterwarnings("ignore:no structure")
def test_a_fit_in_memory_has_the_bits_of_one_in_parts(monkeypatch, name, sampled, dtype):
    if sampled:
        for limit in ("_MOST_SAMPLED", "_LEAST_SAMPLED"):
            monkeypatch.setattr(f"moo_clustering.estimators._pareto_pool.{limit}", 2500)
        # Blocks in memory have other limits than parts.
        monkeypatch.setattr("moo_clustering.estimators._pareto_pool._BLOCK_VALUES", 4 * 1234)
    X, y = grouped(5000, rare=45, seed=2)
    rng = np.random.default_rng(0)
    X = np.concatenate([X, rng.uniform(-15, 15, (30, 4))]).astype(dtype)
    chosen = rng.permutation(np.flatnonzero(y >= 0))[:40]
    known = {}
    if name.startswith("labels"):
        known["y"] = np.full(len(X), -1)
        known["y"][chosen] = y[chosen] if name != "labels of some classes" else np.minimum(y[chosen], 1)
    if name == "pairs":
        pairs = chosen.reshape(-1, 2)
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        known |= {"must_link": pairs[same], "cannot_link": pairs[~same]}
    options = OPTIONS | KINDS_OF_FITS[name]
    memory = ParetoClustering(**options).fit(X, **known)
    if not known:
        np.testing.assert_array_equal(memory.predict(X), memory.labels_)
    for n in (len(X), 777):
        model = ParetoClustering(**options).fit(parts(X, rows_per_part=n), **known)
        assert bits(model) == bits(memory)
        assert model.parts_.n_passes == (3 if sampled else 1) + bool(known)
        np.testing.assert_array_equal(model.pool_.labels, memory.pool_.labels)
        np.testing.assert_array_equal(model.pareto_front_, memory.pareto_front_)
        if name == "plain":
            expected = memory.alternative_labels_
            assert len(expected) > 0
            np.testing.assert_array_equal(model.alternative_labels_[:, model.landmark_of_], expected)
            assert len(model.rare_groups_) == 1


def test_few_distinct_rows_are_clusters_in_parts_too(monkeypatch):
    codes = np.random.default_rng(0).integers(3, size=900)
    X = np.eye(3)[codes]
    memory = ParetoClustering(**OPTIONS).fit(X)
    for limit in ("_MOST_SAMPLED", "_LEAST_SAMPLED"):
        monkeypatch.setattr(f"moo_clustering.estimators._pareto_pool.{limit}", 300)
    for model in (ParetoClustering(**OPTIONS).fit(table) for table in (X, parts(X, rows_per_part=200))):
        np.testing.assert_array_equal(model.labels_, memory.labels_)
        assert adjusted_rand_score(codes, model.labels_) == 1
        assert sorted(model.landmark_weights_) == sorted(memory.landmark_weights_)
    # Reports of tables in parts show some rows, which have the nearest of equal landmarks.
    rows = np.unique(model._required_rows())
    shown = model._with_rows(X[rows], model.labels_[rows].compute())
    np.testing.assert_array_equal(shown._samples.per_point(shown.labels_), model._result_labels)


def test_landmarks_are_the_means_of_their_rows(fitted):
    X, _, model, _ = fitted
    landmark_of = np.asarray(model.landmark_of_)
    np.testing.assert_array_equal(model.landmark_weights_, np.bincount(landmark_of))
    assert model.landmark_weights_.sum() == len(X)
    # The naive computation, in the scale of the rows that are not outliers.
    scale = X[~np.asarray(model.outliers_)].astype(np.float64).std(axis=0)
    gaps = ((X[:, None] - model.landmarks_) / scale) ** 2
    assert (landmark_of == gaps.sum(axis=2).argmin(axis=1)).mean() > 0.999
    # Another Lloyd iteration moves few landmarks by more than a part of their radius.
    means = np.stack([X[landmark_of == each].mean(axis=0) for each in range(model.n_landmarks_)])
    assert np.median(np.abs(means - model.landmarks_) / scale) < 0.05


def test_other_methods_cluster_the_weighted_landmarks(fitted):
    _, y, model, _ = fitted
    X, weight, landmark_of = model.landmarks_, model.landmark_weights_, np.asarray(model.landmark_of_)
    for method in (PESC(3, n_gen=5, random_state=0), MOCK(3, n_gen=5, random_state=0)):
        labels = method.fit_predict(X, sample_weight=weight)
        lazy = model.landmark_of_.map_blocks(labels.__getitem__)
        np.testing.assert_array_equal(lazy.compute(), labels[landmark_of])
        assert adjusted_rand_score(y[y >= 0], labels[landmark_of][y >= 0]) > 0.9
        ones = clone(method).fit(X, sample_weight=np.ones(len(X)))
        np.testing.assert_array_equal(ones.labels_, clone(method).fit(X).labels_)
        np.testing.assert_allclose(ones.pareto_front_, clone(method).fit(X).pareto_front_)
        for wrong, message in (
            (weight[1:], "one per sample, got"),
            (weight - weight.min(), "be positive, got 0"),
        ):
            with pytest.raises(ValueError, match=f"^sample_weight must .*{message}"):
                method.fit(X, sample_weight=wrong)
    with pytest.raises(ValueError, match=r'^sample_weight does not apply to laplacian="unnormalized"'):
        PESC(3, laplacian="unnormalized").fit(X, sample_weight=weight)


def test_the_summary_counts_rows(fitted):
    X, _, model, _ = fitted
    sizes = np.sort(np.bincount(np.asarray(model.labels_)))[::-1]
    text = model.summary()
    assert text.startswith(f"{len(sizes)} clusters of {', '.join(map(str, sizes))} samples: ")
    assert f"from {model.n_landmarks_} landmarks of {len(X)} rows" in text
    noise = ParetoClustering(noise="label", **OPTIONS).fit(parts(X, rows_per_part=500))
    assert " and 2 outliers: " in noise.summary()
    np.testing.assert_array_equal(np.asarray(noise.labels_) == -1, noise.outliers_)
    np.testing.assert_array_equal(noise.predict(X), noise.labels_)


def test_a_sample_of_the_rows_places_the_landmarks(monkeypatch):
    for name, value in (("_MOST_SAMPLED", 4000), ("_LEAST_SAMPLED", 4000)):
        monkeypatch.setattr(f"moo_clustering.estimators._pareto_pool.{name}", value)
    X, y = grouped(8000, rare=60)
    first, other = (ParetoClustering(**OPTIONS).fit(parts(X, rows_per_part=n)) for n in (2000, 173))
    assert bits(first) == bits(other)
    assert (first.parts_.n_passes, first.parts_.far_share) == (3, 2 / len(X))
    assert first.rare_groups_["n_samples"].tolist() == [60]
    labels = np.asarray(first.labels_)
    assert adjusted_rand_score(labels[y >= 0], y[y >= 0]) > 0.99
    # Outliers outside the sample have no landmark, but do not move landmarks either.
    np.testing.assert_array_equal(first.outliers_, y == -1)
    assert np.abs(first.landmarks_[np.asarray(first.landmark_of_)[y >= 0]]).max() < 30


def test_few_rows_are_their_own_landmarks():
    X, _ = grouped(45, rare=0)
    memory = ParetoClustering(**OPTIONS).fit(X)
    assert adjusted_rand_score(ParetoClustering(**OPTIONS).fit(parts(X)).labels_, memory.labels_) == 1
    X = np.concatenate([X, X[:5]])
    models = [ParetoClustering(**OPTIONS).fit(parts(X, rows_per_part=n)) for n in (60, 7)]
    assert bits(models[0]) == bits(models[1])
    assert models[0].parts_.n_passes == 1
    np.testing.assert_allclose(models[0].landmarks_, X[:-5], rtol=1e-6, atol=1e-5)
    assert models[0].landmark_weights_.tolist() == [2] * 5 + [1] * (len(X) - 10)
    same = ParetoClustering(**OPTIONS).fit(parts(np.ones((200, 3))))
    np.testing.assert_array_equal(same.labels_, np.zeros(200))


def test_labels_and_pairs_by_row_numbers(fitted):
    X, y, _, table = fitted
    model = ParetoClustering(**OPTIONS).fit(table)
    passes = model.parts_.n_passes
    chosen = np.flatnonzero(y >= 0)[::60]
    known = {int(row): "abcd"[y[row]] for row in chosen}
    assert len(set(known.values())) >= 3
    model.relabel(known)
    assert model.parts_.n_passes == passes + 1
    of_array = np.full(len(X), "", dtype=object)
    of_array[chosen] = list(known.values())
    again = ParetoClustering(**OPTIONS).fit(parts(X, rows_per_part=271), of_array)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.classes_, sorted(set(known.values())))
    right = model.transduction_ == np.array(list("abcd"))[y]
    assert right[y >= 0].mean() > 0.97
    # Known rows retain their classes, whatever the classes of near rows.
    wrong = model.relabel(known | {int(np.flatnonzero(y == 0)[7]): "b"})
    assert wrong.transduction_[np.flatnonzero(y == 0)[7]] == "b"
    one, two, other = *np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 2)[0]
    model.relabel(must_link=[(one, two)], cannot_link=[(one, other)])
    labels = np.asarray(model.labels_)
    assert labels[one] == labels[two] != labels[other]
    assert model.relabel().n_clusters_ == fitted[2].n_clusters_
    np.testing.assert_array_equal(model.labels_, fitted[2].labels_)


def test_contradictions_are_named_by_rows_and_no_labels_are_none(fitted):
    X, _, _, table = fitted
    model = ParetoClustering(**OPTIONS).fit(table, np.full(len(X), -1))
    np.testing.assert_array_equal(model.labels_, fitted[2].labels_)
    with pytest.raises(InconsistentConstraintsError) as caught:
        model.relabel({40: 1, 2000: 0, 71: 1}, must_link=[(40, 2000)])
    assert "samples 2000 (class 0) and 40 (class 1) differ in y" in str(caught.value)
    assert str(caught.value).endswith("must-links and classes join 2000 - 40")
    assert caught.value.conflicts.tolist() == [[2000, 40]]


def test_other_results_are_chosen_without_a_pass(fitted):
    X, _, first, _ = fitted
    table = parts(X, rows_per_part=600)
    model = ParetoClustering(**OPTIONS).fit(table)
    passes, n_landmarks = model.parts_.n_passes, model.n_landmarks_
    assert model.pareto_labels_.shape == (len(model.pareto_front_), n_landmarks)
    assert model.alternative_labels_.shape == (len(model.alternatives_), n_landmarks)
    model.rename({0: "first"}).choose("alternative-0")
    of_landmark = model.alternative_labels_[0]
    assert adjusted_rand_score(np.asarray(model.labels_), of_landmark[np.asarray(model.landmark_of_)]) == 1
    assert model.relabel(n_clusters=3).n_clusters_ >= 3
    model.clustering_result()
    assert "labels" in model._repr_html_() or model._repr_html_()
    assert model.parts_.n_passes == passes
    np.testing.assert_array_equal(model.relabel(n_clusters=None).labels_, first.labels_)


def test_labels_are_written_by_part_and_completed(tmp_path):
    X, _ = grouped(900)
    model = ParetoClustering(**OPTIONS).fit(parts(write_parquet(tmp_path / "t", X, [0, 300, 301, len(X)])))
    files = model.write_labels(tmp_path / "out")
    times = [file.stat().st_mtime_ns for file in files]
    files[2].unlink()
    # Another process completes the files of labels.
    again = pickle.loads(pickle.dumps(model))
    assert bits(again) == bits(model)
    assert again.write_labels(tmp_path / "out") == files
    kept = [file.stat().st_mtime_ns == at for file, at in zip(files, times, strict=True)]
    assert kept == [True, True, False]
    frame = pd.concat([pd.read_parquet(file) for file in files])
    np.testing.assert_array_equal(frame["row"], np.arange(len(X)))
    np.testing.assert_array_equal(frame["cluster"], np.asarray(model.labels_))
    with pytest.raises(ValueError, match="labels of a different fit or of other parts"):
        model.choose("alternative-0").write_labels(tmp_path / "out")
    new = model.write_labels(tmp_path / "new", parts(write_parquet(tmp_path / "u", X[:50], [0, 50])))
    np.testing.assert_array_equal(pd.read_parquet(new[0])["cluster"], model.predict(named(X[:50])))
    with pytest.raises(ValueError, match="names should match"):
        model.predict(parts(write_parquet(tmp_path / "v", X[:, :3], [0, 300])))


def named(X):
    """The rows as a frame with the columns of the files."""
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def test_a_model_of_a_frame_labels_files(tmp_path):
    X, _ = grouped(600, rare=0, far=0)
    model = ParetoClustering(**OPTIONS).fit(named(X))
    assert model.preparer_ is not None
    files = parts(write_parquet(tmp_path / "t", X, [0, 200, 600]))
    np.testing.assert_array_equal(model.predict(files), model.predict(named(X)))
    written = model.write_labels(tmp_path / "out", files)
    found = np.concatenate([pd.read_parquet(file)["cluster"] for file in written])
    np.testing.assert_array_equal(found, model.predict(named(X)))
    with pytest.raises(ValueError, match="X is required"):
        model.write_labels(tmp_path / "none")


def test_clusterers_and_evolution_work_on_landmarks():
    X, y = grouped(rare=0)
    extra = [("mean shift", KMeans(4, random_state=0, n_init=1))]
    model = ParetoClustering(**OPTIONS, extra_candidates=extra, n_gen=1, pop_size=6).fit(parts(X))
    assert "mean shift" in set(model.scores_["family"])
    assert "evolved" in set(model.scores_["family"])
    assert model.control_labels_.shape == (model.n_landmarks_,)
    assert adjusted_rand_score(np.asarray(model.labels_)[y >= 0], y[y >= 0]) > 0.95


def test_the_report_is_that_of_the_landmarks(fitted, tmp_path):
    model = fitted[2]
    model.report(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text("utf-8")
    assert f"{model.n_landmarks_} landmarks of {len(fitted[0])} rows" in text


@pytest.mark.parametrize("n_features", [6, pytest.param(60, marks=pytest.mark.slow)], ids=["unit", "reduced"])
def test_directions_are_read_by_part(n_features, tmp_path):
    # Rows of unit length around five directions, in various units; more than 50 features are reduced.
    rng = np.random.default_rng(0)
    y, centers = rng.integers(5, size=1200), rng.normal(size=(5, n_features))
    X = centers[y] + 0.2 * rng.normal(size=(len(y), n_features))
    X = (X * rng.uniform(0.1, 10, size=(len(y), 1))).astype(np.float32)
    options = OPTIONS | {"metric": "cosine", "k_range": (4, 5, 6)}
    model = ParetoClustering(**options).fit(parts(X, rows_per_part=500))
    files = parts(write_parquet(tmp_path / "t", X, [0, 100, 101, 1200]))
    assert bits(ParetoClustering(**options).fit(files)) == bits(model)
    np.testing.assert_array_equal(ParetoClustering(**options).fit(X).labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(3 * X), model.labels_)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    model.report(tmp_path / "r.html")
    assert "landmarks of 1200 rows" in (tmp_path / "r.html").read_text("utf-8")
    X[7] = 0
    with pytest.warns(UserWarning, match="1 of 1200 rows of X contain only zeros"):
        ParetoClustering(**options).fit(parts(X))


def test_products_of_a_row_do_not_depend_on_other_rows():
    rng = np.random.default_rng(0)
    X, columns = rng.normal(size=(70, 60)), rng.normal(size=(60, 7))
    found = row_products(X, columns)
    np.testing.assert_allclose(found, X @ columns, rtol=0, atol=1e-12)
    for n in (1, 3, 64):
        np.testing.assert_array_equal(row_products(X[5 : 5 + n], columns), found[5 : 5 + n])


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"metric": "precomputed"}, 'metric="precomputed"'),
        ({"views": {"all": [0, 1]}}, "views"),
        ({"extra_candidates": [("mine", np.zeros(100))]}, "extra_candidates with labels"),
    ],
    ids=["metric", "views", "labels"],
)
def test_options_that_need_all_rows_are_refused_before_a_pass(options, what):
    X = np.random.default_rng(0).normal(size=(100, 3))
    table = parts(X)
    with pytest.raises(ValueError, match=f"^{what} does not support a partitioned table"):
        ParetoClustering(**OPTIONS, **options).fit(table)
    assert table.n_passes == 0


def test_faults_end_the_fit_before_a_pass(fitted):
    X, _, model, _ = fitted
    table = parts(X)
    for call, message in (
        (lambda: ParetoClustering(10**6).fit(table), "n_clusters"),
        (
            lambda: ParetoClustering().fit(table, {len(X): 1}),
            r"row indices from 0 to 2525 to classes, got 2526",
        ),
        (lambda: ParetoClustering().fit(table, {"a": 1}), "row indices from 0 to 2525"),
        (lambda: ParetoClustering().fit(table, [0, 1]), r"one row per sample \(2526\), got 2"),
        (lambda: ParetoClustering().fit(table, must_link=[(0, 2526)]), "2526"),
        (lambda: ParetoClustering().fit(parts(X[:1])), "at least 2 rows, got 1"),
        (lambda: model.ask(), "ask requires rows in memory"),
        (lambda: model.update(X[:5]), "update does not support a fit to a partitioned table"),
        (lambda: ParetoBagClustering().fit(table), "ParetoBagClustering requires all rows"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert table.n_passes == 0


@pytest.fixture
def client():
    distributed = pytest.importorskip("distributed")
    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_bits_of_one_process(client, tmp_path, monkeypatch):
    monkeypatch.setattr("moo_clustering.estimators._pareto_pool._MOST_SAMPLED", 4000)
    monkeypatch.setattr("moo_clustering.estimators._pareto_pool._LEAST_SAMPLED", 4000)
    X, y = grouped(8000, rare=60)
    options = OPTIONS | {"noise": "label"}
    expected = ParetoClustering(**options).fit(parts(X))
    known = {int(row): int(y[row]) for row in np.flatnonzero(y >= 0)[::400]}
    found = sources(tmp_path, X)
    for name in [name for name in ("glob", "dask array", "zarr") if name in found]:
        source, cut = found[name]
        timer = threading.Timer(0.3, kill_one, [client])
        timer.start()
        model = ParetoClustering(**options).fit(parts(source, **cut))
        timer.join()
        client.wait_for_workers(2)
        assert bits(model) == bits(expected), name
        np.testing.assert_array_equal(model.predict(parts(source, **cut)), expected.labels_)
    files = model.write_labels(tmp_path / "out")
    files[0].unlink()
    assert model.write_labels(tmp_path / "out") == files
    written = np.concatenate([pd.read_parquet(file)["cluster"] for file in files])
    np.testing.assert_array_equal(written, expected.labels_)
    np.testing.assert_array_equal(model.relabel(known).labels_, expected.relabel(known).labels_)


def kill_one(client):
    """Kill the process of a worker."""
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
