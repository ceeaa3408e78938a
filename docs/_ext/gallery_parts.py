"""Parts of the gallery of examples: its pictures, and the order of its scripts."""

import os
import shutil
from pathlib import Path

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

FIRST = (
    "compose_a_run",
    "messy_table",
    "documents",
    "bags_two_objectives",
    "first_ten_minutes",
    "explore_a_front",
    "few_labels",
    "labels_on_demand",
    "many_constraints",
)
HERE = Path(__file__).parents[1]
# The first figure of every example, by the name of its script.
THUMBNAILS = HERE / "_build" / "thumbnails"
_drawn = []
_thumbnails = set()


def remember_figures():
    """Keep the figures that are written until their thumbnail is drawn."""
    save = Figure.savefig

    def saved(figure, *args, **kwargs):
        save(figure, *args, **kwargs)
        _drawn.append((figure, save))

    Figure.savefig = saved


def draw_thumbnail(figure, save, path):
    """Draw a figure once more, for the size of a thumbnail: marks alone, without what would be illegible."""
    THUMBNAILS.mkdir(parents=True, exist_ok=True)
    figure.set_size_inches(4.0, 2.8)
    for ax in figure.axes:
        ax.set(xlabel="", ylabel="", title="")
        ax.tick_params(labelbottom=False, labelleft=False, labelright=False)
        if ax.get_legend():
            ax.get_legend().remove()
    figure.suptitle("")
    save(figure, path, dpi=100)


def put_thumbnails(app):
    """Replace the shrunken pictures of the gallery by those drawn for their size."""
    for thumbnail in THUMBNAILS.glob("*.png"):
        for target in (HERE / "gallery").rglob(f"sphx_glr_{thumbnail.stem}_thumb.png"):
            shutil.copyfile(thumbnail, target)


def setup(app):
    """Thumbnails follow the examples, which run when the builder is there."""
    remember_figures()
    app.connect("builder-inited", put_thumbnails, priority=950)
    return {"parallel_read_safe": True}


def written_pictures(block, block_vars, gallery_conf):
    """Take the pictures that an example has written, since this package's figures are not pyplot's."""
    script = Path(block_vars["src_file"])
    shown = []
    for picture in sorted(script.parent.glob("*.png"), key=os.path.getmtime):
        target = next(block_vars["image_path_iterator"])
        shutil.move(picture, target)
        shown.append(target)
    if _drawn and script.stem not in _thumbnails:
        _thumbnails.add(script.stem)
        draw_thumbnail(*_drawn[0], THUMBNAILS / f"{script.stem}.png")
    _drawn.clear()
    return figure_rst(shown, gallery_conf["src_dir"])


def from_easy_to_special(name):
    """Key of a script: first those that readers should see first, then by name."""
    stem = Path(name).stem
    return (FIRST.index(stem) if stem in FIRST else len(FIRST), stem)
