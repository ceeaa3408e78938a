"""A search over centres from its start to the end of its budget."""

from __future__ import annotations

from tqdm.auto import tqdm

from moo_clustering.algorithms._interrupt import InterruptGuard
from moo_clustering.algorithms._saver import Saver
from moo_clustering.estimators.memetic._center_search import CenterSearch
from moo_clustering.persistence import Checkpoint


def run_search(
    search: CenterSearch,
    guard: InterruptGuard,
    *,
    checkpoint: Checkpoint | None = None,
    verbose: bool = False,
    description: str = "",
) -> CenterSearch:
    """Do local searches until the search is finished or the guard asks to stop; at least one.

    Parameters
    ----------
    search : CenterSearch
    guard : InterruptGuard
        Entered by the caller.
    checkpoint : Checkpoint, optional
    verbose : bool, default=False
        Show a progress bar: the part of the budget that is used, and the best sum of squares.
    description : str, default=""
    """
    # of a search the saver needs the generation, the state and its restoring, no more
    saver = Saver(checkpoint, search, None)  # type: ignore[arg-type]
    saver.resume()
    bar = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
    with tqdm(total=1.0, desc=description or None, disable=not verbose, bar_format=bar) as progress:
        while not search.finished and not (search.history and guard.requested):
            search.step()
            saver.save_if_due()
            if verbose:
                progress.set_postfix_str(f"sum of squares={search.best.objective:.6g}", refresh=False)
                progress.update(min(search.budget.share, 1.0) - progress.n)
    saver.save()
    return search
