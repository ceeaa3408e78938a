"""The experiment behind confidence_ and verdict_."""

import numpy as np
import pytest

from papers.flagship_confidence import FEATURES, N_MEMBERS, Confidence, calibration_error
from papers.runner import Settings


def test_cells_are_described_and_judged():
    plan = Confidence(Settings(sets=("iris",), seeds=1))
    null = next(key for key in plan.cells if key.get("kind") == "null_uniform")
    found = plan.compute(null, plan.data(null))
    assert np.shape(found["features"]) == (1 + N_MEMBERS, len(FEATURES))
    assert found["ari"] == [0.0] * (1 + N_MEMBERS)
    rng = np.random.default_rng(0)
    values = []
    for key in plan.cells:
        # One feature tells both parts of the model all there is.
        is_null = str(key.get("kind")).startswith("null")
        features = rng.normal(size=(3, len(FEATURES)))
        ari = np.zeros(3) if is_null else rng.random(3)
        features[:, 0] = -3 if is_null else 3 * ari
        # No clusters that lie apart.
        features[:, FEATURES.index("second_share")] /= 100
        values.append({"features": features.tolist(), "ari": ari.tolist()})
    everything, *tables = plan.tables(values)
    assert len(everything.rows) == 3 * len(plan.cells)
    named = {table.name: table for table in tables}
    assert len(named["model"].rows) == 2 + len(FEATURES)
    calibration = named["model-calibration"].rows[0]
    assert calibration[1] == len(plan.cells)
    assert calibration[3] < 0.15
    assert calibration[4] > 0.7
    told = {row[0]: row[2] for row in named["model-verdicts"].rows}
    assert told["null_uniform"] == 1.0


def test_calibration_error_by_hand():
    # .1 and .15 reach .3 on average; .9 reaches .9.
    assert calibration_error(np.array([0.1, 0.15, 0.9]), np.array([0.2, 0.4, 0.9])) == pytest.approx(
        2 / 3 * 0.175
    )
