"""Clusters in processes on this machine, for tests."""

from contextlib import contextmanager


@contextmanager
def local_cluster(workers, **options):
    """Start so many processes with one thread each; yield the client."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            **options,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
