"""SISCEnsemble: mean standardised logits of several SISC."""

import warnings

import numpy as np
import pytest
from planted_subspaces import label_sets, planted

from moo_clustering.estimators.sisc_variants import LogitScale, SISCEnsemble, logits, mixed_logits
from moo_clustering.estimators.subspace import SISC
from moo_clustering.validity import macro_auc


@pytest.fixture(scope="module")
def data():
    X, clusters = planted(150)
    Y = label_sets(clusters)
    partly = Y.copy()
    partly[20:100] = -1
    return X, Y, partly, clusters


def test_mean_of_standardised_logits(data):
    X, _, partly, _ = data
    fit, new = slice(0, 100), slice(100, 150)
    model = SISCEnsemble(n_clusters=(5, 9), n_estimators=3, random_state=0).fit(X[fit], partly[fit])
    standard, means, spreads = [], [], []
    for member in model.estimators_:
        again = SISC(member.n_clusters, fuzziness=1.4, random_state=member.random_state)
        again.fit(X[fit], partly[fit])
        p, q = again.predict_proba(X[fit]), again.predict_proba(X[new])
        seen, found = np.log(p / (1 - p)), np.log(q / (1 - q))
        standard.append((found - seen.mean(axis=0)) / seen.std(axis=0))
        means.append(seen.mean(axis=0))
        spreads.append(seen.std(axis=0))
    expected = np.mean(standard, axis=0) * np.mean(spreads, axis=0) + np.mean(means, axis=0)
    np.testing.assert_allclose(model.predict_proba(X[new]), 1 / (1 + np.exp(-expected)), rtol=1e-6)
    np.testing.assert_array_equal(model.predict(X[new]), expected >= 0)
    assert [member.n_clusters for member in model.estimators_] == [5, 9, 5]
    assert len({member.random_state for member in model.estimators_}) == 3


def test_documents_are_predicted_one_by_one(data):
    X, _, partly, _ = data
    model = SISCEnsemble(n_clusters=6, n_estimators=2, random_state=0).fit(X, partly)
    together = model.predict_proba(X)
    one_by_one = np.vstack([model.predict_proba(X[[i]]) for i in range(10)])
    np.testing.assert_allclose(one_by_one, together[:10], rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X, n_labels=2).sum(axis=1), 2)


def test_it_ranks_better_than_its_members(data):
    X, Y, partly, _ = data
    model = SISCEnsemble(n_clusters=(4, 8, 12), n_estimators=6, random_state=0).fit(X[:100], partly[:100])
    alone = [macro_auc(Y[100:], member.predict_proba(X[100:])) for member in model.estimators_]
    assert macro_auc(Y[100:], model.predict_proba(X[100:])) > np.mean(alone)


def test_seeds(data):
    X, _, partly, _ = data

    def fit(**options):
        return SISCEnsemble(**{"n_clusters": (5, 7), "n_estimators": 2, "random_state": 1, **options}).fit(
            X, partly
        )

    one = fit()
    np.testing.assert_array_equal(one.predict_proba(X), fit().predict_proba(X))
    more = fit(n_estimators=3)
    for a, b in zip(one.estimators_, more.estimators_[:2], strict=True):
        np.testing.assert_array_equal(a.memberships_, b.memberships_)
    assert (fit(random_state=2).predict_proba(X) != one.predict_proba(X)).any()


def test_one_class_a_document(data):
    X, _, _, clusters = data
    y = np.array(["c", "a", "b"], dtype=object)[clusters]
    partly = y.copy()
    partly[30:] = -1
    model = SISCEnsemble(n_clusters=6, n_estimators=2, random_state=0).fit(X, partly)
    np.testing.assert_array_equal(model.classes_, ["a", "b", "c"])
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_two_classes_are_mirrored(data):
    X, _, _, clusters = data
    y = np.minimum(clusters, 1)
    model = SISCEnsemble(n_clusters=4, n_estimators=3, random_state=0).fit(X, y)
    swapped = SISCEnsemble(SISC(fuzziness=1.4, init="seeds"), n_clusters=4, n_estimators=3, random_state=0)
    p, q = swapped.fit(X, y).predict_proba(X), swapped.fit(X, 1 - y).predict_proba(X)
    np.testing.assert_allclose(p, q[:, ::-1], rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_label_without_documents(data):
    X, _, partly, _ = data
    partly = np.column_stack([partly, np.where(partly[:, 0] == -1, -1, 0)])
    with pytest.warns(UserWarning, match="labels without labelled documents have probability 0: 4"):
        model = SISCEnsemble(n_clusters=5, n_estimators=2, random_state=0).fit(X, partly)
    found = model.predict_proba(X)
    assert (found[:, 4] < 1e-6).all()
    assert np.isfinite(found).all()


def test_more_clusters_than_documents(data):
    X, Y, _, _ = data
    with pytest.warns(UserWarning, match="exceeds n_samples=30; members have at most 30 clusters"):
        model = SISCEnsemble(n_clusters=(10, 50), n_estimators=2, random_state=0).fit(X[:30], Y[:30])
    assert [member.n_clusters for member in model.estimators_] == [10, 30]


def test_template(data):
    X, _, partly, _ = data
    template = SISC(chi_weight=0.1, max_iter=3, random_state=5)
    model = SISCEnsemble(template, n_clusters=4, n_estimators=2, random_state=0).fit(X, partly)
    assert [member.chi_weight for member in model.estimators_] == [0.1, 0.1]
    assert 5 not in [member.random_state for member in model.estimators_]
    assert template.n_clusters == 60
    assert not hasattr(template, "classes_")


@pytest.mark.parametrize("wrong", [(), (4, 0), (4.5,), [[4, 5]], ["4"]])
def test_sizes_out_of_range(data, wrong):
    X, Y, _, _ = data
    with pytest.raises(ValueError, match="n_clusters must be"):
        SISCEnsemble(n_clusters=wrong).fit(X, Y)


def test_refused(data):
    X, Y, _, _ = data
    with pytest.raises(ValueError, match="all 150 samples are unlabelled"):
        SISCEnsemble().fit(X, np.full(150, -1))
    with pytest.raises(ValueError, match="'n_estimators' parameter of SISCEnsemble"):
        SISCEnsemble(n_estimators=0).fit(X, Y)
    with pytest.raises(ValueError, match="'sisc' parameter of SISCEnsemble"):
        SISCEnsemble(sisc="sisc").fit(X, Y)


def test_mixture_by_hand():
    parts = [np.array([[0.0], [2.0]]), np.array([[10.0], [30.0]])]
    scales = [LogitScale.of(part) for part in parts]
    assert [(scale.mean[0], scale.spread[0]) for scale in scales] == [(1, 1), (20, 10)]
    # standardised both are -1 and 1; the scale between them is 15.25 +- 7.75
    np.testing.assert_allclose(mixed_logits(parts, scales, (0.25, 0.75)), [[7.5], [23.0]])
    np.testing.assert_allclose(mixed_logits(parts, scales, (1, 0)), parts[0])
    assert LogitScale.of(np.full((3, 1), 0.1)).spread[0] == 1
    np.testing.assert_allclose(logits(np.array([0.25, 0.0, 1.0])), [-np.log(3), -20.723, 20.723], rtol=1e-4)


def test_what_members_warn_of_is_said_once(data):
    X, Y, _, _ = data
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SISCEnsemble(n_clusters=4, n_estimators=3, random_state=0).fit(2 * X, Y)
    assert len(caught) == 1
    assert "contains counts" in str(caught[0].message)
    assert caught[0].filename == __file__
