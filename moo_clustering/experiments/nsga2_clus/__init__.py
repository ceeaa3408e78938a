"""The tables of NSGA-II-clus."""
