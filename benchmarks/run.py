"""Run the benchmarks: ``python benchmarks/run.py [SUITE ...] [--write FILE]``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import bench_bags
import bench_constraints
import bench_controls
import bench_diversity
import bench_documents
import bench_end_to_end
import bench_flagship
import bench_generation
import bench_limits
import bench_medoids
import bench_memetic
import bench_mixture
import bench_mock
import bench_nmf
import bench_pareto
import bench_parts
import bench_peers
import bench_questions
import bench_report
import bench_subspace
import bench_threads
from _harness import Row, as_markdown, machine

SUITES = {
    "diversity": bench_diversity.run,
    "generation": bench_generation.run,
    "200k": partial(bench_end_to_end.run, [200_000]),
    "1m": partial(bench_end_to_end.run, [1_000_000]),
    "medoids": bench_medoids.run,
    "constraints": bench_constraints.run,
    "controls": bench_controls.run,
    "questions": bench_questions.run,
    "documents": bench_documents.run,
    "bags": bench_bags.run,
    "nmf": bench_nmf.run,
    "mock": bench_mock.run,
    "subspace": bench_subspace.run,
    "mixture": bench_mixture.run,
    "flagship": bench_flagship.run,
    "limits": bench_limits.run,
    "memetic": bench_memetic.run,
    "report": bench_report.run,
    "pareto": bench_pareto.against_families,
    "wide": bench_pareto.wide,
    "preparation": bench_pareto.preparation,
    "pareto-families": bench_pareto.against_fits,
    "pareto-100k": partial(bench_pareto.large, [100_000]),
    "pareto-1m": partial(bench_pareto.large, [1_000_000]),
    "pareto-10m": partial(bench_pareto.mapped, 10_000_000),
    "parts": bench_parts.run,
    "peers": bench_peers.run,
    "threads": bench_threads.run,
}


def main() -> None:
    """Print a table of ratios, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}; default all")
    parser.add_argument("--write", type=Path, help="file that gets the table, in Markdown")
    options = parser.parse_args()
    unknown = set(options.suites) - set(SUITES)
    if unknown:
        parser.error(f"unknown suite {', '.join(sorted(unknown))}; known are {', '.join(SUITES)}")
    rows = [row for name in options.suites or SUITES for row in SUITES[name]()]
    print(as_markdown(rows))
    if options.write:
        options.write.write_text(page(rows, options.write))


def page(rows: list[Row], earlier: Path) -> str:
    """Format the rows as a page, with the rows of an earlier page that were not measured again."""
    table = as_markdown(rows).splitlines()
    measured = {line.split("|")[1] for line in table}
    if earlier.exists():
        lines = earlier.read_text().splitlines()
        table += [line for line in lines if line.startswith("|") and line.split("|")[1] not in measured]
    head = [
        "# Benchmarks",
        "",
        "`python benchmarks/run.py --write docs/benchmarks.md` writes this page. Times are medians over",
        "repeats. The ratio compares with an alternative in the same process. Memory over the start is the",
        f"increase over the memory of the process before the measurement. Measured on {machine()}.",
        "",
    ]
    return "\n".join(head + table) + "\n"


if __name__ == "__main__":
    main()
