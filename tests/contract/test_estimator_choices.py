"""Rules that pick from a front: all that are documented work, others are refused with their names."""

import inspect
import re

import numpy as np
import pytest

from contract.copies import pickled
from contract.estimators import ESTIMATORS, find
from contract.fits import chosen, fitted

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
CHOOSING = {
    name: case
    for name, case in ESTIMATORS.items()
    if inspect.isfunction(getattr(find(case.of), "choose", None))
}
every_choice = pytest.mark.parametrize("case", CHOOSING.values(), ids=CHOOSING.keys())
RULES = [
    pytest.param(case, rule, id=f"{name}-{rule}") for name, case in CHOOSING.items() for rule in case.rules
]


def documented(cls):
    """Names of rules in the documentation of ``choose``, and of the parameter that it refers to."""
    text = inspect.getdoc(cls.choose).partition("Returns")[0]
    for parameter in re.findall(r"[Aa]s (?:for )?``(\w+)``", text):
        # AMOSAClus refers to NSGA2Clus, whose names it repeats here.
        text += "".join(re.findall(rf"^{parameter} : ({{.*}})", inspect.getdoc(cls), re.MULTILINE))
    return set(re.findall(r'"([a-z]+[a-z0-9-]*)"', text))


def test_every_documented_rule_is_listed():
    for cls in {find(case.of) for case in CHOOSING.values()}:
        listed = {rule for case in CHOOSING.values() if find(case.of) is cls for rule in case.rules}
        # "fit" is there once a session of questions has been taken.
        assert documented(cls) - {"fit"} <= listed, cls
        assert documented(cls), cls


@every_choice
def test_every_rule_that_a_fit_names_is_listed(case):
    assert set(fitted(case).rules_) <= set(case.rules)


@pytest.mark.parametrize(("case", "rule"), RULES)
def test_a_rule_gives_labels_of_all_samples(case, rule):
    labels = chosen(case, rule)
    assert labels.shape == (24,)
    assert labels.dtype.kind == "i"
    assert 1 <= len(np.unique(labels)) <= 8
    assert labels.min() >= 0


@every_choice
def test_rows_and_functions(case):
    model = pickled(fitted(case))
    last = len(model.pareto_front_) - 1
    by_row = model.choose(last).labels_
    seen = []
    by_function = model.choose(lambda front: seen.append(front) or last).labels_
    np.testing.assert_array_equal(by_row, by_function)
    np.testing.assert_array_equal(seen[0], model.pareto_front_)
    np.testing.assert_array_equal(model.choose(-1).labels_, by_row)
    for row in (last + 1, -last - 2):
        with pytest.raises(ValueError, match="outside the front"):
            model.choose(row)


@every_choice
@pytest.mark.parametrize("rule", ["no such rule", None, 1.5, ["knee"]], ids=repr)
def test_other_rules_are_refused_with_those_allowed(case, rule):
    model = pickled(fitted(case))
    before = model.labels_.copy()
    with pytest.raises(ValueError, match=r"unknown rule .*; use .*'knee'") as raised:
        model.choose(rule)
    assert all(repr(name) in str(raised.value) for name in model.rules_)
    np.testing.assert_array_equal(model.labels_, before)
