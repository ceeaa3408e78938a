"""Notebooks in a real kernel: figures are displayed once, and tutorials run with their pictures."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = ("compose_a_run", "messy_table", "documents", "bags_two_objectives")
PLOT = "plot_partition(np.eye(3), [0, 1, 1])"
IMPORTS = "import numpy as np\nfrom moo_clustering.visualization import plot_partition"


def run(cells, folder):
    """Outputs of code cells, a list for each."""
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.validate(notebook)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [(cell.source, cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]


def pictures(outputs):
    """Number of displayed pictures."""
    return sum("image/png" in output.get("data", {}) for output in outputs)


def cells_of(script):
    """Cells of a script of the gallery: its docstring, then code and comments that start with ``# %%``."""
    text = script.read_text(encoding="utf-8")
    title, code = re.match(r'"""\n(.*?)"""\n(.*)', text, re.DOTALL).groups()
    cells = [nbformat.v4.new_markdown_cell(title)]
    for part in re.split(r"^# %%\n", code, flags=re.MULTILINE):
        comment = re.match(r"(# .*\n)*", part)[0] if cells[1:] else ""
        if comment:
            cells.append(nbformat.v4.new_markdown_cell(re.sub(r"^# ", "", comment, flags=re.MULTILINE)))
        cells.append(nbformat.v4.new_code_cell(part[len(comment) :].strip()))
    return cells


@pytest.mark.slow
@pytest.mark.parametrize("first", ["pass", "%matplotlib inline", "import matplotlib.pyplot"])
def test_a_figure_is_displayed_once(first, tmp_path):
    lines = [first, IMPORTS, PLOT, f"figure = {PLOT}", "figure.show()", f"{PLOT};"]
    lines += ["import matplotlib.pyplot as plt\nprint(plt.get_fignums())"]
    lines += ["figure, ax = plt.subplots()\n" + PLOT.replace("1])", "1], ax=ax);")]
    outputs = [outputs for _, outputs in run([nbformat.v4.new_code_cell(line) for line in lines], tmp_path)]
    assert [pictures(each) for each in outputs] == [0, 0, 1, 0, 1, 0, 0, 1]
    assert outputs[-2][0]["text"] == "[]\n"
    assert [len(each) for each in outputs] == [0, 0, 1, 0, 1, 0, 1, 1]


@pytest.mark.parametrize(
    "tutorial",
    # The gate runs two; the other two take minutes where kernels must be compiled.
    [
        pytest.param(name, marks=pytest.mark.slow if i < 2 else pytest.mark.nightly)
        for i, name in enumerate(TUTORIALS)
    ],
)
def test_tutorials_run_as_notebooks(tutorial, tmp_path):
    shown = 0
    for source, outputs in run(cells_of(ROOT / "examples" / f"{tutorial}.py"), tmp_path):
        expected = source.splitlines()[-1].startswith("plot_")
        assert pictures(outputs) == expected, source
        shown += expected
    assert shown >= 2


def test_the_tutorials_are_those_of_the_documentation():
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    part = re.search(r"- \*\*Tutorials\*\*: .*?\n- ", text, re.DOTALL)[0]
    assert tuple(re.findall(r"gallery/(\w+)\.rst", part)) == TUTORIALS
