"""Every example runs as a script, and the cookbook is short.

``python -m tests.test_examples`` counts the lines of the cookbook. If ``MOO_CLUSTERING_GALLERY`` is the
folder of a gallery that has just been built, the output of the cookbook is read there instead of running it,
except for the examples that ``MOO_CLUSTERING_UNDRAWN`` lists.
"""

import ast
import importlib
import os
import re
import runpy
import textwrap
from pathlib import Path

import pytest

from benchmarks.code_size import code_size

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
COOKBOOK = sorted((FOLDER / "cookbook").glob("*.py"))
# The search of this page depends on rounding, which differs between kernels of the BLAS.
FOLLOWS_DIGITS = {"fuzzy_nsga3"}
LONG = {"co_clustering", "dynmoga", "islands", "mocle", "moga_net", "rule_clusterer", "surrogate"}
UNDRAWN = os.environ.get("MOO_CLUSTERING_UNDRAWN", "").split()
# The cells of a method's row: method, lines, parts, paper, here, control.
PAGE = {
    re.search(r"gallery/cookbook/(\w+)", line).group(1): line.strip("|").split("|")
    for line in (FOLDER.parent / "docs/cookbook.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| [")
}


def lines_of_code(script):
    """Lines of a script without imports, docstrings, comments, empty lines and calls of plots."""
    return code_size(script.read_text(encoding="utf-8"), without="plot_")[0]


def output_in(page):
    """Text that a script printed, from its page in the gallery."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"sphx-glr-script-out\n\n \.\. code-block:: none\n\n((?: {4}.*\n|\n)+)", text)
    return "\n".join(textwrap.dedent(block).strip() for block in blocks)


@pytest.mark.parametrize("script", [*EXAMPLES, *COOKBOOK], ids=lambda path: path.stem)
def test_imports_of_examples_exist(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    wanted = [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("moo_clustering")
        for alias in node.names
    ]
    assert [pair for pair in wanted if not hasattr(importlib.import_module(pair[0]), pair[1])] == []


@pytest.mark.nightly
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


def _of_tier(script):
    """Pages that take more than ten seconds run every night, unless their output is available."""
    drawn = "MOO_CLUSTERING_GALLERY" in os.environ and script.stem not in UNDRAWN
    nightly = script.stem in LONG and not drawn
    return pytest.param(script, marks=pytest.mark.nightly if nightly else pytest.mark.slow)


@pytest.mark.parametrize("script", list(map(_of_tier, COOKBOOK)), ids=lambda path: path.stem)
def test_cookbook(script, tmp_path, monkeypatch, capsys):
    if "MOO_CLUSTERING_GALLERY" in os.environ:
        gallery = Path(os.environ["MOO_CLUSTERING_GALLERY"]) / "cookbook"
        printed = output_in(gallery / f"{script.stem}.rst")
        picture = gallery / "images" / f"sphx_glr_{script.stem}_001.png"
    else:
        monkeypatch.chdir(tmp_path)
        runpy.run_path(str(script), run_name="__main__")
        printed = capsys.readouterr().out
        picture = tmp_path / f"{script.stem}.png"
    assert len(printed.splitlines()) > 1  # a method and its control
    values = [float(value) for value in re.findall(r"-?\d+\.\d+", printed)]
    for figure in re.findall(r"\d*\.\d+", " ".join(PAGE[script.stem][-2:])):
        decimals = len(figure.partition(".")[2])
        loose = 0.1 * float(figure) if script.stem in FOLLOWS_DIGITS else 0.0
        assert any(abs(round(value, decimals) - float(figure)) <= loose + 1e-9 for value in values), figure
    assert picture.exists()


@pytest.mark.parametrize("script", COOKBOOK, ids=lambda path: path.stem)
def test_methods_of_the_cookbook_take_at_most_sixty_lines(script):
    assert int(PAGE[script.stem][1]) == lines_of_code(script) <= 60


def test_there_are_examples():
    assert EXAMPLES
    assert len(COOKBOOK) >= 18
    assert set(PAGE) == {script.stem for script in COOKBOOK}


if __name__ == "__main__":
    for path in COOKBOOK:
        print(f"{path.stem:<22} {lines_of_code(path)}")
