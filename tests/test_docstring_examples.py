"""Examples of docstrings print what they show."""

import doctest
import importlib
import pkgutil
import warnings

import matplotlib as mpl
import pytest

import moo_clustering

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(moo_clustering.__path__, "moo_clustering.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    with warnings.catch_warnings(), mpl.rc_context({"backend": "agg"}):
        warnings.simplefilter("ignore")
        found = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert not found.failed


def test_most_rooms_have_examples():
    finder = doctest.DocTestFinder()
    examples = [
        test
        for name in MODULES
        for test in finder.find(importlib.import_module(name), globs={})
        if test.examples
    ]
    assert len(examples) >= 100
