"""Indices by name, and what the room exports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from moo_clustering import validity
from moo_clustering.validity import Silhouette, XieBeni, get_index

NAMES = [
    "agreement",
    "bag_davies_bouldin",
    "bag_sdbw",
    "bag_silhouette",
    "boundary_cut",
    "calinski_harabasz",
    "cdbw",
    "changed",
    "compactness",
    "connectivity",
    "cut_edges",
    "davies_bouldin",
    "dbcv",
    "deviation",
    "dunn",
    "ftwcv",
    "fuzzy_hypervolume",
    "fuzzy_silhouette",
    "fuzzy_sum_of_squares",
    "fuzzy_xie_beni",
    "i_index",
    "icl",
    "label_evidence",
    "likelihood_gain",
    "load_variation",
    "minimax_silhouette",
    "modularity",
    "pair_evidence",
    "partition_coefficient",
    "partition_entropy",
    "pbm",
    "silhouette",
    "twcv",
    "xie_beni",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_gives_a_fresh_index(name):
    assert get_index(name).name == {"pbm": "i_index"}.get(name, name)
    assert get_index(name) is not get_index(name)


def test_objects_and_classes():
    index = XieBeni("medoid")
    assert get_index(index) is index
    assert isinstance(get_index(Silhouette), Silhouette)


@pytest.mark.parametrize(("wrong", "near"), [("xie-beni", "xie_beni"), ("Silhouete", "silhouette")])
def test_unknown_names_are_answered_with_the_nearest(wrong, near):
    with pytest.raises(ValueError, match=f"did you mean '{near}'"):
        get_index(wrong)


def test_hopeless_names_are_answered_with_the_list():
    with pytest.raises(ValueError, match=f"known: {', '.join(NAMES)}") as caught:
        get_index("zzz")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("wrong", [3, None, int])
def test_other_types_are_refused(wrong):
    with pytest.raises(TypeError, match="name, a ValidityIndex"):
        get_index(wrong)


def test_exports_are_different_and_exist():
    assert len(set(validity.__all__)) == len(validity.__all__)
    assert all(hasattr(validity, name) for name in validity.__all__)


def test_those_without_bags_do_not_wait_for_the_code_of_bags():
    loaded = "import moo_clustering.validity, sys; print(*(m for m in sys.modules if 'bag' in m))"
    run = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert {name.split(".")[1] for name in run.stdout.split() if "." in name} <= {"validity"}
