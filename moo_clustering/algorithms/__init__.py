"""Search loops: what runs them, and those that pymoo and DEAP lack.

:func:`drive` runs any :class:`Search` with progress, history, checkpoints and an orderly Ctrl-C;
:class:`PymooSearch` and :class:`DeapSearch` make searches of pymoo algorithms and DEAP toolboxes, and
:func:`evolve` is all of it in one call for a pymoo problem.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
