"""The nearest valid name, for error messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """``"; did you mean 'wine'?"``, or nothing where no allowed name is near."""
    names = {str(candidate).casefold(): str(candidate) for candidate in allowed}
    near = difflib.get_close_matches(name.casefold(), names, n=1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""
