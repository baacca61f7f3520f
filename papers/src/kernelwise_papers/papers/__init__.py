"""What the papers show: their tables, figures and remarks, each an experiment."""
