"""Searches that end early say so."""

from __future__ import annotations


class InterruptedSearchWarning(UserWarning):
    """A search was stopped with Ctrl-C; the best so far was kept."""


class ExhaustedSearchWarning(UserWarning):
    """A search could make no new individuals before it had done its generations."""
