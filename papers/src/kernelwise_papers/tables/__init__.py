"""What all tables of the papers share: definition, split, comparison, page and figure."""
