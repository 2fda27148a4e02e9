"""Poisson samples of people: every person is in a step's sample by a coin of their own, and gives one row to it.

The accountant's figure is for exactly this. Batches of a fixed size out of a shuffled data set are something else:
their privacy is not known to be that of Poisson samples, and has been shown to be worse (Chua et al. 2024).

Example:
    >>> from tfx_anonymizer.differential_privacy.coins import Coins
    >>> people = People.of_rows(4, ["ann", "bob", "ann", "ann"])
    >>> len(people), people.draw(1.0, Coins(seed=0)).size
    (2, 2)
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd

from tfx_anonymizer.differential_privacy.coins import Coins, Ints
from tfx_anonymizer.errors import ColumnError, InputDataError


@dataclasses.dataclass(frozen=True)
class People:
    """Whose row is whose.

    Attributes:
        rows: Row numbers, those of one person side by side, int64, shape (n,).
        starts: Where each person's rows begin in `rows`, int64, shape (people,).
        counts: How many rows each person has, int64, shape (people,).
    """

    rows: Ints
    starts: Ints
    counts: Ints

    @classmethod
    def of_rows(cls, rows: int, entity_ids: Any = None) -> People:
        """Groups rows by person.

        Args:
            rows: How many there are.
            entity_ids: Whose row each is, shape (n,); None: each row is a person.

        Raises:
            ColumnError: If an id is missing: nobody could say whose that row is.
            InputDataError: If there are not as many ids as rows, or no rows.
        """
        if rows < 1:
            raise InputDataError("there is nothing to train on", got="0 rows")
        if entity_ids is None:
            every = np.arange(rows, dtype=np.int64)
            return cls(every, every, np.ones(rows, dtype=np.int64))
        ids = np.asarray(entity_ids)
        if ids.ndim == 2 and ids.shape[1] == 1:
            ids = ids[:, 0]
        if ids.shape != (rows,):
            raise InputDataError("entity_ids is not one id a row", got=f"shape {ids.shape} for {rows} rows")
        codes, _ = pd.factorize(ids)
        missing = int((codes < 0).sum())
        if missing:
            raise ColumnError(
                "entity_ids does not say whose row each is",
                got=f"{missing} rows without an id",
                hint="leave these rows out, or give each an id of its own if they are different people",
            )
        counts = np.bincount(codes).astype(np.int64)
        return cls(np.argsort(codes, kind="stable").astype(np.int64), np.cumsum(counts) - counts, counts)

    def __len__(self) -> int:
        """Returns how many people there are."""
        return len(self.counts)

    def draw(self, probability: float, coins: Coins) -> Ints:
        """Draws one step's sample.

        Args:
            probability: With which a person is in it.
            coins: Where chance comes from.

        Returns:
            One row of each person drawn, any of theirs alike; int64, shape (drawn,). It may be empty.
        """
        drawn = np.flatnonzero(coins.flips(len(self), probability))
        place = self.starts[drawn]
        if len(self.rows) > len(self):
            place = place + coins.choices(self.counts[drawn])
        return np.asarray(self.rows[place], dtype=np.int64)
