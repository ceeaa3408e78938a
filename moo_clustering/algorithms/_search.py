"""What a search loop must offer to be driven."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

State = tuple[dict[str, Any], dict[str, Any]]


class Search(Protocol):
    """An evolutionary search, one generation at a time, for :func:`drive`.

    A search may further offer ``check_resumable()``, which :func:`drive` calls before any work when a
    checkpoint is wanted, and which raises ValueError for a search whose state cannot be saved; and an
    attribute ``finished``, true when it has come to its end as planned (its evaluations are used up),
    upon which :func:`drive` stops without a warning.
    """

    @property
    def generation(self) -> int:
        """Completed generations; 0 after the initial population is evaluated."""

    @property
    def exhausted(self) -> bool:
        """Whether no new individuals can be made, so that advancing is pointless."""

    def start(self) -> None:
        """Make and evaluate the initial population."""

    def advance(self) -> None:
        """Do one generation; ``generation`` grows by one unless the search turns out exhausted."""

    def objectives(self) -> NDArray[np.float64]:
        """Minimised objective values of the population, shape (n_individuals, n_objectives)."""

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on."""

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state, in place of :meth:`start`."""


@runtime_checkable
class ChecksResumability(Protocol):
    """A search that knows beforehand whether its state can be saved."""

    def check_resumable(self) -> None:
        """Raise ValueError when a later :meth:`Search.state` cannot be complete."""


@runtime_checkable
class Checkpointable(Protocol):
    """A survival, operator, algorithm or step that saves its own state.

    Where these two methods exist, they take the place of looking at the object's attributes.
    """

    def checkpoint_state(self) -> State:
        """Arrays and JSON-able metadata."""

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over what :meth:`checkpoint_state` returned."""
