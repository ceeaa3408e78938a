"""Choosing from a front of clusterings by what the same search finds where there are no clusters.

:func:`control_data` draws data without clusters in the place of the given ones; :func:`attainment_scores`
says how far each solution is ahead of the fronts of such data. :func:`srmosc_hull_front` is the front of
SRMOSC without a search.
"""

from moo_clustering.fronts._attainment import AttainmentScores, attainment_scores
from moo_clustering.fronts._control_data import control_data
from moo_clustering.fronts._srmosc_hull import SRMOSCHull, srmosc_hull_front

__all__ = ["AttainmentScores", "SRMOSCHull", "attainment_scores", "control_data", "srmosc_hull_front"]
