"""NSGA-II as it suits partitions of bags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.selection.tournament import TournamentSelection

from moo_clustering.bags._objective import Rule
from moo_clustering.operators import CanonicalDuplicates, ConstraintCrowdingSurvival, batched_tournament
from moo_clustering.operators._aligned_crossovers import AlignedHUX
from moo_clustering.operators._canonical_repair import CanonicalRepair
from moo_clustering.operators._improvement_mutation import ImprovementMutation
from moo_clustering.operators._min_size_repair import MinSizeRepair
from moo_clustering.operators._partition_sampling import KINDS, Kind, PartitionSampling
from moo_clustering.operators._refilling_sampling import RefillingSampling
from moo_clustering.operators._repair_sequence import RepairSequence
from moo_clustering.problems import PartitionProblem


def bag_nsga2(
    problem: PartitionProblem,
    *,
    pop_size: int = 60,
    init: Kind | Sequence[Kind] | Mapping[Kind, float] = KINDS,
    p_cx: float = 0.9,
    p_mut: float = 0.5,
    p_gene: float = 0.2,
    weights: Rule = "contrast",
    **parts: Any,
) -> NSGA2:
    """NSGA-II for partitions of bags, ready for :func:`evolve` or pymoo's ``minimize``.

    It starts from a mix of random partitions, k-means steps, medoids and greedy descents
    (:class:`~moo_clustering.operators.PartitionSampling`), crosses partitions whatever the numbers of
    their clusters (:class:`~moo_clustering.operators.AlignedHUX`), improves some genes of every child
    (:class:`~moo_clustering.operators.ImprovementMutation`), keeps the least cluster size
    (:class:`~moo_clustering.operators.MinSizeRepair`) and one chromosome of every partition
    (:class:`~moo_clustering.operators.CanonicalRepair`,
    :class:`~moo_clustering.operators.CanonicalDuplicates`).

    Parameters
    ----------
    problem : BagPartitionProblem
        Or any :class:`~moo_clustering.problems.PartitionProblem` over cluster numbers with
        ``objective`` and ``distances``. With ``constraint_handling="crowding"`` survival is that of
        :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`.
    pop_size : int, default=60
    init : str, sequence of str, or mapping of str to float
        ``kinds`` of the sampling; by default equal parts of all.
    p_cx, p_mut : float, default=0.9 and 0.5
        Probability that a pair is crossed, and that a child is mutated.
    p_gene, weights
        Of the mutation.
    **parts
        Anything :class:`pymoo.algorithms.moo.nsga2.NSGA2` takes, also instead of a part named above.

    Returns
    -------
    pymoo.algorithms.moo.nsga2.NSGA2
        Its ``mating.mutation.n_trials`` counts the trial evaluations of the mutation after a run.

    Raises
    ------
    TypeError
        For a problem without an objective to move by.

    Notes
    -----
    The Davies-Bouldin index alone is lowest for a single outlying bag against the rest: give the
    problem a ``min_cluster_size``, and a second objective such as the silhouette.

    The mutation lowers one objective only. With ``p_mut=1`` and many genes, children are drawn away
    from partitions that are good by the others; half of them unmutated keeps the whole front.

    Examples
    --------
    >>> from moo_clustering.algorithms import evolve
    >>> from moo_clustering.datasets import make_bags
    >>> from moo_clustering.problems import BagPartitionProblem
    >>> bags = make_bags(40, 2, random_state=0).bags
    >>> problem = BagPartitionProblem(bags, 2, ["bag_davies_bouldin", "bag_silhouette"], min_cluster_size=4)
    >>> result = evolve(problem, bag_nsga2(problem, pop_size=20), n_gen=5, seed=0)
    >>> result.F.shape[1]
    2
    """
    if not isinstance(problem, PartitionProblem) or not hasattr(problem, "objective"):
        raise TypeError(
            f"problem must be a BagPartitionProblem or a PartitionProblem with an objective to move by, "
            f"got {type(problem).__name__}."
        )
    duplicates = CanonicalDuplicates(problem.encoding)
    chosen: dict[str, Any] = {
        "sampling": RefillingSampling(PartitionSampling(init), duplicates),
        "selection": TournamentSelection(func_comp=batched_tournament),
        "crossover": AlignedHUX(prob=p_cx),
        "mutation": ImprovementMutation(p_gene, weights, prob=p_mut),
        "repair": RepairSequence(MinSizeRepair(), CanonicalRepair()),
        "eliminate_duplicates": duplicates,
    }
    if problem.constraint_handling == "crowding":
        chosen["survival"] = ConstraintCrowdingSurvival()
    algorithm = NSGA2(pop_size=pop_size, **(chosen | parts))
    if "survival" in chosen | parts:
        # Crowding with a bonus is comparable within a front only.
        algorithm.tournament_type = "comp_by_rank_and_crowding"
    return algorithm
