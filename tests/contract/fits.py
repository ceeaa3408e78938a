"""Fits of the listed estimators, and all that can be seen of them."""

import functools
import pickle
import warnings

import numpy as np

METHODS = (
    "predict",
    "predict_proba",
    "predict_cluster",
    "decision_function",
    "predict_n_labels",
    "transform",
)
# Columns and results that hold durations.
TIMES = ("seconds", "time", "duration")


@functools.cache
def fitted(case):
    """The case's fit, made once; not to be changed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return case.fit()


@functools.cache
def chosen(case, rule):
    """Labels by a rule, of a copy of the fit."""
    return pickle.loads(pickle.dumps(fitted(case))).choose(rule).labels_


def public(model, without=()):
    """Fitted attributes and properties, by name."""
    # What is computed anew when it is asked for may be among the variables by now.
    names = {name for name in {*vars(model), *dir(type(model))} - {*without} if hasattr(model, name)}
    return {name: getattr(model, name) for name in sorted(names) if name.endswith("_") and name[0] != "_"}


def answers(model, X):
    """What every method says of samples."""
    known = [name for name in METHODS if hasattr(model, name) and _has_classes(model, name)]
    return {name: getattr(model, name)(X) for name in known}


def _has_classes(model, method):
    """The pool's estimators give probabilities after a fit with labels only, and say so otherwise."""
    return method != "predict_proba" or not hasattr(model, "relabel") or hasattr(model, "classes_")


def part(X, rows):
    """Some samples, of a matrix or a list of bags."""
    return X[rows] if isinstance(X, np.ndarray) else [X[row] for row in rows]
