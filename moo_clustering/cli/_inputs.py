"""What the estimator is given of the data."""

from __future__ import annotations

from typing import Any, NamedTuple

import click

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._errors import shown_warnings
from moo_clustering.cli._features import TextFeatures, text_features
from moo_clustering.cli._label_use import LabelUse, label_use
from moo_clustering.cli._sparse_samples import SparseSamples
from moo_clustering.datasets import Documents, MultiLabelTable, Table
from moo_clustering.estimators._registry import METHODS, Method

# Ratio of standard deviations beyond which features can hardly be of one unit.
_UNITS = 20


class Input(NamedTuple):
    """Data for the estimator, labels for methods that predict them, and the warnings of making both."""

    data: Table | TextFeatures | BagSamples | MultiLabelTable
    labels: LabelUse | None
    warnings: list[str]


def estimator_input(
    method: Method,
    estimator: Any,
    table: Table | Documents | BagSamples | MultiLabelTable,
    seed: int,
    quiet: bool,
    *,
    hold_out: float | None = None,
    n_features: int | None = None,
    **options: Any,
) -> Input:
    """What ``fit`` is given.

    Options are those of ``text_features``, ``stem_features`` or ``presence_features``.
    """
    options = {name: value for name, value in options.items() if value is not None}
    with shown_warnings() as warnings:
        labels = _labels(method, table, hold_out, n_features, seed)
        data: Any
        if isinstance(table, Documents):
            data = _document_features(method, estimator, table, seed, quiet, options)
        else:
            _refuse_options(table, options)
            data = table
        if n_features is not None:
            from moo_clustering.cli._presence import most_telling

            data = most_telling(data, labels, n_features)
    return Input(data, labels, warnings)


def units_note(estimator: Any, data: Any) -> str | None:
    """What there is to say where features of very different spread are taken as they are."""
    dense = isinstance(data, Table) and not isinstance(data, SparseSamples)
    if getattr(estimator, "scale", None) != "none" or not dense:
        return None
    spreads = data.X.std(axis=0)
    spreads = spreads[spreads > 0]
    if len(spreads) < 2 or (ratio := spreads.max() / spreads.min()) < _UNITS:
        return None
    return (
        f"Note: one feature varies {ratio:.3g} times as much as another, and they are taken as they are; "
        "--set scale=zscore puts them on one scale, --set scale=none silences this."
    )


def _labels(
    method: Method, table: Any, hold_out: float | None, n_features: int | None, seed: int
) -> LabelUse | None:
    if "label_sets" in method.supervision:
        return label_use(table, hold_out, seed)
    for flag, value in (("--hold-out", hold_out), ("--features", n_features)):
        if value is not None:
            names = ", ".join(known.name for known in METHODS.values() if "label_sets" in known.supervision)
            raise ValueError(f"method {method.name} takes no {flag}; methods that do are {names}")
    return None


def _refuse_options(table: Any, options: dict[str, Any]) -> None:
    if not options:
        return
    flags = " and ".join(f"--{name.replace('_', '-')}" for name in options)
    hint = ""
    if isinstance(table, BagSamples):
        what = "bags of instances"
    elif isinstance(table, MultiLabelTable):
        what = "features and label sets"
    else:
        what, hint = "a table", " (--text-columns names columns of text)"
    raise ValueError(f"{flags} can only be given for documents, and {table.name} is read as {what}{hint}")


def _document_features(
    method: Method, estimator: Any, table: Documents, seed: int, quiet: bool, options: dict[str, Any]
) -> TextFeatures:
    if getattr(estimator, "input", None) == "counts":
        raise ValueError("documents become tf-idf weights; input=counts is for tables of counts")
    if method.stems:
        if "svd" in options:
            raise ValueError(f"method {method.name} takes the weights of terms as they are, and no --svd")
        # Loaded here because most runs have no stems.
        from moo_clustering.cli._stems import stem_features

        return stem_features(table, **options)
    if "stemmer" in options:
        names = ", ".join(known.name for known in METHODS.values() if known.stems)
        raise ValueError(f"method {method.name} takes words as they are; --stemmer is for {names}")
    if method.presence:
        if "svd" in options:
            raise ValueError(f"method {method.name} takes which words documents hold, and no --svd")
        from moo_clustering.cli._presence import presence_features

        return presence_features(table, **options)
    text = text_features(table, sparse=method.sparse, seed=seed, **options)
    if not (method.sparse or quiet or "svd" in options):
        click.echo(
            f"Note: method {method.name} takes no sparse data, so {len(text.vocabulary)} terms are reduced "
            f"to {text.X.shape[1]} components (--svd N for another number).",
            err=True,
        )
    return text
