"""Search loops, and algorithms that pymoo and DEAP do not provide.

:func:`drive` runs any :class:`Search` with a progress bar, history, checkpoints and Ctrl-C handling.
:class:`PymooSearch` and :class:`DeapSearch` adapt pymoo algorithms and DEAP toolboxes. :func:`evolve` runs a
pymoo algorithm in one call.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
