"""Changes to texts and bytes: of single bytes, cells, numbers and lines."""

from __future__ import annotations

import re

from fuzz_choices import Choices

NUMBERS = [
    b"0", b"-0", b"-1", b"1", b"2147483648", b"-2147483649", b"9223372036854775808", b"1000000000000",
    b"99999999999999999999999", b"9" * 5000, b"1e308", b"-1e309", b"1e-400", b"nan", b"inf", b"NaN",
    b"-Infinity", b"0x1F", b"1_000", b"1,5", b"\xd9\xa3", b"1e999999999", b"true", b"null", b"",
]  # fmt: skip
TOKENS = [
    b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\x80\x81", b"\xc3", b"\xed\xa0\x80", b"\r", b"\r\n", b"\n", b"\t",
    b'"', b"'", b'""', b"\\", b",", b";", b":", b" ", b"{", b"}", b"[", b"]", b"?", b"%", b"#", b"@", b"|",
    b"\x1e", b"\x1a", b"\x0b", b"\x0c", "\u2028".encode(), "\u0130".encode(), b"@data", b"@end", b"@relation",
    b"@attribute a numeric", b"@attribute 'b' {0,1}", b"relational", b"-C 3", b"-C -99", b"<", b"/>",
    b"&amp;",
    b"&x;", b"<label name='z'/>", b"<!DOCTYPE a>", b"<![CDATA[", b"must_link", b"-1", b"NA", b"\\u001E",
    b"\\n",
    b"\\ud800", b"../../etc/passwd", b"/etc/passwd", b"=cmd()", b"1:1", b"0:0", b"qid:1", b"<null>",
]  # fmt: skip
_NUMBER = re.compile(rb"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")


def mutate_text(data: bytes, other: bytes, choices: Choices) -> bytes:
    """One change."""
    return choices.one_of(_CHANGES)(data, other, choices)


def _flip(data, other, choices):
    place = choices.below(len(data))
    return data[:place] + bytes([choices.below(256)]) + data[place + 1 :]


def _insert(data, other, choices):
    place = choices.below(len(data) + 1)
    return data[:place] + choices.one_of(TOKENS) + data[place:]


def _delete(data, other, choices):
    start, end = choices.span(len(data))
    return data[:start] + data[end:]


def _repeat(data, other, choices):
    start, end = choices.span(len(data))
    times = choices.one_of([1, 2, 30])
    return data[:end] + data[start:end] * times + data[end:] if end - start < 5000 else data


def _truncate(data, other, choices):
    return data[: choices.below(len(data) + 1)]


def _token_of(pattern, values):
    def change(data, other, choices):
        found = list(pattern.finditer(data[:100_000]))
        if not found:
            return _insert(data, other, choices)
        match = choices.one_of(found)
        pool = values or [each.group() for each in found]
        return data[: match.start()] + choices.one_of(pool) + data[match.end() :]

    return change


def _lines(data, other, choices):
    lines = data.split(b"\n")
    place, second = choices.below(len(lines)), choices.below(len(lines))
    what = choices.below(5)
    if what == 0:
        del lines[place]
    elif what == 1:
        lines.insert(second, lines[place])
    elif what == 2:
        lines[place], lines[second] = lines[second], lines[place]
    elif what == 3:
        lines[place:place] = [lines[place]] * choices.one_of([3, 300])
    else:
        lines.insert(place, b"")
    return b"\n".join(lines)


def _cells(data, other, choices):
    lines = data.split(b"\n")
    place = choices.below(len(lines))
    separator = choices.one_of([b",", b",", b"\t", b";", b" ", b":"])
    cells = lines[place].split(separator)
    column, second = choices.below(len(cells)), choices.below(len(cells))
    what = choices.below(6)
    if what == 0:
        del cells[column]
    elif what == 1:
        cells.insert(second, cells[column])
    elif what == 2:
        cells[column], cells[second] = cells[second], cells[column]
    elif what == 3:
        cells[column] = choices.one_of(NUMBERS)
    elif what == 4:
        cells[column] = choices.one_of([b'"', b"'"]) + cells[column] + choices.one_of([b'"', b"'", b""])
    else:
        cells[column] = b""
    lines[place] = separator.join(cells)
    return b"\n".join(lines)


def _column(data, other, choices):
    """The same cell of every line but the first."""
    separator = choices.one_of([b",", b",", b"\t", b" "])
    head, *lines = data.split(b"\n")
    column, value = choices.below(head.count(separator) + 1), choices.one_of([*NUMBERS, *TOKENS])
    changed = []
    for line in lines:
        cells = line.split(separator)
        if column < len(cells):
            cells[column] = value
        changed.append(separator.join(cells))
    return b"\n".join([head, *changed])


def _long(data, other, choices):
    place = choices.below(len(data) + 1)
    return (
        data[:place]
        + choices.one_of([b"x", b"1", b" ", b'"', b",", b"[", b"(", b"\\"]) * 150_000
        + data[place:]
    )


def _deep(data, other, choices):
    place = choices.below(len(data) + 1)
    opened, closed = choices.one_of([(b"[", b"]"), (b'{"a":', b"}"), (b"<labels>", b""), (b"(", b")")])
    return data[:place] + opened * 3000 + b"1" + closed * 3000 + data[place:]


def _recode(data, other, choices):
    what = choices.below(5)
    if what == 0:
        return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    if what == 1:
        return data.replace(b"\n", b"\r")
    if what == 2:
        return b"\xef\xbb\xbf" + data
    text = data.decode("utf-8", "replace")
    return text.encode("utf-16") if what == 3 else text.replace("e", "é").encode("cp1252", "replace")


def _splice(data, other, choices):
    return data[: choices.below(len(data) + 1)] + other[choices.below(len(other) + 1) :]


_CHANGES = [
    _flip, _insert, _insert, _delete, _repeat, _truncate, _lines, _lines, _cells, _cells, _cells, _column,
    _token_of(_NUMBER, NUMBERS), _token_of(_NUMBER, NUMBERS), _token_of(_NUMBER, None),
    _token_of(_WORD, None), _token_of(_WORD, TOKENS), _long, _deep, _recode, _splice,
]  # fmt: skip
