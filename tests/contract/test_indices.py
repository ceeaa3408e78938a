"""What all indices and measures promise: names and order mean nothing, rows alone, inputs only read."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contract.copies import pickled, repeated
from contract.indices import EVERY_INDEX, MEASURES, OTHERS
from contract.inputs import in_files, locked, untouched
from contract.randomness import poisoned, seeded
from contract.rooms import listed_names
from moo_clustering import validity

RNG = np.random.default_rng(7)
LABELS = np.array([np.r_[np.arange(k), RNG.integers(0, k, 24 - k)] for k in (2, 3, 3, 5)], dtype=np.int32)
ORDER = RNG.permutation(24)
AS_THEY_ARE = np.arange(24)
every_index = pytest.mark.parametrize("case", EVERY_INDEX.values(), ids=EVERY_INDEX.keys())
every_measure = pytest.mark.parametrize("case", MEASURES.values(), ids=MEASURES.keys())


def renamed(labels):
    """Clusters with other numbers, the last one first."""
    return labels.max(axis=-1, keepdims=True) - labels


def test_every_public_name_is_listed():
    assert listed_names(EVERY_INDEX) | listed_names(MEASURES) | OTHERS.keys() == set(validity.__all__)


@every_index
def test_names_and_order_mean_nothing_to_indices(case):
    data = case.data()
    expected = case.make().fit(data).evaluate(LABELS)
    assert_allclose(case.make().fit(data).evaluate(renamed(LABELS)), expected, rtol=1e-12, atol=1e-12)
    moved = case.make().fit(case.moved(data, ORDER)).evaluate(LABELS[:, ORDER])
    assert_allclose(moved, expected, rtol=1e-12, atol=1e-12)


@every_measure
def test_names_and_order_mean_nothing_to_measures(case):
    for row in LABELS[1:3]:
        expected = case.call(row, AS_THEY_ARE)
        assert_allclose(case.call(row[ORDER], ORDER), expected, rtol=1e-12, atol=1e-12)
        if not case.names_matter:
            assert_allclose(case.call(renamed(row), AS_THEY_ARE), expected, rtol=1e-12, atol=1e-12)
    different = [np.asarray(case.call(row, AS_THEY_ARE), dtype=float) for row in LABELS[1:3]]
    assert case.of == "k_error" or not np.allclose(*different, equal_nan=True)


@every_index
def test_rows_together_and_one_by_one(case):
    index = case.make().fit(case.data())
    together = index.evaluate(LABELS)
    assert together.shape == (4,)
    assert np.isfinite(together).all()
    assert_allclose(np.concatenate([index.evaluate(row) for row in LABELS]), together, rtol=1e-12)


@every_index
@pytest.mark.parametrize("held", ["locked", "in files"])
def test_inputs_are_only_read(case, held, tmp_path):
    data = case.data()
    unchanged = untouched((data, LABELS))
    expected = case.make().fit(data).evaluate(LABELS)
    assert unchanged()
    other, labels = locked((data, LABELS)) if held == "locked" else in_files((data, LABELS), tmp_path)
    assert_array_equal(case.make().fit(other).evaluate(labels), expected)


@every_index
def test_no_global_generator_decides(case):
    expected = case.make().fit(case.data()).evaluate(LABELS)
    with seeded(1), poisoned():
        assert_array_equal(case.make().fit(case.data()).evaluate(LABELS), expected)


@every_measure
def test_measures_only_read_and_draw_nothing(case):
    row = LABELS[2].copy()
    expected = case.call(row, AS_THEY_ARE)
    assert_array_equal(row, LABELS[2])
    row.flags.writeable = False
    with seeded(1), poisoned():
        assert_array_equal(case.call(row, AS_THEY_ARE), expected)


@every_index
def test_copies_of_indices(case):
    index = case.make().fit(case.data())
    for twin in (copy.deepcopy(index), pickled(index)):
        assert_array_equal(twin.evaluate(LABELS), index.evaluate(LABELS))
    assert repeated(index, least=300) == []
    # A fit of a copy leaves the first one's.
    expected = index.evaluate(LABELS)
    copy.deepcopy(index).fit(case.moved(case.data(), ORDER))
    assert_array_equal(index.evaluate(LABELS), expected)
