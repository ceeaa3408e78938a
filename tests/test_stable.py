"""The page on what is stable lists the files of a run folder, and links to what it promises."""

import re
from pathlib import Path

from moo_clustering.cli import folder

PAGE = (Path(__file__).parents[1] / "docs/stable.md").read_text(encoding="utf-8")


def test_every_file_of_a_run_is_listed():
    section = PAGE.partition("## Files of a run folder")[2]
    listed = set(re.findall(r"`([\w.]+\.(?:csv|json|geojson|npz|skops))`", section))
    written = {name for name in folder.FILES if not name.endswith((".png", ".html"))}
    assert listed == written | {folder.RECORD, folder.CHECKPOINT, "answers.json"}


def test_the_command_page_has_what_is_promised():
    command = (Path(__file__).parents[1] / "docs/api/command.md").read_text(encoding="utf-8")
    assert "## How it ends" in command
    assert "*How it ends*" in PAGE
