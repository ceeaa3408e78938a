"""The page as a file: whole, small enough, safe."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from moo_clustering.visualization.report import Column, Panel, PlaneMap, ReportContent, render, write_report

ATTACK = "</script><script>alert(1)</script><!-- ' \" & \u2028 \u2029 {{ 7 * 7 }}"


def content(**changes):
    labels = np.array([[0, 1, 1], [0, 0, 0]], dtype=np.int32)
    made = ReportContent(
        title="A title",
        names=["a", "b"],
        labels=labels,
        sample_names=np.array(["x", "y", "z"]),
        columns=[Column("f", np.array([1.0, 2.0]), True, True)],
    )
    return replace(made, **changes)


def scripts(page):
    return re.findall(r"<script([^>]*)>(.*?)</script>", page, flags=re.DOTALL)


def data_of(page):
    ((_, text),) = [script for script in scripts(page) if "application/json" in script[0]]
    return text, json.loads(text)


def test_a_page_has_its_data_and_two_scripts():
    page = render(content())
    assert page.startswith("<!DOCTYPE html>")
    assert "<h1>A title</h1>" in page
    (_, data), others = data_of(page), [text for kind, text in scripts(page) if not kind]
    assert data["names"] == ["a", "b"]
    assert len(others) == 2
    assert "prefers-color-scheme" in others[0]


def test_a_page_is_small():
    assert len(render(content()).encode()) < 200_000


def luminance(color):
    """Relative luminance of a colour ``#rgb`` or ``#rrggbb``, as WCAG 2.2 defines it."""
    digits = color.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    channels = np.array([int(digits[place : place + 2], 16) for place in (0, 2, 4)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def contrast(first, second):
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_texts_and_markers_in_light_and_dark():
    assert contrast("#fff", "#000000") == pytest.approx(21)
    style = re.search("<style>(.*?)</style>", render(content()), flags=re.DOTALL)[1]
    light, dark = (
        dict(re.findall(r"--([a-z-]+): ([^;]+);", block))
        for block in re.search(
            r":root \{(.*?)\}.*?:root\[data-theme=\"dark\"\] \{(.*?)\}", style, re.DOTALL
        ).groups()
    )
    assert light.keys() == dark.keys()
    for theme in (light, dark):
        written = [(ink, on) for on in ("paper", "ground", "head") for ink in ("ink", "soft", "accent")]
        written += [("ink", on) for on in ("accent-soft", "selected-soft", "negative", "mark")]
        written += [("ink", "warning-soft"), ("ink", "bad-soft"), ("strong", "accent-soft"), ("bad", "paper")]
        written += [("on-accent", "accent"), ("on-accent", "strong"), ("selected", "paper")]
        found = {pair: contrast(*(theme[name] for name in pair)) for pair in written}
        assert {pair: value for pair, value in found.items() if value < 4.5} == {}


@pytest.mark.parametrize(("paper", "lift"), [("#ffffff", 0.0), ("#1b232c", 0.25)])
def test_every_marker_stands_out(paper, lift):
    page = render(content())
    edge_share = float(re.search(r"EDGE_SHARE = ([\d.]+);", page)[1])
    assert re.search(f"--paper: {paper[:4]}[^}}]*--lift: {100 * lift:.0f}%", page)
    for look in data_of(page)[1]["looks"]:
        channels = np.array([int(look["color"][place : place + 2], 16) for place in (1, 3, 5)])
        filled, edge = (1 - lift) * channels + 255 * lift, edge_share * channels
        drawn = ["#" + "".join(f"{round(channel):02x}" for channel in each) for each in (filled, edge)]
        # The edge makes light colours stand out from light paper, the colour itself does on dark paper.
        assert max(contrast(color, paper) for color in drawn) >= 3.0


def test_whatever_users_wrote_is_escaped():
    shown = content(
        title=ATTACK,
        names=[ATTACK, ATTACK],
        facts=[(ATTACK, ATTACK)],
        missing=[ATTACK],
        sample_kind=ATTACK,
        sample_names=np.array([ATTACK] * 3),
        rules={ATTACK: 0},
        panels=[Panel("bars", ATTACK, ATTACK, x=[ATTACK], y=[1.0])],
        map=PlaneMap(np.zeros((3, 2)), np.arange(3), (ATTACK, ATTACK), ATTACK),
    )
    page = render(shown)
    assert len(scripts(page)) == 3
    text, data = data_of(page)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert (data["title"], data["names"][0], data["rules"][0][0]) == (ATTACK, ATTACK, ATTACK)
    rest = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    assert "alert(1)" in rest
    assert "<script>" not in rest
    assert "<!--" not in rest
    assert html.unescape(re.search("<h1>(.*?)</h1>", rest, flags=re.DOTALL)[1]) == ATTACK


def test_versions_stand_at_the_foot():
    facts = [("method", "m"), ("a: made with", f"numpy 1 {ATTACK}"), ("b: made with", "numpy 2")]
    head, foot = render(content(facts=facts)).split("<footer>")
    assert f"Made with numpy 1 {html.escape(ATTACK, quote=False)[:4]}" in foot
    assert "; numpy 2. This page contains all its data" in foot
    assert "made with" not in head
    assert "Made with moo_clustering. " in render(content())


def test_only_its_own_scripts_may_run():
    page = render(content())
    policy = html.unescape(re.search(r'Content-Security-Policy" content="(.*?)"', page)[1])
    assert policy.startswith("default-src 'none';")
    allowed = re.search("script-src (.*?);", policy)[1].split()
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in scripts(page)
        if not kind
    ]
    assert allowed == [*(f"'sha256-{digest}'" for digest in digests)]


def test_nothing_comes_from_elsewhere():
    page = render(content())
    addresses = set(re.findall(r"https?://[^\s\"'`<>)]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"(src|href)=[\"']?(//|[a-z]+\.)", page)
    assert "@import" not in page
    assert set(re.findall(r"url\(.", page)) == {"url(#"}


def test_users_texts_reach_the_page_as_text_only():
    script = scripts(render(content()))[-1][1]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_every_script_of_the_folder_is_in_the_page():
    from importlib.resources import files

    from moo_clustering.visualization.report import page as _render

    folder = files("moo_clustering.visualization.report").joinpath("assets")
    there = {entry.name for entry in folder.iterdir() if entry.name.endswith(".js")}
    assert there == {*_render._SCRIPTS, "ask.js", "theme.js"}


@pytest.mark.parametrize("asks", [False, True])
def test_every_element_that_scripts_ask_for_exists(asks):
    page = render(content(), asks=asks)
    script = scripts(page)[-1][1]
    asked = set(re.findall(r'(?:byId|note|addFigure|redraw)\("([a-z-]+)"', script))
    there = set(re.findall(r'\bid="([a-z-]+)"', page))
    there |= set(re.findall(r'(?:\bid: |, )"(ask-[a-z-]+)"', script))  # made by a script
    assert len(asked) > 30
    # A page tells by this element whether it asks.
    assert ("ask" in there) is asks
    assert {name for name in asked if asks or not name.startswith("ask")} <= there


def test_file_is_written_whole(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report(content(title="Überschrift \ud800"), path)
    assert "<h1>Überschrift ?</h1>" in path.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [path]
    write_report(content(), str(path))
    assert "<h1>A title</h1>" in path.read_text("utf-8")


def test_a_page_is_the_same_every_time():
    assert render(content()) == render(content())


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_path_is_named(path):
    with pytest.raises(TypeError, match=f"path must be a string or a path, got {path}"):
        write_report(content(), path)


def test_wrong_labels_leave_the_old_page(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(ValueError, match="labels must be"):
        write_report(content(labels=np.array([[0, -3, 0], [0, 0, 0]], dtype=np.int32)), path)
    assert path.read_text() == "old"


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [10, 200])
def test_size_of_a_thousand_solutions_of_twenty_thousand_samples(n_clusters):
    rng = np.random.default_rng(0)
    n_solutions, n_samples = 1000, 20_000
    shown = content(
        names=[f"solution {row}" for row in range(n_solutions)],
        labels=rng.integers(0, n_clusters, (n_solutions, n_samples), dtype=np.int32),
        sample_names=np.arange(n_samples).astype(str),
        sample_texts=[f"text of sample {row} with some words" for row in range(n_samples)],
        columns=[Column(name, rng.random(n_solutions), True, True) for name in "fgh"],
        agreement=rng.random((n_solutions, n_solutions)),
        map=PlaneMap(rng.normal(size=(5000, 2)), np.arange(0, n_samples, 4), ("x", "y")),
    )
    page = render(shown)
    assert len(page.encode()) <= 25_000_000
    _, data = data_of(page)
    n_kept = len(data["names"])
    # Random labels of 10 clusters fit, of 200 they cannot.
    assert (n_kept == n_solutions) == (n_clusters == 10)
    assert n_kept > 400
    assert (f"{n_kept:,} of 1,000 solutions" in page) == (n_clusters == 200)
