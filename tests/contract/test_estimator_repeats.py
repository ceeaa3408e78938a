"""The same fit again: by seeds, on the same object, from other inputs, without global generators."""

import functools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from contract.estimators import ESTIMATORS, quicker
from contract.fits import TIMES, answers, fitted, part, public
from contract.inputs import LAYOUTS, in_files, locked, relaid, untouched
from contract.randomness import poisoned, seeded
from contract.same import assert_same, same_partition
from moo_clustering.bags import Bags

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
every_estimator = pytest.mark.parametrize("case", ESTIMATORS.values(), ids=ESTIMATORS.keys())
MOVING = {name: case for name, case in ESTIMATORS.items() if case.moves_with_rows is True}


def assert_same_fit(case, model, X=None):
    X, expected = case.data(0) if X is None else X, fitted(case)
    assert_same(
        public(model, case.computed_anew),
        public(expected, case.computed_anew),
        where="attributes",
        skip=TIMES,
    )
    assert_same(answers(model, X), answers(expected, X), where="answers")


@every_estimator
def test_nothing_but_the_seed_decides_and_inputs_stay(case):
    arguments = case.arguments(), case.more
    unchanged = untouched(arguments)
    with seeded(1), poisoned():
        model = case.make().fit(*arguments[0], **arguments[1])
        assert_same_fit(case, model)
        for rule in case.rules:
            model.choose(rule)
    assert unchanged()


@every_estimator
def test_a_second_fit_forgets_the_first(case):
    model = case.fit(seed=1)
    model.fit(*case.arguments(), **case.more)
    assert_same_fit(case, model)


@every_estimator
@pytest.mark.parametrize("held", ["locked", "in files"])
def test_inputs_that_cannot_be_written_to(case, held, tmp_path):
    arguments = case.arguments(), case.more
    positional, more = locked(arguments) if held == "locked" else in_files(arguments, tmp_path)
    assert_same_fit(case, case.make().fit(*positional, **more), positional[0])


def uneven(X):
    """Samples whose sums depend on the order of their terms, of no fewer than seven features."""
    rng = np.random.default_rng(3)
    if not isinstance(X, np.ndarray):
        return [instances * rng.uniform(0.9, 1.1, instances.shape) for instances in X]
    X = np.hstack([X, rng.normal(size=(len(X), 5))]) if X.shape[1] == 2 else X
    return X * rng.uniform(0.5, 2.0, X.shape)


def seen(case, X):
    """A fit to X, and what it says of X."""
    model = case.make().fit(X, *case.arguments()[1:], **case.more)
    return public(model, {*case.computed_anew, "feature_names_in_"}), answers(model, X)


@functools.cache
def seen_in_order(case, kind):
    """The same of samples in C order: an array, a frame with the names of ``LAYOUTS``, or sparse rows."""
    X = uneven(case.data(0))
    kinds = {
        "frame": lambda: pd.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])]),
        "sparse": lambda: sp.csr_array(X),
    }
    return seen(case, kinds.get(kind, lambda: X)())


@every_estimator
@pytest.mark.parametrize(
    "layout", [each if each == "Fortran" else pytest.param(each, marks=pytest.mark.slow) for each in LAYOUTS]
)
def test_the_layout_in_memory_changes_no_bit(case, layout):
    case, X, kind = quicker(case), uneven(case.data(0)), layout.partition(" ")[0]
    if kind in ("frame", "sparse"):
        if not isinstance(X, np.ndarray):
            pytest.skip("bags are neither frames nor sparse")
        try:
            expected = seen_in_order(case, kind)
        except TypeError:
            if kind != "sparse":
                raise
            pytest.skip("takes no sparse data")
    else:
        expected = seen_in_order(case, kind)
    for mine, other in zip(seen(case, relaid(X, layout)), expected, strict=True):
        assert_same(mine, other, skip=TIMES)


@every_estimator
def test_samples_together_and_one_by_one(case):
    model, X = fitted(case), case.data(0)
    together = answers(model, X)
    if not together:
        pytest.skip("says nothing of other samples")
    alone = [answers(model, part(X, [row])) for row in range(24)]
    for method, values in together.items():
        rows = [_dense(each[method]) for each in alone]
        np.testing.assert_allclose(np.concatenate(rows), _dense(values), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", MOVING.values(), ids=MOVING.keys())
def test_permuted_samples_give_the_permuted_result(case):
    order = np.random.default_rng(5).permutation(24)
    X, *y = case.arguments()
    model = case.make().fit(part(X, order), *(each[order] for each in y), **case.more)
    if hasattr(model, "labels_"):
        assert same_partition(model.labels_, fitted(case).labels_[order])
    if hasattr(model, "transform") and not hasattr(model, "labels_"):
        made, expected = _dense(model.transform(X)), _dense(fitted(case).transform(X))
        np.testing.assert_allclose(made, expected, rtol=1e-12, atol=1e-12)


def test_every_other_estimator_says_why_not():
    reasons = [case.moves_with_rows for case in ESTIMATORS.values() if case.moves_with_rows is not True]
    assert all(isinstance(reason, str) and len(reason) > 10 for reason in reasons)
    assert len(MOVING) >= 6


def _dense(values):
    if isinstance(values, Bags):
        return values.instances
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)
