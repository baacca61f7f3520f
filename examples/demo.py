"""Choose a kernel for scikit-learn's breast cancer data and say what was chosen, and why."""

import time

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelwise as kw


def main() -> None:
    """Choose, fit, and print the table."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=0, stratify=y
    )
    model = make_pipeline(StandardScaler(), kw.KernelSelector(task="classification"))
    start = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - start
    selector = model[-1]

    print(f"breast cancer: {len(y_train)} training rows, {X.shape[1]} features")
    print(f"{'candidate':24}{'screen (SM)':>14}{'leave-one-out':>16}{'ridge':>10}")
    result = selector.result_
    for row, kernel in enumerate(result.kernels):
        sm, loo, ridge = result.table["sm"][row], result.table["eloo"][row], result.ridges[row]
        second_stage = f"{loo:16.4f}{ridge:10.4g}" if ridge > 0 else f"{'–':>16}{'–':>10}"
        chosen = "  <- chosen" if kernel == selector.best_kernel_ else ""
        print(f"{kernel!s:24}{sm:14.5f}{second_stage}{chosen}")
    print(f"kernel: {selector.best_kernel_}   ridge: {selector.best_ridge_:g}")
    print(f"test error: {100 * (1 - model.score(X_test, y_test)):.1f} % on {len(y_test)} rows")
    print(f"time: {seconds:.2f} s, {len(result)} kernels, engine {result.engine}")


if __name__ == "__main__":
    main()
