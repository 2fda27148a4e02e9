"""The paper's data, attribute sets and splits (Goldsteen et al., section 5.1 and Table 4)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

from tfx_anonymizer.datasets import read_adult, read_nursery

# The order in which the paper drops attributes: 12 are all, then without the last two, then without four.
ADULT = (
    "workclass",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
    "age",
    "hours-per-week",
    "capital-gain",
    "capital-loss",
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A data set and the columns of it that an outsider may know.

    Attributes:
        name: Such as `adult-12`.
        features: What models learn from, n rows.
        label: What they learn, shape (n,).
        quasi_identifiers: The columns that are anonymized.
        categorical: Columns that hold no numbers.
    """

    name: str
    features: pd.DataFrame
    label: pd.Series
    quasi_identifiers: tuple[str, ...]
    categorical: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Split:
    """Rows to train on, and rows that neither the model nor the anonymizer ever sees.

    Attributes:
        train: Features, shape (n, features).
        label: Their labels, shape (n,).
        test: Features of held-out rows.
        test_label: Their labels.
    """

    train: pd.DataFrame
    label: pd.Series
    test: pd.DataFrame
    test_label: pd.Series


def load_case(name: str, folder: Path) -> Case:
    """Reads a case.

    Args:
        name: `adult-12`, `adult-10`, `adult-8` or `nursery-8`; the number says how many quasi-identifiers.
        folder: Where UCI's files lie.
    """
    data, _, count = name.partition("-")
    if data == "nursery":
        table = read_nursery(folder)
        label = table.columns[-1]
        # Two rows of 12,960 have this label: too few for a split.
        table = table[table[label] != "recommend"].reset_index(drop=True)
        columns = tuple(table.columns[: int(count)])
        return Case(name, table[list(table.columns[:-1])], table[label], columns, tuple(table.columns[:-1]))
    table = pd.concat([read_adult(folder, split) for split in ("train", "test")], ignore_index=True)
    features = table[list(ADULT)]
    categorical = tuple(name for name in ADULT if not pd.api.types.is_numeric_dtype(features[name]))
    return Case(name, features, table[table.columns[-1]], ADULT[: int(count)], categorical)


def split(case: Case, seed: int) -> Split:
    """Draws 40 % of the rows to train on; the rest is held out.

    The paper holds out a fifth for a part of its attacks too; here all of it is used, for a steadier figure.
    """
    train, test, label, test_label = train_test_split(
        case.features, case.label, train_size=0.4, random_state=seed, stratify=case.label
    )
    return Split(*(part.reset_index(drop=True) for part in (train, label, test, test_label)))
