"""How good the partitions of sessions and of COBRAS are after right and wrong answers."""

import numpy as np
import pytest

from moo_clustering import ParetoClustering
from moo_clustering.interactive import simulate
from papers.cobras import COBRAS
from papers.flagship_sets import load_suite

# After 50 right answers.
FLOORS = {"iris": 0.95, "wine": 0.95, "compound": 0.95, "ionosphere": 0.8}
POINTS = (0, 5, 10, 25, 50, 100, 200)


def area(course):
    ari = course["ari"].reindex(range(201)).ffill().loc[list(POINTS)]
    return np.trapezoid(ari, POINTS) / POINTS[-1]


@pytest.mark.parametrize(
    ("names", "floors"),
    [
        pytest.param(("iris", "wine"), (0.95, 0.94, 0.08), marks=pytest.mark.slow, id="two sets"),
        pytest.param(tuple(FLOORS), (0.92, 0.86, 0.1), marks=pytest.mark.nightly, id="all sets"),
    ],
)
def test_areas_are_as_measured_and_above_those_of_cobras(data_folder, names, floors):
    right, wrong, ahead = [], [], []
    for one in load_suite(data_folder, names).sets:
        X = one.features()
        session = ParetoClustering(scale="none", random_state=0).fit(X).ask()
        course = session.simulate(one.classes, 200)
        assert course["ari"].iloc[50] >= FLOORS[one.name.split("/")[-1]], one.name
        right.append(area(course))
        wrong.append(area(session.simulate(one.classes, 200, error_rate=0.05)))
        ahead.append(right[-1] - area(simulate(COBRAS(X, random_state=0), one.classes, 200)))
    assert len(right) == len(names)
    means = np.mean([right, wrong, ahead], axis=1)
    assert (means >= floors).all(), means
