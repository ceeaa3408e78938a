"""The command ``moo-clustering``.

Commands import slow modules only when needed, so that help texts and option errors appear immediately.
"""

from moo_clustering.cli.commands import main

__all__ = ["main"]
