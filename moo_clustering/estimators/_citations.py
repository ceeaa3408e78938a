"""Papers of the methods as BibTeX, from ``assets/references.bib`` with the field ``estimators``."""

import re
from functools import cache
from importlib.resources import files

from moo_clustering import __version__

_PACKAGE = f"""@software{{moo_clustering,
  author = {{{{The moo\\_clustering developers}}}},
  title = {{moo\\_clustering: evolutionary clustering, pymoo and DEAP behind scikit-learn estimators}},
  version = {{{__version__}}},
}}"""
_ESTIMATORS = re.compile(r"^  estimators = \{(.*)\},\n", re.MULTILINE)


class CitedMixin:
    """Mixin of estimators that can be cited."""

    def citation(self) -> str:
        """Return a string of BibTeX entries: the papers of the method, if any, then this package.

        Examples
        --------
        >>> from moo_clustering import NSGA2Clus
        >>> print(NSGA2Clus().citation().splitlines()[0])
        @inproceedings{nsga2clus2016,
        """
        return bibtex(type(self))


def bibtex(*classes: type) -> str:
    """Return entries of the papers of classes and their bases (default: all), then of this package."""
    names = {
        base.__name__
        for each in classes
        for base in each.__mro__
        if base.__module__.startswith("moo_clustering.")
    }
    return "\n\n".join(
        [*(entry for entry, of in _entries() if not classes or not names.isdisjoint(of)), _PACKAGE]
    )


@cache
def _entries() -> list[tuple[str, frozenset[str]]]:
    """Read every entry and the names of its estimators."""
    text = files("moo_clustering.estimators").joinpath("assets", "references.bib").read_text(encoding="utf-8")
    found = []
    for entry in text.strip().split("\n\n"):
        (of,) = _ESTIMATORS.findall(entry)
        found.append((_ESTIMATORS.sub("", entry), frozenset(of.split(", "))))
    return found
