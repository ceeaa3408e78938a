"""MemeticKMeans of tables in parts: the same bits for every cut, lazy labels, and labels written by part."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from parts.part_data import sources, table, write_parquet

from moo_clustering import PESC, ConstrainedKMeans, MemeticKMeans, ParetoClustering
from moo_clustering.estimators.memetic_kmeans import relocated
from moo_clustering.parts import parts
from moo_clustering.parts.statistics import Survey

SMALL = partial(MemeticKMeans, max_distance_evaluations=60_000, random_state=0)


def fitted(model):
    """Return the attributes of a fit as bytes, for comparison."""
    found = model.cluster_centers_, np.asarray(model.labels_), np.float64(model.inertia_)
    return [value.tobytes() for value in found]


def test_all_sources_and_cuts_give_the_same_bits(tmp_path):
    X = table(1500)
    known = fitted(SMALL(3).fit(parts(X)))
    for name, (source, options) in sources(tmp_path, X).items():
        if name in ("zarr", "dask array", "dask frame"):
            assert fitted(SMALL(3).fit(source)) == known, name
        assert fitted(SMALL(3).fit(parts(source, **options))) == known, name


def test_the_result_is_consistent_and_as_good_as_in_memory():
    X = table(1500).astype(np.float64)
    model = SMALL(3, report_controls=True).fit(parts(X, rows_per_part=400))
    labels = model.labels_.compute()
    assert labels.dtype == np.int32
    assert model.labels_.chunks == ((400, 400, 400, 300),)
    # Clusters are numbered by first row, and every row belongs to the nearest centre.
    assert np.unique(labels, return_index=True)[1].tolist() == sorted(np.unique(labels, return_index=True)[1])
    squares = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(labels, squares.argmin(axis=1))
    assert model.inertia_ == pytest.approx(squares.min(axis=1).sum(), rel=1e-9)
    memory = SMALL(3).fit(X)
    assert model.inertia_ == pytest.approx(memory.inertia_, rel=1e-6)
    assert set(model.control_inertia_) == {"multistart", "swap", "ward"}
    assert min(model.control_inertia_.values()) >= model.inertia_ * (1 - 1e-9)
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_array_equal(model.predict(parts(X, rows_per_part=99)).compute(), labels)
    assert (np.diff(model.history_["inertia"]) <= 0).all()
    # The survey and Lloyd's passes; then a pass of lazy labels leaves the count as it is.
    assert model.parts_.n_passes == 1 + len(model.history_)


def test_several_samples_are_searched(monkeypatch):
    monkeypatch.setattr("moo_clustering.estimators.memetic_kmeans._SEARCHED", 100)
    X = table(2000)
    known, other = (fitted(SMALL(5).fit(parts(X, rows_per_part=n))) for n in (2000, 301))
    assert known == other
    with pytest.raises(ValueError, match="n_clusters=101 must not exceed 100, the size of the samples"):
        SMALL(101).fit(parts(X))


def test_a_centre_moves_to_a_far_row():
    # The merger of 0 and 1 costs 5 * 5 / 10, and the removal of 30 from its cluster gains 20 / 19 * 400.
    means, far = np.array([[0.0], [1.0], [10.0]]), np.array([[0.5], [1.0], [30.0]])
    found = relocated(means, np.array([5, 5, 20]), far)
    np.testing.assert_allclose(found, [[0.5], [30.0], [10 - 20 / 19]])
    # Without a gain, the centres remain the means.
    np.testing.assert_array_equal(relocated(means, np.array([5, 5, 20]), means + 0.1), means)
    np.testing.assert_array_equal(relocated(means[:1], np.array([5]), far[2:]), means[:1])
    # An empty cluster is free.
    found = relocated(means, np.array([5, 0, 2]), np.array([[0.0], [1.0], [11.0]]))
    np.testing.assert_allclose(found, [[0.0], [11.0], [9.0]])


@pytest.mark.parametrize("seed", range(5))
def test_relocations_lower_the_sum_of_squares(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2, size=(400, 3))
    looked = Survey(parts(X), 400)
    found = looked.statistics(rng.normal(size=(1, 30, 3)))
    centers = relocated(found.means[0], found.sizes[0], found.far[0])
    moved = (centers != found.means[0]).any(axis=1)
    # Three clusters per move: two merge, and one loses its farthest row.
    assert moved.sum() >= 3
    after = looked.statistics(centers[np.newaxis]).squares.sum()
    assert after < looked.statistics(found.means).squares.sum()
    assert after < found.scatter.sum()


def test_a_fit_makes_at_most_twelve_passes():
    X = np.random.default_rng(0).standard_t(2, size=(3000, 3))
    model = MemeticKMeans(25, max_distance_evaluations=80_000, random_state=0).fit(parts(X))
    assert model.parts_.n_passes == 1 + len(model.history_) <= 12


def test_labels_are_written_by_part_and_completed(tmp_path):
    from pyarrow import parquet

    X = table(900)
    model = SMALL(3).fit(parts(write_parquet(tmp_path / "t", X, [0, 300, 301, 900])))
    files = model.write_labels(tmp_path / "out")
    times = [file.stat().st_mtime_ns for file in files]
    files[2].unlink()
    assert model.write_labels(tmp_path / "out") == files
    assert [file.stat().st_mtime_ns == at for file, at in zip(files, times, strict=True)] == [
        True,
        True,
        False,
    ]
    assert sorted(tmp_path.glob("out/*")) == files
    frame = pd.concat([parquet.read_table(file).to_pandas() for file in files])
    np.testing.assert_array_equal(frame["row"], np.arange(900))
    np.testing.assert_array_equal(frame["cluster"], np.asarray(model.labels_))
    with pytest.raises(ValueError, match="labels of a different fit or of other parts; choose"):
        SMALL(4).fit(parts(X)).write_labels(tmp_path / "out")
    new = model.write_labels(tmp_path / "new", parts(pd_frame(X[:50], tmp_path)))
    np.testing.assert_array_equal(parquet.read_table(new[0])["cluster"], np.asarray(model.labels_)[:50])
    with pytest.raises(ValueError, match="X is required"):
        SMALL(3).fit(X).write_labels(tmp_path / "none")


def pd_frame(X, folder):
    """One Parquet file with the rows."""
    return write_parquet(folder / "small", X, [0, len(X)])


def test_names_of_columns_are_checked_and_models_are_pickled(tmp_path):
    X = table(300)
    model = SMALL(3).fit(parts(write_parquet(tmp_path / "t", X, [0, 100, 300])))
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    assert model.n_features_in_ == 4
    again = pickle.loads(pickle.dumps(model))
    assert fitted(again) == fitted(model)
    # Another process completes the files of labels.
    model.write_labels(tmp_path / "out")[1].unlink()
    written = [pd.read_parquet(file)["cluster"] for file in again.write_labels(tmp_path / "out")]
    np.testing.assert_array_equal(np.concatenate(written), np.asarray(model.labels_))
    assert "MemeticKMeans" in repr(model.rename({0: "first"}))
    with pytest.raises(ValueError, match="names should match"):
        model.predict(parts(write_parquet(tmp_path / "u", X[:, :3], [0, 300])))
    with pytest.raises(ValueError, match="X has 3 features"):
        SMALL(3).fit(X).predict(parts(X[:, :3]))


def test_faults_end_the_fit_before_the_search():
    X = table(50)
    with pytest.raises(ValueError, match="n_clusters"):
        MemeticKMeans(51).fit(parts(X))
    with pytest.raises(ValueError, match="checkpoint requires data in memory"):
        MemeticKMeans(2, checkpoint="file").fit(parts(X))


def test_other_estimators_name_what_takes_parts():
    da = pytest.importorskip("dask.array")
    X = table(60)
    memory = r"PESC requires .* machine, about 1\.4 GiB per million rows"
    advice = "; fit ParetoClustering, which supports partitioned tables, or PESC on its landmarks_"
    with pytest.raises(ValueError, match=f"^{memory}{advice}$"):
        PESC(3).fit(parts(X))
    wide = parts(np.zeros((5, 1000)))
    with pytest.raises(ValueError, match=r"more than 7\.5 GiB per million rows; fit ParetoClustering"):
        ConstrainedKMeans(3).fit(wide)
    large = da.zeros((10**9, 10), chunks=(10**6, 10))
    with pytest.raises(ValueError, match=rf"{memory}, .* takes 74\.5 GiB \(limit: 4 GiB\){advice}$"):
        PESC(3).fit(large)
    with pytest.raises(ValueError, match="omit the options that do not support partitioned tables"):
        ParetoClustering(views={"all": [0]}).fit(large)
    # Below the limit they become arrays.
    small = da.from_array(X, chunks=(20, 4))
    np.testing.assert_array_equal(
        PESC(3, random_state=0).fit(small).labels_, PESC(3, random_state=0).fit(X).labels_
    )


def test_a_list_of_frames_is_no_table():
    frames = [pd.DataFrame(table(20)), pd.DataFrame(table(20, seed=1))]
    for model in (ParetoClustering(), MemeticKMeans(2), PESC(2)):
        for tables in (frames, [*frames[:1], table(20)]):
            with pytest.raises(TypeError, match=r"list of 2 data frames.* Bags.* dask\.dataframe\.concat"):
                model.fit(tables)


def test_comparisons_with_the_fit_require_rows_in_memory():
    X = table(60)
    model = MemeticKMeans(2, max_distance_evaluations=5000, random_state=0).fit(X)
    for method in (model.drift, model.predict_table):
        with pytest.raises(ValueError, match="requires rows in memory; pass a sample, such as"):
            method(parts(X), X)
