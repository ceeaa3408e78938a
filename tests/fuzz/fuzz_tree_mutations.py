"""Changes to the parts of JSON, npz and Parquet files, which stay files of their kind."""

from __future__ import annotations

import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
from fuzz_choices import Choices
from fuzz_text_mutations import mutate_text
from numpy.lib import format as npy

_DEEP: list = []
for _ in range(200):
    _DEEP = [_DEEP]
_VALUES = [
    None, True, 0, -1, 1, 3, 10**18, 10**30, -0.5, float("nan"), float("inf"), 1e308, "", "x", "1", "-1",
    "a\0b",
    "\ud800", "../../etc/passwd", "/etc/passwd", [], {}, [[]], [None], ["x", "x"], [1, 2, 3], {"": None},
    {"a": {"b": []}}, _DEEP, "y" * 20_000,
]  # fmt: skip
_DTYPES = [
    "<f8",
    ">f8",
    "<f4",
    "<f2",
    "<i8",
    "<u8",
    "|i1",
    "|b1",
    "<c16",
    "<U3",
    "|S2",
    "<M8[D]",
    "<m8[s]",
    "|V4",
]
_SHAPES = [
    (),
    (0,),
    (1,),
    (3,),
    (0, 0),
    (3, 0),
    (0, 3),
    (2, 3, 4),
    (10**9,),
    (10**12, 4),
    (1, 10**12),
    (0, 10**12),
]
_KEYS = [
    "X",
    "Y",
    "y",
    "format",
    "shape",
    "feature_names",
    "bag_labels",
    "id",
    "__archive__",
    "../../x",
    "/x",
]


def mutate_json(data: bytes, choices: Choices) -> bytes:
    """One value, key or item of one of the lines another; if it is not JSON, of the text."""
    lines = data.split(b"\n") if data.count(b"\n{") else [data]
    place = choices.below(len(lines))
    try:
        tree = json.loads(lines[place])
    except (ValueError, RecursionError):
        return mutate_text(data, data, choices)
    lines[place] = json.dumps(_other_tree(tree, choices)).encode()
    return b"\n".join(lines)


def _other_tree(tree, choices):
    places = []
    _walk(tree, (), places)
    path = choices.one_of(places)
    if not path:
        return choices.one_of(_VALUES)
    holder = tree
    for step in path[:-1]:
        holder = holder[step]
    what, last = choices.below(6), path[-1]
    if what == 0:
        del holder[last]
    elif what == 1 and isinstance(holder, dict):
        holder[str(choices.one_of(_VALUES))] = holder.pop(last)
    elif what == 1:
        holder.insert(last, holder[last])
    elif what == 2:
        source = tree
        for step in choices.one_of(places):
            source = source[step]
        holder[last] = json.loads(json.dumps(source))
    else:
        holder[last] = choices.one_of(_VALUES)
    return tree


def _walk(tree, path, places):
    places.append(path)
    if len(places) > 2000 or len(path) > 50:
        return
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, item in items:
        _walk(item, (*path, step), places)


def mutate_npz(data: bytes, choices: Choices) -> bytes:
    """One member of an archive another."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    except Exception:
        return mutate_text(data, data, choices)
    if not members:
        return data
    name = choices.one_of(list(members))
    what = choices.below(9)
    if what == 0:
        del members[name]
    elif what == 1:
        members[choices.one_of(_KEYS) + choices.one_of([".npy", ""])] = members.pop(name)
    elif what == 2:
        members[name] = members[choices.one_of(list(members))]
    elif what == 3:
        members[name] = mutate_text(members[name], members[name], choices)
    elif what == 4:
        members[name] = _declared(members[name], choices)
    else:
        members[name] = _other_array(members[name], choices)
    return packed(members, choices.one_of([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def npy_bytes(array) -> bytes:
    """An array as numpy writes it, of objects too."""
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=True)
    return file.getvalue()


def declared(shape: tuple[int, ...], descr: str = "<f8", content: bytes = b"") -> bytes:
    """A header that promises what the content need not hold."""
    file = io.BytesIO()
    npy.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue() + content


def _declared(member, choices):
    return declared(
        choices.one_of(_SHAPES), choices.one_of([*_DTYPES, "|S0", "<U0", "|V0", "|O"]), member[128:]
    )


def _other_array(member, choices):
    try:
        array = npy.read_array(io.BytesIO(member), allow_pickle=False)
    except Exception:
        return mutate_text(member, member, choices)
    if array.dtype == np.uint8 and array.tobytes()[:1] == b"{":
        return npy_bytes(np.frombuffer(mutate_json(array.tobytes(), choices), dtype=np.uint8))
    return npy_bytes(_changed(array, choices))


def _changed(array, choices):
    what = choices.below(11)
    try:
        if what == 0:
            return array.astype(choices.one_of(_DTYPES))
        if what == 1:
            return np.zeros(
                choices.one_of([s for s in _SHAPES if np.prod(s, dtype=float) < 100]), array.dtype
            )
        if what == 2:
            return array.T if array.ndim > 1 else array[:, None]
        if what == 3:
            return array[: choices.below(len(array) + 1)]
        if what == 4:
            return np.concatenate([array, array])
        if what == 5:
            return np.array([None, "x", {"a": 1}], dtype=object)
        if what == 6:
            return np.zeros(len(array), dtype=[("a", "<f8"), ("b", "<U2")])
        if what == 7:
            return array.reshape(-1)[::-1]
        changed = array.copy()
        with np.errstate(all="ignore"):
            values = [0, 1, -1, 2**31, -(2**40), np.nan, np.inf, 1e300, "x", ""]
            changed.reshape(-1)[choices.below(max(array.size, 1))] = choices.one_of(values)
        return changed
    except Exception:  # whatever numpy says of what does not fit
        return np.array("x")


class _Marker:
    def __reduce__(self):
        return print, ("unpickled",)


def mutate_parquet(data: bytes, choices: Choices) -> bytes:
    """One column of a frame another."""
    try:
        frame = pd.read_parquet(io.BytesIO(data))
        columns = _hostile_columns(len(frame))
        what = choices.below(8)
        if what == 0:
            return mutate_text(data, data, choices)
        if what == 1:
            frame = frame.iloc[: choices.below(len(frame) + 1)]
        elif what == 2:
            frame = frame.drop(columns=[choices.one_of(list(frame.columns))])
        elif what == 3:
            frame = frame.set_index(choices.one_of(list(frame.columns)))
        else:
            frame[choices.one_of([*frame.columns, "extra", "label", "bag", ""])] = choices.one_of(columns)
        file = io.BytesIO()
        frame.to_parquet(file)
    except Exception:
        return mutate_text(data, data, choices)
    return file.getvalue()


def _hostile_columns(n: int) -> list:
    days = pd.date_range("2020-01-01", periods=n)
    return [
        [[1, 2]] * n, [{"a": 1}] * n, [None] * n, [b"\xff\x00"] * n, days, days.tz_localize("UTC"),
        pd.to_timedelta(np.arange(n), unit="s"), pd.Categorical(["u", None, *["v"] * n][:n]),
        pd.array([True, None, *[False] * n][:n], dtype="boolean"), pd.array([1, None, *[2] * n][:n],
        dtype="Int64"),
        [float("nan")] * n, [float("inf")] * n, ["x"] * n, [""] * n, np.arange(n) * 1.0, [2**63 - 1] * n,
        np.arange(n).astype("uint64") + 2**63, [str(k) for k in range(n)], pd.Categorical(range(n)),
        [pickle.dumps(_Marker())] * n,
    ]  # fmt: skip
