"""What the estimator is given of the data."""

from __future__ import annotations

from typing import Any

import click

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._errors import shown_warnings
from moo_clustering.cli._features import TextFeatures, text_features
from moo_clustering.datasets import Documents, Table
from moo_clustering.estimators._registry import METHODS, Method


def estimator_input(
    method: Method,
    estimator: Any,
    table: Table | Documents | BagSamples,
    seed: int,
    quiet: bool,
    **options: Any,
) -> tuple[Table | TextFeatures | BagSamples, list[str]]:
    """Data for the estimator, and the warnings of making them; options are those of ``text_features``
    or ``stem_features``.
    """
    options = {name: value for name, value in options.items() if value is not None}
    if not isinstance(table, Documents):
        if options:
            flags = " and ".join(f"--{name.replace('_', '-')}" for name in options)
            what = "bags of instances" if isinstance(table, BagSamples) else "a table of numbers"
            hint = "" if isinstance(table, BagSamples) else " (--text-columns names columns of text)"
            raise ValueError(
                f"{flags} can only be given for documents, and {table.name} is read as {what}{hint}"
            )
        return table, []
    if getattr(estimator, "input", None) == "counts":
        raise ValueError("documents become tf-idf weights; input=counts is for tables of counts")
    if method.stems:
        if "svd" in options:
            raise ValueError(f"method {method.name} takes the weights of terms as they are, and no --svd")
        # Loaded here because most runs have no stems.
        from moo_clustering.cli._stems import stem_features

        with shown_warnings() as warnings:
            return stem_features(table, **options), warnings
    if "stemmer" in options:
        names = ", ".join(known.name for known in METHODS.values() if known.stems)
        raise ValueError(f"method {method.name} takes words as they are; --stemmer is for {names}")
    with shown_warnings() as warnings:
        text = text_features(table, sparse=method.sparse, seed=seed, **options)
    if not (method.sparse or quiet or "svd" in options):
        click.echo(
            f"Note: method {method.name} takes no sparse data, so {len(text.vocabulary)} terms are reduced "
            f"to {text.X.shape[1]} components (--svd N for another number).",
            err=True,
        )
    return text, warnings
