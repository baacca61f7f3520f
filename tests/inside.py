"""Every name below the top level of the package that the tests reach.

A name moves in the package: it is corrected here, and in no test.
"""

from kernelwise import _arguments as arguments
from kernelwise import _progress as progress
from kernelwise import _threads as threads
from kernelwise import figures, kernels, report, targets
from kernelwise._arguments import as_bytes
from kernelwise._progress import SILENT, Bar, Task, bar
from kernelwise._registry import members
from kernelwise._threads import algebra_threads, as_jobs, helpful, limited, pool, workers
from kernelwise._types import Array
from kernelwise._undefined import NotConverged
from kernelwise._written import (
    guess_dates,
    guess_numbers,
    numbers,
    read_numbers,
)
from kernelwise.bounds import observed, overview, sample, theorem
from kernelwise.bounds.observed import observe
from kernelwise.bounds.overview import evaluate, references
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.support_vectors import svm_coefficients
from kernelwise.bounds.theorem import statements, states
from kernelwise.cli import features, formats
from kernelwise.cli import reproduce as cli_reproduce
from kernelwise.cli.answer import answer, choice, quality, runner_up
from kernelwise.cli.candidates import Candidates
from kernelwise.cli.features import owners, shares
from kernelwise.cli.formats.base import Source
from kernelwise.cli.groups import folds_of, set_aside
from kernelwise.cli.main import main
from kernelwise.cli.pipeline import Job
from kernelwise.cli.prepare import Wanted, conform, days, prepare, without
from kernelwise.cli.read import Table, read_table
from kernelwise.cli.screen import BadInput, _BarCallback, aligned, labelled, one_line
from kernelwise.cli.write import inert
from kernelwise.combine import many_rows, recipe
from kernelwise.combine.combined import loo_values_of
from kernelwise.combine.mkl import alignment, building, criteria, gradient
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.mkl.building import base_matrices, feature_matrices, rank_for
from kernelwise.combine.mkl.judging import Proposal, Verdict, judge, until_clearly_worse
from kernelwise.combine.mkl.methods import METHODS, as_method, by_criterion, objective_of
from kernelwise.combine.mkl.outcome import choose
from kernelwise.combine.mkl.sparse import _curvature, sparse_path, sparse_weights
from kernelwise.combine.mkl.sphere import minimise, on_sphere
from kernelwise.combine.weights import PULL, convex_weights, gate, losses
from kernelwise.criteria import (
    BIF,
    ELOO,
    ER,
    MD,
    RKS,
    SM,
    SPS,
    Criterion,
    Evidence,
    FSMError,
    KFold,
    Undefined,
    ask,
)
from kernelwise.criteria.base import cost_of
from kernelwise.gram import (
    Dense,
    Engine,
    Gram,
    LowRank,
    Need,
    Spectrum,
    Targets,
    Tiled,
    dense,
    eigensystems,
    lacking,
    landmarks,
    lowrank,
    pairs,
    panels,
    single,
    tiled,
    trials,
)
from kernelwise.gram import _lapack as lapack
from kernelwise.gram import _loops as loops
from kernelwise.gram._lapack import add_square, decompose, factorize, invert, solve_triangle, square
from kernelwise.gram.cholesky import CholeskyInverse
from kernelwise.gram.cluster import Cluster, connected
from kernelwise.gram.dense import DenseGram
from kernelwise.gram.eigensystems import eigensystem
from kernelwise.gram.families import Reach, group_kernels
from kernelwise.gram.feature_matrix import Sample as feature_matrix_Sample
from kernelwise.gram.features import Features, Moments, OrderlessSums, RowBlocks
from kernelwise.gram.inverse import NotPositiveDefinite, spectral_inverses, without_rounding
from kernelwise.gram.landmarks import Landmarks
from kernelwise.gram.landmarks import NotConverged as landmarks_NotConverged
from kernelwise.gram.landmarks import Preconditioner as landmarks_Preconditioner
from kernelwise.gram.lowrank import LowRankGram
from kernelwise.gram.pairs import EnginePairs, kernel_between
from kernelwise.gram.partial_cholesky import (
    TOLERANCE,
    IterativeInverse,
    PartialCholesky,
    Preconditioner,
    thin_eigensystem,
)
from kernelwise.gram.psd import NotPSDWarning
from kernelwise.gram.refusals import DoesNotFit, NotProvided
from kernelwise.gram.remote import Coding, RemoteMoments, RemoteRows, moments_of
from kernelwise.gram.runner import Watch, run_strips
from kernelwise.gram.single import SingleBlocks, in_single
from kernelwise.gram.sweep import CenteredSquares, RowMeans, Sweep
from kernelwise.gram.tiles import Points, Tiles, direct_distances
from kernelwise.gram.trials import FILLING, SINGLE, RoundedPairs, Trials
from kernelwise.kernels import (
    Gaussian,
    Kernel,
    Linear,
    Matrix,
    Pairs,
    Polynomial,
    available,
    geometry,
    grids,
)
from kernelwise.kernels.base import PairKernel
from kernelwise.kernels.compose import Multiple, Product, Sum
from kernelwise.kernels.geometry import as_rows, squared_distances
from kernelwise.kernels.given import Function
from kernelwise.kernels.named import NAMES, grid_of
from kernelwise.kernels.transform import unwrapped
from kernelwise.machines import (
    LeastSquares,
    LostDigitsWarning,
    PrecomputedAdapter,
    SupportVectors,
    base,
    blocks,
    check_ridge,
    conformal,
    fit_cholesky,
    fit_squared_hinge,
    make_splits,
    needs_with,
    svm,
)
from kernelwise.machines import _smo as smo
from kernelwise.machines.base import auc
from kernelwise.machines.calibration import Calibration, midpoint
from kernelwise.machines.gaussian_process import process_kernel
from kernelwise.machines.held_out import HeldOutFit, LeftOut
from kernelwise.machines.relevance import gradients
from kernelwise.machines.ridge_path import fit_ridge, weighted_matrix
from kernelwise.machines.uncertainty import TooFewRowsWarning
from kernelwise.machines.weights import check_range
from kernelwise.report import figures as report_figures
from kernelwise.report import render, summarize, write_report
from kernelwise.report.figures import CriterionCurveDisplay, SpectrumDisplay
from kernelwise.report.figures._display import short
from kernelwise.report.figures.curve import KernelAxis
from kernelwise.selection import (
    KernelChoiceWarning,
    KernelSelector,
    SelectionResult,
    UndefinedCriterionWarning,
    all_rows,
    archive,
    budget,
    effort,
    estimators,
    landmark_search,
    left_out,
    local_search,
    problem,
    ranks,
    screen,
    search,
    selector,
    whole,
)
from kernelwise.selection.all_rows import solved
from kernelwise.selection.archive import kernel_to_dict, to_plain
from kernelwise.selection.budget import rows_within, seconds_for
from kernelwise.selection.cascade import AUTO_RIDGES
from kernelwise.selection.climb import (
    Climb,
    ExactJudge,
    Grid,
    GridIndex,
    Guide,
    Judge,
    SearchFailed,
    TrendJudge,
    TrialJudge,
    judge_of,
)
from kernelwise.selection.diagnostics import Code, Diagnostic, code_of, has_code
from kernelwise.selection.effort import Effort
from kernelwise.selection.estimators import criterion_machine
from kernelwise.selection.guards import warn_about
from kernelwise.selection.left_out import Confusion, Level, Mistake, Residuals, confusion, residuals
from kernelwise.selection.local_search import LocalSearch
from kernelwise.selection.persistence import load_model, replacing, save_model
from kernelwise.selection.problem import Problem
from kernelwise.selection.record import ErrorEstimate, Member, Record, Stack, Views, views_of
from kernelwise.selection.result import preferred
from kernelwise.selection.screen import _is_settled
from kernelwise.selection.search import CascadeOutcome
from kernelwise.selection.terms import SCORINGS, params_of
from kernelwise.selection.widths import edge, extended, surviving, with_narrower
from kernelwise.targets import IntegerTargetWarning, last_rows, stratified_order
