"""CSV and Parquet in and out: cells stay as they were written, and damage is refused by name."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tfx_anonymizer.errors import InputDataError, PolicyError
from tfx_anonymizer.tables import check_output, read_table

CSV = 'id,zip,price,day,note\n1,02139,1.50,2020-01-01,"a,b"\n2,10115,?,2020-02-03,"two\nlines"\n3,02139,2,2019-12-31,\n'


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_what_cells_mean(csv):
    typed = read_table(csv, missing=("", "?")).typed
    assert [str(t) for t in typed.schema.types] == ["int64", "string", "double", "timestamp[s]", "string"]
    assert typed["price"].to_pylist() == [1.5, None, 2.0]
    assert typed["note"].null_count == 1


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "0"], "int64"),
        (["1", "2.5", "1e3"], "double"),
        (["007", "8"], "string"),
        (["1", "two"], "string"),
        (["99999999999999999999", "1"], "double"),
        (["2020-02-30", "2020-01-01"], "string"),
        (["2020-01-01 10:00", "2020-01-01 11:30"], "timestamp[s]"),
        (["+5", "3"], "string"),
        (["nan", "1"], "string"),
    ],
)
def test_types_of_columns(tmp_path, cells, kind):
    path = tmp_path / "x.csv"
    path.write_text("x\n" + "\n".join(cells) + "\n")
    assert str(read_table(path).typed.schema.field("x").type) == kind


def test_untouched_cells_come_out_to_the_letter(csv, tmp_path):
    table = read_table(csv, missing=("", "?"))
    out = tmp_path / "out.csv"
    table.write_release(out, table.typed, ["price"], [])
    lines = sorted(pd.read_csv(out, dtype=str, keep_default_na=False).itertuples(index=False))
    assert [tuple(line) for line in lines] == [
        ("1", "02139", "1.50", "2020-01-01", "a,b"),
        ("2", "10115", "?", "2020-02-03", "two\nlines"),
        ("3", "02139", "2", "2019-12-31", ""),
    ]


def test_rewritten_cells_look_as_they_did(csv, tmp_path):
    table = read_table(csv, missing=("", "?"))
    released = table.typed.set_column(2, "price", pa.array([1.5, 1.5, 1.5])).set_column(
        3, "day", table.typed["day"].take(pa.array([2, 2, 2]))
    )
    out = tmp_path / "out.csv"
    table.write_release(out, released, ["price", "day"], ["id"])
    found = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert found["price"].tolist() == ["1.50"] * 3
    assert found["day"].tolist() == ["2019-12-31"] * 3
    assert "id" not in found


def test_row_order_depends_on_the_released_rows_alone(csv, tmp_path):
    header, *rows = CSV.replace("two\nlines", "one line").splitlines()
    outputs = []
    for i, order in enumerate(([0, 1, 2], [2, 0, 1])):
        path = tmp_path / f"{i}.csv"
        path.write_text("\n".join([header, *(rows[j] for j in order)]) + "\n")
        out = tmp_path / f"{i}-out.csv"
        table = read_table(path)
        table.write_release(out, table.typed, [], [])
        outputs.append(out.read_text())
    assert outputs[0] == outputs[1]


def test_parquet_keeps_its_types(tmp_path):
    source = tmp_path / "in.parquet"
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b", "a"]), "n": pd.array([1, None, 3], "Int8")})
    frame.to_parquet(source)
    table = read_table(source)
    table.write_release(tmp_path / "out.parquet", table.typed, [], [])
    assert pq.read_schema(tmp_path / "out.parquet").equals(pq.read_schema(source))
    table.write_release(tmp_path / "out.csv", table.typed, [], [])
    assert sorted((tmp_path / "out.csv").read_text().splitlines()) == ["a,1", "a,3", "b,", "c,n"]


def test_another_delimiter(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1;x,y\n")
    table = read_table(path, delimiter=";")
    table.write_release(tmp_path / "o.csv", table.typed, [], [])
    assert (tmp_path / "o.csv").read_text() == "a;b\n1;x,y\n"


def test_exact_cells(csv):
    assert read_table(csv).exact(["zip", "price"])["price"].to_pylist() == ["1.50", "?", "2"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"", "an empty file"),
        ("a.csv", b"x,y\n", "holds no rows"),
        ("a.csv", b"x,y\n1,2\n3\n", "lines of different lengths"),
        ("a.csv", b"x\n\xff\xfe\n", "text that is not UTF-8"),
        ("a.csv", b"x,x\n1,2\n", "'x' stands twice"),
        ("a.parquet", b"PAR1 no", "not Parquet"),
        ("a.parquet", b"", "cannot be read as parquet"),
    ],
)
def test_damaged_files(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputDataError, match=says) as caught:
        read_table(path)
    assert "\xff" not in str(caught.value)


def test_a_truncated_parquet_file(tmp_path):
    path = tmp_path / "x.parquet"
    pd.DataFrame({"a": range(1000)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputDataError, match="truncated"):
        read_table(path)


def test_paths_are_checked_before_any_work(tmp_path, csv):
    with pytest.raises(InputDataError, match="does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(PolicyError, match=r"allowed: .csv or .parquet"):
        read_table(tmp_path / "x.xlsx")
    with pytest.raises(PolicyError, match="folder does not exist"):
        check_output(tmp_path / "none" / "x.csv", csv)
    with pytest.raises(PolicyError, match="is the input itself"):
        check_output(csv, csv)


def test_a_failed_write_leaves_nothing(csv, tmp_path, monkeypatch):
    table = read_table(csv)
    monkeypatch.setattr("tfx_anonymizer.tables.csv_text.write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        table.write_release(tmp_path / "out.csv", table.typed, [], [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]
