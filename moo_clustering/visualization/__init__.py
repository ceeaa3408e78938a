"""Plots of fronts, partitions, constraints, similarity matrices, bags and search histories.

``*_data`` functions prepare plain arrays. ``plot_*`` functions draw these arrays (some with pymoo's
visualization classes) and return the figure. Pass ``ax`` to draw on existing axes and ``path`` to write a
file. The settings and current figure of pyplot do not change. A new figure is displayed if it is the last
value in a notebook cell, or by its method ``show()`` in the notebook or a window; it need not be closed. If
``ax`` belongs to a pyplot figure, which notebooks display anyway, end the line with a semicolon.
:func:`pymoo_plots` and :func:`front_bounds` support pymoo's own plots of a ``result_``.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
