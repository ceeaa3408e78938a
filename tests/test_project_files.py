"""Files around the package: workflows call the gate, actions are pinned, the placeholder is in one place."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
GATE = "".join((ROOT / name).read_text(encoding="utf-8") for name in (".ci/run", ".ci/distributions"))
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg")
PLACEHOLDER = "moo-clustering.example"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_permissions_least(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[\d.]+", action), action
    assert "\npermissions: {}\n" in text


def test_workflows_run_the_gate_or_sessions():
    """No workflow has a list of checks of its own."""
    sessions = set(re.findall(r"^def (\w+)\(session\)", (ROOT / "noxfile.py").read_text(), re.MULTILINE))
    lines = [line for path in WORKFLOWS for line in re.findall(r"run: (.*)", path.read_text())]
    assert "bash .ci/run" in lines
    for line in lines:
        session = re.fullmatch(r"python -m nox -s (\w+)", line)
        assert line in ("bash .ci/run", "python -m pip install nox") or "grep" in line or session, line
        assert session is None or session[1] in sessions


def test_sessions_run_commands_of_the_gate():
    sessions = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for program in ("ruff check .", "ruff format --check .", "mypy", "-m sphinx -W -q -b html docs"):
        assert program in GATE
        assert ", ".join(f'"{word}"' for word in program.split()) in sessions


def test_the_placeholder_of_the_home_page_is_in_one_place():
    """It may be named by the list of a release and by the workflow that refuses it."""
    told = {"setup.cfg", "CONTRIBUTING.md", "tests/test_project_files.py"}
    folders = (
        "moo_clustering",
        "docs",
        "examples",
        "papers",
        "paper",
        "packaging",
        "benchmarks",
        "tests",
        ".ci",
    )
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")] + list(ROOT.glob("*.*"))
    found = set()
    for path in files:
        generated = path.parts[len(ROOT.parts)].endswith(".egg-info") or path.name == "PKG-INFO"
        if generated or path.suffix not in (".py", ".md", ".cfg", ".toml", ".cff", ".yaml"):
            continue
        if PLACEHOLDER in path.read_text(encoding="utf-8", errors="replace"):
            found.add(path.relative_to(ROOT).as_posix())
    assert found <= told
    if "setup.cfg" in found:
        assert PLACEHOLDER in SETUP["metadata"]["project_urls"]


def test_classifiers_and_lanes_agree():
    """Python versions of the classifiers are the ones that the gate runs; there is no upper limit."""
    versions = re.findall(r"Python :: (3\.\d+)$", SETUP["metadata"]["classifiers"], re.MULTILINE)
    assert versions[0] == SETUP["options"]["python_requires"].removeprefix(">=")
    lanes = re.search(r"^for version in (.*); do$", GATE, re.MULTILINE)[1].split()
    assert set(versions) - {versions[0]} <= set(lanes)


def test_oldest_versions_are_the_minimum_of_the_metadata():
    oldest = dict(
        re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "requirements/oldest.txt").read_text(), re.MULTILINE)
    )
    for name, least in re.findall(
        r"^([\w-]+)>=([\d.]+)$", SETUP["options"]["install_requires"], re.MULTILINE
    ):
        assert oldest[name] == least


def test_a_bug_report_asks_for_the_environment():
    form = (ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text(encoding="utf-8")
    assert "moo-clustering about" in form
    assert re.search(r"id: about.*required: true", form, re.DOTALL)


def test_pages_of_the_community_link_to_what_exists():
    for name in ("CODE_OF_CONDUCT", "SECURITY", "SUPPORT", "GOVERNANCE", "CONTRIBUTING"):
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            assert target.startswith("https:") or (ROOT / target).exists(), target


def test_the_conda_recipe_has_the_requirements_of_the_metadata():
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"\n  run:\n    - python >=.*\n((?:    - .*\n)+)", recipe)[1]
    listed = re.findall(r"- ([\w-]+) (\S+)$", run.replace("matplotlib-base", "matplotlib"), re.MULTILINE)
    needed = SETUP["options"]["install_requires"].split()
    assert ["".join(pair) for pair in listed] == needed
    assert f'version: "{SETUP["metadata"]["version"]}"' in recipe
    assert f'python_min: "{SETUP["options"]["python_requires"].removeprefix(">=")}"' in recipe
    assert f"license: {SETUP['metadata']['license']}\n" in recipe
    for command in re.findall(r"- (moo-clustering = .*)", recipe):
        assert command in SETUP["options.entry_points"]["console_scripts"]


def test_the_image_runs_the_demo_without_rights():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    steps = [line for line in lines if not line.startswith("#")]
    assert len(steps) <= 10
    assert steps[-2:] == ['ENTRYPOINT ["moo-clustering"]', 'CMD ["demo"]']
    assert "USER 1000" in steps


def test_the_paper_has_the_form_and_cites_what_it_lists():
    text = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
    body = text.split("---", 2)[2]
    assert 750 <= len(body.split()) <= 1000
    for title in ("Summary", "Statement of need", "State of the field"):
        assert f"\n# {title}\n" in body
    entries = set(
        re.findall(r"^@\w+\{(\w+),", (ROOT / "paper/paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert set(re.findall(r"\[@(\w+)\]", body)) == entries


def test_figures_of_the_paper_are_those_of_the_documentation():
    body = (ROOT / "paper/paper.md").read_text(encoding="utf-8").split("# Does evolution pay?")[1]
    pages = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/evolution.md"))
    figures = set(re.findall(r"\.\d{3}", body))
    assert len(figures) > 15
    assert figures <= set(re.findall(r"\.\d{3}", pages))
