"""Messages that are safe to show. It imports nothing heavy, so that the command answers mistakes at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

# Characters of a message and of a value that it quotes, which may be of any length.
_LONGEST, _LONGEST_VALUE = 2000, 100
# Characters of what may be a name; the comparison takes the product of both lengths.
_LONGEST_SUGGESTION = 200
# Values in quotes, and words that are longer than any path.
_VALUES = re.compile(r"""(?<!\w)(["'])(?:(?!\1)[^\\]|\\.){102,}\1|\S{301,}""")


def message_line(text: object) -> str:
    """A message on one line that any terminal may show.

    It has no control characters and none that turn the direction of writing, and what is very long (a quoted
    value, a word, the message) is without its middle. O(characters) time.
    """
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in str(text)).split())
    return _without_middle(
        _VALUES.sub(lambda found: _without_middle(found[0], _LONGEST_VALUE), line), _LONGEST
    )


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """``"; did you mean 'wine'?"``, or nothing where no allowed name is near."""
    if len(name) > _LONGEST_SUGGESTION:
        return ""
    names = {
        text.casefold(): text for candidate in allowed if len(text := str(candidate)) <= _LONGEST_SUGGESTION
    }
    near = difflib.get_close_matches(name.casefold(), names, n=1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def quoted(value: object) -> str:
    """A refused value as messages show it: its ``repr`` on one line, without the middle where it is long."""
    try:
        # NumPy's numbers are as Python's.
        text = repr(value.item() if getattr(value, "shape", None) == () else value)  # type: ignore[attr-defined]
    except Exception:
        # Integers of more than some thousand digits, and objects whose own code fails.
        text = f"an object of type {type(value).__name__} that cannot be shown"
    return value_line(text)


def value_line(text: str) -> str:
    """A quoted value on one line of at most 100 characters."""
    return _without_middle(message_line(text), _LONGEST_VALUE)


def _without_middle(text: str, longest: int) -> str:
    half = longest // 2 - 3
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"
