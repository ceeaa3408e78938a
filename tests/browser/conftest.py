"""A real browser, where there is one.

Without Chromium and its driver the tests are skipped, unless ``MOO_CLUSTERING_BROWSER=required``.
Pictures of every page go to the folder ``MOO_CLUSTERING_SCREENSHOTS``, if it is set.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from moo_clustering.visualization.report import write_report

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker("browser")


def _without_browser(reason):
    if os.environ.get("MOO_CLUSTERING_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium that selenium drives."""
    programs = [
        next(filter(None, map(shutil.which, names)), None)
        for names in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",))
    ]
    if None in programs:
        _without_browser("chromium or chromedriver is not installed (Debian: chromium, chromium-driver)")
    try:
        from selenium import webdriver
    except ImportError:
        _without_browser("selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--enable-unsafe-swiftshader",
        "--no-first-run",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
        "--window-size=1300,1000",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(programs[1]))
    driver.set_script_timeout(120)
    yield driver
    driver.quit()


@pytest.fixture
def open_report(browser, tmp_path, request):
    """Function that opens the page at a path; no error may be in its console at the end."""
    from report_page import ReportPage

    opened = []

    def open_path(path):
        opened.append(ReportPage(browser, path, tmp_path))
        return opened[-1]

    browser.set_window_size(1300, 1000)
    yield open_path
    if opened:
        _keep_picture(browser, request.node.name)
        assert opened[-1].errors() == []


@pytest.fixture
def open_content(open_report, tmp_path):
    """Function that writes the page of a content and opens it."""

    def open_it(content):
        write_report(content, tmp_path / "report.html")
        return open_report(tmp_path / "report.html")

    return open_it


def _keep_picture(browser, name):
    folder = os.environ.get("MOO_CLUSTERING_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(Path(folder) / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.png"))
