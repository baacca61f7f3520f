"""The command line: parse, call, print.

``options`` says what may be asked, ``read`` makes a table of a file by one of the ``formats``,
``prepare`` makes numbers of the table and says what it did, ``pipeline`` does all this for the
commands on a table; the modules named after commands call the library and print::

    FILE ──> read ──> Table ──> prepare ──> X, y, preparation ──> KernelSelector ──> answer, files

Data goes to standard output; progress, notices and errors to standard error. ``main`` turns errors
into one sentence and an exit status. Nothing imports this package but the command that
``reproduce`` finds in the distribution of the papers.
"""
