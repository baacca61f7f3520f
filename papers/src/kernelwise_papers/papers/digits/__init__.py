"""What the printed digits say of the number of splits.

A mean error rate over s splits of m test rows is a multiple of 1 / (s m), so that a printed number
fits some s and m and not others. ``counting`` has the arithmetic, ``experiment`` the four tables of
error rates, ``page`` what came out.
"""
