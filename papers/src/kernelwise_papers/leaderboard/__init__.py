"""Every criterion, and what users do instead, on all data sets of the papers."""
