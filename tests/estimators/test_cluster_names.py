"""Names that a user gives to clusters follow the partition where it changes without a fit."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

from moo_clustering import MOCK, NSGA2Clus, ParetoClustering
from moo_clustering.results import carried_names, result_of

X = load_iris(as_frame=True).data


def moved(before, after, names):
    """Names after a fitted model changes from one partition to another."""
    model = ParetoClustering(2, random_state=0)

    class Model(type(model)):
        def choose(self, rule):
            self.labels_ = np.array(rule, dtype=np.int32)
            return self

    model = Model(2)
    model.labels_ = np.array(before, dtype=np.int32)
    model.rename(names)
    return model.choose(after).cluster_names_


KEPT = {
    "other numbers": ([0, 0, 0, 1, 1], [1, 1, 1, 0, 0], {1: "a", 0: "b"}),
    # Two of three samples, which are two of three samples of the new cluster.
    "most of both": ([0, 0, 0, 1, 1], [0, 0, 1, 0, 1], {0: "a"}),
    "two thirds and all": ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1], {0: "a", 1: "b"}),
    # Half is not more than half: of the old cluster, and of the new one.
    "half of the old": ([0, 0, 1, 1], [0, 1, 2, 2], {2: "b"}),
    "half of the new": ([0, 0, 1, 1], [0, 0, 0, 0], {}),
    # Noise belongs to the old cluster, and to no new one.
    "noise": ([0, 0, 0, 0, 1], [0, 0, -1, -1, 1], {1: "b"}),
    "less noise": ([0, 0, 0, 0, 1], [0, 0, 0, -1, 1], {0: "a", 1: "b"}),
    "from noise": ([0, 0, -1, -1, 1], [0, 0, 0, 0, 1], {1: "b"}),
    "everything is noise": ([0, 0, 1], [-1, -1, -1], {}),
}


@pytest.mark.parametrize("case", KEPT)
def test_worked_examples(case):
    before, after, expected = KEPT[case]
    lost = [name for name in "ab" if name not in expected.values()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert moved(before, after, {0: "a", 1: "b"}) == expected
    assert [str(each.message) for each in caught] == (
        [
            "these cluster names were dropped, because the new partition has no similar cluster: "
            + ", ".join(map(repr, lost))
        ]
        if lost
        else []
    )


def test_matching_is_one_to_one():
    rng = np.random.default_rng(0)
    for _ in range(200):
        before, after = rng.integers(0, 5, (2, 30))
        after = np.where(rng.random(30) < rng.random(), before, after)
        before = np.unique(before, return_inverse=True)[1]
        names = {k: f"name {k}" for k in range(before.max() + 1)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = moved(before, after, names)
        expected = {}
        for old, name in names.items():
            for new in range(5):
                both = sum((before == old) & (after == new))
                if both > sum(before == old) / 2 and both > sum(after == new) / 2:
                    assert new not in expected
                    expected[new] = name
        assert found == expected


def test_relabel_and_back():
    model = ParetoClustering(3, random_state=0).fit(X)
    model.rename({0: "setosa", 2: "virginica"})
    with pytest.warns(UserWarning, match="dropped.*'virginica'"):
        model.relabel(n_clusters=2)
    setosa = model.labels_[0]
    assert model.cluster_names_ == {setosa: "setosa"}
    assert model.describe(X).names[setosa] == "setosa"
    assert f"names: {setosa} = setosa" in model.summary()
    assert "setosa" in model._repr_html_inner()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.choose("auto")
    assert model.cluster_names_ == {setosa: "setosa"}
    with pytest.raises(ValueError, match="rule"):
        model.choose("nothing")
    assert model.cluster_names_ == {setosa: "setosa"}


def test_an_inherited_choose_carries_names_over():
    model = NSGA2Clus(random_state=0, n_gen=3, verbose=False).fit(X.iloc[::3]).choose(1)
    names = {k: f"name {k}" for k in range(model.n_clusters_)}
    before = model.rename(names).labels_
    with pytest.warns(UserWarning, match="these cluster names were dropped"):
        model.choose(0)
    with pytest.warns(UserWarning, match="these cluster names were dropped"):
        assert model.cluster_names_ == carried_names(before, model.labels_, names)


def test_select_of_a_result_neither_warns_nor_names():
    model = MOCK(random_state=0, n_gen=5, verbose=False).fit(X.iloc[::3])
    model.rename({k: f"name {k}" for k in range(model.n_clusters_)})
    given = model.cluster_names_
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        selected = result_of(model).select(model.rules_[-1])
    assert not selected.user_names
    assert model.cluster_names_ == given


def test_names_of_a_session():
    model = ParetoClustering(random_state=0).fit(X)
    classes = load_iris().target_names[load_iris().target]
    session = model.ask(mode="names", random_state=0)
    for _ in range(10):
        session.answer(classes[session.question.samples[0]])
    named = session.groups_["name"].dropna().tolist()
    assert len(named) > 1
    model.rename({0: named[-1], 1: "others"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.take(session)
    names = model.cluster_names_
    assert set(named) <= set(names.values())
    assert len(set(names.values())) == len(names)
    for cluster, name in names.items():
        group = session.groups_.index[session.groups_["name"] == name]
        if len(group):
            assert (session.labels_[model.labels_ == cluster] == group[0]).all()


def test_keys_of_json():
    X = np.arange(20.0)[:, None] + np.repeat([0.0, 90.0], 10)[:, None]
    model = ParetoClustering(2, random_state=0).fit(X)
    names = json.loads(json.dumps(model.rename({0: "a", 1: "b"}).cluster_names_))
    assert model.rename({0: None, 1: None}).rename(names).cluster_names_ == {0: "a", 1: "b"}
    for bad in ("2", "-1", "1.0", ""):
        with pytest.raises(ValueError, match="there is no cluster"):
            model.rename({bad: "c"})
