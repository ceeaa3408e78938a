"""Papers of the methods as BibTeX, and the citation file of the package."""

import configparser
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import moo_clustering
from moo_clustering import MOCK, NSGA2SISC, NSGA2Clus, ParetoClustering, estimators
from moo_clustering.cli import main

ROOT = Path(moo_clustering.__file__).resolve().parents[1]
BIB = Path(estimators.__file__).parent / "assets" / "references.bib"
# Methods of this package alone.
OURS = {"EvolutionaryClusterer", "ParetoBagClustering", "ParetoClustering"}
ESTIMATORS = {
    name: found
    for name in estimators.__all__
    if isinstance(found := getattr(estimators, name), type) and hasattr(found, "fit")
}


def _keys(text):
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_is_cited_and_only_methods_of_our_own_without_a_paper(name):
    # Without an object: some need arguments.
    cited = ESTIMATORS[name].__new__(ESTIMATORS[name]).citation()
    *papers, package = _keys(cited)
    assert package == "moo_clustering"
    assert (papers == []) == (name in OURS)


def test_papers_of_a_method_and_of_its_base_classes():
    assert _keys(MOCK().citation()) == ["deltamock2018", "mock2007", "semimock2006", "moo_clustering"]
    assert _keys(NSGA2SISC().citation()) == ["siscml", "moo_clustering"]

    class MyClus(NSGA2Clus):
        pass

    class Mine(ParetoClustering):
        pass

    Mine.__name__ = "MOCK"
    assert _keys(MyClus().citation()) == ["nsga2clus2016", "moo_clustering"]
    assert _keys(Mine().citation()) == ["moo_clustering"]


def test_entries_are_whole_sorted_and_named_after_estimators():
    entries = BIB.read_text(encoding="utf-8").strip().split("\n\n")
    keys = _keys("\n\n".join(entries))
    assert len(keys) == len(entries)
    assert keys == sorted(set(keys))
    for entry in entries:
        assert entry.isascii()
        assert entry.count("{") == entry.count("}")
        assert re.fullmatch(r"@\w+\{\w+,\n(  \w+ = \{.+\},\n)+\}", entry)
        named = re.search(r"  estimators = \{(.*)\},", entry)[1].split(", ")
        assert named == sorted(named)
        assert set(named) <= ESTIMATORS.keys()


def test_the_command_prints_the_papers():
    shown = CliRunner().invoke(main, ["methods", "mock", "--bibtex"])
    assert shown.output.strip() == MOCK().citation()
    assert "estimators =" not in shown.output
    everything = CliRunner().invoke(main, ["methods", "--bibtex"]).output
    assert _keys(everything) == [*_keys(BIB.read_text(encoding="utf-8")), "moo_clustering"]


def test_the_citation_file_says_what_the_package_says():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    meta, lines = setup["metadata"], (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    for line in (
        "cff-version: 1.2.0",
        f"title: {meta['name']}",
        f"version: {meta['version']}",
        f"license: {meta['license']}",
        f"  - name: {meta['author']}",
        f"  {meta['description']}.",
    ):
        assert line in lines
    assert [line[4:] for line in lines if line.startswith("  - ") and "name:" not in line] == meta[
        "keywords"
    ].split(", ")
    assert f"version = {{{meta['version']}}}" in MOCK().citation()
