"""A report open in a browser, and what a person does with it."""

import time
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


@contextmanager
def width_of_screen(driver, width):
    """Context in which the screen has a width in pixels."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


class ReportPage:
    """Of the report at ``path``, a file or an address, open and ready."""

    def __init__(self, driver, path, downloads):
        self.driver = driver
        self.downloads = Path(downloads)
        driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.downloads)}
        )
        driver.get(path if str(path).startswith("http") else Path(path).absolute().as_uri())
        self.later("report.ready.then(done, error => done(String(error)))")
        # Most tests inspect parts of the page that are folded at first.
        self.js("const fold = document.getElementById('methods'); if (fold) fold.open = true")

    def js(self, script, *arguments):
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def later(self, script, *arguments):
        """What a script hands to ``done``."""
        return self.driver.execute_async_script(
            f"const done = arguments[arguments.length - 1]; {script}", *arguments
        )

    def find(self, selector):
        """The first element."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        """All elements."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """Texts of all elements, seen or scrolled away."""
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)", selector
        )

    def text(self, selector):
        """Text of the first element."""
        return self.texts(selector)[0]

    def press(self, element, *keys):
        """Click an element, or the first one of a selector, with keys held down."""
        if isinstance(element, str):
            element = self.find(element)
        self.scroll_to(element)
        actions = ActionChains(self.driver)
        for key in keys:
            actions = actions.key_down(key)
        actions = actions.move_to_element(element).click()
        for key in keys:
            actions = actions.key_up(key)
        actions.perform()

    def scroll_to(self, element):
        """Bring an element into view and wait until figures that come with it stand still."""
        top = None
        for _ in range(200):
            self.js("arguments[0].scrollIntoView({block: 'center'})", element)
            before, top = top, self.js("return arguments[0].getBoundingClientRect().top", element)
            if before == top:
                return
            time.sleep(0.15)

    def press_row(self, solution, *keys):
        """Click the row of a solution in the table."""
        self.press(f'#table tr[data-solution="{solution}"] th', *keys)

    def keys(self, *keys):
        """Press keys where the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab(self):
        """Move the focus on; the element that has it."""
        self.keys(Keys.TAB)
        return self.driver.switch_to.active_element

    @property
    def selected(self):
        """The selected solution."""
        return self.js("return report.selected")

    @property
    def compared(self):
        """The second solution or None."""
        return self.js("return report.compared")

    def figure(self, name, script):
        """What a script returns of the traces (``data``) and axes (``layout``) of a drawn figure."""
        return self.later(
            "report.drawn(arguments[0]).then(place => "
            f"{{ const data = place.data, layout = place.layout; done((() => {{ {script} }})()); }})",
            name,
        )

    def looks(self, name="map-figure"):
        """Colour and symbol of every sample in a map."""
        found = self.figure(
            name,
            "return data.filter(trace => trace.meta && 'cluster' in trace.meta)"
            ".map(trace => [trace.customdata, trace.marker.color, trace.marker.symbol])",
        )
        return {row: (color, symbol) for rows, color, symbol in found for row in rows}

    def press_figure(self, name, x, y, *keys, axes=""):
        """Click into a figure at a place given in the numbers of its axes."""
        place = self.find(f"#{name}")
        self.scroll_to(place)
        left, top = self.figure(
            name,
            f"const {{x{axes}: x, y{axes}: y}} = layout.axes;"
            f"return [x.offset + x.l2p({x}), y.offset + y.l2p({y})]",
        )
        size = place.size
        actions = ActionChains(self.driver)
        for key in keys:
            actions = actions.key_down(key)
        actions = actions.move_to_element_with_offset(
            place, round(left - size["width"] / 2), round(top - size["height"] / 2)
        )
        actions.pause(0.2).click().perform()
        actions = ActionChains(self.driver)
        for key in keys:
            actions = actions.key_up(key)
        actions.perform()

    def downloaded(self, pattern):
        """Bytes of the one file that arrived."""
        WebDriverWait(self.driver, 300).until(
            lambda _: any(self.downloads.glob(pattern)) and not any(self.downloads.glob("*.crdownload"))
        )
        (path,) = self.downloads.glob(pattern)
        return path.read_bytes()

    def errors(self):
        """Errors in the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
