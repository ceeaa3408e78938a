"""The report: an HTML page to inspect, compare and select solutions."""

from moo_clustering.descriptions import Heatmap
from moo_clustering.visualization.report.content import (
    ClusterFacts,
    Column,
    MapColumn,
    Panel,
    PlaneMap,
    Report,
    ReportContent,
)
from moo_clustering.visualization.report.estimators import report_content
from moo_clustering.visualization.report.page import render, write_report

__all__ = [
    "ClusterFacts",
    "Column",
    "Heatmap",
    "MapColumn",
    "Panel",
    "PlaneMap",
    "Report",
    "ReportContent",
    "render",
    "report_content",
    "write_report",
]
