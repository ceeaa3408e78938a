"""scikit-learn's own checks of the estimators of bags, for which rows are bags of one instance."""

import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.bags_genetic import CHCMIC, MIGCUK
from moo_clustering.estimators.bags_kmeans import BAMIC, MIKMeans


@parametrize_with_checks(
    [
        BAMIC(n_clusters=3, random_state=0),
        MIKMeans(n_clusters=3, random_state=0),
        MIKMeans(n_clusters=3, empty="keep", random_state=0),
    ]
)
@pytest.mark.filterwarnings("ignore:only .* of n_clusters")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [BAMIC, MIKMeans, MIGCUK, CHCMIC])
def test_frames_of_distances_have_a_row_for_every_bag(make):
    rows = pd.DataFrame({"a": [0.0, 1.0, 9.0, 8.0, 0.5]}, index=list("pqrst"))
    small = {"pop_size": 4, "n_gen": 2} if make in (MIGCUK, CHCMIC) else {}
    estimator = make(random_state=0, **small)
    groups = ["x", "x", "y", "z", "x"]
    expected = estimator.fit(rows, groups=groups).transform(rows, groups=groups)
    estimator.set_output(transform="pandas")
    for frame in (
        estimator.transform(rows, groups=groups),
        estimator.fit_transform(rows, groups=groups),
    ):
        assert list(frame.index) == [0, 1, 2]
        assert list(frame.columns) == list(estimator.get_feature_names_out())
        assert_array_equal(frame.to_numpy(), expected)
    alone = estimator.fit(rows).transform(rows)
    assert list(alone.index) == list(rows.index)


@pytest.mark.parametrize("make", [BAMIC, MIKMeans, CHCMIC])
def test_least_size_that_links_leave_no_bags_for(make):
    options = {"pop_size": 6, "n_gen": 2} if make is CHCMIC else {}
    estimator = make(
        n_clusters=2, min_cluster_size=3, constraint_handling="repair", random_state=0, **options
    )
    with pytest.warns(UserWarning, match="smallest cluster has 2 bags, fewer than min_cluster_size=3"):
        estimator.fit([[[float(i)]] for i in range(7)], must_link=[[0, 1], [1, 2], [2, 3], [3, 4]])
    assert sorted(estimator.cluster_sizes_) == [2, 5]


def test_fewer_medoids_than_asked_for():
    estimator = MIGCUK(constraint_handling="repair", pop_size=6, n_gen=2, random_state=0)
    with pytest.warns(UserWarning, match="only 1 of n_clusters=2 clusters is non-empty"):
        estimator.fit([[[0.0]], [[1.0]], [[5.0]]], must_link=[[0, 1], [1, 2]])
