"""What the estimator is given of the data."""

from __future__ import annotations

from typing import Any

import click

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._errors import shown_warnings
from moo_clustering.cli._features import TextFeatures, text_features
from moo_clustering.datasets import Documents, Table
from moo_clustering.estimators._registry import Method


def estimator_input(
    method: Method, table: Table | Documents | BagSamples, seed: int, quiet: bool, **options: Any
) -> tuple[Table | TextFeatures | BagSamples, list[str]]:
    """Data for the estimator, and the warnings of making them; options are those of ``text_features``."""
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
    with shown_warnings() as warnings:
        text = text_features(table, sparse=method.sparse, seed=seed, **options)
    if not (method.sparse or quiet or "svd" in options):
        click.echo(
            f"Note: method {method.name} takes no sparse data, so {len(text.vocabulary)} terms are reduced "
            f"to {text.X.shape[1]} components (--svd N for another number).",
            err=True,
        )
    return text, warnings
