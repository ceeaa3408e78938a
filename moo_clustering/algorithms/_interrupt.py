"""Ctrl-C that lets the current generation finish."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class InterruptGuard:
    """Context in which the first Ctrl-C sets a flag and the second raises KeyboardInterrupt.

    Signal handlers belong to the main thread: elsewhere the guard does nothing, and neither does it
    where SIGINT is ignored or handled outside Python. The previous handler always comes back. Guards
    nest: what interrupts the inner search also asks the outer ones to stop.

    Attributes
    ----------
    requested : bool
        Whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if previous is not None and previous is not signal.SIG_IGN:
                self._previous = previous
                signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            self._previous = None

    def request(self) -> None:
        """Ask this search and those around it to stop after the current generation."""
        self.requested = True
        outer = getattr(self._previous, "__self__", None)
        if isinstance(outer, InterruptGuard):
            outer.request()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.request()
