"""The report: one page to look at solutions, compare them and choose."""

from moo_clustering.visualization.report._content import (
    ClusterFacts,
    Column,
    Panel,
    PlaneMap,
    ReportContent,
)
from moo_clustering.visualization.report._from_estimator import report_content
from moo_clustering.visualization.report._render import render, write_report
from moo_clustering.visualization.report._report import Report

__all__ = [
    "ClusterFacts",
    "Column",
    "Panel",
    "PlaneMap",
    "Report",
    "ReportContent",
    "render",
    "report_content",
    "write_report",
]
