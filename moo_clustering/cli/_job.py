"""What is to be done, before it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._errors import one_line
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._folder import FORMAT
from moo_clustering.cli._label_use import LabelUse
from moo_clustering.cli._prepared import PreparedSamples
from moo_clustering.datasets import CategoryTable, Documents, MultiLabelTable, Table
from moo_clustering.estimators._registry import Method
from moo_clustering.persistence import environment, fingerprint, to_json

# Parameters whose values say nothing about the result, or where on the disk it went.
_NOT_RECORDED = {"verbose", "checkpoint", "resume", "random_state"}


@dataclass
class Job:
    """One fit.

    Parameters
    ----------
    command : str
        Command that asked for it.
    method : Method
    estimator : estimator, not fitted
    data : Table, TextFeatures, BagSamples or MultiLabelTable
    seed : int
    labels : LabelUse, optional
        Labels for a method that predicts them, and those that score the predictions.
    supervision : dict
        Keyword arguments of ``fit``.
    sources : dict
        Where the supervision came from, for the record.
    notices : list of str
        Warnings given before.
    started : float
        ``time.perf_counter()`` when the command began.
    why : str
        Why this method was taken, unless it was named.
    """

    command: str
    method: Method
    estimator: Any
    data: Table | TextFeatures | BagSamples | MultiLabelTable
    seed: int
    labels: LabelUse | None = None
    supervision: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)
    why: str = ""

    @property
    def table(self) -> Table | Documents | BagSamples | MultiLabelTable:
        """The samples: their identifiers and known classes."""
        return self.data.documents if isinstance(self.data, TextFeatures) else self.data

    @property
    def weighs_features(self) -> bool:
        """Whether the method finds weights of features, and predicts labels if it is given some."""
        return "label_sets" in self.method.supervision

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of ``data.X``, bags apart."""
        if isinstance(self.data, TextFeatures):
            return list(map(str, self.data.vocabulary))
        return [] if isinstance(self.data, BagSamples) else list(self.data.feature_names)

    @property
    def class_names(self) -> list[str]:
        """Names of the classes or labels that the fitted estimator knows, in its order."""
        if self.labels is None or self.labels.y is None:
            return []
        names = self.labels.names
        known = self.labels.columns if self.labels.multilabel else self.estimator.classes_
        return [names[code] for code in known]

    def record(self) -> dict[str, Any]:
        """What is known before the fit. No paths: the folder may be given away."""
        parameters = self.estimator.get_params(deep=False)
        return {
            "format": FORMAT,
            "version": 1,
            "status": "running",
            "command": self.command,
            "method": self.method.name,
            **({"method_taken": self.why} if self.why else {}),
            "estimator": type(self.estimator).__name__,
            "parameters": {
                name: _plain(value) for name, value in parameters.items() if name not in _NOT_RECORDED
            },
            "seed": self.seed,
            "data": {"name": self.table.name, "n_samples": self.table.n_samples, **_features(self.data)},
            "supervision": self.sources,
            "environment": environment(),
        }


def _features(data: Table | TextFeatures | BagSamples | MultiLabelTable) -> dict[str, Any]:
    if isinstance(data, BagSamples):
        return {**data.shape, "fingerprint": fingerprint(data.X.instances, data.X.offsets)}
    if isinstance(data, TextFeatures):
        terms = {"n_terms": len(data.vocabulary), **data.record}
        return {"n_features": data.X.shape[1], "text": terms, "fingerprint": fingerprint(data.weights)}
    names = list(data.feature_names)
    if isinstance(data, MultiLabelTable):
        return {
            "n_features": len(names),
            "feature_names": names,
            "label_names": list(data.label_names),
            "fingerprint": fingerprint(data.X),
        }
    if isinstance(data, CategoryTable):
        return {
            "n_features": len(names),
            "feature_names": names,
            "categories": list(data.category_names),
            "fingerprint": fingerprint(*data.columns()),
        }
    found = {"n_features": len(names), "feature_names": names, "fingerprint": fingerprint(data.X)}
    if isinstance(data, PreparedSamples):
        found |= {"columns": list(data.columns), "categories": list(data.category_names)}
        found["notes"] = list(data.notes)
    return found


def _plain(value: Any) -> Any:
    try:
        return to_json(value)
    except TypeError:
        return one_line(value)
