from .groups import ConstraintGroups as ConstraintGroups
from .groups import InconsistentConstraintsError as InconsistentConstraintsError
from .groups import constraint_groups as constraint_groups
from .pairs import PairwiseConstraints as PairwiseConstraints
from .pairs import fisher_weights as fisher_weights
from .pairs import satisfied_from_labels as satisfied_from_labels
from .sources import read_pairs as read_pairs
