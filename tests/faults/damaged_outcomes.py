"""What becomes of damaged files: refused as documented, harmless, or wrong."""

from collections import Counter

import numpy as np
from scipy import sparse

REFUSED, HARMLESS, WRONG = "refused", "harmless", "wrong"


def outcome(kind, path, content, wanted):
    """One of the three, and what was wrong.

    Refused is the documented exception with the name of the file in one sentence; harmless is what was
    saved, to the last bit; all else is wrong.
    """
    path.write_bytes(content)
    try:
        found = kind.load(path)
    except kind.documented as error:
        text = str(error)
        if path.name not in text or "\n" in text or "Traceback" in text:
            return WRONG, f"{type(error).__name__} without a name or of several lines: {text!r}"
        return REFUSED, text
    except Exception as error:
        return WRONG, f"{type(error).__name__}: {error}"
    return (HARMLESS, "") if kind.same(found, wanted) else (WRONG, "another content was read")


def flipped(content, rng):
    """The content with one byte changed, anywhere: a bit of it or all."""
    place = int(rng.integers(len(content)))
    change = 1 << int(rng.integers(8)) if rng.random() < 0.5 else int(rng.integers(1, 256))
    return content[:place] + bytes([content[place] ^ change]) + content[place + 1 :], (place, change)


def cuts(size, n):
    """Lengths of truncated files: 0, 1, the last byte off, and evenly between."""
    return sorted({0, 1, size // 2, size - 2, size - 1, *np.linspace(0, size - 1, n).astype(int).tolist()})


def trials(kind, folder, *, flips, n_cuts, seed):
    """Outcomes of truncations and of flips, counted, and what was wrong."""
    path = folder / kind.file
    kind.save(path)
    content, wanted = path.read_bytes(), kind.load(path)
    rng = np.random.default_rng(seed)
    counts, wrong = {"truncated": Counter(), "flipped": Counter()}, []
    damaged = [("truncated", length, content[:length]) for length in cuts(len(content), n_cuts)]
    for _ in range(flips):
        changed, where = flipped(content, rng)
        damaged.append(("flipped", where, changed))
    for what, where, changed in damaged:
        found, why = outcome(kind, path, changed, wanted)
        counts[what][found] += 1
        if found == WRONG:
            wrong.append(f"{kind.name}, {what} {where}: {why}")
    return counts, wrong


def equal_arrays(found, wanted):
    """Same names in the same order, types, shapes and bytes."""
    return list(found) == list(wanted) and all(_equal(found[name], wanted[name]) for name in wanted)


def _equal(one, other):
    if sparse.issparse(other):
        parts = ("data", "indices", "indptr")
        return (
            type(one) is type(other)
            and one.shape == other.shape
            and all(_equal(getattr(one, part), getattr(other, part)) for part in parts)
        )
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
