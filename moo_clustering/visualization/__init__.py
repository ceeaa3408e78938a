"""Plots of fronts, partitions, constraints, similarity matrices, bags and search histories.

``*_data`` functions prepare plain arrays, and ``plot_*`` functions draw them, partly with pymoo's
visualization classes, and return the figure. ``ax`` selects existing axes, and ``path`` writes a file. The
settings and the current figure of pyplot do not change. A new figure is displayed as the last line of a
notebook cell, or by its method ``show()`` in a notebook or a window, and need not be closed. If ``ax``
belongs to a figure of pyplot, which a notebook displays anyway, end the line with a semicolon.
:func:`pymoo_plots` and :func:`front_bounds` support pymoo's own plots of a ``result_``.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
