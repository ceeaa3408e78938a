"""Clusterers that search graphs: links between neighbours, sparse representations, fuzzy modes."""
