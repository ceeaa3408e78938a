"""Processes with little room: files that may not grow, a small disk, little memory."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

TIMEOUT = 600.0

_PRELUDE = """
import json, os, resource, signal, sys, warnings
from pathlib import Path
import numpy as np
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def full_at(n_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

def room_again():
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def memory_left(n_bytes):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + n_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))

def more_memory():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def command(*arguments):
    from moo_clustering.cli import main
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        return end.code
"""


def python(code, folder):
    """Run code in a process of its own, in a folder: exit status, stdout, stderr."""
    # One thread, because each one's stack counts as memory.
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    environment = os.environ | alone | {"PYTHONPATH": str(Path(__file__).parents[2]), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, "-c", f"{_PRELUDE}\n{code}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@contextmanager
def small_disk(folder, size):
    """A disk of so many bytes; skips where the process may not mount one."""
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or str(error).encode()
        pytest.skip(f"a tmpfs cannot be mounted here: {said.decode(errors='replace').strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


def names(folder):
    """Names of all files in a folder, hidden ones too."""
    return sorted(entry.name for entry in folder.iterdir())
