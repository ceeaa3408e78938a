"""What all of the room promise: order means nothing, the seed alone decides, inputs are only read."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from contract.consensus import CONSENSUS, OTHERS, TOOLS, cases, ensemble, rename
from contract.inputs import in_files, locked, untouched
from contract.randomness import poisoned, seeded
from contract.rooms import listed_names
from contract.same import assert_same, same_partition
from moo_clustering import consensus as room

every_function = pytest.mark.parametrize(("consensus", "options"), cases())
every_tool = pytest.mark.parametrize("case", TOOLS.values(), ids=TOOLS.keys())


def test_every_public_name_is_listed():
    assert listed_names(CONSENSUS) | listed_names(TOOLS) | OTHERS.keys() == set(room.__all__)


@pytest.mark.parametrize(("consensus", "options"), cases(exact=True))
def test_order_of_objects_and_of_runs_means_nothing(consensus, options):
    # With fewer errors than would make ties.
    runs, _ = ensemble(noise=0.2)
    expected = consensus(runs, 3, random_state=1, **options)
    rng = np.random.default_rng(5)
    order = rng.permutation(runs.shape[1])
    assert same_partition(consensus(runs[:, order], 3, random_state=1, **options), expected[order])
    assert same_partition(consensus(rng.permutation(runs), 3, random_state=1, **options), expected)


@every_function
def test_a_seed_is_all_that_decides(consensus, options):
    runs, _ = ensemble(noise=0.6)
    expected = consensus(runs, 4, random_state=7, **options)
    with seeded(1), poisoned():
        assert_array_equal(consensus(runs, 4, random_state=7, **options), expected)
    generators = [np.random.default_rng(3) for _ in range(2)]
    one, two = (consensus(runs, 4, random_state=rng, **options) for rng in generators)
    assert_array_equal(one, two)


@every_function
@pytest.mark.parametrize("held", ["locked", "in files"])
def test_runs_and_weights_are_only_read(consensus, options, held, tmp_path):
    arguments = rename(ensemble(noise=0.5, unseen=0.2)[0], 0), np.linspace(0.5, 2.0, 20)
    unchanged = untouched(arguments)
    expected = consensus(arguments[0], 3, weights=arguments[1], random_state=0, **options)
    assert unchanged()
    runs, weights = locked(arguments) if held == "locked" else in_files(arguments, tmp_path)
    assert_array_equal(consensus(runs, 3, weights=weights, random_state=0, **options), expected)


@every_tool
@pytest.mark.parametrize("held", ["locked", "in files"])
def test_tools_only_read_and_draw_nothing(case, held, tmp_path):
    arguments = case.arguments()
    unchanged = untouched(arguments)
    expected = case.call(*arguments)
    assert unchanged()
    other = locked(arguments) if held == "locked" else in_files(arguments, tmp_path)
    with seeded(1), poisoned():
        found = case.call(*other)
    assert_same(_plain(found), _plain(expected))


def _plain(result):
    """Results as arrays."""
    if sp.issparse(result):
        return result.toarray()
    if isinstance(result, tuple):
        return tuple(_plain(part) for part in result)
    return [_plain(part) for part in vars(result).values()] if hasattr(result, "__dict__") else result
