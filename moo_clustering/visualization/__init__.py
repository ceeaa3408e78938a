"""Plots of fronts, partitions, constraints, similarity matrices, bags and the course of a search.

Each plot is two functions: ``*_data`` prepares what is shown, as plain arrays, and ``plot_*`` draws
it, on pymoo's visualization classes where they fit, and returns the figure; ``ax`` draws into axes of
one's own, ``path`` writes a file. Figures are made apart from pyplot, whose settings and current figure
stay as they were. :func:`pymoo_plots` and :func:`front_bounds` are for pymoo's own plots of a ``result_``.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
