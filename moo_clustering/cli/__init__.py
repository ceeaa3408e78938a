"""The command ``moo-clustering``, which imports slow modules only when needed."""

from moo_clustering.cli.commands import main

__all__ = ["main"]
