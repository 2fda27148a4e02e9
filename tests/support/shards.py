"""Tables whose shards are hard to get right: skewed, heavy with duplicates, with people of many rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

QUASI_IDENTIFIERS = ["age", "city", "zip"]


def skewed_people(rows: int, seed: int = 0) -> pd.DataFrame:
    """A population in which some values are everybody's and some nobody else's.

    Args:
        rows: Its rows.
        seed: Seed of all that is drawn.
    """
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(rows) < 0.4, 40.0, np.round(rng.gamma(6.0, 7.0, rows)))
    names = np.array(["Ulm", "Köln", "東京", None, "Bonn"], dtype=object)
    illnesses = np.array(["flu", "gout", "cold", None], dtype=object)
    city = rng.choice(names, rows, p=[0.7, 0.15, 0.1, 0.04, 0.01])
    zip_code = np.minimum(rng.zipf(1.4, rows), 5000)
    risk = 1 / (1 + np.exp(-(age - 45) / 10 - (city == "Köln")))
    return pd.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.05, np.nan, age),
            "city": city,
            "zip": zip_code,
            # A few people have a great many rows.
            "person": np.minimum(rng.zipf(1.2, rows), rows) % max(rows // 2, 1),
            "ill": (rng.random(rows) < risk).astype(int),
            "diagnosis": rng.choice(illnesses, rows, p=[0.6, 0.2, 0.1, 0.1]),
            "dose": rng.choice([0.0, 1.0, 2.5, 9.0], rows, p=[0.7, 0.1, 0.1, 0.1]),
            "number": np.arange(rows),
        }
    )
