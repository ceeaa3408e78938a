"""What consensus functions refuse, and what they do with METIS and without."""

import logging
import sys

import numpy as np
import pytest

from contract.consensus import ensemble, needs_metis
from moo_clustering.consensus import cspa, hbgf, hgpa, mcla
from moo_clustering.consensus import hypergraph as metis_module


@pytest.mark.parametrize("consensus", [mcla, cspa, hbgf, hgpa])
@pytest.mark.parametrize(
    ("labels", "n_clusters", "options", "error", "message"),
    [
        (
            [[0, 1, -1, -1], [1, 0, 0, -1]],
            2,
            {},
            ValueError,
            r"in at least one run .* 1 of 4 samples are -1 .*: 3\. Remove these columns",
        ),
        ([[0, 1, 1], [-1, 1, 0]], 2, {"weights": [0, 1]}, ValueError, "every sample"),
        (
            [[0, 1, 1]],
            0,
            {},
            ValueError,
            "integer from 1 to 3, the number of samples, got 0",
        ),
        ([[0, 1, 1]], 4, {}, ValueError, "n_clusters must be an integer from 1 to 3"),
        ([[0, 1, 1]], 2.0, {}, TypeError, "n_clusters must be an integer"),
        ([[0, 1, 1]], 2, {"weights": [1, 1]}, ValueError, r"one value per run \(1\)"),
        ([[0, 1, 1]], 2, {"weights": [-1]}, ValueError, "non-negative"),
        ([[0, 1, 1]], 2, {"weights": [0]}, ValueError, "positive for at least one run"),
        ([[0, 1, 1]], 2, {"weights": ["a"]}, TypeError, "weights must be real numbers"),
        ([[0.5, 1, 1]], 2, {}, ValueError, "must be integers"),
        ([["a", "b"]], 2, {}, TypeError, "must be integers"),
        ([[0, 1], [0]], 2, {}, ValueError, "rows differ in length"),
    ],
)
def test_bad_input_is_named(consensus, labels, n_clusters, options, error, message):
    with pytest.raises(error, match=message):
        consensus(labels, n_clusters, **options)


@pytest.mark.parametrize(
    ("consensus", "options"),
    [
        (mcla, {"partitioner": "kmetis"}),
        (mcla, {"vertex_weight": "one"}),
        (mcla, {"ties": "last"}),
        (cspa, {"partitioner": "auto"}),
        (hbgf, {"partitioner": "matching"}),
        (hgpa, {"approximation": "hmetis"}),
    ],
)
def test_unknown_options_are_named(consensus, options):
    with pytest.raises(ValueError, match=rf"{next(iter(options))} must be one of"):
        consensus([[0, 1]], 2, **options)


@pytest.fixture
def without_metis(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    metis_module._say_once.cache_clear()
    yield
    metis_module._say_once.cache_clear()


@pytest.mark.parametrize(("consensus", "other"), [(mcla, "matching"), (hbgf, "spectral"), (cspa, "average")])
def test_metis_by_name_needs_pymetis(consensus, other, without_metis):
    with pytest.raises(ImportError, match=rf"moo_clustering\[metis\].*'{other}'"):
        consensus([[0, 1]], 2, partitioner="metis")


@pytest.mark.parametrize(
    ("consensus", "other"),
    [(mcla, {"partitioner": "matching"}), (hbgf, {"partitioner": "spectral"}), (hgpa, None)],
)
def test_auto_does_without_metis_and_says_so_once(consensus, other, without_metis, caplog):
    runs, _ = ensemble(noise=0.5)
    with caplog.at_level(logging.INFO, logger="moo_clustering.consensus"):
        labels = [consensus(runs, 3, random_state=0) for _ in range(2)]
    (record,) = caplog.records
    assert "because pymetis is not installed" in record.getMessage()
    expected = hbgf(runs, 3, partitioner="spectral", random_state=0)
    if other is not None:
        expected = consensus(runs, 3, random_state=0, **other)
    np.testing.assert_array_equal(labels, [expected, expected])


@needs_metis
def test_auto_is_metis_where_it_is_there(caplog):
    metis_module._say_once.cache_clear()
    runs, _ = ensemble(noise=0.5)
    with caplog.at_level(logging.INFO, logger="moo_clustering.consensus"):
        labels = mcla(runs, 3, random_state=0)
    assert caplog.records[0].getMessage() == "mcla(partitioner='auto') uses METIS"
    np.testing.assert_array_equal(labels, mcla(runs, 3, partitioner="metis", random_state=0))
