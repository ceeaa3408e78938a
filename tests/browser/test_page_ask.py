"""The page that asks, answered by mouse and keyboard."""

import json
import shutil
import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from moo_clustering.cli import main
from moo_clustering.cli.ask import AskedRun
from moo_clustering.cli.explore import AnswerPanel, PageServer, asking_page
from moo_clustering.cli.folder import run_content
from moo_clustering.constraints import read_pairs

pytestmark = pytest.mark.slow

ATTACK = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'>"
TOWNS = ["<i>Oslo</i>", "\u202eRome", "بون"]
NAMES = [f"{ATTACK} {row}" if row % 2 else f"\u202e{row} <b>bold</b>" for row in range(60)]


def fit(data, out, *more):
    arguments = ["fit", data, "--out", out, "--quiet", *more]
    result = CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The folder of a fit of rows whose names, features and categories are hostile."""
    folder = tmp_path_factory.mktemp("asked")
    rng, group = np.random.default_rng(0), np.arange(60) % 3
    table = {"id": NAMES, ATTACK: 20 * group + rng.normal(size=60), "weight\u202e": rng.normal(size=60)}
    table["town"] = np.array(TOWNS)[(group + (rng.random(60) < 0.2)) % 3]
    pd.DataFrame(table).to_csv(folder / "hostile.csv", index=False)
    fit(folder / "hostile.csv", folder / "run", "--id-column", "id")
    return folder / "run"


@contextmanager
def served(folder, mode=None):
    """The address of a page that asks about a run."""
    run = AskedRun(folder, resume=True, mode=mode)
    with PageServer(asking_page(run, run_content(folder)), 0, AnswerPanel(run)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server.address, server
        server.shutdown()
        thread.join()


class Asked:
    """An open page that asks."""

    def __init__(self, page):
        self.page = page

    def told(self, words):
        """Wait until the page says so."""
        WebDriverWait(self.page.driver, 300).until(lambda _: words in self.page.text("#ask-told"))

    def answer(self, act, n_answers):
        """Do something, and wait until there are so many answers."""
        act()
        WebDriverWait(self.page.driver, 300).until(lambda _: self.n_answers == n_answers)

    @property
    def n_answers(self):
        return int(self.page.text("#ask-number").removeprefix("question ")) - 1

    @property
    def question(self):
        return self.page.texts("#ask-samples thead :not(.beside) > bdi")

    @property
    def labels(self):
        return self.page.js("return report.labels(report.selected)")


@pytest.fixture
def open_asked(open_report, fitted, tmp_path):
    """Function that opens the page of a copy of the run; its folder and its server are told."""
    opened = []

    def open_it(mode=None):
        folder = shutil.copytree(fitted, tmp_path / "run")
        context = served(folder, mode)
        address, server = context.__enter__()
        opened.append(context)
        asked = Asked(open_report(address))
        asked.address, asked.server, asked.folder = address, server, folder
        return asked

    yield open_it
    for context in opened:
        context.__exit__(None, None, None)


def test_keyboard_only(open_asked):
    asked = open_asked()
    page, first = asked.page, asked.labels
    asked.answer(lambda: page.keys("t"), 1)
    assert page.text("#ask-told").startswith("Together. Expected: ")
    assert page.text("#ask-told").rstrip("0123456789").endswith(("moved.", "."))
    asked.answer(lambda: page.keys("A"), 2)
    asked.answer(lambda: page.keys("?"), 3)
    reached = []
    for _ in range(12):
        focused = page.tab()
        reached.append(focused.get_attribute("id"))
        if reached[-1] == "ask-apart":
            break
    assert reached[-2:] == ["ask-together", "ask-apart"]
    assert page.js("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    asked.answer(lambda: page.keys(Keys.ENTER), 4)
    # The focus stays where it was.
    assert page.js("return document.activeElement.id") == "ask-apart"
    asked.answer(lambda: page.keys(" "), 5)
    for left in (4, 3, 2, 1, 0):
        asked.answer(lambda: page.keys("u"), left)
        asked.told("Undone.")
    assert asked.labels == first
    page.keys("u")
    asked.told("no answer to undo")
    asked.answer(lambda: page.keys("r"), 1)
    # Letters that are written somewhere are no answers.
    page.press("#samples-search")
    page.keys("taur?")
    assert asked.n_answers == 1
    page.press("#ask-keys")
    page.js("document.activeElement.blur()")
    page.keys("t")
    assert asked.n_answers == 1
    assert len((asked.folder / "answers.json").read_text().splitlines()) == 1 + 5 + 5 + 1


def test_confidence_by_mouse_and_keyboard(open_asked):
    asked = open_asked()
    page = asked.page
    assert page.js("return document.getElementById('ask-sure').selectedOptions[0].text") == "certain"
    page.keys("s")
    asked.told("The next answer is fairly sure.")
    asked.answer(lambda: page.keys("t"), 1)
    # Every answer begins as certain.
    assert page.js("return document.getElementById('ask-sure').value") == "1"
    asked.answer(lambda: page.keys("a"), 2)
    Select(page.find("#ask-sure")).select_by_index(2)
    asked.answer(lambda: page.press("#ask-together"), 3)
    lines = [json.loads(line) for line in (asked.folder / "answers.json").read_text().splitlines()[1:]]
    assert [line.get("confidence") for line in lines] == [0.8, None, 0.6]
    assert [line["answer"] for line in lines] == ["together", "apart", "together"]


@pytest.mark.parametrize("confidence", ["sure", 0.3, True])
def test_refused_confidence(open_asked, confidence):
    panel = open_asked().server.panel
    with pytest.raises(ValueError, match="confidence must be"):
        panel.act("answer", {"revision": 0, "answer": "together", "confidence": confidence})
    assert panel.get("state")["history"] == []


def test_doubtful_rows_lead_to_the_questions(fitted, tmp_path, open_report):
    folder = shutil.copytree(fitted, tmp_path / "run")
    content = replace(run_content(folder), doubts=[(4, 0, 1, 0.4, 0.6)])
    run = AskedRun(folder)
    with PageServer(asking_page(run, content), 0, AnswerPanel(run)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        page = open_report(server.address)
        page.press("#doubts-tools button")
        assert page.js("return document.activeElement.id") == "ask-title"
        page.keys("t")
        WebDriverWait(page.driver, 300).until(lambda _: page.text("#ask-number") == "question 2")
        server.shutdown()
        thread.join()


def test_the_map_and_the_tables_follow(open_asked):
    asked = open_asked()
    page = asked.page
    before = asked.labels
    for number in range(1, 6):
        i, j = asked.server.panel.get("state")["question"]["samples"]
        # The contrary of what the features say, so that something moves.
        word = "apart" if i % 3 == j % 3 else "together"
        looks = page.looks()
        asked.answer(lambda word=word: page.press(f"#ask-{word}"), number)
        # Clusters keep their looks, whatever their numbers.
        after = page.looks()
        moved = sum(looks[row] != after[row] for row in looks)
        assert f" {moved} sample{'' if moved == 1 else 's'} moved." in page.text("#ask-told")
    run = AskedRun(asked.folder, resume=True)
    assert asked.labels == run.session.labels_.tolist() != before
    names = page.js("return report.labels(report.selected).map(String)")
    assert page.texts("#ask-groups tbody th bdi") == [f"cluster {c}" for c in sorted(set(map(int, names)))]
    sizes = [int(text) for text in page.texts("#ask-groups tbody td:nth-child(2)")]
    assert sizes == run.session.groups_["size"].tolist()
    rings = page.figure(
        "map-figure", "return data.filter(t => t.meta && t.meta.rings).map(t => t.meta.rings)"
    )
    assert rings[-2:] == [[sample] for sample in run.session.question.samples]
    # Another solution can be looked at; the next answer leads back.
    page.press('#rules [data-solution="0"]')
    assert page.selected == 0
    asked.answer(lambda: page.press("#ask-unknown"), 6)
    assert page.text("#summary strong") == "answers"


def test_reload_in_the_middle(open_asked):
    asked = open_asked()
    for number, key in enumerate("tat", 1):
        asked.answer(lambda key=key: asked.page.keys(key), number)
    shown = asked.question, asked.labels, asked.page.texts("#ask-answers tbody tr")
    asked.page.driver.refresh()
    asked.page.later("report.ready.then(done)")
    assert (asked.question, asked.labels, asked.page.texts("#ask-answers tbody tr")) == shown
    asked.answer(lambda: asked.page.keys("a"), 4)


def test_two_tabs(open_asked):
    asked = open_asked()
    page, driver = asked.page, asked.page.driver
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    driver.get(asked.address)
    page.later("report.ready.then(done)")
    asked.answer(lambda: page.keys("t"), 1)
    question = asked.question
    driver.close()
    driver.switch_to.window(first)
    # The first tab is told when it comes to the front again.
    asked.told("another window")
    assert (asked.n_answers, asked.question) == (1, question)
    asked.answer(lambda: page.keys("a"), 2)
    # Both stand side by side, and the other one is quicker.
    asked.server.panel.act("answer", {"revision": 2, "answer": "apart"})
    page.press("#ask-together")
    asked.told("Not saved: this question has already been answered")
    assert asked.n_answers == 3
    assert asked.server.panel.get("state")["history"][2]["answer"] == "apart"
    assert all("409" in message for message in page.errors())


def test_a_stopped_server(open_asked):
    asked = open_asked()
    page = asked.page
    asked.answer(lambda: page.keys("t"), 1)
    before = asked.labels
    asked.server.shutdown()
    asked.server.socket.close()
    page.keys("a")
    WebDriverWait(page.driver, 300).until(lambda _: page.find("#ask-problem").is_displayed())
    said = page.text("#ask-problem")
    assert "does not respond" in said
    assert "was not saved" in said
    assert (asked.n_answers, asked.labels) == (1, before)
    page.press("#ask-again")
    WebDriverWait(page.driver, 300).until(lambda _: "was not saved" not in page.text("#ask-problem"))
    assert asked.n_answers == 1
    page.errors()
    # Another server goes on from what was saved.
    with served(asked.folder) as (address, _):
        page.driver.get(address)
        page.later("report.ready.then(done)")
        assert (asked.n_answers, asked.labels) == (1, before)


def test_hostile_text_is_shown_and_does_nothing(open_asked):
    asked = open_asked("names")
    page = asked.page
    assert asked.question[0] in NAMES or asked.question[0].endswith("…")
    assert f"{ATTACK[:59]}…" in page.texts("#ask-samples tbody th bdi")
    assert (
        page.js("return getComputedStyle(document.querySelector('#ask-samples bdi')).unicodeBidi")
        == "isolate"
    )
    page.press("#ask-new")
    page.keys(ATTACK, Keys.ENTER)
    WebDriverWait(page.driver, 300).until(lambda _: asked.n_answers == 1)
    assert f"{ATTACK[:59]}…" in page.texts("#ask-known bdi") or ATTACK in page.texts("#ask-known bdi")
    page.press("#ask-known button")
    WebDriverWait(page.driver, 300).until(lambda _: asked.n_answers == 2)
    page.figure("map-figure", "return 0")
    assert page.js("return window.hit ?? null") is None
    assert page.js("return document.querySelectorAll('img[src=x]').length") == 0
    assert (
        page.later("fetch('https://example.org').then(() => done('fetched'), () => done('refused'))")
        == "refused"
    )
    page.errors()


def test_names_by_digits(open_asked):
    asked = open_asked("names")
    page = asked.page
    for number, name in enumerate(("red", "green"), 1):
        page.js("document.activeElement.blur()")
        page.keys("n")
        asked.answer(lambda name=name: page.keys(name, Keys.ENTER), number)
    page.js("document.activeElement.blur()")
    asked.answer(lambda: page.keys("2"), 3)
    session = AskedRun(asked.folder, resume=True).session
    known = page.texts("#ask-known bdi")
    assert sorted(known) == ["green", "red"]
    assert session.history_["answer"].tolist()[:2] == ["red", "green"]
    assert session.history_["answer"][2] in known
    page.press("#ask-groups [data-group='0'] button.small")
    page.keys("blue", Keys.ENTER)
    WebDriverWait(page.driver, 300).until(lambda _: "blue" in page.texts("#ask-groups th bdi"))
    assert "blue" in page.texts("#map-legend span")


def test_an_answer_is_reopened(open_asked):
    asked = open_asked()
    page = asked.page
    for number, key in enumerate("tata", 1):
        asked.answer(lambda key=key: page.keys(key), number)
    question, labels = asked.question, asked.labels
    samples = page.texts("#ask-answers tbody tr:nth-child(3) bdi")[:2]
    page.press("#ask-answers tbody tr:nth-child(3) button")
    WebDriverWait(page.driver, 300).until(lambda _: "answer 2" in page.text("#ask-number"))
    assert "Apart" in page.text("#ask-number")
    assert len(samples) == len(asked.question) == 2
    page.keys(Keys.ESCAPE)
    WebDriverWait(page.driver, 300).until(lambda _: asked.question == question)
    page.press("#ask-answers tbody tr:nth-child(3) button")
    WebDriverWait(page.driver, 300).until(lambda _: "answer 2" in page.text("#ask-number"))
    page.keys("?")
    asked.told("Answer 2 changed.")
    found = AskedRun(asked.folder, resume=True).session
    assert found.history_["answer"].tolist() == ["together", "unknown", "together", "apart"]
    assert asked.labels == found.labels_.tolist()
    page.press("#ask-answers tbody tr:nth-child(3) button")
    WebDriverWait(page.driver, 300).until(lambda _: "answer 2" in page.text("#ask-number"))
    page.press("#ask-take-back")
    asked.told("withdrawn")
    assert asked.n_answers == 3
    page.press("#ask-undo")
    asked.told("Undone.")
    page.press("#ask-undo")
    WebDriverWait(page.driver, 300).until(lambda _: asked.labels == labels)


def test_downloads_are_taken_by_a_fit(open_asked, fitted, tmp_path):
    asked = open_asked()
    for number in range(1, 5):
        i, j = asked.server.panel.get("state")["question"]["samples"]
        asked.answer(lambda key="t" if i % 3 == j % 3 else "a": asked.page.keys(key), number)
    files = {}
    for name in ("must_link", "cannot_link", "partial_labels"):
        asked.page.press(f'a[href="api/{name}.csv"]')
        files[name] = tmp_path / f"{name}.csv"
        asked.page.downloaded(f"{name}.csv")
    session = AskedRun(asked.folder, resume=True).session
    must, cannot = session.pairs()
    assert read_pairs(files["must_link"], row_ids=NAMES).tolist() == must.tolist()
    assert read_pairs(files["cannot_link"], row_ids=NAMES).tolist() == cannot.tolist()
    table = pd.read_csv(fitted.parent / "hostile.csv")
    labels = pd.read_csv(files["partial_labels"])
    assert labels.iloc[:, 0].tolist() == table["id"].tolist()
    table["group"] = labels["group"]
    table.to_csv(tmp_path / "labelled.csv", index=False)
    pairs = ("--must-link", files["must_link"], "--cannot-link", files["cannot_link"])
    fit(fitted.parent / "hostile.csv", tmp_path / "pairs", "--id-column", "id", "--no-report", *pairs)
    fit(
        tmp_path / "labelled.csv",
        tmp_path / "labels",
        "--id-column",
        "id",
        "--no-report",
        "--partial-labels",
        "group",
    )
    record = json.loads((tmp_path / "pairs" / "run.json").read_text())
    assert record["supervision"]["must_link"]["n_pairs"] == len(must)


def test_the_command(fitted, tmp_path, monkeypatch):
    """Without a browser: what the command serves, says and leaves behind."""
    folder, found = shutil.copytree(fitted, tmp_path / "run"), []

    def until_answered(server):
        found.append(server.page.decode())
        server.panel.act("answer", {"revision": 0, "answer": "apart"})
        raise KeyboardInterrupt

    monkeypatch.setattr("moo_clustering.cli.explore.PageServer.serve_forever", until_answered)
    command = ["explore", str(folder), "--ask", "--no-browser"]
    for number in (1, 2):
        result = CliRunner().invoke(main, command, catch_exceptions=False)
        assert result.exit_code == 0
        assert "Answers are saved to" in result.output
        assert len(AskedRun(folder, resume=True).session.history_) == number
    assert "connect-src &#39;self&#39;" in found[0]
    assert {path.name for path in folder.iterdir()} - {path.name for path in fitted.iterdir()} == {
        "answers.json"
    }
    result = CliRunner().invoke(main, [*command, "--mode", "names"])
    assert result.exit_code == 2
    assert "omit --mode" in result.output


def test_only_what_is_asked_for_is_in_a_report(open_report, fitted):
    page = open_report(fitted / "report.html")
    assert page.all("#ask, #ask-groups-card, #ask-answers-card") == []
    policy = page.js("return document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
    assert "connect-src" not in policy


CONTRASTS = """
const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
// Mixed colours are written as color(srgb 0.1 0.2 0.3).
const scale = (color, k) => (k < 3 && color.startsWith("color") ? 255 : 1);
const parts = (color) => color.match(/[\\d.]+/g).map((part, k) => scale(color, k) * part);
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const ground = (place) => {
  const found = parts(getComputedStyle(place).backgroundColor);
  return found.length < 4 || found[3] === 1 || !place.parentElement ? found : ground(place.parentElement);
};
const found = [];
for (const place of document.querySelectorAll("body *")) {
  const own = [...place.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const isOff = place.closest(".figure, script, option, [disabled], [aria-disabled=true]");
  if (!own || isOff || !place.checkVisibility()) continue;
  const [a, b] = [light(parts(getComputedStyle(place).color)), light(ground(place))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) found.push([place.className || place.tagName, place.textContent.slice(0, 30), ratio]);
}
return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_in_the_dark(open_asked, scheme):
    asked = open_asked()
    page = asked.page
    feature = [{"name": "prefers-color-scheme", "value": scheme}]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
    try:
        for number, key in enumerate("ta", 1):
            asked.answer(lambda key=key: page.keys(key), number)
        ground = page.js("return getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(18, 24, 31)") == (scheme == "dark")
        assert page.js(CONTRASTS) == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
