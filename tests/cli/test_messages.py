"""Messages echo no more than a line of a value, and nothing that a terminal would obey."""

import io
import re
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import moo_clustering
from moo_clustering.cli.terminal import message_line
from moo_clustering.datasets import read_table
from moo_clustering.encodings import LabelEncoding
from moo_clustering.operators import NeighborSampling
from moo_clustering.persistence import read_archive
from moo_clustering.problems import PartitionProblem

LONG = "y" * 200_000
THREE = np.arange(12.0).reshape(6, 2)
CONTROL = "\x1b[31mred\x07\u202eright to left\u2066\u200f\r\n\x00"


def is_safe(text):
    kinds = {unicodedata.category(mark) for mark in text if mark != "\n"}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize("value", [LONG, CONTROL + LONG, ("a b " * 50_000) + "'", '"' + "'" * 100_000])
@pytest.mark.parametrize(
    "command",
    [
        ("fit", "iris", "--method", "mock", "--set", "{}", "--out", "out"),
        ("fit", "iris", "--method", "mock", "--set", "{}=1", "--out", "out"),
        ("fit", "iris", "--method", "mock", "--set", "n_gen={}", "--out", "out"),
        ("fit", "iris", "--method", "mock", "--set", "objective={}", "--out", "out"),
        ("fit", "iris", "--method", "{}", "--out", "out"),
        ("fit", "iris", "--labels", "{}", "--out", "out"),
        ("fit", "iris", "--seed", "{}", "--out", "out"),
        ("fit", "iris", "--min-df", "{}", "--out", "out"),
        ("fit", "iris", "--{}", "--out", "out"),
        ("methods", "{}"),
        ("{}",),
    ],
    ids=lambda command: " ".join(command),
)
def test_mistakes_are_echoed_in_part(fails, tmp_path, monkeypatch, command, value):
    monkeypatch.chdir(tmp_path)
    value = value.replace("\0", "")  # no argument of a process holds one
    line = fails(*(part.replace("{}", value) for part in command))
    assert is_safe(line)
    assert len(line.strip()) <= 2100
    # Around the value there may be advice, but of it there is no more than a line.
    assert "y" * 101 not in line
    assert not list(tmp_path.iterdir())


def test_warnings_and_notes(run, slices, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    column = "\u202e\x1b[2J" + "z" * 50_000
    rows = "".join(f"{i},{i % 7},{'abc'[i % 3]}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"x,y,{column}\n{rows}", encoding="utf-8")
    result = run("fit", "t.csv", "--method", "slices", "-k", 3, "--no-report", "--out", "out")
    said = [line for line in result.output.splitlines() if line.startswith(("Note", "Warning", "Error"))]
    assert said
    assert all(is_safe(line) and "z" * 301 not in line for line in said)


@pytest.mark.parametrize("cell", [CONTROL + "x" * 5000, "'" * 5000, "\u202e" * 500])
def test_errors_of_readers_in_python(tmp_path, cell):
    quoted = cell.replace('"', "")
    (tmp_path / "t.csv").write_text(f'x,y\n1,2\n3,"{quoted}"\n', encoding="utf-8", newline="")
    with pytest.raises(ValueError, match="y") as raised:
        read_table(tmp_path / "t.csv")
    assert is_safe(str(raised.value))
    assert len(str(raised.value)) <= 2100


@given(st.text(max_size=400) | st.text("'\" a\\", min_size=100, max_size=4000))
def test_any_text_on_a_line(text):
    line = message_line(text)
    assert is_safe(line)
    assert message_line(line) == line
    if len(text) <= 100 and text.isprintable():
        assert line == " ".join(text.split())


def test_short_values_and_long_sentences_stay():
    sentence = "the bag's 'a' is not " + "one of many " * 60 + "'b'"
    assert message_line(sentence) == sentence
    cut = f"'{'v' * 46} ... {'v' * 46}'"
    assert message_line(f"got '{'v' * 150}', which it's not") == f"got {cut}, which it's not"


@pytest.mark.parametrize("suffix", ["archive", "table"])
def test_no_advice_to_unpickle(tmp_path, suffix):
    """numpy advises ``allow_pickle=True`` for headers of more than 10,000 characters."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }" + b" " * 20_000 + b"\n"
    entry = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + np.ones(1).tobytes()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("X.npy", entry)
        if suffix == "archive":
            archive.writestr("__archive__.npy", entry)
    (tmp_path / "t.npz").write_bytes(file.getvalue())
    with pytest.raises(ValueError, match="unreadable header") as raised:
        (read_archive if suffix == "archive" else read_table)(tmp_path / "t.npz")
    assert "allow_pickle" not in str(raised.value)


@pytest.mark.parametrize("value", ["1" * 400, "-" + "9" * 400, f"[1, {'1' * 400}]", "9" * 19])
def test_whole_numbers_beyond_any_option(fails, tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    for method, name in (("mock", "pop_size"), ("sisc", "fuzziness")):
        line = fails("fit", "iris", "--method", method, "-k", 3, "--set", f"{name}={value}", "--out", "out")
        assert "--set accepts integers of at most 18 digits" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [LONG, CONTROL * 40, [0] * 100_000, 10**6000], ids=range(4))
@pytest.mark.parametrize(
    "call",
    [
        lambda value: LabelEncoding(6, value),
        lambda value: PartitionProblem(THREE, LabelEncoding(6, 2), objectives=value),
        lambda value: NeighborSampling(init=value),
    ],
)
def test_functions_quote_refused_values_on_one_line(call, value):
    with pytest.raises((TypeError, ValueError)) as refusal:
        call(value)
    assert len(str(refusal.value)) < 2000
    assert "\n" not in str(refusal.value)
    assert is_safe(str(refusal.value))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.float64(0.5), r"got 0\.5$"),
        ("a\n", r"got 'a\\n'$"),
        (list(range(1000)), r"got \[0, 1, 2, .{60,80} 998, 999\]$"),
        (10**6000, "got an object of type int that cannot be shown$"),
    ],
    ids=range(4),
)
def test_values_are_quoted_without_their_middle(value, shown):
    with pytest.raises((TypeError, ValueError), match=shown):
        NeighborSampling(init=value)


def test_no_message_quotes_a_refused_value_in_full():
    """An f-string that says what it got takes ``quoted(value)``."""
    package = Path(moo_clustering.__file__).parent
    found = [
        f"{path.relative_to(package)}:{number}"
        for path in sorted(package.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\bgot \{[^{}]+!r\}", line)
    ]
    assert not found
