"""An experiment that was killed while it made its first file."""

import pytest

from moo_clustering.persistence import FolderInUseError, locked
from papers.runner import Experiment, ResultTable, Settings, StoreError, reproduce


class Squares:
    """Two cells."""

    def __init__(self, settings):
        self.parameters = {"power": 2}
        self.cells = [{"number": 2}, {"number": 3}]

    def data(self, key):
        return None

    def compute(self, key, data):
        return key["number"] ** 2

    def tables(self, values):
        return [ResultTable("squares", "Squares", ["square"], [[value] for value in values])]

    def figures(self, values):
        return []


SQUARES = Experiment("squares", "Squares", __name__, "Squares")


def test_what_a_kill_left_of_the_first_file_is_no_other_file(tmp_path):
    (tmp_path / ".results.jsonl.12-ab.tmp").write_bytes(b'{"format": ')
    assert reproduce(SQUARES, tmp_path, Settings()).complete
    assert (tmp_path / "squares.csv").read_text().splitlines() == ["square", "4", "9"]


@pytest.mark.parametrize("name", ["notes.tmp", ".notes", "notes.txt"])
def test_other_files_are_not_touched(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(StoreError, match="contains other files"):
        reproduce(SQUARES, tmp_path, Settings())
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_one_process_computes_the_cells_of_a_folder(tmp_path):
    with locked(tmp_path), pytest.raises(FolderInUseError, match="another process is writing"):
        reproduce(SQUARES, tmp_path, Settings())
    assert list(tmp_path.iterdir()) == []
    assert reproduce(SQUARES, tmp_path, Settings()).complete
