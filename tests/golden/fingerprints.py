"""Fingerprints of what small, seeded runs of the package compute, and their comparison with recorded ones.

``python -m tests.golden.fingerprints`` compares and names the cases that differ; ``--write`` records anew,
``--only PATTERN`` takes the cases whose name has the pattern (as of file names), and ``--tier all`` takes
those as well that are many and much alike: every alias of a method.

The code under test is what ``import moo_clustering`` finds, and its folder is printed first.
"""

import argparse
import fnmatch
import json
import os
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

GOLDEN = Path(__file__).with_name("golden.json")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pymoo", "deap", "pandas", "pymetis")


def environment():
    """What results may depend on in their last digits: versions of libraries, and the processor."""
    import llvmlite.binding as llvm
    import numpy  # noqa: F401 - its BLAS is to be among the libraries that are looked at
    import threadpoolctl

    kinds = sorted({pool.get("architecture", "") or "" for pool in threadpoolctl.threadpool_info()} - {""})
    found = {name: _version(name) for name in LIBRARIES}
    return found | {"processor": llvm.get_host_cpu_name(), "blas": " ".join(kinds)}


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def all_cases(tier="default"):
    """Name to function of every case."""
    from golden import algorithm_cases, command_cases, part_cases, registry_cases

    found = registry_cases.cases() | algorithm_cases.cases() | part_cases.cases() | command_cases.cases(tier)
    return dict(sorted(found.items()))


def fingerprint(case):
    """The sha256 of all results of a case, and a part for each: the beginning of its own, and numbers."""
    from threadpoolctl import threadpool_limits

    from golden.canonical import digest, gist

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        results = {str(name): value for name, value in case().items()}
    parts = {name: f"{digest(value)[:12]} {gist(value)}" for name, value in results.items()}
    return {"sha256": digest(parts_only(parts)), "parts": parts}


def parts_only(parts):
    """The beginnings of the digests, which are exact; the numbers beside them are rounded."""
    return {name: part.split(" ")[0] for name, part in parts.items()}


def recorded():
    """What the file holds: the environment and the cases."""
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def differences(name, old, new):
    """Lines that say what differs between two fingerprints of a case; none if nothing does."""
    if old["sha256"] == new["sha256"]:
        return []
    lines = [f"{name} differs:"]
    before, now = old["parts"], new["parts"]
    for part in sorted(before.keys() | now.keys()):
        one, other = before.get(part, "is new"), now.get(part, "is gone")
        if one.split(" ")[0] != other.split(" ")[0]:
            lines += [f"  {part}", f"    recorded  {one}", f"    computed  {other}"]
    return lines


def write(found):
    """Record fingerprints, a case a line."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(case, sort_keys=True)}" for name, case in sorted(found.items())
    ]
    head = json.dumps(environment(), sort_keys=True)
    text = '{"environment": ' + head + ',\n"cases": {\n' + ",\n".join(lines) + "\n}}\n"
    GOLDEN.write_text(text, encoding="utf-8")


def main(arguments=None):
    """Compare or record; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="record the fingerprints instead of comparing")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="cases whose name has this pattern")
    parser.add_argument("--tier", choices=("default", "all"), default="default")
    parser.add_argument("--times", action="store_true", help="print the slowest cases")
    parser.add_argument("--reverse", action="store_true", help="run the cases in the opposite order")
    options = parser.parse_args(arguments)
    # Numba reads this when it is imported.
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")

    import moo_clustering

    print(f"package: {Path(moo_clustering.__file__).parent}")
    pattern = options.only if any(sign in options.only for sign in "*?[") else f"*{options.only}*"
    cases = {name: case for name, case in all_cases(options.tier).items() if fnmatch.fnmatch(name, pattern)}
    golden = recorded() if GOLDEN.exists() else {"cases": {}, "environment": environment()}
    if golden["environment"] != environment() and not options.write:
        print("versions or processor are not those of the record; last digits may differ", file=sys.stderr)

    found, failures, times = {}, [], {}
    for name, case in reversed(cases.items()) if options.reverse else cases.items():
        begin = time.perf_counter()
        try:
            found[name] = fingerprint(case)
        except Exception as error:
            failures.append([f"{name} fails: {type(error).__name__}: {error}"])
        times[name] = time.perf_counter() - begin
    if options.times:
        for name in sorted(times, key=times.get, reverse=True)[:15]:
            print(f"{times[name]:7.2f} s  {name}")
    if options.write and not failures:
        kept = {} if options.tier == "all" and pattern == "*" else golden["cases"]
        write(kept | found)
        print(f"{len(found)} cases recorded in {GOLDEN.name}")
        return 0
    if not options.write:
        for name, new in found.items():
            old = golden["cases"].get(name)
            failures.append(differences(name, old, new) if old else [f"{name} is not recorded"])
    failures = [lines for lines in failures if lines]
    # Recorded cases that no longer exist; the other tier is known by name only.
    every = all_cases("all") if pattern == "*" else None
    if every is not None:
        failures += [
            [f"{name} is recorded but no longer made"] for name in golden["cases"] if name not in every
        ]
    for lines in failures:
        print("\n".join(lines))
    print(f"{len(cases)} cases, {len(failures)} differ or fail, {sum(times.values()):.0f} s")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
