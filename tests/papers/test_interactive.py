"""The experiment on questions: cells, tables and what is compared."""

import numpy as np
import pytest

from papers.interactive import METHODS, POINTS
from papers.runner import Settings, find_experiment


@pytest.mark.slow
def test_courses_of_all_methods(tmp_path):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.6, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    np.savez(tmp_path / "three.npz", X=X, y=np.repeat([0, 1, 2], 12))
    plan = find_experiment("interactive").plan(Settings(data=tmp_path, sets=("three",)))
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    courses, means, differences = plan.tables(values)
    assert len(courses.rows) == 3 * len(METHODS)
    of = {(row[0], row[1]): row[2:] for row in means.rows}
    # At no question the sessions have the result of the fit, the others one cluster.
    assert of["pairs", 0.0][0] == of["names", 0.0][0] == of["random pairs", 0.0][0] > 0.5
    assert of["COBRAS", 0.0][0] == of["uncertain labels", 0.0][0] == 0.0
    assert of["pairs", 0.0][len(POINTS) - 1] == of["names", 0.0][len(POINTS) - 1] == 1.0
    assert all(np.isfinite(row[3]) for row in differences.rows)
