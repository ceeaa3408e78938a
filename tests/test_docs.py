"""The documentation's Python runs as printed, its pages are complete, and its links lead somewhere."""

import importlib
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from moo_clustering.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
# The package's names are documented in their rooms, and the command by its help.
NOT_IN_REFERENCE = {"moo_clustering", "moo_clustering.cli"}
# Pages with code for a cluster, which is only compiled here.
NOT_RUN = {"scale.md"}
CONCEPTS = sorted(path for path in (DOCS / "concepts").glob("*.md") if path.stem != "index")
# Those with searches take some seconds each.
LONG_CONCEPTS = {
    "controls": "slow",
    "fronts": "slow",
    "limits": "slow",
    "constraints": "nightly",
    "leakage": "nightly",
}


def python_blocks(text):
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def name_of(page):
    return str(page.relative_to(DOCS))


WITH_CODE = [
    page for page in PAGES if page not in CONCEPTS and python_blocks(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page.parent.name == "papers"), id=name_of(page))
        for page in WITH_CODE
    ],
)
def test_python_blocks_run_in_order(page, tmp_path, monkeypatch):
    if page.name in NOT_RUN:
        for block in python_blocks(page.read_text(encoding="utf-8")):
            compile(block, str(page), "exec")
        return
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": page.stem}
    for block in python_blocks(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("first_ten_minutes.md", marks=pytest.mark.slow),
        pytest.param("choose.md", marks=pytest.mark.nightly),
    ],
)
def test_commands_run_in_order(page, tmp_path, monkeypatch):
    """Between the Python of the page, in a folder with the examples and the names from a report."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "names.json").write_text('{"1": "dry"}')
    monkeypatch.chdir(tmp_path)
    namespace, n_commands = {"__name__": "page"}, 0
    text = (DOCS / page).read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        if language == "python":
            exec(compile(block, page, "exec"), namespace)
        for line in re.findall(r"^moo-clustering (.*)", block if not language else "", re.MULTILINE):
            result = CliRunner().invoke(main, shlex.split(line))
            assert result.exit_code == 0, f"{line}\n{result.output}"
            n_commands += 1
    assert n_commands


def words_and_numbers(text):
    """Words of a text, and its numbers, which may differ in the last digit from machine to machine."""
    tokens = re.findall(r"[+-]?\d[\d,]*\.?\d*|\S+?(?=[+-]?\d|\s|$)", text)
    words = [token for token in tokens if not re.search(r"\d", token)]
    return words, [float(token.replace(",", "")) for token in tokens if re.search(r"\d", token)]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            marks=[getattr(pytest.mark, LONG_CONCEPTS[page.stem])] if page.stem in LONG_CONCEPTS else [],
            id=page.stem,
        )
        for page in CONCEPTS
    ],
)
def test_concepts_print_what_their_pages_say(page, capsys):
    namespace = {"__name__": page.stem}
    blocks = re.findall(
        r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page.read_text(encoding="utf-8"), re.DOTALL
    )
    assert any(said for _, said in blocks)
    for block, said in blocks:
        exec(compile(block, page.name, "exec"), namespace)
        (words, numbers), (said_words, said_numbers) = map(words_and_numbers, (capsys.readouterr().out, said))
        assert words == said_words
        assert numbers == pytest.approx(said_numbers, rel=0.03, abs=0.03)


def test_every_concept_has_its_figure_and_sources():
    drawn = (DOCS / "concepts/figures.py").read_text(encoding="utf-8")
    for page in CONCEPTS:
        text = page.read_text(encoding="utf-8")
        assert f":::{{image}} ../images/concepts/{page.stem}.svg" in text
        assert f"def {page.stem}(page):" in drawn
        assert "https://doi.org/10." in text


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pictures_have_alternative_texts(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"!\[\]\(", text)
    for directive in re.findall(r"^:::\{image\} .*?^:::$", text, re.MULTILINE | re.DOTALL):
        assert re.search(r"^:alt: .{20,}$", directive, re.MULTILINE), directive


def new_code(text):
    """Lines that somebody has to write: neither empty nor imports."""
    return [line for line in text.splitlines() if line.strip() and not re.match(r"(from|import) ", line)]


def test_extensions_take_as_many_lines_as_the_page_says():
    text = (DOCS / "extend.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    lengths = {
        part.splitlines()[0].lower(): len(new_code(python_blocks(part)[0]))
        for part in sections
        if python_blocks(part)
    }
    said = {
        name: int(lines)
        for name, lines in re.findall(r"^\| \[(.+?)\]\(#.+?\) \| (\d+) \|", text, re.MULTILINE)
    }
    assert said == lengths
    assert max(lengths.values()) <= 10


def test_extensions_do_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "extend"}
    for block in python_blocks((DOCS / "extend.md").read_text(encoding="utf-8")):
        exec(compile(block, "extend.md", "exec"), namespace)
    partitions, grouped = namespace["partitions"], namespace["grouped"]
    assert partitions.shape[1] == len(namespace["X"])
    # Samples of a group stay together, and a partition that respects groups survives encoding.
    rng = namespace["np"].random.default_rng(0)
    labels = grouped.decode(grouped.random(5, rng))
    assert (labels.reshape(5, -1, 3) == labels.reshape(5, -1, 3)[:, :, :1]).all()
    assert (grouped.decode(grouped.encode(labels)) == labels).all()
    sides = namespace["sides"]
    assert sides.shape[1] == len(namespace["X"])
    assert (sides[:, 0] == 0).all()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text) + re.findall(
        r"^:::\{image\} (\S+)", text, re.MULTILINE
    ):
        if re.match(r"https?:", target):
            continue
        found = (page.parent / target).resolve()
        if DOCS / "gallery" in found.parents:
            # Made by the build, a page for each example.
            script = ROOT / "examples" / found.relative_to(DOCS / "gallery").with_suffix(".py")
            found = script if found.stem != "index" else EXAMPLES[0]
        assert found.exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_on_the_pages_exist(page):
    for name in re.findall(r"\{py:obj\}`~?([\w.]+)`", page.read_text(encoding="utf-8")):
        room, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(room), attribute), name


def test_every_public_room_is_in_the_reference():
    from test_docstrings import public_rooms

    listed = set(
        re.findall(r"^   (moo_clustering[\w.]*)$", (DOCS / "api/index.rst").read_text(), re.MULTILINE)
    )
    assert listed == set(public_rooms()) - NOT_IN_REFERENCE


def test_every_subcommand_has_its_help():
    from moo_clustering.cli import main

    text = (DOCS / "api/command.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^```\{command-help\} ([\w-]+)$", text, re.MULTILINE)) == set(main.commands)


def test_every_constant_is_described():
    from test_docstrings import public_rooms

    template = (DOCS / "_templates/autosummary/room.rst").read_text(encoding="utf-8")
    described = set(re.findall(r'^  "(\w+)": ".+",$', template, re.MULTILINE))
    constants = {
        name
        for room in set(public_rooms()) - NOT_IN_REFERENCE
        for name in importlib.import_module(room).__all__
        if not callable(thing := getattr(importlib.import_module(room), name))
        and not isinstance(thing, type(re))
    }
    assert described == constants


def test_rooms_left_out_have_no_names_of_their_own():
    from test_docstrings import public_rooms

    listed = [importlib.import_module(name) for name in set(public_rooms()) - NOT_IN_REFERENCE]
    documented = {id(getattr(room, name)) for room in listed for name in room.__all__}
    for left_out in ("moo_clustering",):
        room = importlib.import_module(left_out)
        for name in room.__all__:
            thing = getattr(room, name)
            assert not callable(thing) or id(thing) in documented, name


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_the_form_of_the_gallery(script):
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) < (110 if script.parent.name == "cookbook" else 80)
    title, rule, rest = re.match(r'"""\n(.+)\n(=+)\n\n(.*?)"""', text, re.DOTALL).groups()
    assert len(title) == len(rule)
    assert re.search(r"^Shows: ", rest, re.MULTILINE)
    assert ".png" in text
