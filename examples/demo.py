"""Choose a kernel for scikit-learn's breast cancer data from the command line, and test it.

Everything is written to the folder given as the only argument, by default demo/.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import kernelwise as kw
from kernelwise.cli.main import main as kernelwise


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
    print(f"on {len(test)} rows that it has not seen: {100 * wrong:.1f} % error")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
