"""Studies: methods on data sets with many seeds, resumable, with tables, tests and conclusions.

:class:`Study` runs every method on every data set with every seed, and compares the scores.
"""

from moo_clustering.studies.study import MethodComparison, Study, StudyTable
from moo_clustering.studies.tuning import Tuning

__all__ = ["MethodComparison", "Study", "StudyTable", "Tuning"]
