"""The nearest valid name, for error messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# Characters of what may be a name; the comparison takes the product of both lengths.
_LONGEST = 200


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """``"; did you mean 'wine'?"``, or nothing where no allowed name is near."""
    if len(name) > _LONGEST:
        return ""
    names = {text.casefold(): text for candidate in allowed if len(text := str(candidate)) <= _LONGEST}
    near = difflib.get_close_matches(name.casefold(), names, n=1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""
