"""Settings of MOCK under which it was published."""

from __future__ import annotations

from typing import Any

DELTA: dict[str, Any] = {
    "encoding": "short",
    "delta": "auto",
    "engine": "nsga2",
    "pop_size": 100,
    "n_gen": 100,
    "pc": 1.0,
    "init": "delta",
    "mutation_length": "genotype",
    "objectives": ("variance", "connectivity"),
    "connectivity": "published",
}

PAPER_2007: dict[str, Any] = {
    "encoding": "locus",
    "engine": "pesa2",
    "pop_size": 10,
    "archive_size": 1000,
    "n_gen": 1000,
    "pc": 0.7,
    "init": "2007",
    "mutation_length": "N",
    "objectives": ("deviation", "connectivity"),
    "connectivity": "ranks",
}

# The mutation probability that the PESC paper prints beside these, 0.3, is none that MOCK has.
PESC_PAPER: dict[str, Any] = {**PAPER_2007, "pop_size": 100, "n_gen": 100}
