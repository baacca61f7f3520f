"""A sweep is shared by threads, which tell how far they are and stop when told."""

import numpy as np

import kernelwise as kw
from inside import CenteredSquares, RowMeans, Tiles, Watch, run_strips

N = 70


def test_a_thread_tells_how_far_it_is_and_stops_when_told():
    rng = np.random.default_rng(3)
    tiles = Tiles.of(rng.normal(size=(N, 4)), rng.integers(0, 3, N), 16)
    reduction = CenteredSquares([RowMeans(kw.Linear(), False, np.zeros(N), 0.0)])
    watch = Watch()
    run_strips(tiles, reduction, range(len(tiles.blocks)), watch)
    assert watch.done == tiles.count
    stopped = Watch(stopped=True)
    [nothing] = run_strips(tiles, reduction, range(len(tiles.blocks)), stopped)
    assert stopped.done == 0 and nothing == [0.0]


def test_every_strip_is_dealt_to_one_thread():
    tiles = Tiles.of(np.zeros((N, 1)), np.zeros(N, int), 5)
    for threads in (1, 3, 14, 20):
        shares = tiles.shares(threads)
        assert len(shares) == min(threads, 14)
        assert sorted(strip for share in shares for strip in share) == list(range(14))
    assert tiles.shares(3)[0] == [0, 5, 6, 11, 12]
