"""Clusterers of bags of instances: BAMIC, k-means, and the genetic algorithms."""
