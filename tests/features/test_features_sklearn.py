"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.features import NCWTransformer, PaperTfidfTransformer


@parametrize_with_checks([PaperTfidfTransformer(), NCWTransformer()])
@pytest.mark.filterwarnings("ignore:.*no weighted terms")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_presence_of_read_only_counts():
    from scipy.sparse import csr_matrix

    from moo_clustering.features import presence

    X = csr_matrix([[0.0, 2.0], [1.0, 0.0]])
    for part in (X.data, X.indices, X.indptr):
        part.setflags(write=False)
    assert presence(X).toarray().tolist() == [[0.0, 1.0], [1.0, 0.0]]
