"""pymoo problems whose individuals are partitions or graphs of the samples.

:class:`PartitionProblem` combines any encoding, validity indices and constraints; subclass it for a new
problem. The other classes are from papers, or require a special evaluation. All evaluate whole populations.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
