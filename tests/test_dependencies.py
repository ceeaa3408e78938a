"""An installation stays small, and the documentation says what each dependency is for."""

import re

import pytest

from tests import dependencies

PAGE = (dependencies.ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")


def test_at_most_twelve_are_of_our_choosing():
    chosen = dependencies.chosen()
    assert len(chosen) <= 12
    assert {"numba", "pymoo", "skops"} <= set(chosen)
    assert "numpy" not in chosen
    declared = len(dependencies.declared()[""])
    sentence = f"`setup.cfg` names {declared} distributions: this package depends on {len(chosen)} of"
    assert sentence in " ".join(PAGE.split())


@pytest.mark.slow
def test_an_installation_takes_at_most_600_megabytes():
    brought = dependencies.closure(dependencies.declared()[""])
    assert {"llvmlite", "numpy", "contourpy"} <= brought
    assert 200 < sum(map(dependencies.megabytes, brought)) <= 600


def test_the_page_lists_all_dependencies_with_their_extras():
    rows = re.findall(r"^\| `([\w.-]+)` \| [\d.]+ \|(?: `\[(\w+)\]` \|)? \S", PAGE, re.MULTILINE)
    listed = {(extra, name) for name, extra in rows}
    assert listed == {(extra, name) for extra, names in dependencies.declared().items() for name in names}
