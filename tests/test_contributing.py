"""CONTRIBUTING.md is short and names what exists; every module has a summary for the map."""

import re
from pathlib import Path

from tests import house

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_page_is_short():
    assert len(TEXT.splitlines()) <= 200


def test_every_module_has_a_summary():
    summaries = house.summaries()
    assert "moo_clustering/operators/medoids.py" in summaries
    assert "papers/pesc.py" in summaries
    assert [path for path, summary in summaries.items() if not 10 < len(summary) <= 132] == []


def test_the_map_has_a_line_for_every_module():
    lines = house.house_map().splitlines()
    assert len(lines) == len(house.summaries())
    assert any(line.strip().startswith("medoids.py") and "operator" in line.lower() for line in lines)


def test_names_on_the_page_exist():
    """Every path in backticks is a file or folder of the project, or is made by a tool."""
    made = {"docs/_build/html", ".venv/bin/python"}
    paths = set(re.findall(r"`([\w.]+(?:/[\w.]+)*/(?:[\w.]+)?)`", TEXT)) - made
    assert len(paths) > 30
    for path in paths:
        assert (ROOT / path).exists() or (ROOT / "moo_clustering" / path).exists(), path


def test_the_order_of_imports_is_that_of_the_house():
    line = re.search(r"those to its left: (.*?) < `cli`", TEXT, re.DOTALL).group(1)
    levels = [set(re.findall(r"`(\w+)`", level)) for level in line.split("<")]
    assert [*levels, {"cli"}] == house.ORDER
