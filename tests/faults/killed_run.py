"""A run in a process that is to be killed: forked, or started as ``python killed_run.py``."""

import still_process  # noqa: F401  isort: skip
import os
import pickle
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from kill_moments import Watch


def run_and_exit(family, folder, result, watch):
    """Begin in a folder, or go on there; leave what was found in a file, and end the process.

    Parameters
    ----------
    family : family
    folder : Path
    result : Path
        Gets the outcome, with what the watch saw, or the traceback. The file ``<result>.started`` comes
        to be when the run begins.
    watch : Watch
    """
    code = 1
    try:
        warnings.simplefilter("ignore")
        scratch = folder.parent / "scratch"
        scratch.mkdir(exist_ok=True)
        tempfile.tempdir = str(scratch)
        folder.mkdir(exist_ok=True)
        watch.start(folder)
        Path(f"{result}.started").touch()
        outcome = family.run(folder)
        seen = (dict(watch.seen), watch.written, watch.n_loaded, watch.boundaries)
        result.write_bytes(pickle.dumps((outcome, *seen)))
        code = 0
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = "".join(traceback.format_exception_only(error)).strip()
        result.write_text(f"{said} ({Path(place.filename).name}, line {place.lineno})")
    finally:
        # As os._exit: what the parent opened is not this process's to close.
        os._exit(code)


if __name__ == "__main__":
    from kill_families import FAMILIES

    given = pickle.loads(sys.stdin.buffer.read())
    chosen = next(one for one in FAMILIES if one.name == given["family"])
    run_and_exit(chosen, given["folder"], given["result"], Watch(**given["moment"]))
