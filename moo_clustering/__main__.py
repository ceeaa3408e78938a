"""``python -m moo_clustering`` runs the command ``moo-clustering``."""

from moo_clustering.cli import main

if __name__ == "__main__":
    main(prog_name="moo-clustering")
