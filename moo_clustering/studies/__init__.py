"""Studies: resumable runs of methods on data sets with many seeds, with tables, tests and conclusions."""

from moo_clustering.studies.study import MethodComparison, Study, StudyTable
from moo_clustering.studies.tuning import Tuning

__all__ = ["MethodComparison", "Study", "StudyTable", "Tuning"]
