"""Runs of the command on small data, with the estimator that was fitted."""

import copy
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from family_data import write_bags, write_categories, write_documents, write_table

from moo_clustering.cli import main
from moo_clustering.visualization import report

_WRITERS = {
    "table": write_table,
    "documents": write_documents,
    "bags": write_bags,
    "categories": write_categories,
}
_ARGUMENTS = {
    "table": ["table.csv", "--id-column", "id", "--drop", "kind"],
    "documents": ["documents.jsonl"],
    "bags": ["bags.csv", "--bag", "molecule"],
    "categories": ["categories.csv"],
}
PAIRS = ("--must-link", "must.csv", "--cannot-link", "cannot.csv")


@dataclass
class Run:
    """A folder of a run and what was fitted."""

    folder: Path
    estimator: Any
    known: dict[Any, Any] = field(default_factory=dict)

    @property
    def page(self):
        return self.folder / "report.html"

    def written_labels(self):
        """The column of ``labels.csv``."""
        return pd.read_csv(self.folder / "labels.csv")["label"].to_numpy()

    def chosen_by(self, rule):
        """Labels that ``choose`` gives, of a copy."""
        if rule not in self.known:
            other = copy.deepcopy(self.estimator)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.known[rule] = np.asarray(other.choose(rule).labels_)
        return self.known[rule]

    def labels_of(self, name):
        """What the estimator says of a solution by its name in the report."""
        role = name.split(", ")[0]
        lists = {"run": "run_labels_", "alternative": "alternative_labels_"}
        single = {
            "result": "labels_",
            "control": "control_labels_",
            "random-control": "random_control_labels_",
        }
        if role in single:
            return np.asarray(getattr(self.estimator, single[role]))
        kind, _, row = role.replace("alternative-", "alternative ").partition(" ")
        if kind == "member":
            return self.chosen_by(int(row))
        if kind in lists:
            return np.asarray(getattr(self.estimator, lists[kind])[int(row)])
        return self.chosen_by(role)


def run_command(folder, *arguments):
    """The answer of the command in a folder; it must succeed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def fit(folder, data, *arguments, out="out"):
    """Write data of a kind and fit."""
    _WRITERS[data](folder)
    fitted = []

    def remembering(estimator, *given, **options):
        fitted.append(estimator)
        return report_content(estimator, *given, **options)

    report_content = report.report_content
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "report_content", remembering)
        run_command(folder, "fit", *_ARGUMENTS[data], *arguments, "--quiet", "--out", out)
    (estimator,) = fitted
    return Run(folder / out, estimator)
