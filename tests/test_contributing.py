"""CONTRIBUTING.md shows the package as it is: every file of the tree, in its place, and no other.

``python -m tests.test_contributing`` writes the picture anew: phrases stay, a new file gets the first line of
its docstring, files that are gone go.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
PICTURE = re.compile(r"(?<=<!-- picture -->\n```text\n).*?(?=```\n<!-- end -->)", re.DOTALL)
TOPS = ("moo_clustering", "papers")


def tree():
    """Paths of folders (ending in /) and files, in the order of the picture: files before folders."""
    found = []

    def walk(folder):
        found.append(f"{folder.relative_to(ROOT).as_posix()}/")
        modules = [path for path in folder.glob("*.py") if path.name not in ("__init__.py", "__main__.py")]
        found.extend(path.relative_to(ROOT).as_posix() for path in sorted(modules))
        for inner in sorted(path for path in folder.iterdir() if (path / "__init__.py").exists()):
            walk(inner)

    for top in TOPS:
        walk(ROOT / top)
    return found


def drawn(picture):
    """Path to phrase of every line of the picture."""
    phrases, folders = {}, []
    for line in picture.splitlines():
        indent, name, phrase = re.fullmatch(r"( *)(\S+)(?: +(\S.*))?", line).groups()
        del folders[len(indent) // 2 :]
        path = "".join(folders) + name
        assert path not in phrases, f"{path} is drawn twice"
        phrases[path] = phrase or ""
        if name.endswith("/"):
            folders.append(name)
    return phrases


def first_line(path):
    """First line of a module's docstring, without its full stop."""
    file = ROOT / path / "__init__.py" if path.endswith("/") else ROOT / path
    text = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").splitlines()
    return text[0].rstrip(".") if text else ""


def redrawn(picture):
    """The picture of the tree as it is, with the phrases that are there."""
    phrases = drawn(picture)
    lines = []
    for path in tree():
        depth = path.rstrip("/").count("/")
        name = path.rstrip("/").rsplit("/", 1)[-1] + ("/" if path.endswith("/") else "")
        lines.append(f"{'  ' * depth + name:26s} {phrases.get(path) or first_line(path)}\n")
    return "".join(lines)


def test_picture_is_of_this_tree():
    phrases = drawn(PICTURE.search(PAGE.read_text(encoding="utf-8")).group())
    assert list(phrases) == tree(), "python -m tests.test_contributing redraws it"
    assert all(phrases.values())
    assert max(map(len, phrases.values())) <= 84


def test_redrawing_keeps_phrases_and_follows_the_tree():
    picture = PICTURE.search(PAGE.read_text(encoding="utf-8")).group()
    assert redrawn(picture) == picture
    lines = [line for line in picture.splitlines(keepends=True) if "silhouette" not in line]
    assert len(lines) < len(picture.splitlines())
    again = drawn(redrawn("".join(lines) + "  gone.py  no such file\n"))
    assert list(again) == tree()
    assert all(again.values())


def test_names_on_the_page_exist():
    """Every path in backticks is a file or folder of the project, or is made by a tool."""
    text = PICTURE.sub("", PAGE.read_text(encoding="utf-8"))
    made = {"docs/_build/html", ".ci/artefacts", ".venv/bin/python"}
    for path in re.findall(r"`([\w.]+(?:/[\w.]+)*/(?:[\w.]+)?)`", text):
        if path.rstrip("/") in made:
            continue
        assert (ROOT / path).exists() or (ROOT / "moo_clustering" / path).exists(), path


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PICTURE.sub(lambda found: redrawn(found.group()), page), encoding="utf-8")
    sys.exit()
