"""The README's Python runs as printed."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_python_blocks_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) >= 6
    namespace: dict[str, object] = {"__name__": "readme"}
    for block in blocks:
        exec(compile(block, str(README), "exec"), namespace)
    assert (tmp_path / "front.png").stat().st_size > 1000
    assert namespace["partitions"].shape[1] == 178


@pytest.mark.parametrize("words", ["moo-clustering demo", "-m pytest"])
def test_the_two_commands_make_their_own_environment(words):
    line = next(line for line in README.read_text(encoding="utf-8").splitlines() if words in line)
    assert line.startswith("python3 -m venv .venv && .venv/bin/pip install ")
