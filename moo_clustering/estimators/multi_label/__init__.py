"""Subspace clusterers of documents, with and without labels: SISC, SCAD2, entropy-weighted k-means."""
