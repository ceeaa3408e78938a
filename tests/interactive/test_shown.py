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
    assert shown.picture(0, folder).content == PNG
    assert [shown.picture(sample, folder) for sample in (1, 2)] == [None, None]
