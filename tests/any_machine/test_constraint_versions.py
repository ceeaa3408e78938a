"""The versions that the lanes of ``.ci/run`` install are those that ``setup.cfg`` speaks of."""

import configparser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
# They look at the source or at a browser, or help others do so; no lane with old versions runs them.
TOOLS = {
    "mypy", "numpydoc", "pandas-stubs", "pytest-cov", "ruff", "selenium", "types-tqdm",
}  # fmt: skip


def required():
    """Name of each requirement to its specifier, of the package and of its tests."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    lines = config["options"]["install_requires"].splitlines()
    for extra in ("test", "metis", "dask", "stats", "text", "parquet"):
        lines += config["options.extras_require"][extra].splitlines()
    found = {}
    for one in map(Requirement, filter(None, map(str.strip, lines))):
        found.setdefault(canonicalize_name(one.name), set()).add(one.specifier)
    return found


def pinned(name):
    lines = (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    versions = {canonicalize_name(pin.name): str(pin.specifier) for pin in pins}
    assert len(versions) == len(pins)
    return versions


def test_one_bound_for_each_requirement():
    for name, specifiers in required().items():
        assert len(specifiers) == 1, name
        (specifier,) = specifiers
        assert str(specifier).startswith(">="), name
        assert len(specifier) == 1, name


def test_the_oldest_are_the_lower_bounds():
    bounds = {name: str(*bound).replace(">=", "==") for name, bound in required().items()}
    assert pinned("oldest.txt") == {name: pin for name, pin in bounds.items() if name not in TOOLS}


@pytest.mark.parametrize("name", sorted(required()))
def test_the_newest_are_allowed(name):
    (bound,) = required()[name]
    assert pinned("newest.txt")[name].removeprefix("==") in bound
