"""UCI Adult, both files together, cut anew for every seed; and the public domain that its schema says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
from google.protobuf import text_format
from sklearn.model_selection import train_test_split
from tensorflow_metadata.proto.v0 import schema_pb2

from tfx_anonymizer.datasets import read_adult
from tfx_anonymizer.differential_privacy.attributes import Categorical
from tfx_anonymizer.differential_privacy.domain import Domain

LABEL = "income"
NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CATEGORIES = ("workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
FEATURES = (*NUMBERS, *CATEGORIES)
SCHEMA = Path(__file__).parents[2] / "schemas/adult.pbtxt"


@dataclasses.dataclass(frozen=True)
class Part:
    """One cut.

    Attributes:
        train: 32,561 rows of features and label.
        test: The other 16,281, which nothing is tuned on.
        seed: Of the cut.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    seed: int


def load(folder: Path) -> pd.DataFrame:
    """Reads all rows, the twelve features and the label."""
    table = pd.concat([read_adult(folder, split) for split in ("train", "test")], ignore_index=True)
    return table[[*FEATURES, LABEL]]


def cut(table: pd.DataFrame, seed: int) -> Part:
    """Draws two thirds to train on, as many as UCI's own training file has."""
    train, test = train_test_split(table, train_size=32_561, random_state=seed, stratify=table[LABEL])
    return Part(train.reset_index(drop=True), test.reset_index(drop=True), seed)


def domain(**bins: int) -> Domain:
    """Returns what the schema says may be in the rows."""
    schema = text_format.Parse(SCHEMA.read_text(encoding="utf-8"), schema_pb2.Schema())
    return Domain.from_schema(schema, label=LABEL, **bins)


def categories() -> dict[str, tuple[str, ...]]:
    """Returns what the schema says each categorical feature may be, `?` standing for missing."""
    return {
        attribute.name: (*map(str, attribute.values), "?")
        for attribute in domain().attributes
        if isinstance(attribute, Categorical)
    }
