"""Reports of fitted clusterers."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from moo_clustering.estimators._numeric_options import NumericOptionsMixin

if TYPE_CHECKING:
    from moo_clustering.visualization.report._report import Report


class ReportMixin(NumericOptionsMixin):
    """A clusterer that can write a page on what it found."""

    def report(self, path: str | PathLike[str], X: Any = None, **options: Any) -> Report:
        """Write a page to look at the solutions found, compare them and choose: one HTML file.

        Parameters
        ----------
        path : path-like
            File to write, which is replaced if it is there.
        X
            What ``fit`` was given, for the map of the samples and what clusters are about.
        **options
            ``y``, ``must_link`` and ``cannot_link`` as ``fit`` was given them, ``sample_names``,
            ``feature_names``, ``title`` and the like; see
            :func:`~moo_clustering.visualization.report.report_content`.

        Returns
        -------
        Report
            With ``path`` and ``open()``; in a notebook it shows the page.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            What is given does not fit what was found.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> X, _ = load_iris(return_X_y=True)
        >>> clusterer = ParetoClustering(3, random_state=0).fit(X)
        >>> clusterer.report("iris.html", X).open()  # doctest: +SKIP
        True
        """
        # Loaded here because those who only cluster need no pages.
        from moo_clustering.visualization.report import report_content
        from moo_clustering.visualization.report._report import write_report_of

        return write_report_of(report_content(self, X, **options), path)
