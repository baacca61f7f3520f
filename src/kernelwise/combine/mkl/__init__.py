r"""Weights of kernels: :math:`K_\mu = \sum_k \mu_k K_k`, :math:`\mu \ge 0`.

Pure functions of arrays. ``base`` has the matrices as all methods see them; every method maps them
to weights, or to one set of weights for each of several penalties; ``judging`` picks weights and
ridge by exact leave-one-out::

    kernels ──> base matrices ──> a method: weights ──> leave-one-out: weights, ridge
"""
