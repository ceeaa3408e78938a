"""The command ``about``: describes the environment for bug reports."""

import os
import platform
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from joblib import cpu_count
from numba import config
from threadpoolctl import threadpool_info

from moo_clustering import _kernels
from moo_clustering._kernels.caching import saved_in
from moo_clustering.persistence import environment

_VARIABLES = re.compile(r"(OMP|OPENBLAS|MKL|BLIS|VECLIB|NUMBA|LOKY|JOBLIB|GOMP)_|PYTHON(PATH|HASHSEED)$")
_TOOLS = {"docs", "release", "test"}  # extras that are not printed, because only developers use them


def facts() -> dict[str, Any]:
    pools = [{"library": one["internal_api"], "n_threads": one["num_threads"]} for one in threadpool_info()]
    return {
        "versions": environment(),
        "optional": _optional(),
        "machine": {
            "system": platform.platform(),
            "processors": os.cpu_count() or 1,
            "usable_processors": cpu_count(),
            "memory": _memory(),
        },
        "threads": {
            "pools": pools,
            "variables": {name: os.environ[name] for name in sorted(os.environ) if _VARIABLES.match(name)},
        },
        "package": str(Path(_kernels.__file__).parents[1]),
        "kernels": _kernel_cache(),
    }


def facts_text(facts: dict[str, Any]) -> str:
    machine, kernels = facts["machine"], facts["kernels"]
    memory = "unknown" if machine["memory"] is None else f"{machine['memory'] / 2**30:.1f} GiB"
    pools = [f"{pool['library']} {pool['n_threads']}" for pool in facts["threads"]["pools"]]
    saved = f"{kernels['n_files']} files, {kernels['bytes'] / 1e6:.1f} MB"
    problem = f"; not writable: {kernels['problem']}" if kernels["problem"] else ""
    lines = facts["versions"] | {f"{name} (optional)": text for name, text in facts["optional"].items()}
    lines |= {
        "system": machine["system"],
        "processors": f"{machine['processors']}, {machine['usable_processors']} usable",
        "memory": memory,
        "threads": ", ".join(pools) or "no thread pools",
        **facts["threads"]["variables"],
        "package": facts["package"],
        "compiled kernels": f"{kernels['folder'] or 'no folder'} ({saved}{problem})",
    }
    width = max(map(len, lines))
    return "\n".join(f"{name:{width}}  {text}" for name, text in lines.items())


def _optional() -> dict[str, str]:
    found = dict[str, str]()
    with suppress(PackageNotFoundError):  # a source folder that is not installed has no metadata
        for line in requires("moo_clustering") or []:
            extra = re.search(r"extra *== *['\"]([\w-]+)", line)
            if extra and extra[1] not in _TOOLS:
                name = re.split(r"[^\w.-]", line)[0]
                found[name] = "not installed"
                with suppress(PackageNotFoundError):
                    found[name] = version(name)
    return dict(sorted(found.items()))


def _memory() -> int | None:
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _kernel_cache() -> dict[str, Any]:
    folder, problem = saved_in(Path(_kernels.__file__).parent, config.CACHE_DIR)
    sizes = [path.stat().st_size for path in (folder.glob("*") if folder else ()) if path.is_file()]
    place = {"folder": None if folder is None else str(folder), "problem": problem or None}
    return place | {"n_files": len(sizes), "bytes": sum(sizes)}
