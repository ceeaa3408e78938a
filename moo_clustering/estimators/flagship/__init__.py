"""The recommended method: a pool of cheap partitions, and what families, labels and pairs say of it."""
