"""Models that several files look at; none of them changes what it is given."""

import pytest
from pareto_cases import CLASSES, QUICK, X, partly

from moo_clustering import ParetoClustering


@pytest.fixture(scope="session")
def plain():
    """A fit without any knowledge, with all families."""
    return ParetoClustering(criterion="modularity", random_state=0).fit(X)


@pytest.fixture(scope="session")
def labelled():
    """A fit with three labels of every class."""
    return ParetoClustering(**QUICK).fit(X, partly(CLASSES, 3))
