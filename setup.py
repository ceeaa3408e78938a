"""Build hook: the sdist contains the links ``problems`` and ``operators``; see ``setup.cfg`` for all else."""

import os

from setuptools import setup
from setuptools.command.sdist import sdist


class SdistWithLinks(sdist):
    """An sdist with the same links as a checkout, which setuptools leaves out."""

    def make_release_tree(self, base_dir, files):
        """Create the tree that becomes the archive."""
        super().make_release_tree(base_dir, files)
        for name in ("problems", "operators"):
            os.symlink(os.path.join("moo_clustering", name), os.path.join(base_dir, name))


setup(cmdclass={"sdist": SdistWithLinks})
