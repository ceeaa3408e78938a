"""What has to be known beside the PESC tables, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

NOTES = {
    "absent": "The numbers of the paper's Tables 2 to 6 are not in the text that is available, so none are "
    "beside these; what the paper says about them is, as statements that hold here or do not.",
    "readings": "as in the paper: unnormalised Laplacian; PESC with SBX and polynomial mutation, on ranks of "
    "neighbours rather than sample numbers, and a particle swarm for ES1; conventional graphs without "
    "bridges between components; SRMOSC evolved (its Laplacian is normalised in both); MOCK of 2007 in the "
    "paper's sizes. defaults: those of the estimators. What has no readings is the same in both.",
    "shuffled": "Features are scaled to [0, 1], the reading of the paper that fits its statements. Rows are "
    "shuffled anew for every seed, alike for all methods. Accuracy is that of the best one-to-one matching "
    "of clusters and classes.",
    "srmosc": "SRMOSC is known from its abstract; its operators are ours, and how its evolved fronts do says "
    "nothing about the published program.",
    "mock": "MOCK is told the number of clusters and takes the least variance of the front at it. What it is "
    "good for is mixed shapes, not tables of measurements like these.",
    "moga": "MOGA(π,sep) is a method for categories: codes are taken as such (zoo, soybean_small, "
    "lung_cancer), numbers by Euclidean distance. The other kind (numbers in 5 bins, codes as numbers) is "
    "among all methods.",
    "cspa": "CSPA merges the front of MOGA(π,sep), by the spectrum of the co-association instead of METIS; "
    "that of MOCK's front merges partitions of all numbers of clusters.",
    "controls": "Controls that are not in the paper: k-means (10 starts), PESC's initial population (ES2), "
    "the water-filling graph, Ward, HDBSCAN (clusters of 5 or more; noise is one more cluster), "
    "scikit-learn's spectral clustering (10 neighbours). None of HDBSCAN's parameters is the number of "
    "clusters.",
    "tuned": "label-tuned: of the paper's values of sigma or epsilon the one that is best by the classes on "
    "average over the seeds, as the paper chose; nobody can do that without classes. eigengap: in every run "
    "the value with the widest eigengap, which needs none.",
    "labels": "Labels are drawn from every class in proportion, anew for every seed, alike for all methods. "
    "SRMOSC and PESC never link samples of different classes. PESC with must-links, among all methods, also "
    "links those of one class, as the conventional graphs do. Label-tuned values are those best on the "
    "samples without label.",
    "semi": "Semi-MOCK has the adjusted Rand index of the labelled samples as a third objective; with labels "
    "that only pick, the search has none of them.",
    "bounds": "average of its grid: no value is chosen, all count. The best of MOCK's front, and "
    "label-tuned values, are chosen by the classes: upper bounds.",
    "seconds": "seconds: of one process; the three ensembles share a search, which counts for each. Those of "
    "a conventional graph are of its whole grid, but for the average of the grid, which is of one value. "
    "With several processes at a time they are longer.",
    "population": "generation 0, whole population: ES2 over all individuals of the initial population "
    "instead of its non-dominated ones. It tells what evolution adds beside a denser graph.",
    "sets": "The paper has 11 sets of 150 to 5000 samples; its text names wine, balance and waveform. "
    "Larger sets only where they are asked for by name. Accuracy of one cluster for everything is "
    "the share of the largest class.",
    "leakage": "index: crossover and mutation of sample numbers, as printed. On rows sorted by class a "
    "nearby number is a sample of the same class, so the classes leak into the search; a clustering that "
    "gains by sorting has not seen it in the features. ours: SBX on ranks of neighbours (as in the paper), "
    "uniform crossover (defaults). Sets of up to 1000 samples.",
    "ranks": "Ranks are of mean accuracies; sets are the observations. In the figures, bars that are missing "
    "where Friedman's test does not reject are hints at most.",
    "claims": "A pair holds where the mean accuracy is greater on more than half of the sets (on all, where "
    "the paper says so); a statement holds if all of its pairs do.",
    "together": "Figure 1: p_c from 0.5 to 0.9 with p_m = 1 - p_c as in the paper, and each alone at the "
    "paper's choice of the other.",
    "budget": "20,000 evaluations for every size, of 300 generations at most.",
    "coarse": "Populations are merged every 5 generations, every 25 above 1000 samples. All points of a "
    "curve are of one search.",
    "starts": "Unnormalised Laplacian, rows shuffled. random: any other sample, as the paper's control; "
    "knn: near ones. index: operators as printed, on sample numbers.",
    "pictures": "One seed, unnormalised Laplacian (SRMOSC: normalised), samples by class. Conventional "
    "graphs have the value of their grid that is best by the classes.",
    "bars": "Bars are geometric means over the sets, dots the sets.",
}


def notes(*names: str) -> Sequence[str]:
    """Sentences by name."""
    return tuple(NOTES[name] for name in names)
