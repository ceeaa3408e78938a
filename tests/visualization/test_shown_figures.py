"""New figures display themselves in notebooks and scripts, and stay out of pyplot."""

import gc
import pickle
import subprocess
import sys
import warnings
import weakref
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from moo_clustering.visualization import plot_partition

X = np.random.default_rng(0).normal(size=(12, 3))
LABELS = np.arange(12) % 3
# A backend that prints what it shows.
BACKEND = """
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block=None):
        for manager in Gcf.get_all_fig_managers():
            print("shown", manager.canvas.figure.axes[0].get_title(), block)

class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
"""
SCRIPT = """
import matplotlib.pyplot as plt, numpy as np
from moo_clustering.visualization import plot_partition
before = plt.figure()
before.add_subplot().set_title("before")
figure = plot_partition(np.eye(3), [0, 1, 1])
figure.axes[0].set_title("mine")
for _ in range(2):
    figure.show()
    print(plt.get_fignums() == [before.number], plt.gcf() is before)
figure.savefig("later.png")
"""


def test_png_is_the_drawing_of_the_figure():
    figure = plot_partition(X, LABELS)
    file = BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    assert np.array_equal(plt.imread(BytesIO(figure._repr_png_())), plt.imread(BytesIO(file.getvalue())))


@pytest.mark.slow
def test_show_opens_one_window_and_leaves_no_figure_open(tmp_path):
    (tmp_path / "recording.py").write_text(BACKEND)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += "import matplotlib; matplotlib.use('module://recording')\n" + SCRIPT
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    shown = ["shown before True", "shown mine True", "True True"]
    assert said.splitlines() == 2 * shown
    assert (tmp_path / "later.png").exists()


def test_many_plots_leave_nothing_behind():
    before = plt.get_fignums()
    drawn = weakref.WeakSet()
    # matplotlib warns of more open figures than this.
    with warnings.catch_warnings(), plt.rc_context({"figure.max_open_warning": 3}):
        warnings.simplefilter("error")
        for _ in range(5):
            drawn.add(plot_partition(X, LABELS))
    gc.collect()
    assert len(drawn) == 0
    assert plt.get_fignums() == before


def test_copies_show_themselves():
    figure = plot_partition(X, LABELS, title="original")
    copy = pickle.loads(pickle.dumps(figure))
    assert type(copy) is Figure
    copy.axes[0].set_title("copy")
    assert copy._repr_png_() != figure._repr_png_()


def test_axes_of_others_stay_theirs():
    figure = Figure()
    assert plot_partition(X, LABELS, ax=figure.add_subplot()) is figure
    assert "_repr_png_" not in vars(figure)
