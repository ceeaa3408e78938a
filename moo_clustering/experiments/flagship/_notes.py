"""What has to be known beside the tables, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

NOTES = {
    "protocol": (
        "At most 1500 rows of every set, rows shuffled once (seed 0). Shapes are divided by one standard "
        "deviation, tables have features of deviation 1, texts are 50 components of tf-idf in rows of "
        "unit length. Points that are noise in the reference are clustered, but not scored and never "
        "labelled."
    ),
    "topics": (
        "Which newsgroups and OHSUMED classes the published means are about is not known; the five and "
        "ten groups and the five classes here are others, the eight topics of Reuters are those of R8."
    ),
    "published": (
        "published: means of the 39 development sets, on which the method was chosen; where other sets "
        "are found here they are no target."
    ),
    "means": (
        "flagship - it: mean paired difference over the sets that both have, ± its standard error over "
        "the sets. ± draws: standard deviation over the draws of the mean over the sets; without labels "
        "draws are seeds of the clusterers. Seconds are of one process; where nothing stands, the work "
        "was that of the pool."
    ),
    "kinds": "s: shapes, u: UCI tables, t: texts, d: digits, o: other files.",
    "unsupervised": (
        "Rivals choose k from the flagship's grid, on the partitions of their family in its pool. The "
        "oracle and random labels are bounds: the best by the classes, and chance."
    ),
    "known": "Rivals are members of the pool at the number of classes; k-means is the best of ten starts.",
    "labels": (
        "max(1, round(fraction n_c)) labels of every class c; scores are of samples without label. "
        "Spreading keeps .9, not the usual .99, which is worse; spreading, propagation and constrained "
        "spectral clustering use the flagship's graph."
    ),
    "novel": (
        "Half of the classes, rounded down, drawn anew, have no label; sets with three classes or more. "
        "Constrained spectral clustering and k-means are told the true number."
    ),
    "pairs": (
        "At most 800 rows. Pairs are uniform among 70 % of the samples; ARI is of samples in no pair. All "
        "but flagship and unsupervised flagship, k unknown, are told the true number. Flipped pairs are "
        "given as uncertain (pairs='soft'). The published sets were 18, two of them composites of shapes "
        "that are not made here."
    ),
    "evolution": (
        "evolved - control is what evolution contributes. random survival: the same operators and "
        "evaluations, survivors at random. A benefit that the controls do not show is none. Published: "
        "evolved - pool alone +.003 ± .006 with k unknown, .000 ± .014 with k known, over 39 sets."
    ),
    "families": (
        "Partitions of the other method (of a front, all with clusters enough) join the pool as a family "
        "and are chosen like others. PESC and EnsembleNMF get the number of clusters that the flagship "
        "found."
    ),
    "ranks": "Over the sets on which all of the block's methods have a score; bounds take no part.",
    "losses": "Methods ahead of the flagship by more than .05 ARI, of several settings by their mean.",
    "confidence": (
        "confidence: the greatest agreement in the pool. It doesn't prove the granularity: a coarse split "
        "that all agree on has high confidence too. Published: rank correlation .83; below .62 the ARI "
        "was .22 at most on nine of ten sets, at .62 to .9 it was .17 to .94, above .9 mostly .74 and "
        "more."
    ),
}


def notes(*names: str) -> Sequence[str]:
    """Sentences by name."""
    return tuple(NOTES[name] for name in names)
