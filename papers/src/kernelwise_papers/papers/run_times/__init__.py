"""SM 2017, Table 3: how long every criterion takes to choose one of 31 Gaussian widths.

Each criterion works alone, from the data to the chosen kernel, on one processor, in two ways:
through the library, and by hand, as one writes it down from the formula with numpy and as the
papers' authors presumably did, cross-validation by refitting. The machine is not the paper's, so
that within a row of the table the times relative to SM's are compared.
"""
