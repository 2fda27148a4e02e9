"""Small tables with public domains, for tests of differential privacy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from tfx_anonymizer.differential_privacy.attributes import Categorical, Numeric
from tfx_anonymizer.differential_privacy.domain import Domain

DOMAIN = Domain(
    (
        Numeric.between("age", 0, 99, integer=True, bins=5),
        Categorical("city", ("Ulm", "Bonn", "東京"), optional=True),
        Numeric.between("height", 100.0, 220.0, integer=False, bins=4, optional=True),
    ),
    Categorical("ill", (0, 1)),
)

# The domain of tests.support.people.
PEOPLE_SCHEMA = """
    feature { name: "name" type: BYTES annotation { tag: "direct_identifier" } }
    feature { name: "person" type: INT }
    feature { name: "age" type: INT int_domain { min: 18 max: 90 } value_count { min: 1 max: 1 } }
    feature { name: "height" type: FLOAT float_domain { min: 120 max: 220 } presence { min_fraction: 1.0 } }
    feature { name: "city" type: BYTES string_domain { value: "Ulm" value: "Köln" value: "Bâle" value: "other" } }
    feature { name: "zip" type: INT }
    feature { name: "income" type: FLOAT float_domain { min: 0 max: 1000000 } value_count { min: 1 max: 1 } }
    feature {
      name: "ill" type: INT int_domain { min: 0 max: 1 } value_count { min: 1 max: 1 } annotation { tag: "label" }
    }
    feature { name: "diagnosis" type: BYTES domain: "diagnoses" value_count { min: 1 max: 1 } }
    string_domain { name: "diagnoses" value: "flu" value: "cold" value: "angina" value: "gout" }
"""


def schema_of(text: str) -> schema_pb2.Schema:
    return text_format.Parse(text, schema_pb2.Schema())


def random_table(rows: int, seed: int) -> pa.Table:
    """A table in `DOMAIN`, with values missing, unknown and out of bounds, and a column `who` of few people."""
    random = np.random.default_rng(seed)
    age = random.integers(-20, 140, rows)
    height = np.where(random.random(rows) < 0.2, np.nan, random.normal(170, 40, rows))
    city = random.choice(np.array(["Ulm", "Bonn", "東京", "Atlantis", None], dtype=object), rows)
    return pa.table(
        {
            "age": age,
            "height": height,
            "city": pa.array(city, pa.string()),
            "ill": random.integers(0, 3, rows),
            "who": random.integers(0, max(1, rows // 3), rows),
        }
    )


def structured_table(rows: int, seed: int = 0) -> pa.Table:
    """A table in `DOMAIN` in which age, city and height say much of being ill."""
    random = np.random.default_rng(seed)
    ill = (random.random(rows) < 0.4).astype(np.int64)
    age = np.clip(random.normal(30 + 40 * ill, 10), 0, 99).astype(np.int64)
    city = np.where(random.random(rows) < 0.2 + 0.6 * ill, "Ulm", "Bonn")
    height = np.clip(random.normal(180 - 20 * ill, 8), 100, 220)
    return pa.table({"age": age, "city": city, "height": height, "ill": ill})
