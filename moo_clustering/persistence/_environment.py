"""Which software a result came from."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from moo_clustering import __version__

RUNTIME_DEPENDENCIES = (
    "click",
    "deap",
    "jinja2",
    "joblib",
    "lazy_loader",
    "matplotlib",
    "networkx",
    "numba",
    "numpy",
    "pandas",
    "plotly",
    "pymoo",
    "scikit-learn",
    "scikit-posthocs",
    "scipy",
    "statsmodels",
    "threadpoolctl",
    "tqdm",
)


def environment() -> dict[str, str]:
    """Versions of Python, of this package and of what it runs on.

    Returns
    -------
    dict of str to str
        ``python``, ``platform`` (system and machine type), ``moo_clustering`` and one entry for each
        runtime dependency. Nothing in it tells the computer, the user or a folder.
    """
    versions = {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "moo_clustering": __version__,
    }
    for package in RUNTIME_DEPENDENCIES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
