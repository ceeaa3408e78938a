"""From valid inputs to others that are nearly valid."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from fuzz_choices import Choices
from fuzz_text_mutations import mutate_text
from fuzz_tree_mutations import mutate_json, mutate_npz, mutate_parquet

# Files by their names, as a reader finds them in its folder.
Files = dict[str, bytes]
_LARGEST = 2_000_000


def mutated(seeds: Sequence[Files], choices: Choices, found: Sequence[Files] = ()) -> Files:
    """One of the seeds, or of what was found since, after one to four changes to its files."""
    files = dict(choices.one_of(found if found and choices.below(3) == 0 else seeds))
    other = choices.one_of(seeds)
    for _ in range(choices.one_of([1, 1, 1, 1, 1, 2, 2, 4])):
        name = choices.one_of(sorted(files) or [""])
        if not name:
            break
        if choices.below(24) == 0:
            del files[name]
        elif choices.below(24) == 0:
            files[name] = files[choices.one_of(sorted(files))]
        else:
            files[name] = _changed(name, files[name], other.get(name, b""), choices)[:_LARGEST]
    return files


def _changed(name: str, data: bytes, other: bytes, choices: Choices) -> bytes:
    suffix = Path(name).suffix
    whole = choices.below(4) == 0  # also what no part of it stands for
    if suffix == ".gz" and not whole:
        try:
            inner = gzip.decompress(data)
        except Exception:
            return mutate_text(data, other, choices)
        return gzip.compress(_changed(name[:-3], inner, inner, choices), compresslevel=1, mtime=0)
    if suffix == ".npz" and not whole:
        return mutate_npz(data, choices)
    if suffix == ".parquet" and not whole:
        return mutate_parquet(data, choices)
    if suffix in {".json", ".jsonl"} and not whole:
        return mutate_json(data, choices)
    return mutate_text(data, other, choices)
