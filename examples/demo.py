"""Choose a kernel for scikit-learn's breast cancer data from the command line, and test it.

Everything is written to the folder given as the only argument, by default demo/.
"""

import json
import math
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import kernelwise as kw
from kernelwise.cli.main import main as kernelwise
from kernelwise.selection.record import ErrorEstimate


def main(folder: Path) -> None:
    """Write a table, select, and predict the rows that were kept back."""
    folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer(as_frame=True)
    table = data.data.assign(diagnosis=data.target_names[data.target])
    train, test = train_test_split(table, test_size=0.3, random_state=0, stratify=data.target)
    train.to_csv(folder / "train.csv", index=False)
    command = ["select", str(folder / "train.csv"), "--target", "diagnosis", "--out", str(folder)]
    print("$ kernelwise", *command, flush=True)
    if status := kernelwise(command):
        sys.exit(status)
    model = kw.load_model(folder / "model.skops")
    wrong = (model.predict(test.drop(columns="diagnosis")) != test["diagnosis"]).mean()
    found = json.loads((folder / "result.json").read_text("utf-8"))
    print(f"\n{explained(ErrorEstimate(**found['error']), wrong, len(test))}")
    print(f"\nNow open the report: {(folder / 'report.html').resolve().as_uri()}")


def explained(estimate: ErrorEstimate, wrong: float, rows: int) -> str:
    """Compare the estimated error with that on rows that the choice has not seen."""
    spread = math.sqrt(wrong * (1.0 - wrong) / rows)
    gap = abs(wrong - estimate.value) / math.hypot(spread, estimate.standard_error)
    return (
        f"On {rows} rows that were kept back, {100 * wrong:.1f} % ± {100 * spread:.1f} are wrong. "
        f"The estimate was {100 * estimate.value:.1f} % ± {100 * estimate.standard_error:.1f}: the "
        f"two differ by {gap:.1f} standard errors, {_judged(gap)}."
        "\nThe estimate is a little too low on average: it comes from the rows that the kernel was "
        "chosen on. --nested corrects for that."
    )


def _judged(gap: float) -> str:
    if gap <= 1.0:
        return "as close as chance allows"
    return "which chance can explain" if gap <= 2.5 else "more than chance explains"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
