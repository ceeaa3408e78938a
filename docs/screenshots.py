"""Photograph the pages of the built documentation, and look for what does not fit on a screen.

``python docs/screenshots.py docs/_build/html FOLDER [PAGE ...]`` needs Chromium, its driver and selenium. It
writes a picture of each page at three widths, light and dark, and ends with exit code 1 if a page scrolls
sideways or a picture is missing.
"""

from __future__ import annotations

import base64
import shutil
import sys
from itertools import product
from pathlib import Path

from selenium import webdriver

WIDTHS, MODES, LONGEST = (390, 800, 1400), ("light", "dark"), 6000
# Without the reference, which has a page per name, and the gallery, whose pages are alike.
FOLDERS = (".", "concepts", "papers", "gallery/index.html", "gallery/messy_table.html")
_PICTURE = {"captureBeyondViewport": True, "format": "jpeg", "quality": 60}
_SET_MODE = "for (const key of ['mode', 'theme']) localStorage.setItem(key, arguments[0])"
_FAULTS = """
const images = [...document.images].filter((image) => image.loading !== "lazy" && !image.naturalWidth);
const wide = document.documentElement.scrollWidth - innerWidth;
const sideways = wide > 0 ? [`scrolls sideways by ${wide} px`] : [];
return [...sideways, ...images.map((image) => `no picture ${image.src}`)];
"""


def photograph(driver: webdriver.Chrome, page: Path, picture: Path, width: int, mode: str) -> list[str]:
    """Write the picture of a page, and return its faults."""
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(page.as_uri())
    driver.execute_script(_SET_MODE, mode)
    driver.refresh()
    height = min(driver.execute_script("return document.documentElement.scrollHeight"), LONGEST)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, **_PICTURE})
    picture.write_bytes(base64.b64decode(shot["data"]))
    return [f"{page.name} at {width} px: {fault}" for fault in driver.execute_script(_FAULTS)]


def main(root: Path, folder: Path, names: list[str]) -> int:
    """Photograph pages by name, or those of FOLDERS."""
    places = [root / name for name in names or FOLDERS]
    pages = [
        page for place in places for page in (sorted(place.glob("*.html")) if place.is_dir() else [place])
    ]
    folder.mkdir(parents=True, exist_ok=True)
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    faults = []
    try:
        for page, width, mode in product(pages, WIDTHS, MODES):
            name = "-".join(page.relative_to(root).with_suffix("").parts)
            faults += photograph(driver, page.resolve(), folder / f"{name}-{width}-{mode}.jpg", width, mode)
    finally:
        driver.quit()
    sys.stdout.write("\n".join([*dict.fromkeys(faults), f"{len(pages)} pages in {folder}", ""]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
