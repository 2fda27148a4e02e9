"""UCI Adult and Nursery as tables: column names given, blanks stripped, `?` missing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tfx_anonymizer.errors import InputDataError

ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
NURSERY_COLUMNS = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "class")


def read_adult(folder: str | Path, split: str = "train") -> pd.DataFrame:
    """Reads UCI Adult.

    Args:
        folder: Where `adult.data` and `adult.test` lie.
        split: `train` (32,561 rows) or `test` (16,281).

    Returns:
        A table of `ADULT_COLUMNS`; `income` is 1 above 50,000 dollars and 0 else, `?` is missing.

    Raises:
        InputDataError: If the file is not there.
    """
    # The test file begins with a line of comment, and its labels end in a full stop.
    name, skip = ("adult.data", 0) if split == "train" else ("adult.test", 1)
    table = pd.read_csv(
        _existing(folder, name), names=list(ADULT_COLUMNS), skiprows=skip, skipinitialspace=True, na_values="?"
    )
    table["income"] = table["income"].str.rstrip(".").eq(">50K").astype("int64")
    return table


def read_nursery(folder: str | Path) -> pd.DataFrame:
    """Reads UCI Nursery, 12,960 rows of `NURSERY_COLUMNS`, all text; the label is `class`.

    Raises:
        InputDataError: If the file is not there.
    """
    table = pd.read_csv(_existing(folder, "nursery.data"), names=list(NURSERY_COLUMNS), keep_default_na=False)
    return table.dropna(how="all")


def _existing(folder: str | Path, name: str) -> Path:
    path = Path(folder) / name
    if not path.is_file():
        raise InputDataError(f"{path} does not exist", hint="tfx-anonymizer fetch adult --out DIR downloads it")
    return path
