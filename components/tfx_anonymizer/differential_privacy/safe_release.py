"""Accuracy-guided anonymization with a theorem: a differentially private release of records that are not made up.

The generalization (guide, partition, representatives) comes from people of its own, the design split. Of the others
each is drawn by a secret coin, generalized, and published if k or more of those drawn are alike in every published
column, the label among them. `safe_sampling` says what that promises.

Example:
    >>> import numpy as np, pandas as pd
    >>> age = np.random.default_rng(0).integers(20, 80, 6000)
    >>> table = pd.DataFrame({"age": age, "ill": (age > 50).astype(int), "name": "x"})
    >>> design, people = disjoint_split(table, share=0.3)
    >>> budget = Budget(epsilon=1.0, delta=1e-6)
    >>> anonymizer = SafeAnonymizer(["age"], label="ill", budget=budget, partitioner="guided_tree")
    >>> release = anonymizer.fit(design).release(people)
    >>> list(release.table.columns), release.k, bool(release.table.groupby(["age", "ill"]).size().min() >= 74)
    (['age', 'ill'], 74, True)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tfx_anonymizer.core import AccuracyGuidedAnonymizer, measure_privacy
from tfx_anonymizer.core.columns import Table, column_names, people_of, read_column
from tfx_anonymizer.core.row_order import content_hashes
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.coins import Bools, Coins, Ints
from tfx_anonymizer.differential_privacy.safe_sampling import check_sampling, greatest_sampling, least_k, sampling_delta
from tfx_anonymizer.errors import GuaranteeError, PolicyError, unknown_column

COVERS = "people of the release split: what one of them, more or less, changes in the published records"
DOES_NOT_COVER = (
    "people of the design split: cut points and representatives come from them, without noise, in classes of k or more",
    "the choice of parameters after looking at the data",
    "other releases of the same people: their budgets add up",
    "models and statistics of the same people that were not computed from the published records",
)


@dataclasses.dataclass(frozen=True)
class SafeRelease:
    """Published records and what they keep.

    Attributes:
        table: The records, of the type that was given, in random order and with the published columns only.
        epsilon: Bound for people of the release split, who add or remove one.
        delta: The chance that it fails, as the theorem has it; at most the budget's.
        sampling: With which probability a person was drawn.
        k: Least number of records that are alike in all published columns.
        columns: The published columns.
    """

    table: Any
    epsilon: float
    delta: float
    sampling: float
    k: int
    columns: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns all but the records, JSON-ready, with what is covered and what is not."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "sampling": self.sampling,
            "k": self.k,
            "columns": list(self.columns),
            "records": len(self.table),
            "theorem": "Li, Qardaji and Su (2012), arXiv 1101.2604",
            "neighbours": "add or remove one person of the release split",
            "covers": COVERS,
            "does_not_cover": list(DOES_NOT_COVER),
        }


class SafeAnonymizer:
    """Anonymizes people by a generalization that was made from others, and samples, so that the release is private.

    Args:
        quasi_identifiers: The published columns but for the label; every other column is left out of the release.
        label: A column that is published as it is, and counted with the rest. Its values must be few.
        budget: What the release may spend.
        sampling: Probability with which a person is drawn; default: 1 - exp(-epsilon), the greatest. Less needs a
            smaller k and publishes fewer people.
        k: Least number of records that are alike; default: the least that keeps the budget.
        design_k: Least number of design people in a class; default: k.
        entity_id: The column that says whose row it is. Of each person one row is drawn, and nobody may be in both
            splits.
        **method: Of `AccuracyGuidedAnonymizer`: `categorical`, `partitioner`, `representative`, `effort`, `student`,
            `random_state`.

    Attributes:
        k: As above.
        sampling: As above.

    Raises:
        PolicyError: If a parameter is out of range.
        GuaranteeError: If k is too small for the budget.
    """

    def __init__(
        self,
        quasi_identifiers: Sequence[str],
        *,
        budget: Budget,
        label: str | None = None,
        sampling: float | None = None,
        k: int | None = None,
        design_k: int | None = None,
        entity_id: str | None = None,
        **method: Any,
    ) -> None:
        self.budget = budget
        self.sampling = greatest_sampling(budget.epsilon) if sampling is None else sampling
        check_sampling(self.sampling, budget.epsilon)
        least = max(least_k(budget, self.sampling), 2)
        self.k = least if k is None else k
        if self.k < least:
            raise GuaranteeError("k is too small for the budget", got=k, allowed=f"{least} or more, or more delta")
        self.entity_id = entity_id
        self.columns = tuple(dict.fromkeys((*quasi_identifiers, *(() if label is None else (label,)))))
        self._anonymizer = AccuracyGuidedAnonymizer(
            quasi_identifiers, self.k if design_k is None else design_k, label=label, entity_id=entity_id, **method
        )
        self._design: Any = None

    def fit(self, design: Table, guide: Any = None) -> SafeAnonymizer:
        """Makes the generalization from people who will not be released.

        Args:
            design: Their rows; see `AccuracyGuidedAnonymizer.fit`.
            guide: What a model says of them, shape (n,) or (n, classes). The model must not know the others either.

        Returns:
            self

        Raises:
            AnonymizerError: As `AccuracyGuidedAnonymizer.fit` does.
        """
        self._anonymizer.fit(design, guide)
        self._design = self._whose(design)
        return self

    @property
    def generalization(self) -> Any:
        """The fitted `Generalization`; it holds values of the design split."""
        return self._anonymizer.generalization_

    def release(self, people: Table, *, seed: int | None = None) -> SafeRelease:
        """Draws people and publishes those who are k or more alike.

        Args:
            people: Rows of people who had no part in `fit`, pandas or Arrow.
            seed: For rehearsals only: whoever knows it knows who was drawn, and the release is not private.

        Returns:
            The release; its epsilon is infinite if a seed was given.

        Raises:
            PolicyError: If `fit` was not called.
            ColumnError: If a column is absent or of another type than in `fit`, or an id is missing.
            GuaranteeError: If people of the design split are among them, delta is too large for so many, or no cell
                reaches k.
        """
        if self._design is None:
            raise PolicyError("release was called before fit", hint="fit(design, guide) with people of their own")
        for name in (*self.columns, *(() if self.entity_id is None else (self.entity_id,))):
            if name not in column_names(people):
                raise unknown_column(name, "the release", column_names(people))
        self._check_disjoint(people)
        coins = Coins(seed)
        chosen = one_row_each(people, self.entity_id, coins)
        self.budget.check_for(len(chosen))
        drawn = chosen[coins.flips(len(chosen), self.sampling)]
        table = self.generalization.apply(_rows(people, drawn, self.columns))
        published = _rows(table, np.flatnonzero(large_cells(cells_of(table, self.columns), self.k)), self.columns)
        if not len(published):
            raise GuaranteeError(
                "no combination of the published columns is common enough to be released",
                allowed=f"{self.k} records alike",
                hint="fewer columns, a larger design_k, or more people",
            )
        published = _without_traces(_rows(published, coins.permutation(len(published)), self.columns))
        if measure_privacy(published, self.columns).k < self.k:
            raise GuaranteeError("the release was counted again and does not keep k", allowed=f"k={self.k}")
        delta = sampling_delta(self.k, self.sampling, self.budget.epsilon)
        epsilon = self.budget.epsilon if coins.secret else float("inf")
        return SafeRelease(published, epsilon, delta, self.sampling, self.k, self.columns)

    def _whose(self, table: Table) -> Any:
        if self.entity_id is None:
            return np.sort(content_hashes(table))
        return np.unique(content_hashes(pa.table({"id": read_column(table, self.entity_id, "entity_id")})))

    def _check_disjoint(self, people: Table) -> None:
        others = self._whose(people)
        if self.entity_id is None:
            # Different people may be alike in every column; that all of them are is another matter.
            shared = len(others) if np.array_equal(others, self._design) else 0
        else:
            shared = len(np.intersect1d(others, self._design))
        if shared:
            raise GuaranteeError(
                "people of the design split are to be released, whom the guarantee would not cover",
                got=f"{shared} of them",
                hint="disjoint_split(table, share=0.3, entity_id=…) draws two splits without common people",
            )


def disjoint_split(
    table: Any, share: float = 0.3, *, entity_id: str | None = None, seed: int | None = None
) -> tuple[Any, Any]:
    """Draws a design split by a coin for each person.

    Args:
        table: pandas or Arrow, n rows.
        share: Probability with which a person is in the design split, above 0 and below 1.
        entity_id: The column that says whose row it is; None: each row is a person.
        seed: None: nobody can guess who is in it.

    Returns:
        The design split and the rest, of the same type.

    Raises:
        PolicyError: If the share is out of range.
        ColumnError: If the column of ids is absent, or misses values.
    """
    if isinstance(share, bool) or not 0.0 < share < 1.0:
        raise PolicyError("share is out of range", got=repr(share), allowed="a number above 0 and below 1")
    whose = np.arange(len(table)) if entity_id is None else people_of(table, entity_id)
    heads = Coins(seed).flips(int(whose.max(initial=-1)) + 1, share)[whose]
    names = column_names(table)
    return _rows(table, np.flatnonzero(heads), names), _rows(table, np.flatnonzero(~heads), names)


def one_row_each(table: Table, entity_id: str | None, coins: Coins) -> Ints:
    """Chooses one row of each person, any of theirs alike; row numbers, int64, shape (people,)."""
    if entity_id is None:
        return np.arange(len(table), dtype=np.int64)
    order = coins.permutation(len(table))
    _, first = np.unique(people_of(table, entity_id)[order], return_index=True)
    return np.asarray(order[first], dtype=np.int64)


def cells_of(table: Table, columns: Sequence[str]) -> Ints:
    """Numbers the combinations of columns; missing is a value. Returns each row's, int64, shape (n,)."""
    codes = [_codes(read_column(table, name, "the release")) for name in columns]
    _, cells = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    return np.asarray(cells, dtype=np.int64).reshape(-1)


