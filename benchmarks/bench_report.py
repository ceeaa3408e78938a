"""Reports: seconds to make, write and open, and their size."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import numpy as np
from _harness import Row
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances_argmin

from moo_clustering.visualization.report import report_content, write_report

_REPEATS = 3
_LIMIT = 25_000_000  # bytes


class ManySolutions(ClusterMixin, BaseEstimator):
    """A front of partitions around samples drawn at random, of 2, 3, ..., 16 clusters."""

    def __init__(self, n_solutions: int) -> None:
        self.n_solutions = n_solutions

    def fit(self, X: NDArray[np.float64]) -> Self:
        """Draw the partitions; of the two objectives one falls as the other grows."""
        rng = np.random.default_rng(0)
        self.pareto_labels_ = np.stack(
            [
                pairwise_distances_argmin(X, X[rng.choice(len(X), 2 + place % 15, replace=False)])
                for place in range(self.n_solutions)
            ]
        )
        first = np.sort(rng.random(self.n_solutions))
        self.pareto_front_ = np.column_stack([first, 1.0 - first**2])
        self.objective_names_ = ("deviation", "connectivity")
        return self.choose("knee")

    def choose(self, rule: str) -> Self:
        """Take the middle, or the best of an objective."""
        best = dict(zip(self.objective_names_, self.pareto_front_.argmin(axis=0).tolist(), strict=True))
        self.chosen_ = best.get(rule, self.n_solutions // 2)
        self.labels_ = self.pareto_labels_[self.chosen_]
        return self


def run() -> list[Row]:
    """A small report, one of usual size and the largest that is promised."""
    return [row for sizes in ((10, 60), (100, 5_000), (1_000, 20_000)) for row in _measured(*sizes)]


def _measured(n_solutions: int, n_samples: int) -> list[Row]:
    X, _ = make_blobs(n_samples, 10, centers=8, random_state=0)
    model = ManySolutions(n_solutions).fit(X)
    what = f"report of {n_solutions:,} solutions x {n_samples:,} samples"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        made, written = [], []
        for _ in range(_REPEATS):
            start = time.perf_counter()
            content = report_content(model, X)
            made.append(time.perf_counter() - start)
            write_report(content, path)
            written.append(time.perf_counter() - start - made[-1])
        size = path.stat().st_size
        whole = statistics.median(map(sum, zip(made, written, strict=True)))
        parts = f"content {statistics.median(made):.2f} s, page {statistics.median(written):.2f} s"
        rows = [
            Row(f"{what}, made and written", f"{whole:.2f} s", parts, "-"),
            Row(f"{what}, size", f"{size / 1e6:.2f} MB", "at most 25 MB", f"{_LIMIT / size:.1f} x"),
        ]
        opened = _opened(path)
    if opened is not None:
        ready, whole = opened
        shown = f"ready for it after {ready:.2f} s"
        rows.append(Row(f"{what}, opened until the first press shows", f"{whole:.2f} s", shown, "-"))
    return rows


def _opened(path: Path) -> tuple[float, float] | None:
    """Seconds until the page is ready, and until the map shows a solution that was pressed."""
    programs = shutil.which("chromium"), shutil.which("chromedriver")
    if None in programs:
        return None
    from selenium import webdriver
    from selenium.webdriver.common.by import By

    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    flags = ("headless=new", "no-sandbox", "disable-dev-shm-usage", "enable-unsafe-swiftshader")
    for flag in (*flags, "window-size=1300,1000"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(options, webdriver.ChromeService(programs[1]))
    driver.set_script_timeout(120)
    found = []
    try:
        for _ in range(1 + _REPEATS):  # the first time the browser itself is warming up
            driver.get("about:blank")
            start = time.perf_counter()
            driver.get(path.as_uri())
            driver.execute_async_script("report.ready.then(arguments[0])")
            ready = time.perf_counter() - start
            driver.find_element(By.ID, "next").click()
            clusters = driver.execute_async_script(_SHOWN)
            found.append((ready, time.perf_counter() - start))
            if not _shows_selected(driver, clusters):
                raise RuntimeError("the map does not show the solution that was pressed")
    finally:
        driver.quit()
    return tuple(statistics.median(each) for each in zip(*found[1:], strict=True))  # type: ignore[return-value]


# Samples of every cluster on the map, drawn anew and waited for.
_SHOWN = """
report.drawn("map-figure").then(place => requestAnimationFrame(() => arguments[0](
  place.data.map(trace => [trace.meta.cluster, [...trace.customdata]]))));
"""


def _shows_selected(driver: Any, clusters: list[tuple[int, list[int]]]) -> bool:
    labels = driver.execute_script("return report.labels(report.selected)")
    return all(labels[row] == cluster for cluster, rows in clusters for row in rows)
