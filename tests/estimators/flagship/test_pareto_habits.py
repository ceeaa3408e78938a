"""What users of scikit-learn and pandas do with any estimator."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, partly
from sklearn.base import clone, is_clusterer
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import ParetoBagClustering, ParetoClustering

FRAME = pd.DataFrame(X, columns=["width", "height"], index=[f"plant {i}" for i in range(90)])
Y = partly(CLASSES, 3)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"]
)
def test_copies_of_a_fit(labelled, copied):
    twin = copied(labelled)
    assert_array_equal(twin.predict_proba(X), labelled.predict_proba(X))
    assert_array_equal(twin.choose("alternative-0").labels_, labelled.alternative_labels_[0])
    assert_array_equal(twin.relabel(Y).predict_proba_, labelled.predict_proba_)
    # The first was not touched.
    assert hasattr(labelled, "predict_proba_")


def test_joblib_files(labelled, tmp_path):
    joblib.dump(labelled, tmp_path / "model.joblib")
    assert_array_equal(joblib.load(tmp_path / "model.joblib").labels_, labelled.labels_)


def test_cloning_and_parameters(plain):
    fresh = clone(plain)
    assert not hasattr(fresh, "labels_")
    assert fresh.get_params() == plain.get_params()
    views = {"first": [0]}
    model = ParetoClustering(5, views=views, extra_candidates=[("mine", CLASSES)], kernel="pool")
    for name, value in clone(model).get_params(deep=False).items():
        if name not in ("views", "extra_candidates"):
            assert value == getattr(model, name)
    assert repr(model).startswith("ParetoClustering(extra_candidates=[('mine',")
    assert model.set_params(n_clusters=2) is model
    assert model.n_clusters == 2
    with pytest.raises(ValueError, match="Invalid parameter 'clusters'"):
        model.set_params(clusters=2)


def test_a_second_fit_starts_anew():
    model = ParetoClustering(**QUICK).fit(X, Y)
    model.fit(X[:60, :1])
    assert model.n_features_in_ == 1
    assert model.labels_.shape == (60,)
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "predict_proba_")
    assert_array_equal(model.labels_, ParetoClustering(**QUICK).fit(X[:60, :1]).labels_)


def test_fit_predict():
    assert_array_equal(ParetoClustering(**QUICK).fit_predict(X), ParetoClustering(**QUICK).fit(X).labels_)
    labels = ParetoClustering(**QUICK).fit_predict(X, Y)
    assert_array_equal(labels, ParetoClustering(**QUICK).fit(X, Y).labels_)
    assert is_clusterer(ParetoClustering())
    assert is_clusterer(ParetoBagClustering())


def test_frames(labelled):
    model = ParetoClustering(**QUICK).fit(FRAME, pd.Series(Y, index=FRAME.index))
    assert_array_equal(model.labels_, labelled.labels_)
    assert list(model.feature_names_in_) == ["width", "height"]
    assert_array_equal(model.predict(FRAME), model.labels_)
    assert_array_equal(model.predict(FRAME[["height", "width"]]), model.labels_)
    assert_array_equal(model.predict(X), model.labels_)
    with pytest.raises(ValueError, match="lacks column 'width' of the fit"):
        model.predict(FRAME[["height"]])
    numbers = ParetoClustering(prepare="none", **QUICK).fit(FRAME)
    with pytest.raises(ValueError, match="feature names should match"):
        numbers.predict(FRAME[["height", "width"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        numbers.predict(X)
    kinds = pd.Series(np.array(["a", "b", "c"])[CLASSES], dtype="category")
    assert list(ParetoClustering(**QUICK).fit(FRAME, kinds).classes_) == ["a", "b", "c"]
    pairs = pd.DataFrame({"one": [0, 1], "other": [2, 3]})
    linked = ParetoClustering(**QUICK).fit(FRAME, must_link=pairs)
    assert linked.labels_[0] == linked.labels_[2]
    precomputed = pd.DataFrame(np.linalg.norm(X[:, None] - X, axis=2))
    assert ari(ParetoClustering(metric="precomputed", **QUICK).fit(precomputed).labels_, CLASSES) > 0.9


def test_pipelines():
    pipe = make_pipeline(StandardScaler(), ParetoClustering(scale="none", **QUICK))
    assert ari(pipe.fit_predict(X), CLASSES) > 0.9
    assert_array_equal(pipe.predict(X), pipe[-1].labels_)
    pipe.fit(X, Y)
    assert pipe.predict_proba(X).shape == (90, 3)
    mixed = FRAME.assign(colour=np.array(["red", "blue", "grey"])[CLASSES])
    encode = ColumnTransformer(
        [("n", StandardScaler(), ["width", "height"]), ("c", OneHotEncoder(), ["colour"])]
    )
    assert ari(make_pipeline(encode, ParetoClustering(**QUICK)).fit_predict(mixed), CLASSES) > 0.9


def test_model_selection():
    model = ParetoClustering(**QUICK)
    assert (cross_val_score(model, X, scoring="adjusted_rand_score", y=CLASSES, cv=3) > 0.8).all()
    search = GridSearchCV(model, {"kernel": ["pool", "full"]}, scoring="accuracy", cv=3).fit(X, CLASSES)
    assert search.best_score_ > 0.9
    assert search.best_params_["kernel"] in ("pool", "full")


@parametrize_with_checks(
    [
        ParetoClustering(families=("km", "ward"), k_range=(2, 3), random_state=0),
        ParetoClustering(families=("km", "ward", "genie", "gmm"), k_range=(2, 3, 4), random_state=0),
        ParetoClustering(n_clusters=2, k_range=(2, 3), n_landmarks=15, random_state=0),
        ParetoBagClustering(distances=("symmetric",), embeddings=("mean",), k_range=(2, 3), random_state=0),
        ParetoBagClustering(k_range=(2, 3), random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
