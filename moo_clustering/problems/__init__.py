"""pymoo problems with partitions or sample graphs as individuals.

:class:`PartitionProblem` combines any encoding, validity indices and constraints. To define a new problem,
subclass it. The other problems in this package come from papers or require special evaluation. Each problem
scores a whole population in one call.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
