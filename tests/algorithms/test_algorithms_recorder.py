"""Histories hold objective values and nothing else."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from pymoo.optimize import minimize
from search_toys import IntegerToy, integer_nsga2

from moo_clustering.algorithms import Recorder, evolve

F0 = np.array([[1.0, 4.0], [2.0, 3.0], [2.0, 5.0]])
F1 = np.array([[0.5, 1.0]])


def recorded():
    recorder = Recorder()
    recorder.begin(7)
    recorder.record(0, F0)
    recorder.record(1, F1)
    return recorder


def test_to_frame():
    frame = recorded().to_frame(["a", "b"])
    assert list(frame.columns) == ["generation", "seconds", "front_size", "best_a", "best_b"]
    assert frame["front_size"].tolist() == [2, 1]  # the third row of F0 is dominated by the second
    assert frame["best_a"].tolist() == [1.0, 0.5]
    assert frame["best_b"].tolist() == [3.0, 1.0]
    assert frame["generation"].tolist() == [0, 1]
    assert frame["seconds"].is_monotonic_increasing


def test_to_frame_names():
    assert list(recorded().to_frame().columns[3:]) == ["best_f1", "best_f2"]
    with pytest.raises(ValueError, match=r"\(2\), got 3"):
        recorded().to_frame(["a", "b", "c"])
    empty = Recorder().to_frame(["a"])
    assert isinstance(empty, pd.DataFrame)
    assert list(empty.columns) == ["generation", "seconds", "front_size", "best_a"]
    assert len(empty) == 0


def test_keeps_copies():
    recorder, F = Recorder(), F0.copy()
    recorder.record(0, F)
    F[:] = 0
    np.testing.assert_array_equal(recorder.F[0], F0)


def test_state_round_trip_goes_on_with_the_clock():
    first = recorded()
    first.seconds = [10.0, 20.0]
    arrays, meta = first.state()
    second = Recorder()
    second.restore(arrays, json.loads(json.dumps(meta)))
    assert second.seed == 7
    assert second.generations == [0, 1]
    assert [F.shape for F in second.F] == [(3, 2), (1, 2)]
    np.testing.assert_array_equal(second.F[0], F0)
    second.record(2, F1)
    assert second.seconds[:2] == [10.0, 20.0]
    assert second.seconds[2] >= 20.0


def test_empty_state_round_trip():
    recorder = Recorder()
    recorder.restore(*Recorder().state())
    assert recorder.F == recorder.generations == recorder.seconds == []


def test_as_a_callback_of_minimize_it_records_what_evolve_does():
    problem = IntegerToy()
    callback, driven = Recorder(), Recorder()
    minimize(problem, integer_nsga2(), ("n_gen", 6), seed=3, callback=callback)
    evolve(problem, integer_nsga2(), n_gen=5, seed=3, recorder=driven)
    assert callback.generations == driven.generations == [0, 1, 2, 3, 4, 5]
    assert callback.seed == driven.seed == 3
    assert callback.seconds[0] > 0
    for one, two in zip(callback.F, driven.F, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_new_run_starts_afresh():
    problem, recorder = IntegerToy(), Recorder()
    minimize(problem, integer_nsga2(), ("n_gen", 6), seed=3, callback=recorder)
    minimize(problem, integer_nsga2(), ("n_gen", 2), seed=4, callback=recorder)
    assert recorder.generations == [0, 1]
    assert recorder.seed == 4
    evolve(
        problem, integer_nsga2(), n_gen=2, seed=np.random.SeedSequence(5, spawn_key=(1,)), recorder=recorder
    )
    assert recorder.generations == [0, 1, 2]
    assert recorder.seed == {"entropy": 5, "spawn_key": [1]}


def test_maximised_objectives_are_shown_with_their_own_sign():
    recorder = Recorder(signs=[1.0, -1.0])
    recorder.record(0, np.array([[2.0, -5.0], [3.0, -7.0]]))
    frame = recorder.to_frame(["loss", "gain"])
    assert frame.loc[0, ["best_loss", "best_gain"]].tolist() == [2.0, 7.0]
