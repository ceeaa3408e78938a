"""Partitions that algorithm families agree on, against common methods, on all sets there are."""
