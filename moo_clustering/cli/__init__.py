"""The command ``moo-clustering``.

Nothing heavy is imported before a command needs it, so that help and mistyped options answer at once.
"""

from moo_clustering.cli.commands import main

__all__ = ["main"]
