"""The document's table is the code's, and every published figure lies in our range or next to it."""

from pathlib import Path

from rental.choosing.published import rows, table


def test_the_document_holds_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "worksheet.md").read_text()
    assert page.split("<!-- table -->\n")[1].split("\n<!-- end of table -->")[0] == table()


def test_every_published_figure_is_met_within_one_percent() -> None:
    assert len(rows()) >= 20
    assert sum(row.measured for row in rows()) >= 6
    assert len({row.source for row in rows()}) >= 8
    for row in rows():
        assert row.low <= row.high, row.what
        assert abs(row.error) < 0.01, (row.what, row.error)
