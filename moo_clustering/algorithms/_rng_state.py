"""Random generators as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from moo_clustering.persistence import to_json

Seed = int | np.random.SeedSequence | np.random.Generator | None

_BIT_GENERATORS = {
    kind.__name__: kind
    for kind in (
        np.random.MT19937,
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.Philox,
        np.random.SFC64,
    )
}


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """State of a generator, JSON-able."""
    state: dict[str, Any] = to_json(rng.bit_generator.state)
    return state


def set_rng_state(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator into a saved state, in place, so that whoever holds it goes on from there.

    Raises
    ------
    ValueError
        When the state is of another kind of bit generator.
    """
    kind, saved = type(rng.bit_generator).__name__, state["bit_generator"]
    if kind != saved:
        raise ValueError(f"the saved random state is of {saved}, the generator here is {kind}")
    rng.bit_generator.state = _as_arrays(state)


def rng_from_state(state: Mapping[str, Any]) -> np.random.Generator:
    """New generator in a saved state."""
    if state["bit_generator"] not in _BIT_GENERATORS:
        raise ValueError(f"the saved random state is of {state['bit_generator']!r}, which is not known here")
    rng = np.random.Generator(_BIT_GENERATORS[state["bit_generator"]](0))
    set_rng_state(rng, state)
    return rng


def seed_to_json(seed: object) -> Any:
    """What can be said of a seed: integers as they are, seed sequences by entropy and spawn key."""
    if isinstance(seed, np.random.SeedSequence):
        return {"entropy": to_json(seed.entropy), "spawn_key": to_json(seed.spawn_key)}
    if isinstance(seed, (int, np.integer)):
        return int(seed)
    return None


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_arrays(item) for key, item in value.items()}
    return np.asarray(value, dtype=np.uint64) if isinstance(value, list) else value
