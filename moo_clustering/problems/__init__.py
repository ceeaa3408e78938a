"""pymoo problems whose individuals are partitions or graphs of the samples.

:class:`PartitionProblem` composes any encoding, validity indices and constraints, and is the one to
subclass; the others are problems of papers, or need an evaluation of their own. All score whole populations.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
