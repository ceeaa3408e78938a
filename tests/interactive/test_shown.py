"""Pictures of samples: cells that name files in the folder of the table, and what must not be read."""

import os

import pandas as pd
import pytest

from moo_clustering.interactive.shown import ShownSamples, read_picture

PNG = b"\x89PNG\r\n\x1a\n and more"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "table" / "sub").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PNG)
    return tmp_path / "table"


@pytest.mark.parametrize(
    ("name", "kind", "content"),
    [
        ("a.png", "image/png", PNG),
        ("sub/Ä b.JPG", "image/jpeg", b"\xff\xd8\xff..."),
        ("a.jpeg", "image/jpeg", b"\xff\xd8\xff..."),
        ("a.gif", "image/gif", b"GIF89a..."),
        ("sub/../a.webp", "image/webp", b"RIFF...."),
    ],
)
def test_pictures_in_the_folder_are_read(folder, name, kind, content):
    (folder / name).write_bytes(content)
    assert read_picture(folder, name) == (kind, content)
    assert read_picture(folder, str((folder / name).resolve())) == (kind, content)


HOSTILE = [
    "../secret.png",
    "sub/../../secret.png",
    "/etc/passwd",
    "",
    ".",
    "..",
    ".png",
    "sub",
    "no.png",
    "a\0.png",
]
HOSTILE += ["x" * 5000 + ".png", "file:///a.png", "http://example.org/a.png", "~/secret.png", "\ud800.png"]
HOSTILE += ["link.png", "linked/secret.png", "loop.png", "folder.png", "text.png", "page.svg", "large.png"]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_else_is_read(folder, name):
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    (folder / "linked").symlink_to(folder.parent)
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "folder.png").mkdir()
    (folder / "text.png").write_text("<script>")
    (folder / "page.svg").write_text("<svg/>")
    (folder / "large.png").write_bytes(PNG)
    os.truncate(folder / "large.png", 10_000_001)
    assert read_picture(folder, name) is None
    assert read_picture(folder, str(folder.parent / "secret.png")) is None
    assert read_picture(folder / "not there", "a.png") is None


def test_the_first_cell_that_names_a_picture_counts(folder):
    (folder / "a.png").write_bytes(PNG)
    notes = pd.DataFrame({"name": ["x", "y"], "first": ["b.png", "../a.png"], "second": ["a.png", "b.png"]})
    shown = ShownSamples.of(pd.DataFrame({"size": [1.0, 2.0]}), notes=notes)
    assert shown.picture(0, folder)[1] == PNG
    assert [shown.picture(sample, folder) for sample in (1, 2)] == [None, None]


def test_numbers_have_units_and_identifiers_are_shown_once():
    notes = pd.DataFrame({"id": ["a", "b", "c"], "kind": ["p", "q", "q"]})
    table = pd.DataFrame({"price": [93.05, -5, None], "weight": [1.0, 2, 3], "ok": ["y", "n", "y"]})
    shown = ShownSamples.of(
        table, names=["a", "b", "c"], notes=notes, forms={"price": "${}", "weight": "{} kg", "other": "{} m"}
    )
    for samples in (shown, ShownSamples.unpacked(*shown.packed())):
        beside = samples.beside([0, 1])
        assert beside.names == ("a", "b")
        assert [(line.name, line.values) for line in beside.notes] == [("kind", ("p", "q"))]
        assert {line.name: line.values for line in beside.features} == {
            "price": ("$93.05", "$-5"), "weight": ("1 kg", "2 kg"), "ok": ("y", "n"),
        }  # fmt: skip
        assert {line.values for line in samples.beside([2]).features} == {("(empty)",), ("3 kg",), ("y",)}


def test_samples_of_earlier_versions_have_no_units():
    shown = ShownSamples.of(pd.DataFrame({"price": [1.0, 2.0]}), forms={"price": "${}"})
    arrays, meta = shown.packed()
    meta["columns"] = [column[:3] for column in meta["columns"]]
    [line] = ShownSamples.unpacked(arrays, meta).beside([0, 1]).features
    assert line.values == ("1", "2")
