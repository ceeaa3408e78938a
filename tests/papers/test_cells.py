"""Cells: kept one by one, gone on with, the same however many processes compute them."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from papers.runner import CellError, CellStore, ResultTable, StoreError, run_cells, seed_of

CELLS = [{"name": name, "seed": seed} for seed in range(2) for name in "abc"]
PARAMETERS = {"size": 3, "rule": "sqrt"}


def draw(key, data):
    rng = np.random.default_rng(seed_of(key["seed"], key["name"]))
    return {"value": rng.random() * data, "array": rng.integers(9, size=2)}


def factor(key):
    return 10 if key["name"] == "a" else 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def computed(path, n_jobs=1, compute=draw, cells=CELLS):
    with CellStore(path, PARAMETERS) as store:
        complete = run_cells(compute, cells, factor, store, n_jobs=n_jobs)
        return complete, store.values(cells) if complete else len(store)


def test_seeds_depend_on_their_parts_only():
    state = seed_of(0, "a").generate_state(2).tolist()
    assert seed_of(0, "a").generate_state(2).tolist() == state
    others = [
        seed_of(*parts).generate_state(2).tolist() for parts in [(1, "a"), (0, "b"), ("0", "a"), ("a", 0)]
    ]
    assert len({tuple(other) for other in [state, *others]}) == 5


def test_values_are_in_the_order_of_the_keys_whatever_the_jobs(tmp_path):
    complete, alone = computed(tmp_path / "1.jsonl")
    assert complete
    assert [value["value"] for value in alone] == [float(draw(key, factor(key))["value"]) for key in CELLS]
    assert len({value["value"] for value in alone}) == len(CELLS)
    assert computed(tmp_path / "2.jsonl", n_jobs=2) == (True, alone)
    # A selection of the cells does not change their values.
    assert computed(tmp_path / "3.jsonl", cells=CELLS[4:])[1] == alone[4:]


@pytest.mark.parametrize("cut", [0, 1, 30])
def test_goes_on_after_a_kill(path, cut):
    whole = computed(path)[1]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:cut])
    seen = []

    def watched(key, data):
        seen.append(key)
        return draw(key, data)

    assert computed(path, compute=watched) == (True, whole)
    assert seen == CELLS[2:]
    # Every line that was there stays, none is half.
    assert path.read_bytes() == b"".join(lines)
    assert computed(path, compute=None) == (True, whole)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_keeps_what_is_done(path, n_jobs):
    whole = computed(path.with_name("whole.jsonl"))[1]
    with CellStore(path, PARAMETERS) as store:
        add = store.add

        def add_three(key, value):
            if len(store) == 3:
                raise KeyboardInterrupt
            add(key, value)

        store.add = add_three
        assert not run_cells(draw, CELLS, factor, store, n_jobs=n_jobs)
        assert len(store) == 3
    assert len(path.read_text().splitlines()) == 4
    assert computed(path, n_jobs) == (True, whole)


def test_a_failing_cell_leaves_the_others(path):
    def fails(key, data):
        if key == CELLS[2]:
            raise ValueError("no such thing")
        return draw(key, data)

    with pytest.raises(CellError, match=r"'name': 'c', 'seed': 0.* failed: ValueError: no such thing"):
        computed(path, compute=fails)
    with CellStore(path, PARAMETERS) as store:
        assert [key in store for key in CELLS] == [True, True, False, False, False, False]


def test_other_parameters_are_refused_by_name(path):
    computed(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r'rule was "sqrt", got "ceil"; n was not set, got 1'):
        CellStore(path, {"size": 3, "rule": "ceil", "n": 1})
    with pytest.raises(StoreError, match="size was 3, got no value"):
        CellStore(path, {"rule": "sqrt"})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", ["", "notes\n", '{"format": "else", "parameters": {}}\n', "[]\n", '{"a": 1}']
)
def test_other_files_are_refused_and_left_alone(path, content):
    path.write_text(content)
    with pytest.raises(StoreError, match="does not contain cells"):
        CellStore(path, PARAMETERS)
    assert path.read_text() == content


def test_values_must_be_json(path):
    with CellStore(path, PARAMETERS) as store:
        with pytest.raises(TypeError, match="JSON"):
            store.add(CELLS[0], {"x": object()})
        assert CELLS[0] not in store
        store.add(CELLS[0], {"x": float("nan"), "y": np.float64(0.1)})
        with pytest.raises(KeyError):
            store.values(CELLS[:2])
    with CellStore(path, PARAMETERS) as store:
        (value,) = store.values([dict(reversed(CELLS[0].items()))])
        assert np.isnan(value["x"])
        assert value["y"] == 0.1
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 2


def test_tables_in_three_forms():
    table = ResultTable(
        "t",
        "50% of A_B",
        ["name", "x", "n"],
        [["a|b", 0.12345, 3], ["c & d", None, 4]],
        ["Note."],
        {"x": ".2f"},
    )
    assert table.csv() == "name,x,n\na|b,0.12345,3\nc & d,,4\n"
    assert table.markdown().splitlines()[2:6] == [
        "| name | x | n |",
        "| --- | ---: | ---: |",
        r"| a\|b | 0.12 | 3 |",
        "| c & d | — | 4 |",
    ]
    latex = table.latex().splitlines()
    assert latex[1:3] == [r"\caption{50\% of A\_B}", r"\begin{tabular}{lrr}"]
    assert r"c \& d & --- & 4 \\" in latex
    assert r"\par Note." in latex


def square(key, mark):
    """One of the cells kills its process, once."""
    if key["number"] == 3 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return key["number"] ** 2


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process as Unix does")
def test_a_killed_worker_is_told_and_the_others_cells_stay(tmp_path):
    cells = [{"number": number} for number in range(6)]
    mark = str(tmp_path / "killed")
    with CellStore(tmp_path / "cells.jsonl", {}) as store:
        with pytest.raises(ChildProcessError, match="worker process was killed"):
            run_cells(square, cells, lambda key: mark, store, n_jobs=2)
        assert len(store) < 6
    with CellStore(tmp_path / "cells.jsonl", {}) as store:
        assert run_cells(square, cells, lambda key: mark, store, n_jobs=2)
        assert store.values(cells) == [0, 1, 4, 9, 16, 25]
