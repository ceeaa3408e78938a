"""The command ``moo-clustering``.

Nothing heavy is imported before a command needs it, so that help and mistyped options answer at once.
"""

from moo_clustering.cli._main import main

__all__ = ["main"]
