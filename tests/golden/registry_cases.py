"""Cases made of the registries of the contract suite and of the tests on any machine."""

import functools

import machine_cases
import numpy as np
from contract import (
    consensus,
    deap_operators,
    encodings,
    estimators,
    fits,
    indices,
    operators,
    problems,
    readers,
)
from contract.fits import METHODS


def cases():
    """Name of the case to a function without arguments that returns results by name."""
    found = {}
    for name, case in estimators.ESTIMATORS.items():
        found[f"estimator/{name}"] = functools.partial(_estimator, case)
    for name in machine_cases.CASES:
        for seed in (0, 1, 2):
            found[f"machine/{name}/{seed}"] = functools.partial(_machine, name, seed)
    for name, case in operators.OPERATORS.items():
        found[f"operator/{name}"] = functools.partial(_operator, case)
    for name, case in deap_operators.DEAP_OPERATORS.items():
        found[f"deap/{name}"] = functools.partial(_operator, case)
    for name in problems.PROBLEMS:
        found[f"problem/{name}"] = functools.partial(_problem, name)
    for name, case in encodings.EVERY_ENCODING.items():
        found[f"encoding/{name}"] = functools.partial(_encoding, case)
    for name, case in indices.EVERY_INDEX.items():
        found[f"index/{name}"] = functools.partial(_index, case)
    for name, case in indices.MEASURES.items():
        found[f"measure/{name}"] = functools.partial(_measure, case)
    for name, case in consensus.CONSENSUS.items():
        found[f"consensus/{name}"] = functools.partial(_consensus, case)
    for name, case in consensus.TOOLS.items():
        found[f"consensus/{name}"] = functools.partial(_tool, case)
    for name, case in readers.READERS.items():
        found[f"reader/{name}"] = functools.partial(_reader, case)
    for name, case in readers.SOURCES.items():
        found[f"source/{name}"] = functools.partial(_source, case)
    return found


def _estimator(case):
    model = case.fit()
    found = fits.public(model)
    found |= {f"{name}()": value for name, value in fits.answers(model, case.data(0)).items()}
    # Other samples than those of the fit.
    others = fits.part(case.data(5), np.arange(7))
    found |= {f"{name}(others)": value for name, value in _answers(model, others).items()}
    for rule in case.rules:
        model.choose(rule)
        found[f"choose {rule}"] = [model.labels_, getattr(model, "n_clusters_", None)]
    return found


def _answers(model, X):
    """What the methods say of samples that the fit has not seen, where they say anything of them."""
    found = {}
    for name in METHODS:
        if hasattr(model, name):
            try:
                found[name] = getattr(model, name)(X)
            except (ValueError, AttributeError) as error:
                found[name] = type(error).__name__
    return found


def _machine(name, seed):
    case = machine_cases.CASES[name]
    model = case.fit(seed, 3.0)
    found = dict(enumerate(case.outcome(model, seed, 3.0)))
    for attribute in ("pareto_labels_", "history_", "logbook_", "inertia_", "n_iter_", "n_clusters_"):
        if hasattr(model, attribute):
            found[attribute] = getattr(model, attribute)
    return found


def _operator(case):
    return {f"seed {seed}": case.run(seed=seed) for seed in (3, 4, 5)}


def _problem(name):
    problem = problems.problem_of(name)
    X = problems.first_population(name, n=12, seed=1).get("X")
    out = problem.evaluate(X, return_as_dictionary=True)
    found = {"X": X, "F": out["F"], "G": out.get("G"), "xl": problem.xl, "xu": problem.xu}
    if hasattr(problem, "decode"):
        found["labels"] = problem.decode(X)
    return found


def _encoding(case):
    encoding = case.make(24, np.random.default_rng(2))
    low, high = (np.asarray(bound) for bound in encoding.bounds())
    rng = np.random.default_rng(3)
    shape = (9, encoding.n_var)
    if low.dtype.kind == "f" or case.of == "CenterEncoding":
        X = low + (high - low) * rng.random(shape)
    else:
        X = rng.integers(low, high + 1, size=shape)
    repaired = encoding.repair(X.copy())
    labels = encoding.decode(repaired)
    found = {"low": low, "high": high, "repaired": repaired, "labels": labels}
    try:
        found["encoded"] = encoding.encode(labels)
    except (NotImplementedError, ValueError) as error:
        found["encoded"] = type(error).__name__
    return found


def _index(case):
    index = case.make().fit(case.data())
    return {"values": index.evaluate(_partitions()), "name": index.name, "high": index.greater_is_better}


@functools.cache
def _partitions():
    """Partitions of 24 samples, from two clusters to six, numbered without gaps."""
    rng = np.random.default_rng(4)
    classes = np.arange(24) % 3
    rows = [classes, np.arange(24) // 8, np.arange(24) % 2, np.arange(24) // 6]
    for k in (2, 3, 4, 5, 6):
        rows += [rng.permutation(np.arange(24) % k), np.append(np.arange(k), rng.integers(0, k, 24 - k))]
        rows.append(np.where(rng.random(24) < 0.2, rng.integers(0, 3, 24), classes))
    return np.array([np.unique(row, return_inverse=True)[1] for row in rows], dtype=np.int32)


def _measure(case):
    order = np.random.default_rng(5).permutation(24)
    rows = [row for row in _partitions() if row.max() == 2]
    return {f"partition {place}": case.call(row, order) for place, row in enumerate(rows)}


def _consensus(case):
    found = {}
    for seed, unseen in ((0, 0.0), (1, 0.0), (2, 0.2)):
        runs = consensus.ensemble(noise=0.4, unseen=unseen, seed=seed)[0]
        found[f"ensemble {seed}"] = case.function(runs, 3, random_state=seed, **case.options)
    return found


def _tool(case):
    return {"result": case.call(*case.arguments())}


def _reader(case):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case.name
        case.write(path)
        return {"result": readers.plain(case.read(path))}


def _source(case):
    return {"result": readers.plain(case.call(3))}
