"""Errors that quote what is in a file."""

from __future__ import annotations

# Characters of a message, where a cell or a header may be of any length.
_LONGEST = 2000


class QuotingError(ValueError):
    """What is wrong with a file, with the middle left out where the message would be very long."""

    def __str__(self) -> str:
        text = super().__str__()
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
