#!/usr/bin/env -S uv run
# /// script
# dependencies = ["nox>=2024.10.9"]
# ///
"""Sessions of nox, which run the commands of the gate, ``.ci/run``, one part at a time: ``nox -s tests``."""

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|virtualenv"


@nox.session(default=False)
def gate(session):
    """Everything that must pass before a change is merged; makes its own environments."""
    session.run("bash", ".ci/run", external=True)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session):
    """The default tests; further arguments go to pytest, such as ``-m slow``."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(default=False)
def oldest(session):
    """The default tests with the oldest dependencies that are allowed."""
    session.install("-e", ".[test]", "-c", "requirements/oldest.txt")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(default=False)
def prereleases(session):
    """The default tests with pre-releases of the dependencies; any deprecation is an error."""
    session.install("--pre", "--upgrade", "-e", ".[test]")
    session.run("python", "-m", "pytest", "-W", "error::DeprecationWarning", *session.posargs)


@nox.session
def lint(session):
    """Style and types."""
    session.install("-e", ".[test]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session(default=False)
def docs(session):
    """The documentation, without warnings."""
    session.install("-e", ".[docs]")
    session.run("python", "-m", "sphinx", "-W", "-q", "-b", "html", "docs", "docs/_build/html")


@nox.session(default=False)
def build(session):
    """The distributions, into ``dist``, and the checks of what surrounds them."""
    session.install("-e", ".[release]")
    session.run("bash", ".ci/distributions", "dist")


@nox.session(default=False)
def benchmarks(session):
    """Speed as ratios to named alternatives; needs a quiet machine."""
    session.install("-e", ".[test]")
    session.run("python", "benchmarks/run.py", *session.posargs)


if __name__ == "__main__":
    nox.main()
