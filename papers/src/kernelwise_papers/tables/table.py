"""How a table of a paper is made: kernels, ridges, criteria and splits."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypedDict

from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel, grids
from kernelwise_papers import publications
from kernelwise_papers.datasets import Dataset, load


@dataclass(frozen=True, eq=False)
class PaperTable:
    """How one table is made.

    Attributes
    ----------
    key : str
        As the command line takes it.
    published : str or None
        The name of the published numbers; None where the paper has a figure only.
    datasets : tuple of str
        In the order of the paper.
    lambdas : tuple of float
        As printed; 1 where the table has none.
    title : str
    task : {"classification", "regression"}
    machine : {"least-squares", "svm"}
    fit_intercept : bool
        Whether the least-squares machine has a bias.
    kernels : list of Kernel
        From the smoothest to the roughest.
    columns : dict of str to Criterion
        By the paper's heading.
    repetitions : int
        The paper's number of splits.
    splits : int or None
        Ours, where it is another.
    printed_splits : int or None
        The number of splits that the printed digits fit, where it is not the paper's.
    train_share : float
    ridge : callable
        Returns the ridge on the diagonal of K from a printed lambda and the number of training
        rows.
    stand_ins : dict of str to str
        The set that is taken for one of the paper's, where it is nearer to what the paper had.
    up_to : dict of str to int
        The number of training rows beyond which a costly column stays empty.
    why : dict of str to str
        By published column, what explains its agreement or disagreement; no numbers.
    scaling : {"standard", "unit"}
        Features of mean 0 and variance 1, or between -1 and 1, by the training rows.
    variants : tuple of PaperTable
        Other protocols that were tried to get the published numbers.
    of : str or None
        The key of the table that this is a variant of.
    first_split : int
        The number of the first split: readings that were chosen after others had been looked at
        take splits that none of them has seen.
    measure : {"error", "balanced"}
        What is counted on the test rows of classes: wrong rows, or the mean over the classes of
        the share of wrong rows.
    higher_is_better : bool
        Whether the numbers are accuracies.
    """

    key: str
    published: str | None
    datasets: tuple[str, ...]
    lambdas: tuple[float, ...]
    title: str
    task: str
    machine: str
    fit_intercept: bool
    kernels: list[Kernel]
    columns: dict[str, Criterion]
    repetitions: int
    train_share: float
    ridge: Callable[[float, int], float]
    stand_ins: dict[str, str] = field(default_factory=dict)
    up_to: dict[str, int] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    scaling: str = "standard"
    variants: "tuple[PaperTable, ...]" = ()
    higher_is_better: bool = False
    splits: int | None = None
    of: str | None = None
    first_split: int = 0
    printed_splits: int | None = None
    measure: str = "error"

    @property
    def sign(self) -> float:
        """What turns the numbers into such that are to be low."""
        return -1.0 if self.higher_is_better else 1.0

    def load(self, name: str, rows: int | None = None) -> Dataset:
        """Return the data of one of the paper's sets, of at most so many rows."""
        stand_in = self.stand_ins.get(name)
        data = load(stand_in or name, task=self.task).head(rows)
        if stand_in is None:
            return data
        return replace(data, name=name, remarks=(f"the set {stand_in}", *data.remarks))


def columns_of(table: PaperTable, criterion: str) -> list[str]:
    """Return the columns that stand for a published one: its own, and variants in brackets."""
    return [
        name for name in table.columns if name == criterion or name.startswith(f"{criterion} (")
    ]


class _Rows(TypedDict):
    published: str
    datasets: tuple[str, ...]
    lambdas: tuple[float, ...]


def rows_of(published: str) -> _Rows:
    """Return the sets and lambdas of a published table, as fields of :class:`PaperTable`."""
    cells = publications.load(published)
    lambdas = sorted({cell.lam for cell in cells if cell.lam is not None})
    return {
        "published": published,
        "datasets": tuple(dict.fromkeys(cell.dataset for cell in cells)),
        "lambdas": tuple(lambdas or [1.0]),
    }


def printed_ridge(lam: float, rows: int) -> float:
    """Return the ridge where lambda stands on the diagonal of K."""
    return lam


def over_rows(lam: float, rows: int) -> float:
    """Return the ridge where the printed number is n lambda, and lambda is on the diagonal."""
    return lam / rows


def times_rows(lam: float, rows: int) -> float:
    """Return the ridge where lambda is a share of the rows."""
    return lam * rows


def widest_first(kernels: list[Kernel]) -> list[Kernel]:
    """Return kernels from the smoothest to the roughest."""
    return sorted(kernels, key=lambda kernel: kernel.roughness)


VARIANT_SPLITS = 10  # of a protocol that is tried besides: enough to see which columns come back

FRESH = 1000  # the first of the splits that no table used before their protocol was chosen
FRESH_SPLITS = 20

# The edition of liver-disorders that LIBSVM had until 2016 has the six features of bupa.
OLD_EDITION = {"liver-disorders": "bupa"}

WIDTHS = widest_first(list(grids.gaussian()))
