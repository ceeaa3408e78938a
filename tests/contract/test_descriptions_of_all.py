"""Every estimator names its clusters and returns a table of its samples."""

import numpy as np
import pytest

from contract.metamorphic import estimators, every_estimator, samples_of, usual


@every_estimator(())
def test_names_and_table(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    if not hasattr(model, "labels_"):
        pytest.skip("it finds no clusters")
    found = model.describe(X)
    sizes = np.bincount(model.labels_[model.labels_ >= 0])
    assert [each.size for each in found] == sizes.tolist()
    assert len(set(found.names)) == len(sizes)
    assert all(found.names)
    for each in found:
        assert (model.labels_[list(each.typical)] == each.cluster).all()
        strengths = [contrast.strength for contrast in each.contrasts]
        assert strengths == sorted(strengths, reverse=True)
        assert all(0.2 <= strength <= 1.0 for strength in strengths)
    table = model.table(X)
    assert len(table) == len(model.labels_)
    assert (table["cluster"] == model.labels_).all()
    assert table["typical"].sum() == sum(len(each.typical) for each in found)
