"""What has to be known beside the printed multi-instance tables, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

ERRATA = {
    "readings": "as in the tables: what explains the printed figures best. Centroids, and DB, are of all "
    "instances; mutation favours worse genes, as Eqs. 5 and 6 are printed (MIGKA, CHCMIC); Eq. 7 has squared "
    "means (MIFGKA); DB is to centroids (MIGCUK); S is averaged over bags, with one of the two directed "
    "distances of a pair for both; S_Dbw has variances of instances. defaults: those of the estimators, S "
    "averaged over clusters (Eq. 12), DB and S_Dbw of bag means (Eq. 3).",
    "order": "The printed S and DB depended on the order of the bags in the files (S has the distance from "
    "the bag of the lower number, for DB the first bag of a cluster was counted twice): compare methods, "
    "not digits.",
    "shuffled": "Bags are shuffled anew for every seed. MIGCUK moves medoids to bags of nearby numbers, "
    "which says nothing about bags in random order, and would tell it the classes of files that are "
    "sorted by class; on the others the order has no influence but in ties and random draws.",
    "swapped": "The printed rows ImgT and ImgF are very likely swapped: results on Tiger are to be compared "
    "with both.",
    "bold": "Printed bold faces are wrong for S_Dbw of MutA and MutB (MIFGKA is best) and for F1 of ImgT "
    "(MIGCUK is best); the printed ranks are right.",
    "degenerate": "DB is degenerate: on these sets its least values stand for one outlying bag against all "
    "others, so look at the smallest cluster beside it. MemeticCHCMIC keeps at least 5 % of the bags in "
    "every cluster.",
    "seeds": "The paper says 15 seeds; every printed RI but one (ImgE, BAMIC, 0.5522) is a multiple of "
    "1/(5 N) for N bags, so 5 runs are behind the tables.",
    "trials": "The genetic methods did not get equal numbers of evaluations, as the paper says they did: "
    "MIGKA and CHCMIC try values of single genes besides (trials), about 0.6 N for every individual, on "
    "N bags.",
    "rand": "RI is the share of bags whose cluster is matched to their class, one to one; it is not the Rand "
    "index, which is adjusted for chance under ARI. F1 is that of the positive class.",
    "log": "E is in bits: log in Eq. 19 has base 2, since printed values for two classes reach 0.9995.",
    "west": "WestE is EastW with the classes swapped, from the same runs: only F1 differs.",
    "once": "In the tests EastW and WestE count once, as EastW: the same bags twice would make differences "
    "look surer than they are. In all ten rows both count, as in the paper.",
    "tiger": "ImgF for ImgT: the printed row ImgF as that of Tiger, in case the two are swapped.",
    "claims": "The tests of all ten printed rows bear out the paper's text only in part: at 99 % DB "
    "separates CHCMIC from MIGCUK and MIFGKA, not from BAMIC, and S_Dbw nothing; at 95 % RI separates "
    "CHCMIC from MIGCUK only, and E from MIKM only.",
    "bars": "In the figures, bars that are missing where Friedman's test does not reject are hints at most.",
}


def errata(*names: str) -> Sequence[str]:
    """Sentences by name."""
    return tuple(ERRATA[name] for name in names)
