"""Random calls of the public surface, each with a verdict; see ``cases`` and ``run.py``."""
