"""Decisions that a list of numbers makes, whoever drew it."""

from __future__ import annotations

from collections.abc import Sequence


class Choices:
    """Numbers used one after the other; from the last one on they repeat in another order.

    Hypothesis and atheris both draw numbers without knowing what they decide, so that one generator of
    inputs serves both.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = list(numbers) or [0]
        self._used = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        turn, place = divmod(self._used, len(self._numbers))
        self._used += 1
        number = self._numbers[place]
        if turn:
            number = (number * 2654435761 + turn * 40503 + place) >> 3
        return number % max(n, 1)

    def one_of(self, items):
        """One of the items."""
        return items[self.below(len(items))]

    def span(self, n: int) -> tuple[int, int]:
        """Start and end of a part of n things, seldom a long one."""
        start = self.below(n + 1)
        return start, min(n, start + 1 + self.below(self.one_of([2, 8, n + 1])))
