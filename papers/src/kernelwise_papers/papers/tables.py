"""The tables of the papers by their keys.

Columns carry the paper's headings; further variants of a criterion follow in brackets, so that what
is printed and what gives the published numbers stand side by side. EP is not defined in the five
papers: its column is a reconstruction of ours.
"""

from kernelwise_papers.papers.er import ER_TABLE1
from kernelwise_papers.papers.ks import KS_TABLE2, KS_TABLE3
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.papers.sps import SPS_TABLE1

TABLES = {
    each.key: each
    for table in (SM_TABLE2, ER_TABLE1, KS_TABLE2, KS_TABLE3, SPS_TABLE1)
    for each in (table, *table.variants)
}
