"""Whether an archive still holds what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from moo_clustering.persistence._fingerprint import fingerprint

HEADER = "__archive__"
VERSION = 1


def digest(header: Mapping[str, Any], members: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 of arrays and metadata.

    Parameters
    ----------
    header : mapping
        With ``arrays``, ``sparse`` and ``meta``.
    members : mapping of str to ndarray
        Every array of the file; that of the header does not count.
    """
    names = [name for name in members if name != HEADER]
    described = [header[part] for part in ("arrays", "sparse", "meta")]
    text = json.dumps([names, *described, fingerprint(*(members[name] for name in names))])
    return hashlib.sha256(text.encode()).hexdigest()


def check_digest(members: Mapping[str, NDArray[Any]]) -> None:
    """Refuse other arrays than those that the header was written for.

    Files without a header, of other formats and of versions without a checksum pass.

    Raises
    ------
    ValueError
        When they differ.
    """
    if HEADER not in members:
        return
    try:
        header = json.loads(members[HEADER].tobytes())
        written = header["sha256"] if header["version"] == VERSION else None
        found = digest(header, members)
    except (KeyError, TypeError, ValueError, RecursionError):
        return  # what is wrong with the header, its readers say
    if written not in (None, found):
        raise ValueError("it was changed after it was written (its checksum differs)")
