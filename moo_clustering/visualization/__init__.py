"""Plots of fronts, partitions, constraints, similarity matrices, bags and search histories.

``*_data`` functions compute what ``plot_*`` functions draw. ``plot_*`` functions return the figure, and leave
pyplot's settings and current figure unchanged. A notebook displays the figure if it is the last value in a
cell. Elsewhere, call the figure's method ``show()``. New figures need not be closed. Notebooks display pyplot
figures anyway: if ``ax`` belongs to one, end the line with a semicolon. :func:`pymoo_plots` and
:func:`front_bounds` support pymoo's own plots of a ``result_``.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
