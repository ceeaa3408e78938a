"""Draw ``docs/images/report.png``, the head of a report with the clusters and the map.

``python docs/report_picture.py`` needs Chromium, its driver and selenium. The report is that of
``moo-clustering fit wine``, as the pages and the README describe it.
"""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from pathlib import Path

from selenium import webdriver

from moo_clustering.cli import main

PICTURE = Path(__file__).parent / "images" / "report.png"
WIDTH, MARGIN = 1280, 16
# Lower end of the map, which stands below the description of the clusters.
_END = 'return document.getElementById("map").getBoundingClientRect().bottom'


def draw(page: Path, picture: Path) -> None:
    """Write the part of a page down to the end of the map, with light colours."""
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        size = {"width": WIDTH, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        light = [{"name": "prefers-color-scheme", "value": "light"}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": light})
        driver.get(page.as_uri())
        driver.execute_async_script("report.drawn('map-figure').then(arguments[0])")
        end = driver.execute_script(_END)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": end + MARGIN, "scale": 1}
        shot = driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True, "format": "png"}
        )
        picture.write_bytes(base64.b64decode(shot["data"]))
    finally:
        driver.quit()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(["fit", "wine", "--out", f"{folder}/wine", "--quiet"], standalone_mode=False)
        draw(Path(folder, "wine", "report.html"), PICTURE)
    sys.stdout.write(f"{PICTURE}\n")
