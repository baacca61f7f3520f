import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw


def test_the_papers_grids():
    assert [k.tau for k in kw.grids.gaussian()] == [2.0**i for i in range(-15, 16)]
    assert [0.5 / k.tau for k in kw.grids.gaussian_gamma()] == [2.0**i for i in range(-10, 10)]
    assert [k.degree for k in kw.grids.polynomial()] == list(range(1, 11))
    assert [k.degree for k in kw.grids.polynomial(1, 20)] == list(range(1, 21))
    assert kw.grids.libsvm(8) == [
        kw.Linear(),
        kw.Polynomial(3, 1.0, 1.0),
        kw.Gaussian(4.0),
        kw.Sigmoid(0.125, 0.0),
    ]
    assert kw.grids.laplacian(0, 1) == [kw.Laplacian(1.0), kw.Laplacian(2.0)]
    assert kw.grids.matern(0, 1, 2.5) == [kw.Matern(1.0, 2.5), kw.Matern(2.0, 2.5)]


class TestAuto:
    def test_covers_nearest_neighbours_and_beyond_the_median(self, wdbc):
        X, _ = wdbc
        taus = [k.tau for k in kw.grids.auto(X)]
        D = kw.kernels.geometry.squared_distances(X)
        median = np.median(D[np.triu_indices_from(D, 1)])
        np.fill_diagonal(D, np.inf)
        assert taus[0] <= np.median(D.min(axis=1)) / 2
        assert taus[-1] >= 32 * median / 2
        np.testing.assert_array_equal(np.divide(taus[1:], taus[:-1]), 2.0)

    @pytest.mark.parametrize("scale", [1e-45, 1e-6, 1e6, 1e45])
    def test_follows_the_scale_of_the_features(self, rng, scale):
        X = rng.normal(size=(50, 3))
        base = np.log2([k.tau for k in kw.grids.auto(X)])
        scaled = np.log2([k.tau for k in kw.grids.auto(scale * X)])
        assert np.abs(scaled[[0, -1]] - base[[0, -1]] - 2 * np.log2(scale)).max() <= 1.0

    def test_looks_at_a_sample_of_many_rows(self, rng, monkeypatch):
        X = rng.normal(size=(5000, 2))
        seen = []
        module = kw.kernels.gaussian
        original = module.squared_distances
        monkeypatch.setattr(
            module, "squared_distances", lambda rows: seen.append(rows.shape) or original(rows)
        )
        first = kw.grids.auto(X)
        assert seen == [(1000, 2)]
        assert first == kw.grids.auto(X) == kw.grids.auto(sp.csr_array(X))
        other = kw.grids.auto(X, random_state=1)
        assert abs(len(other) - len(first)) <= 2

    def test_is_the_documented_range(self):
        """Nearest neighbours at distance 1, a median squared distance of 9: tau from 1/4 to 2^9."""
        taus = [k.tau for k in kw.grids.auto(np.arange(10.0)[:, None])]
        assert taus == [2.0**i for i in range(-2, 10)]

    def test_near_duplicates_do_not_ask_for_any_number_of_widths(self, rng):
        X = np.repeat(rng.normal(size=(20, 2)), 2, axis=0)
        X[::2] += 1e-9
        taus = [k.tau for k in kw.grids.auto(X)]
        assert len(taus) == 31 and taus[-1] > 30.0

    def test_duplicates_do_not_count(self, rng):
        X = rng.normal(size=(30, 2))
        assert kw.grids.auto(np.vstack([X, X, X])) == kw.grids.auto(X)

    def test_equal_rows_have_no_width(self):
        with pytest.raises(ValueError, match="X has no two rows that differ"):
            kw.grids.auto(np.ones((5, 2)))
