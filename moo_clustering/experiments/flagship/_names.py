"""Names of settings and methods in the tables."""

from __future__ import annotations

UNKNOWN, KNOWN = "k unknown", "k known"
FLAGSHIP = "flagship"
FLAGSHIP_UNKNOWN, FLAGSHIP_KNOWN = "flagship, k unknown", "flagship, k known"
CONSENSUS, SELECT = "flagship, consensus", "flagship, select"
PLAIN_UNKNOWN, PLAIN_KNOWN = "unsupervised flagship, k unknown", "unsupervised flagship, k known"
MODULARITY = "flagship, modularity criterion"
EVOLVED, CONTROL, RANDOM_SURVIVAL = "evolved", "control: pool alone", "random survival"
ORACLE, RANDOM = "best member of the pool (oracle)", "random labels"
# What is chosen by the classes, or by nothing.
BOUNDS = (ORACLE, RANDOM)
EVIDENCE = "best partition by evidence"
CONSTRAINED, SPREADING, LOGISTIC = "constrained spectral", "label spreading", "logistic regression"
K_MEANS = "k-means"
