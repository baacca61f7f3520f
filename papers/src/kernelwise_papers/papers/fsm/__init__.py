"""The figures of the FSM paper: two classes at an angle, and four kernels on eight data sets.

Both set the cross-validation error of a support vector machine beside 1 - KTA and FSMerr
(``measures``). Figure 2 stands in ``angles`` and ``synthetic``, Figure 3 in ``sets``, ``grid`` and
``real``.

References
----------
C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, Sections 4.1 and 4.2.
"""
