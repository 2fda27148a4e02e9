"""A small made-up population with every kind of column; nothing in it is symmetric."""

from __future__ import annotations

import numpy as np
import pandas as pd

QUASI_IDENTIFIERS = ["age", "height", "city", "zip"]


def make_people(rows: int = 400, seed: int = 3) -> pd.DataFrame:
    """Makes a table of `rows` people.

    Columns: `name` (direct identifier), `person` (id; some own several rows), `age` (int), `height` (float, a tenth
    missing), `city` (text, skewed, some missing), `zip` (int, only a code), `income` (float), `ill` (0/1, the label),
    `diagnosis` (sensitive text).
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 91, rows)
    height = np.round(rng.normal(171.5, 9.0, rows), 1)
    height[rng.random(rows) < 0.1] = np.nan
    cities = np.array(["Ulm", "Köln", "Bâle", "東京", None], dtype=object)
    city = rng.choice(cities, rows, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    ill = (rng.random(rows) < 1 / (1 + np.exp(-(age - 60) / 8))).astype(np.int64)
    return pd.DataFrame(
        {
            "name": [f"person number {i}" for i in range(rows)],
            "person": rng.integers(0, max(rows // 2, 1), rows),
            "age": age,
            "height": height,
            "city": city,
            "zip": rng.choice([89073, 50667, 4051, 1000001], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "income": np.round(rng.lognormal(10, 0.5, rows), 2),
            "ill": ill,
            "diagnosis": rng.choice(["flu", "cold", "angina", "gout"], rows, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


def guide_for(people: pd.DataFrame) -> np.ndarray:
    """A plausible model's probabilities of being ill, shape (n,)."""
    return 1 / (1 + np.exp(-(people["age"].to_numpy() - 60) / 8))
