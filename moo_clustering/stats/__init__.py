"""Statistics for tables of results: do methods differ over several data sets, and which?

:func:`compare` does it all at once. :func:`friedman` tests all methods together;
:func:`shaffer_static`, :func:`holm` and :func:`nemenyi` test all pairs; :func:`critical_difference_data`
prepares a diagram. All of them rank the methods on every data set, and take average ranks as well as
tables.
"""

from moo_clustering.stats._cliques import cliques
from moo_clustering.stats._compare import Comparison, compare
from moo_clustering.stats._critical_difference import (
    CriticalDifferenceData,
    critical_difference_data,
)
from moo_clustering.stats._friedman import FriedmanResult, friedman
from moo_clustering.stats._pairs import pair_matrix
from moo_clustering.stats._posthoc import critical_difference, holm, nemenyi
from moo_clustering.stats._ranks import average_ranks
from moo_clustering.stats._shaffer import shaffer_static

__all__ = [
    "Comparison",
    "CriticalDifferenceData",
    "FriedmanResult",
    "average_ranks",
    "cliques",
    "compare",
    "critical_difference",
    "critical_difference_data",
    "friedman",
    "holm",
    "nemenyi",
    "pair_matrix",
    "shaffer_static",
]
