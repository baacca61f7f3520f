"""SM 2017, Table 2: six criteria on 25 sets, and what was tried besides."""

from dataclasses import replace

from kernelwise.criteria import CKTA, ELOO, ER, FSM, SM, KFold
from kernelwise_papers.tables.table import (
    OLD_EDITION,
    VARIANT_SPLITS,
    WIDTHS,
    PaperTable,
    printed_ridge,
    rows_of,
)

WHY_ER = (
    "The printed factor n makes the ratio of eigenvalues outweigh the training error; without it "
    "the published errors come back."
)
WHY_FSM = (
    "It prefers near-identity kernels, in the paper as here: errors near the share of the smaller "
    "class."
)

_AS_PRINTED = PaperTable(
    key="sm-table2",
    **rows_of("sm2017_table2"),
    title="SM 2017, Table 2: test error of LSSVM in percent, ridge 1",
    task="classification",
    machine="least-squares",
    fit_intercept=True,
    kernels=WIDTHS,
    columns={
        "SM": SM(r=3),
        "SM (as printed)": SM(r=3, normalizer="sum"),
        "SM (r=2)": SM(r=2),
        "CV": KFold(5),
        "ELOO": ELOO("press"),
        "ELOO (error rate)": ELOO("error"),
        "CKTA": CKTA(),
        "FSM": FSM(),
        "ER": ER(),
        "ER (as printed)": ER(scale="printed"),
    },
    repetitions=50,
    train_share=0.7,
    ridge=printed_ridge,
    stand_ins=OLD_EDITION,
    why={
        "SM": "Divided by the sum of all entries, as printed, it prefers near-identity kernels; "
        "divided by the trace it gives the published errors. So it does only with the paper's "
        "weights of the classes: with labels of equal weight hardly any come back, see the variant "
        "without bias.",
        "CKTA": "On some sets the published error is far below ours, on others above it, and on "
        "tic-tac-toe it is the share of the smaller class: alignment picked other widths there. "
        "Neither a machine without bias nor features between -1 and 1 brings more cells back by "
        "the loose count; by the strict one both do, with fewer splits, see the variants.",
        "FSM": f"{WHY_FSM} Without a bias fewer cells agree.",
        "ER": WHY_ER,
    },
)

# Other protocols, with fewer repetitions: what the bias, the weights of the classes and the scaling
# of the features have to do with the published numbers.
_SMALLER_SETS = tuple(name for name in _AS_PRINTED.datasets if name != "a2a")
_PLAIN_COLUMNS = {name: each for name, each in _AS_PRINTED.columns.items() if "(" not in name}
SM_TABLE2_NO_BIAS = replace(
    _AS_PRINTED,
    key="sm-table2-no-bias",
    of=_AS_PRINTED.key,
    splits=VARIANT_SPLITS,
    title="SM 2017, Table 2, without bias, and with classes of equal weight",
    datasets=_SMALLER_SETS,
    columns={"SM": SM(), "SM (labels of equal weight)": SM(weighted=False)} | _PLAIN_COLUMNS,
    fit_intercept=False,
    why={},
)
SM_TABLE2_UNIT = replace(
    _AS_PRINTED,
    key="sm-table2-unit",
    of=_AS_PRINTED.key,
    splits=VARIANT_SPLITS,
    title="SM 2017, Table 2, features between -1 and 1",
    datasets=_SMALLER_SETS,
    columns=_PLAIN_COLUMNS,
    scaling="unit",
    why={},
)

SM_TABLE2 = replace(_AS_PRINTED, variants=(SM_TABLE2_NO_BIAS, SM_TABLE2_UNIT))
