"""Ties, one standard error, and trade-off parameters chosen inside the training set."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import kernelwise as kw
from helpers import close
from inside import ELOO, preferred
from kernelwise import criteria as c

WIDTHS = [kw.Gaussian(2.0**i) for i in (-2, 3, 0)]


@pytest.fixture(scope="module")
def wdbc():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:200], y[:200]


def rank(losses, errors=None, kernels=WIDTHS, ridges=(1.0, 1.0, 1.0), rule="best"):
    errors = np.full(len(losses), np.nan) if errors is None else np.asarray(errors, float)
    return preferred(np.asarray(losses, float), errors, kernels, np.asarray(ridges, float), rule)


class TestTies:
    def test_go_to_the_wider_kernel(self):
        assert rank([0.2, 0.2, 0.2]) == [1, 2, 0]
        assert rank([0.2, 0.2 * (1 + 1e-14), 0.3]) == [1, 0, 2]
        assert rank([0.2, 0.2001, 0.3]) == [0, 1, 2]

    def test_then_to_the_larger_ridge(self):
        same = [kw.Gaussian(1.0)] * 3
        assert rank([0.2, 0.2, 0.2], kernels=same, ridges=[0.1, 10.0, 1.0]) == [1, 2, 0]

    def test_lower_degrees_are_smoother_and_families_are_not_compared(self):
        kernels = [kw.Polynomial(3), kw.Polynomial(1), kw.Gaussian(1e9)]
        assert rank([0.2, 0.2, 0.2], kernels=kernels) == [1, 0, 2]

    def test_undefined_values_are_left_out(self):
        assert rank([np.nan, 0.3, 0.2]) == [2, 1]

    def test_in_results_and_selections(self):
        """Every width separates these points: the error rate is zero for all."""
        X = np.r_[np.linspace(0.0, 1.0, 20), np.linspace(50.0, 51.0, 20)][:, None]
        y = np.repeat([0, 1], 20)
        kernels = [kw.Gaussian(2.0**i) for i in (0, 4, 2)]
        result = kw.score_kernels(X, y, kernels, ELOO("error"), ridge=[0.1, 1.0])
        assert (result.table["eloo"] == 0.0).all()
        assert result.best("eloo") == kw.Gaussian(16.0) and result.best_ridge("eloo") == 1.0
        selector = kw.KernelSelector(kernels=kernels, criterion=ELOO("error"), ridge=[0.1, 1.0])
        selector.fit(X, y)
        assert selector.best_kernel_ == kw.Gaussian(16.0) and selector.best_ridge_ == 1.0


class TestOneStandardError:
    def test_takes_the_smoothest_within_reach(self):
        assert rank([0.20, 0.25, 0.22], [0.06, 0.06, 0.06], rule="one_se") == [1, 2, 0]
        assert rank([0.20, 0.25, 0.22], [0.03, 0.06, 0.06], rule="one_se") == [2, 0, 1]

    def test_standard_errors_are_those_of_the_losses(self, wdbc):
        X, y = wdbc
        kernel = kw.Gaussian(16.0)
        result = kw.score_kernels(X, y, kernel, ["eloo", "kfold", "sm"], ridge=0.5)
        residuals = kw.LSSVC(kernel, 0.5).fit(X, y).loo_residuals_
        expected = np.std(residuals**2, ddof=1) / np.sqrt(200)
        close(result.standard_errors["eloo"], [expected])
        folds = []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            machine = kw.LSSVC(kernel, 0.5).fit(X[train], y[train])
            folds.append(1.0 - machine.score(X[test], y[test]))
        close(result.standard_errors["kfold"], [np.std(folds, ddof=1) / np.sqrt(5)])
        assert np.isnan(result.standard_errors["sm"]).all()

    def test_a_cascade_is_more_cautious_with_it(self, wdbc):
        X, y = wdbc
        kernels = kw.grids.gaussian(0, 10)
        stages = (("sm", 8), (ELOO("squared_hinge"), 1))
        bold = kw.KernelSelector(kernels=kernels, criterion=kw.Cascade(*stages)).fit(X, y)
        careful = kw.KernelSelector(
            kernels=kernels, criterion=kw.Cascade(*stages, rule="one_se")
        ).fit(X, y)
        assert careful.best_kernel_.tau >= bold.best_kernel_.tau
        assert (careful.best_kernel_, careful.best_ridge_) != (bold.best_kernel_, bold.best_ridge_)
        reached = ~np.isnan(bold.result_.table["eloo"])
        survivors = [kernel for kernel, kept in zip(kernels, reached, strict=True) if kept]
        full = kw.score_kernels(
            X, y, survivors, ELOO("squared_hinge"), ridge=10.0 ** np.arange(-4.0, 3.0)
        )
        assert careful.best_kernel_ == full.best("eloo", rule="one_se")

    def test_needs_a_standard_error(self, wdbc):
        with pytest.raises(ValueError, match="rule='one_se' needs a criterion with a standard"):
            kw.score_kernels(*wdbc, WIDTHS, "ckta").best("ckta", rule="one_se")

    def test_other_rules_are_refused(self):
        with pytest.raises(ValueError, match="'rule' parameter"):
            kw.Cascade(("eloo", 1), rule="two_se")

    def test_a_cascade_shows_its_rule(self):
        cascade = kw.Cascade(("sm", 5), ("eloo", 1), rule="one_se")
        assert repr(cascade).endswith("(ELOO(loss='press'), 1), rule='one_se')")
        assert cascade != kw.Cascade(("sm", 5), ("eloo", 1))


class TestTradeOff:
    @staticmethod
    def by_hand(X, y, kernels, make, grid, ridge=1.0):
        """Three folds, every weight picks on two and is tested on the third."""
        errors = np.zeros(len(grid))
        for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
            for g, weight in enumerate(grid):
                result = kw.score_kernels(X[train], y[train], kernels, make(weight), ridge=ridge)
                [name] = result.table
                machine = kw.LSSVC(result.best(name), ridge).fit(X[train], y[train])
                errors[g] += 1.0 - machine.score(X[test], y[test])
        return grid[int(errors.argmin())]

    @pytest.mark.parametrize(
        "make, grid",
        [
            (lambda w: c.RKS(eta=w), (2.0**-5, 1.0, 2.0**5, 2.0**10)),
            (lambda w: c.CVKS(eta=w), (2.0**-5, 1.0, 2.0**5, 2.0**10)),
            (lambda w: c.SPS(delta=w), (2.0**-5, 1.0, 2.0**5, 2.0**10)),
            (lambda w: c.ER(eta=w), (0.2, 0.6, 1.0)),
            (lambda w: c.ER(t=w), (1, 4, 16)),
        ],
    )
    def test_is_chosen_inside_the_training_set(self, wdbc, make, grid):
        X, y = wdbc
        kernels = kw.grids.gaussian(-2, 9)
        chosen = self.by_hand(X, y, kernels, make, grid)
        result = kw.score_kernels(X, y, kernels, make("cv"))
        [name] = result.table
        assert result.criteria[name] == make(chosen)
        expected = kw.score_kernels(X, y, kernels, make(chosen)).table[name]
        np.testing.assert_allclose(result.table[name], expected)

    def test_both_parameters_of_er(self, wdbc):
        X, y = wdbc
        result = kw.score_kernels(X, y, kw.grids.gaussian(0, 6), c.ER(t="cv", eta="cv"))
        assert result.criteria["er"].t in (1, 4, 16)
        assert result.criteria["er"].eta in (0.2, 0.6, 1.0)

    def test_for_the_svm_and_a_given_matrix(self, wdbc):
        X, y = wdbc
        result = kw.score_kernels(X, y, kw.grids.gaussian(2, 7), c.RKS(eta="cv"), machine="svm")
        assert result.criteria["rks"].eta in (2.0**-5, 1.0, 2.0**5, 2.0**10)
        K = kw.Gaussian(16.0)(X)
        assert np.isfinite(kw.score_matrix(K, y, c.RKS(eta="cv"))["rks"])

    def test_in_a_selector_with_callbacks(self, wdbc):
        X, y = wdbc
        cascade = kw.Cascade((c.RKS(eta="cv"), 2), ("eloo", 1))
        selector = kw.KernelSelector(kernels=kw.grids.gaussian(0, 6), criterion=cascade)
        if hasattr(selector, "set_callbacks"):

            class Listener:
                def setup(self, estimator, context):
                    pass

                on_fit_task_begin = on_fit_task_end = teardown = setup

            selector.set_callbacks(Listener())
        assert selector.fit(X, y).score(X, y) > 0.8

    def test_unresolved_it_has_no_value(self, wdbc):
        X, y = wdbc
        targets = kw.gram.Targets.of(y)
        [gram] = kw.gram.Dense().grams([kw.Gaussian(1.0)], X, targets)
        with pytest.raises(ValueError, match="still 'cv'"):
            c.RKS(eta="cv").value(c.Evidence(gram, targets), 1.0)

    def test_other_words_are_refused(self):
        with pytest.raises(ValueError, match="'eta' parameter of RKS"):
            c.RKS(eta="auto")
