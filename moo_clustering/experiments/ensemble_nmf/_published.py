"""Figures printed for ensemble NMF on the Genomics 2004 collection, and what has to be known beside them."""

from __future__ import annotations

METHODS = (
    "Hierarchical",
    "K-means",
    "Bisecting",
    "NMF",
    "NCW-NMF",
    "Min-NCW-NMF",
    "Ensemble",
)
N_CLUSTERS = tuple(range(3, 11))
N_SETS, N_ABOVE, N_SIGNIFICANT = 80, 54, 38

# NMI, mean of ten data sets.
PUBLISHED: dict[int, tuple[float, ...]] = {
    3: (0.4670, 0.5520, 0.5735, 0.5402, 0.6372, 0.5294, 0.6294),
    4: (0.4694, 0.6870, 0.6892, 0.7002, 0.7969, 0.6399, 0.7736),
    5: (0.6013, 0.7391, 0.7384, 0.7347, 0.8331, 0.7071, 0.8123),
    6: (0.5233, 0.6991, 0.7081, 0.6744, 0.7625, 0.6623, 0.7383),
    7: (0.5427, 0.7527, 0.7705, 0.7102, 0.7866, 0.6733, 0.7818),
    8: (0.6369, 0.7837, 0.8033, 0.7253, 0.8016, 0.7191, 0.7998),
    9: (0.5514, 0.7577, 0.7720, 0.7022, 0.7956, 0.7329, 0.7632),
    10: (0.5563, 0.7463, 0.7629, 0.7064, 0.7942, 0.7302, 0.7720),
}
# Means of the columns above; the printed line of means has 0.6808 for NMF.
PUBLISHED_MEANS = (0.5435, 0.7147, 0.7272, 0.6867, 0.7760, 0.6743, 0.7588)

ERRATA = {
    "stand-in": "The paper's data are the relevance judgements of TREC Genomics 2004, which are not at "
    "hand. The collections here are stand-ins: compare the order of methods, not digits.",
    "means": "The printed mean of NMF, 0.6808, is not the mean of its column, which is 0.6867, as the "
    "paper's text has it. For Min-NCW-NMF the text has 0.6706, and the mean of the column is 0.6743, as "
    "printed in the table.",
    "idf": "Weights are t ln(n/df), with the number df of documents that hold the term: the paper prints "
    "log(n/idf) and describes idf as this number. n and df are those of the data set. Terms in a single "
    "document of the set are left out, of which the paper says nothing.",
    "scale": "Documents are assigned after topics have been brought to unit length; without a rule for "
    "their scale, as printed, the answer is arbitrary.",
    "nmi": "NMI is Eq. 1. Where it is 0/0, as for a single cluster, it counts as 0.",
    "no terms": "Documents without terms, which have no direction, go to the largest cluster of every "
    "partition afterwards.",
    "trials": "Each of the 50 runs of K-means and Bisecting is a single trial. CLUTO, which the paper used, "
    "returns the best of 10 trials by its criterion I2: 'best of 10' is the expected NMI of the best by I2 "
    "of ten of the trials.",
    "z": "Z = (NMI of the ensemble - mean of the runs) / their standard deviation, n - 1 in its "
    "denominator; where all runs are equal, 0 or infinite. The paper calls a Z of at least 1.96 significant "
    "at 97.5 %, which is the one-sided level. For 'best of 10' mean and deviation are those of the best of "
    "ten of the trials.",
    "balance": "MCLA (size) is the original: METIS balances the documents of meta-clusters, at odds with "
    "classes of unequal size. 'unit' balances the clusters, 'matching' needs no METIS. CSPA and HBGF with "
    "METIS make parts of about equal size. The NMI depends on METIS's own seed.",
    "selection": "Best half: MCLA of the runs that agree most with the others. Pareto: NSGA-II picks runs by "
    "agreement, diversity and loss, and of its front the consensus that agrees most with all runs counts. "
    "Neither sees the topics, and the gain is not reliable. NMF, MCLA: consensus of runs without the "
    "normalised-cut weighting.",
    "claims": "Of the data sets here, and of the paper's eight numbers of clusters. The paper's text says "
    "NCW-NMF is best except for k = 8, where Bisecting is above it.",
}


def errata(*names: str) -> tuple[str, ...]:
    """Sentences by name."""
    return tuple(ERRATA[name] for name in names)
