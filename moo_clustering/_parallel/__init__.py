"""Work side by side: on threads, in processes, on the workers of a cluster."""

from moo_clustering._parallel._calls import finished_calls, run_calls
from moo_clustering._parallel._parcels import active_shelf
from moo_clustering._parallel._threads import n_threads, threads_here

__all__ = ["active_shelf", "finished_calls", "n_threads", "run_calls", "threads_here"]
