"""The long form: ``python -m tests.fuzz.long_estimators --examples 300 --seed 0``; a table, and failures."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

# As pytest does, under which the siblings are found by their own names.
sys.path.insert(0, str(Path(__file__).parent))

from estimator_inputs import cases
from estimator_trial import Outcome, try_case
from estimators import SETTINGS, Setting

HANG = 10.0
LONGEST = 3000


def run(
    setting: Setting, examples: int, seed: int
) -> tuple[Counter[str], float, dict[str, tuple[str, int]], Counter[str]]:
    """Outcomes by kind, slowest seconds, a case of every failure with their number, and refusals."""
    kinds: Counter[str] = Counter()
    failures: dict[str, tuple[str, int]] = {}
    refusals: Counter[str] = Counter()
    slowest = 0.0
    rules = type(setting.make())._parameter_constraints

    @seeded(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(setting, rules))
    def trial(case: Any) -> None:
        nonlocal slowest
        outcome: Outcome = try_case(setting, case)
        if outcome.seconds > HANG:
            outcome = Outcome("failed", f"took {outcome.seconds:.0f} s", outcome.seconds)
        kinds[outcome.kind] += 1
        slowest = max(slowest, outcome.seconds)
        if outcome.kind == "refused":
            refusals[outcome.reason] += 1
        if outcome.kind == "failed":
            first, number = failures.get(outcome.reason[:120], (f"{outcome.reason}\n    {case}", 0))
            failures[outcome.reason[:120]] = (first, number + 1)

    trial()
    return kinds, slowest, failures, refusals


@click.command()
@click.option("--examples", default=300, show_default=True, help="Inputs for each setting.")
@click.option("--seed", default=0, show_default=True)
@click.option("--only", default="", help="Settings whose name holds this.")
@click.option("--refusals", is_flag=True, help="Print the sentences of refused inputs, too.")
@click.option("--report", type=click.Path(path_type=Path), help="Write the table there, too.")
def main(examples: int, seed: int, only: str, refusals: bool, report: Path | None) -> None:
    """Hand odd inputs to every public estimator."""
    began = time.perf_counter()
    lines = ["| estimator | inputs | fitted | refused | failures | slowest, s |", "|---|---|---|---|---|---|"]
    total: Counter[str] = Counter()
    click.echo("\n".join(lines))
    for number, setting in enumerate(SETTINGS):
        if only not in str(setting):
            continue
        kinds, slowest, failures, sentences = run(setting, examples, seed * len(SETTINGS) + number)
        total += kinds
        counts = " | ".join(str(kinds[kind]) for kind in ("fitted", "refused", "failed"))
        lines.append(f"| {setting} | {kinds.total()} | {counts} | {slowest:.1f} |")
        click.echo(lines[-1])
        for first, times in failures.values():
            click.echo(f"  {times} x {first if len(first) < LONGEST else first[:LONGEST] + ' ...'}")
        for sentence, times in sentences.most_common() if refusals else []:
            click.echo(f"  refused {times} x {sentence}")
    counts = " | ".join(str(total[kind]) for kind in ("fitted", "refused", "failed"))
    lines.append(f"| all | {total.total()} | {counts} | {time.perf_counter() - began:.0f} in all |")
    click.echo(lines[-1])
    if report:
        report.write_text("\n".join(lines) + "\n")
    raise SystemExit(int(total["failed"] > 0))


if __name__ == "__main__":
    main()
