"""Public names that were released: ``python -m tests.api`` fails where one disappears without a deprecation.

It prints all public names with their signatures. ``--release`` records them as those of the present version,
which is a step of every release. A released name, command, option or parameter may disappear in the second
minor version after the one that deprecates it: deprecated in 0.2, it still works in 0.3, and may be gone in
0.4. Additions and other defaults are allowed.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from tests.golden import public_api

RELEASED = Path(__file__).parent / "golden" / "released_api.json"
# Name, or name and parameter (`graphs.knn_graph(k)`), to the version that deprecates it, such as "0.2.0".
DEPRECATED: dict[str, str] = {}
# Lines of the listing that describe a name instead of naming one.
_DETAILS = (" allows ", " bases", " fields")


def parameters(text):
    """Parameters of a signature in the form of ``public_api``, by name: (positional, required)."""
    inside = re.search(r"\((.*)\)", text, re.DOTALL)
    found, positional, depth, part = {}, True, 0, ""
    for character in (inside[1] if inside else "") + ",":
        depth += (character in "([{") - (character in ")]}")
        if character != "," or depth:
            part += character
            continue
        name, _, default = part.strip().partition("=")
        part = ""
        if name.startswith("*"):
            positional = False
        elif name and name != "/":
            found[name] = positional, not default
    return found


def losses(old, new):
    """What callers of ``old`` can no longer write, with a reason; both map names to descriptions."""
    found = {}
    for name in sorted(old):
        if any(detail in name for detail in _DETAILS):
            continue
        if name not in new:
            found[name] = "disappeared"
        elif old[name].startswith(("function", "method", "class", "static")) and "(" in old[name]:
            if old[name].startswith("same") or new[name].startswith("same"):
                continue
            before, after = parameters(old[name]), parameters(new[name])
            variadic = "**" in new[name]
            for parameter, (positional, required) in before.items():
                key = f"{name}({parameter})"
                if parameter not in after:
                    if not variadic:
                        found[key] = "disappeared"
                elif positional and not after[parameter][0]:
                    found[key] = "became keyword-only"
                elif after[parameter][1] and not required:
                    found[key] = "became required"
            for parameter in after.keys() - before.keys():
                if after[parameter][1]:
                    found[f"{name}({parameter})"] = "is new and required"
    return found


def minor(version):
    """Major and minor version as numbers."""
    return tuple(map(int, version.split(".")[:2]))


def faults(old, new, deprecated, version):
    """Losses that no deprecation of an earlier minor version has announced, one line each."""
    lines = []
    for name, reason in losses(old, new).items():
        since = next((deprecated[key] for key in (name, name.partition("(")[0]) if key in deprecated), None)
        major, number = minor(version)
        if since is None or (minor(since)[0] == major and number - minor(since)[1] < 2):
            told = "without a deprecation" if since is None else f"and was deprecated only in {since}"
            lines.append(f"{name} {reason} {told}")
    return lines


def main(arguments=None):
    """List the names, and compare them with the released ones or record them; 1 if any was lost."""
    from moo_clustering import __version__

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", action="store_true", help="record the names as those of this version")
    options = parser.parse_args(arguments)
    found = public_api.collect()
    if options.release:
        record = {"version": __version__, "names": found}
        RELEASED.write_text(json.dumps(record, indent=0, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
        print(f"{len(found)} entries recorded as those of {__version__}")
        return 0
    print("\n".join(f"{name}: {text}" for name, text in sorted(found.items())))
    if not RELEASED.exists():
        print(f"{len(found)} entries; no version has been released")
        return 0
    released = json.loads(RELEASED.read_text(encoding="utf-8"))
    lines = faults(released["names"], found, DEPRECATED, __version__)
    print("\n".join([*lines, f"{len(lines)} names of {released['version']} were lost"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
