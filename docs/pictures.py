"""Draw the pictures of the pages on concepts (the same rows at three widths) and on figures."""

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris, make_moons

import kernelwise as kw
from kernelwise.figures import CriterionCurveDisplay, SpectrumDisplay

IMAGES = Path(__file__).parent / "images"
WIDTHS = {"too narrow": 2.0**-9, "about right": 2.0**-2, "too wide": 2.0**6}
RIDGE = 0.1


def main() -> None:
    """Write all pictures."""
    X, y = make_moons(120, noise=0.22, random_state=4)
    test = make_moons(4000, noise=0.22, random_state=5)
    for name, figure in {
        "concept_matrices": matrices(X, y),
        "concept_rows_left_out": rows_left_out(X, y),
        "concept_labels_in_the_spectrum": labels_in_the_spectrum(X, y),
        "concept_curves": curves(X, y, *test),
        "figures": displays(*load_iris(return_X_y=True)),
    }.items():
        figure.savefig(IMAGES / f"{name}.png", dpi=110)
        plt.close(figure)


def matrices(X, y):
    """Return the kernel matrix and the decision regions at every width."""
    figure, axes = plt.subplots(2, 3, figsize=(10, 6.4), layout="constrained")
    order = np.argsort(y, kind="stable")
    for column, (words, tau) in zip(axes.T, WIDTHS.items(), strict=True):
        column[0].imshow(kw.Gaussian(tau)(X[order]), vmin=0, vmax=1)
        column[0].set(xticks=[], yticks=[], title=f"{words}: tau = 2^{np.log2(tau):.0f}")
        machine = kw.LSSVC(kw.Gaussian(tau), ridge=RIDGE).fit(X, y)
        regions(column[1], machine, X, y)
        wrong = 100 * np.mean(machine.predict(X) != y)
        column[1].set(xticks=[], yticks=[], title=f"{wrong:.0f} % of these rows wrong")
    return figure


def regions(ax, machine, X, y):
    """Draw where a machine predicts which class."""
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    across, up = np.meshgrid(*np.linspace(low, high, 150).T)
    values = machine.decision_function(np.column_stack([across.ravel(), up.ravel()]))
    values = values.reshape(across.shape)
    ax.contourf(across, up, values, [-np.inf, 0, np.inf], colors=["C0", "C1"], alpha=0.25)
    for label, marker in ((0, "o"), (1, "s")):
        ax.scatter(*X[y == label].T, s=16, marker=marker, color=f"C{label}")


def rows_left_out(X, y):
    """Return the decision value of every row, by a machine that has not seen it."""
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
    for ax, (words, tau) in zip(axes, WIDTHS.items(), strict=True):
        machine = kw.LSSVC(kw.Gaussian(tau), ridge=RIDGE).fit(X, y)
        values = np.ravel(machine.loo_values_)
        wrong = (values > 0) != (y == 1)
        height = y + np.random.default_rng(0).uniform(-0.3, 0.3, len(y))
        for rows, color, marker in ((~wrong, "C0", "o"), (wrong, "black", "x")):
            ax.scatter(values[rows], height[rows], s=16, color=color, marker=marker)
        ax.axvline(0, color="0.6")
        ax.set(yticks=[0, 1], yticklabels=["class 0", "class 1"], xlabel="decision value, left out")
        ax.set_title(f"{words}: {100 * wrong.mean():.0f} % wrong")
    return figure


def labels_in_the_spectrum(X, y):
    """Return the eigenvalues, and how much of the labels lies along each eigenvector."""
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
    signs = np.where(y == 1, 1.0, -1.0)
    for ax, (words, tau) in zip(axes, WIDTHS.items(), strict=True):
        K = kw.Gaussian(tau)(X)
        values, vectors = np.linalg.eigh(K)
        share = (vectors.T @ signs) ** 2 / (signs @ signs)
        values, share = values[::-1][:12] / np.trace(K), share[::-1][:12]
        place = np.arange(1, 13)
        ax.bar(place - 0.2, values, 0.4, label="eigenvalue / trace")
        ax.bar(place + 0.2, share, 0.4, label="share of the labels")
        sm = kw.score_matrix(K, y, kw.criteria.SM(r=2))["sm"]
        ax.set(title=f"{words}: SM = {sm:.4f}", xlabel="eigenvector")
    axes[0].legend()
    return figure


def curves(X, y, X_test, y_test):
    """Return the spectral measure, leave-one-out and the test error over the width."""
    kernels = kw.grids.gaussian(-10, 7)
    exponents = np.arange(-10, 8)
    chosen = [kw.criteria.SM(r=2), kw.criteria.ELOO("error")]
    result = kw.score_kernels(X, y, kernels, chosen, ridge=RIDGE)
    wrong = [
        100 * np.mean(kw.LSSVC(kernel, ridge=RIDGE).fit(X, y).predict(X_test) != y_test)
        for kernel in kernels
    ]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    left.plot(exponents, result.table["sm"], "o-")
    left.set(xlabel="log2 tau", title="the spectral measure: greater is better")
    right.plot(exponents, 100 * np.asarray(result.table["eloo"]), "o-", label="leave-one-out")
    right.plot(exponents, wrong, "s--", label="4,000 new rows")
    right.set(xlabel="log2 tau", title="error in %")
    right.legend()
    best = {"sm": result.best("sm"), "eloo": result.best("eloo")}
    for ax, name in ((left, "sm"), (right, "eloo")):
        ax.axvline(np.log2(best[name].tau), color="0.6", linestyle=":")
    return figure


def displays(X, y):
    """Return the criteria of kernels, and the spectrum of one of them."""
    result = kw.score_kernels(X, y, kw.grids.gaussian(-3, 6), ["sm", "ckta", "eloo"])
    figure, axes = plt.subplot_mosaic(
        [["sm", "spectrum"], ["ckta", "spectrum"], ["eloo", "spectrum"]],
        figsize=(10, 5.2),
        layout="constrained",
    )
    panels = [axes[name] for name in ("sm", "ckta", "eloo")]
    CriterionCurveDisplay.from_result(result, chosen=result.best("eloo"), ax=panels)
    SpectrumDisplay.from_kernel(kw.Gaussian(1.0), X, ridge=0.1, ax=axes["spectrum"])
    return figure


if __name__ == "__main__":
    main()
