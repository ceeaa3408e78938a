"""Parts of the gallery of examples: its pictures, and the order of its scripts."""

import os
import shutil
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

FIRST = ("first_ten_minutes", "explore_a_front", "few_labels", "labels_on_demand", "many_constraints")


def written_pictures(block, block_vars, gallery_conf):
    """Take the pictures that an example has written, since this package's figures are not pyplot's."""
    shown = []
    for picture in sorted(Path(block_vars["src_file"]).parent.glob("*.png"), key=os.path.getmtime):
        target = next(block_vars["image_path_iterator"])
        shutil.move(picture, target)
        shown.append(target)
    return figure_rst(shown, gallery_conf["src_dir"])


def from_easy_to_special(name):
    """Key of a script: first those that readers should see first, then by name."""
    stem = Path(name).stem
    return (FIRST.index(stem) if stem in FIRST else len(FIRST), stem)
