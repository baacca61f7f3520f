"""Lines and tables as the commands print them."""

from inside import aligned, labelled


def test_texts_stand_after_their_names_unless_they_are_empty():
    assert labelled({"kernel": "Linear()", "nested": "", "runner-up": "none"}) == (
        "kernel     Linear()\nrunner-up  none"
    )


def test_columns_are_as_wide_as_their_longest_cell():
    rows = [("name", "value", "note"), ("sm", "1", ""), ("kfold", "0.25", "a note")]
    assert aligned(rows, right=("value",)).splitlines() == [
        "name   value  note",
        "sm         1",
        "kfold   0.25  a note",
    ]
