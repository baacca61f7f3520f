"""SPS 2014, Table 1: five criteria on ten sets at four lambdas, and what was tried besides."""

from dataclasses import replace

from kernelwise.criteria import CKTA, FSM, KTA, SPS, KFold
from kernelwise.kernels import grids
from kernelwise_papers.tables.table import (
    FRESH,
    FRESH_SPLITS,
    OLD_EDITION,
    VARIANT_SPLITS,
    PaperTable,
    printed_ridge,
    rows_of,
    times_rows,
    widest_first,
)

_TRIED = (
    "With m lambda on the diagonal, 50/50 splits and no bias, as the paper says, we do not get its "
    "numbers; with lambda alone on the diagonal, or with a bias and Gaussian kernels only, a few "
    "more cells of SPS come back, and of the others at most as few of CV; so do some of SPS and CV "
    "by balanced accuracy with Gaussian kernels. With the Gaussian "
    "kernels alone many published accuracies are out of reach, so that polynomials were there. The "
    "printed digits fit no number of splits ([how so](digits.md)), so that no protocol may give "
    "this table."
)

_AS_PRINTED = PaperTable(
    key="sps-table1",
    **rows_of("sps2014_table1"),
    title="SPS 2014, Table 1: test accuracy of regularised least squares in percent",
    task="classification",
    machine="least-squares",
    fit_intercept=False,
    kernels=widest_first(list(grids.gaussian_gamma()) + list(grids.polynomial(1, 20))),
    columns={"SPS": SPS(), "CV": KFold(10), "KTA": KTA(), "CKTA": CKTA(), "FSM": FSM()},
    repetitions=20,
    train_share=0.5,
    ridge=times_rows,
    stand_ins=OLD_EDITION,
    higher_is_better=True,
    why={
        **dict.fromkeys(
            ("CV", "KTA", "CKTA"),
            f"Ours are mostly the higher accuracies. {_TRIED}",
        ),
        "SPS": "Ours are mostly the higher accuracies. This is the paper's first-order form; the "
        "exact moves sum to tr(K) whatever the kernel, so that exact SPS is the training error "
        f"alone ([remarks](remarks.md)). {_TRIED}",
        "FSM": f"Ours are higher on some sets and lower on others. {_TRIED}",
    },
)

# Other protocols, with fewer repetitions.
_SMALLER_SETS = tuple(name for name in _AS_PRINTED.datasets if name != "splice")
SPS_TABLE1_SMALLER = replace(
    _AS_PRINTED,
    key="sps-table1-smaller",
    of=_AS_PRINTED.key,
    splits=VARIANT_SPLITS,
    title="SPS 2014, Table 1, with lambda and not m lambda on the diagonal of K",
    datasets=_SMALLER_SETS,
    ridge=printed_ridge,
    why={},
)
SPS_TABLE1_GAUSSIAN = replace(
    _AS_PRINTED,
    key="sps-table1-gaussian",
    of=_AS_PRINTED.key,
    splits=VARIANT_SPLITS,
    title="SPS 2014, Table 1, with a bias and Gaussian kernels only",
    datasets=_SMALLER_SETS,
    kernels=widest_first(list(grids.gaussian_gamma())),
    fit_intercept=True,
    why={},
)

# Written down before its splits were run. Splice is left out, as in the other variants.
SPS_TABLE1_BALANCED = replace(
    _AS_PRINTED,
    key="sps-table1-balanced",
    of=_AS_PRINTED.key,
    splits=FRESH_SPLITS,
    first_split=FRESH,
    title="SPS 2014, Table 1, by balanced accuracy, with Gaussian kernels only",
    datasets=_SMALLER_SETS,
    kernels=SPS_TABLE1_GAUSSIAN.kernels,
    measure="balanced",
    why={},
)

SPS_TABLE1 = replace(
    _AS_PRINTED, variants=(SPS_TABLE1_SMALLER, SPS_TABLE1_GAUSSIAN, SPS_TABLE1_BALANCED)
)
