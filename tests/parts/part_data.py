"""Data of the tests of parts: the same table in many sources and cuts."""

import itertools
from contextlib import suppress

import numpy as np
import pandas as pd


def table(n=3000, d=4, seed=0):
    """A float32 table far from the origin, in three groups."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) + 6 * rng.integers(3, size=(n, 1)) + 50).astype(np.float32)


def write_parquet(folder, X, bounds, **options):
    """Write the rows of X to one file per two neighbouring bounds."""
    folder.mkdir()
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    for i, (low, high) in enumerate(itertools.pairwise(bounds)):
        frame[low:high].to_parquet(folder / f"part-{i:03d}.parquet", **options)
    return str(folder)


def sources(folder, X):
    """The table as every kind of source for which the packages are installed, by name."""
    import fsspec
    import pyarrow.dataset as ds

    n = len(X)
    np.save(folder / "x.npy", X)
    mapped = np.load(folder / "x.npy", mmap_mode="r")
    files = write_parquet(folder / "table", X, [0, 100, n // 2, n], row_group_size=400)
    fsspec.filesystem("memory").put(files + "/*.parquet", "/moo_clustering_test/", recursive=True)
    found = {
        "array": (X, {}),
        "cut array": (X, {"rows_per_part": 777}),
        "memory-mapped": (mapped, {"rows_per_part": 901}),
        "slice of a memory map": (mapped[:], {"rows_per_part": 500}),
        "folder": (files, {}),
        "glob": (files + "/*.parquet", {"rows_per_part": 800}),
        "file list": (sorted(map(str, (folder / "table").iterdir())), {}),
        "URL": ("file://" + files + "/*.parquet", {}),
        "memory filesystem": ("memory://moo_clustering_test/*.parquet", {}),
        "pyarrow dataset": (ds.dataset(files), {}),
    }
    with suppress(ImportError):
        import dask.array as da

        found["dask array"] = da.from_array(X, chunks=(800, 2)), {}
    with suppress(ImportError):
        import dask.dataframe as dd

        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
        found["dask frame"] = dd.from_pandas(frame, npartitions=3), {}
        found["array of unknown length"] = dd.from_pandas(frame, npartitions=2).to_dask_array(), {}
    with suppress(ImportError):
        import zarr

        store = zarr.create_array(str(folder / "x.zarr"), shape=X.shape, chunks=(700, X.shape[1]), dtype="f4")
        store[:] = X
        found["zarr"] = store, {"rows_per_part": 1500}
    return found
