"""Two remarks of the papers, checked.

SM 2017, Remark 1: the hinge form of the spectral measure is about as accurate as its power form,
which is much faster (``hinge``). SPS 2014, section 4.2: the moves of the eigenvalues of a kernel
matrix when a row is removed, of which the criterion is a sum, may be replaced by their first-order
approximation (``moves``). ``experiment`` makes them one.
"""
