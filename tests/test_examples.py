"""Every example runs as a script, and the cookbook is short.

``python -m tests.test_examples`` counts the lines of the cookbook.
"""

import ast
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
COOKBOOK = sorted((FOLDER / "cookbook").glob("*.py"))


def lines_of_code(text):
    """Lines of a script without imports, docstrings, comments, empty lines and calls of plots."""
    left_out = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
        plots = isinstance(node, ast.Expr) and ast.unparse(node).startswith("plot_")
        if isinstance(node, ast.Import | ast.ImportFrom) or plots:
            left_out.update(range(node.lineno, node.end_lineno + 1))
        elif documented:
            left_out.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    numbered = enumerate(text.splitlines(), 1)
    return sum(
        number not in left_out and bool(line.strip()) and not line.strip().startswith("#")
        for number, line in numbered
    )


@pytest.mark.nightly
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.slow
@pytest.mark.parametrize("script", COOKBOOK, ids=lambda path: path.stem)
def test_cookbook(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 1  # a method and its control
    assert (tmp_path / f"{script.stem}.png").exists()


@pytest.mark.parametrize("script", COOKBOOK, ids=lambda path: path.stem)
def test_methods_of_the_cookbook_take_sixty_lines(script):
    assert lines_of_code(script.read_text(encoding="utf-8")) <= 60


def test_there_are_examples():
    assert EXAMPLES
    assert len(COOKBOOK) == 10


if __name__ == "__main__":
    for path in COOKBOOK:
        print(f"{path.stem:<22} {lines_of_code(path.read_text(encoding='utf-8'))}")
