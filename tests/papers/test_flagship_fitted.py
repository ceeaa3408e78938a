"""What is asked of a pool of candidates, and rows of scores."""

from types import SimpleNamespace

import numpy as np
import pytest

from papers.flagship import Fitted
from papers.flagship_sets import Sheet

LABELS = np.array([[0, 0, 1, 1], [0, 1, 2, 2], [0, 1, 1, 1], [0, 1, 2, 3]])
POOL = SimpleNamespace(labels=LABELS, families=("near", "near", "tree", "near"))
FITTED = Fitted(np.zeros((4, 1)), SimpleNamespace(pool_=POOL), 1.0)


def test_members_of_a_family():
    assert FITTED.members("near").tolist() == LABELS[[0, 1, 3]].tolist()
    assert FITTED.member_at("near", 3).tolist() == [0, 1, 2, 2]
    assert FITTED.member_at("tree", 2).tolist() == [0, 1, 1, 1]
    with pytest.raises(ValueError, match="the pool has no partition of the family spec"):
        FITTED.members("spec")
    with pytest.raises(ValueError, match="the family tree has no partition into 4 clusters"):
        FITTED.member_at("tree", 4)


def test_the_best_candidate_by_the_classes():
    sheet = Sheet(np.array([5, 5, 7, -1]))
    sheet.add_best("s", 0, "oracle", lambda: LABELS)
    (row,) = sheet.rows
    # Samples 0 and 1 together, 2 apart, is the first candidate; its seconds mean nothing.
    assert (row["k"], row["seconds"]) == (2, None)
    assert row["ari"] == 1.0


def test_what_cannot_be_scored_is_an_error_of_its_row():
    sheet = Sheet(np.array([0, 0, 1, -1]))
    sheet.add("s", 0, "short", lambda: [0, 1])
    sheet.add("s", 1, "nobody", lambda: [0, 1, 0, 1], among=np.array([False, False, False, True]))
    assert [row["error"] for row in sheet.rows] == [
        "ValueError: (2,) labels for 4 samples",
        "ValueError: no sample is left to score",
    ]
    assert not any("ari" in row for row in sheet.rows)


def test_too_little_memory_is_no_error_of_a_row():
    def much():
        raise MemoryError

    sheet = Sheet(np.array([0, 1]))
    with pytest.raises(MemoryError):
        sheet.add("s", 0, "large", much)
    assert sheet.rows == []
