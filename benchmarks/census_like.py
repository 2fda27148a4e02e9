"""A made-up census of any size: twelve quasi-identifiers shaped like UCI Adult's, and a model's answers for them.

Real tables of a million people are not to be had; what matters to the speed of grouping is how many values each
attribute has, how skewed they are, and that the guide's answers nearly all differ.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

# How many categories each text attribute of Adult has.
CATEGORIES = {
    "workclass": 8,
    "marital_status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native_country": 41,
}
QUASI_IDENTIFIERS = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week", *CATEGORIES]


def make_census(rows: int, seed: int = 0) -> tuple[pd.DataFrame, npt.NDArray[np.float64]]:
    """Makes a table and a guide.

    Args:
        rows: Its rows.
        seed: Seed of everything drawn.

    Returns:
        (table, guide): twelve columns, five of whole numbers and seven of text; and a probability a row,
        float64, shape (rows,).
    """
    rng = np.random.default_rng(seed)
    columns: dict[str, npt.NDArray[np.object_] | npt.NDArray[np.int64]] = {
        "age": np.clip(rng.gamma(7.0, 5.5, rows), 17, 90).astype(np.int64),
        "education_num": np.clip(rng.normal(10, 2.6, rows), 1, 16).astype(np.int64),
        "capital_gain": _mostly_nothing(rng, rows, share=0.08, values=119),
        "capital_loss": _mostly_nothing(rng, rows, share=0.05, values=91),
        "hours_per_week": np.where(rng.random(rows) < 0.47, 40, np.clip(rng.normal(40, 14, rows), 1, 99)).astype(
            np.int64
        ),
    }
    logit = (columns["age"] - 38) / 14 + (columns["education_num"] - 11) / 2 + (columns["capital_gain"] > 0) * 1.5 - 2
    for name, number in CATEGORIES.items():
        names = np.array([f"{name} {i}" for i in range(number)], dtype=object)
        share = 1.0 / np.arange(1, number + 1) ** 1.3
        drawn = rng.choice(number, rows, p=share / share.sum())
        columns[name] = names[drawn]
        logit = logit + rng.normal(0, 0.7, number)[drawn]
    guide = 1 / (1 + np.exp(-logit - rng.normal(0, 0.4, rows)))
    return pd.DataFrame(columns)[QUASI_IDENTIFIERS], guide


def _mostly_nothing(rng: np.random.Generator, rows: int, share: float, values: int) -> npt.NDArray[np.int64]:
    amounts = np.sort(rng.choice(np.arange(100, 100_000), values, replace=False))
    drawn = amounts[np.minimum(rng.exponential(values / 4, rows).astype(np.int64), values - 1)]
    return np.where(rng.random(rows) < share, drawn, 0).astype(np.int64)
