"""What a person looks at.

A report is made from a :class:`~kernelwise.selection.record.Record`, never from the data:
``summarize`` says everything in plain data, ``html`` only renders it into one file that needs
nothing else, neither a network nor a library::

    Record ──> summarize ──> dict ──> render (templates/) ──> report.html

This package imports selection and what is below; the command line stands above it. The figures of
``report.figures`` need matplotlib and are imported from there.
"""

from kernelwise.report.html import render, write_report
from kernelwise.report.summarize import summarize

__all__ = ["render", "summarize", "write_report"]
