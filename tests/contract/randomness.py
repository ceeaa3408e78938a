"""Global random states: poisoned, watched, seeded otherwise."""

import contextlib
import random

import numpy as np
import pytest

# Bound to the hidden generators, or replacing them; classes make generators of one's own.
LEGACY = [
    name
    for name in np.random.__all__
    if callable(getattr(np.random, name)) and not isinstance(getattr(np.random, name), type)
]
LEGACY = sorted(set(LEGACY) - {"default_rng"})
HIDDEN = [
    name
    for name in random.__all__
    if callable(getattr(random, name)) and not isinstance(getattr(random, name), type)
]


class Poison:
    """Stands for a global generator; whatever is asked of it fails the test."""

    def __init__(self, name):
        self.__dict__["name"] = name

    def __call__(self, *args, **kwargs):
        pytest.fail(f"{self.name} was called")

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        pytest.fail(f"{self.name}.{attribute} was asked for")


@contextlib.contextmanager
def poisoned():
    """Any call of ``random`` or of the legacy functions of ``numpy.random`` fails; their states stay."""
    before = states()
    with pytest.MonkeyPatch.context() as patch:
        for name in LEGACY:
            patch.setattr(np.random, name, Poison(f"numpy.random.{name}"))
        for name in HIDDEN:
            patch.setattr(random, name, Poison(f"random.{name}"))
        # What check_random_state(None) of scikit-learn and SciPy gives.
        patch.setattr(np.random.mtrand, "_rand", Poison("numpy.random.mtrand._rand"))
        yield
    assert states() == before


def states():
    """Both global states, comparable."""
    _, keys, place, has_gauss, cached = np.random.get_state()  # noqa: NPY002
    return random.getstate(), keys.tobytes(), place, has_gauss, cached


@contextlib.contextmanager
def seeded(seed):
    """Other global states for a while."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    yield
    random.setstate(kept[0])
    np.random.set_state(kept[1])  # noqa: NPY002