def large_cells(cells: Ints, k: int) -> Bools:
    """Tells which rows are in cells of k or more; bool, shape (n,)."""
    kept: Bools = np.bincount(cells)[cells] >= k if len(cells) else np.zeros(0, dtype=np.bool_)
    return kept


def _codes(array: pa.Array) -> Ints:
    encoded = array.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(len(encoded.dictionary)), dtype=np.int64)


def _rows(table: Any, rows: Ints, columns: Sequence[str]) -> Any:
    if isinstance(table, pd.DataFrame):
        return table[list(columns)].iloc[rows].reset_index(drop=True)
    return table.select(list(columns)).take(pa.array(rows))


def _without_traces(table: Any) -> Any:
    """Takes out what a column's type tells of values that are not released: categories, dictionaries, metadata."""
    if isinstance(table, pd.DataFrame):
        table.attrs = {}
        for name in table.columns:
            if isinstance(table[name].dtype, pd.CategoricalDtype):
                table[name] = table[name].cat.remove_unused_categories()
        return table
    columns = {}
    for field in table.schema:
        column = table.column(field.name).combine_chunks()
        if pa.types.is_dictionary(field.type):
            column = read_column(table, field.name, "the release").dictionary_encode().cast(field.type)
        columns[field.name] = column
    return pa.table(columns)
