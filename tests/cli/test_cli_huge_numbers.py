"""Integers of hundreds of digits among numbers and texts."""

import pytest

from cli_helpers import run


@pytest.mark.parametrize("cell", ["9" * 400, "-" + "9" * 400])
@pytest.mark.parametrize("other", ["text", "1.5"])
def test_a_huge_integer_in_a_column(capsys, tmp_path, cell, other):
    values = [cell, other, *(str(0.5 * i) for i in range(18))]
    rows = [f"{i},{value},{'ab'[i % 2]}" for i, value in enumerate(values)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["x,z,y", *rows]) + "\n")
    status, _, said = run(capsys, "compare", path, "--target", "y", "--criteria", "sm")
    assert "unexpected" not in said
    assert status in (0, 2)
