"""A local cluster for passes over parts."""

import pytest


@pytest.fixture(scope="module")
def client():
    """Client of two workers, which the tests of a file share and may kill."""
    distributed = pytest.importorskip("distributed")
    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
        yield client
