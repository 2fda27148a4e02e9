"""Whom an audit is about: records that were trained on and records that were not, and what a model says of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.attacks.scores import confidence_of_classes, confidence_of_numbers
from tfx_anonymizer.auditing.settings import LEAST_RECORDS
from tfx_anonymizer.errors import GuideError, InputDataError, unknown_column
from tfx_anonymizer.guides.features import infer_task, label_values
from tfx_anonymizer.hashing import row_hashes

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
Answer = Callable[[pa.Table], npt.NDArray[Any]]


@dataclasses.dataclass(frozen=True)
class Subject:
    """The records of an audit.

    Attributes:
        table: n rows of single-valued columns as they are, not anonymized; missing as null.
        members: Whether the target was trained on a record, or on its anonymized form; bool, shape (n,).
        label: The column the target predicts; no row without it.
        classes: Its values in the order of a model's outputs, as text; empty if it is a number.
        rows: Where each record stood among members and others, one below the other, as they were given; int64, (n,).
        by_coin: Whether a fair coin of its own decided for every record whether it is a member.
    """

    table: pa.Table
    members: Bools
    rows: Rows
    label: str
    classes: tuple[str, ...]
    by_coin: bool = False

    @property
    def task(self) -> str:
        """`classification` or `regression`."""
        return "classification" if self.classes else "regression"

    def codes(self) -> npt.NDArray[np.int64]:
        """Returns the place of each record's label among `classes`, -1 for one that is none of them; shape (n,)."""
        texts = label_values(self.table.column(self.label), "classification")
        place = {name: number for number, name in enumerate(self.classes)}
        return np.array([place.get(text, -1) for text in texts], dtype=np.int64)

    def confidence(self, answers: npt.NDArray[Any], spread: float | None = None) -> Floats:
        """Returns what a model gives to what is true of each record, float64, shape (n,); see `attacks.scores`.

        Args:
            answers: The model's for every record, shape (n,) or (n, outputs).
            spread: Standard deviation of errors, where the label is a number.
        """
        if self.task == "classification":
            return confidence_of_classes(probabilities(answers, len(self.classes)), self.codes())
        predicted, wanted = self.numbers(answers)
        return confidence_of_numbers(predicted, wanted, spread or self.spread(answers))

    def spread(self, answers: npt.NDArray[Any]) -> float:
        """Returns the standard deviation of a model's errors on non-members, where the label is a number."""
        predicted, wanted = self.numbers(answers)
        return float(np.sqrt(np.mean((predicted - wanted)[~self.members] ** 2)))

    def numbers(self, answers: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """Returns predicted and true numbers, each of shape (n,)."""
        predicted = np.asarray(answers, dtype=np.float64).reshape(len(self.members), -1)
        if predicted.shape[1] != 1:
            raise GuideError(
                f"label {self.label!r} is a number, but the model has {predicted.shape[1]} outputs",
                hint="name the label's classes, in the order of the outputs, with label_classes",
            )
        wanted = label_values(self.table.column(self.label), "regression")
        return predicted[:, 0], np.asarray(wanted, dtype=np.float64)


def make_subject(
    members: pa.Table,
    others: pa.Table,
    label: str,
    *,
    records: int,
    classes: Sequence[str] = (),
    entity_id: str | None = None,
    by_coin: bool = False,
    seed: int = 0,
) -> Subject:
    """Puts together whom an audit is about.

    Args:
        members: Rows that were trained on, single-valued columns.
        others: Rows of the same population that were not.
        label: The column the target predicts; rows without it are left out.
        records: Most members and most others.
        classes: The label's values in the order of the target's outputs; empty: in sorted order, or a number.
        entity_id: The column that says whose row it is; of each person one row is judged, and who has rows on both
            sides is left out.
        by_coin: Whether members were drawn by coin. Rows alike were drawn together, so each is judged once.
        seed: Of the draw, where there are more.

    Raises:
        ColumnError: If the label is absent.
        InputDataError: If fewer than 50 are left on either side.
    """
    tables = (members, others)
    sides = []
    for table in tables:
        if label not in table.column_names:
            raise unknown_column(label, "label", table.column_names)
        sides.append(np.flatnonzero(np.asarray(table.column(label).is_valid())))
    if entity_id is not None:
        sides = _one_row_a_person(tables, sides, entity_id, seed)
    if by_coin:
        sides = [_distinct(table, rows) for table, rows in zip(tables, sides, strict=True)]
    sides = _drawn(tables, sides, records, seed, together=by_coin)
    for name, rows in zip(("members", "non-members"), sides, strict=True):
        if len(rows) < LEAST_RECORDS:
            raise InputDataError(
                f"too few {name} to audit", got=f"{len(rows)} records", allowed=f"{LEAST_RECORDS} or more"
            )
    chosen = [table.take(pa.array(rows)) for table, rows in zip(tables, sides, strict=True)]
    whole = pa.concat_tables([_like(table, chosen[0].schema) for table in chosen])
    named = tuple(classes) or _classes(whole.column(label))
    inside = np.arange(whole.num_rows) < len(sides[0])
    places = np.concatenate([sides[0], sides[1] + members.num_rows])
    return Subject(whole, inside, places, label, named, by_coin)


def probabilities(answers: npt.NDArray[Any], classes: int) -> Floats:
    """Brings a model's answers into the form of probabilities.

    Args:
        answers: Probabilities or logits of every class, or of the second of two; shape (n,) or (n, outputs).
        classes: How many classes the label has.

    Returns:
        float64, shape (n, classes); rows sum to 1.

    Raises:
        GuideError: If the number of outputs fits no such reading.

    Example:
        >>> probabilities(np.array([0.25, 1.0]), 2).tolist()
        [[0.75, 0.25], [0.0, 1.0]]
        >>> probabilities(np.array([[0.0, 0.0]]), 2).tolist()
        [[0.5, 0.5]]
    """
    values = np.asarray(answers, dtype=np.float64).reshape(len(answers), -1)
    if not np.isfinite(values).all():
        raise GuideError("the model answers with what is no number")
    if values.shape[1] == 1 and classes == 2:
        inside = (values >= 0).all() and (values <= 1).all()
        second = values[:, 0] if inside else 1 / (1 + np.exp(-np.clip(values[:, 0], -500, 500)))
        return np.stack([1 - second, second], axis=1)
    if values.shape[1] != classes:
        raise GuideError(
            "the model's outputs are not the label's classes",
            got=f"{values.shape[1]} outputs and {classes} classes",
            hint="name the classes, in the order of the outputs, with label_classes",
        )
    sums = values.sum(axis=1, keepdims=True)
    if (values >= 0).all() and np.allclose(sums, 1.0, atol=1e-3):
        return np.asarray(values / sums, dtype=np.float64)
    shifted = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), dtype=np.float64)


def _classes(label: pa.ChunkedArray) -> tuple[str, ...]:
    if infer_task(label) == "regression":
        return ()
    distinct = pc.unique(label).to_pylist()
    # Numbers in the order of numbers: "10" comes after "9".
    texts = label_values(pa.array(sorted(distinct), label.type), "classification")
    return tuple(dict.fromkeys(str(text) for text in texts))


def _like(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Brings a table to another's columns; one that is absent is missing in all rows."""
    columns = {}
    for field in schema:
        if field.name not in table.column_names:
            columns[field.name] = pa.nulls(table.num_rows, field.type)
            continue
        column = table.column(field.name)
        try:
            columns[field.name] = column if column.type == field.type else column.cast(field.type)
        except pa.ArrowInvalid:
            raise InputDataError(
                f"column {field.name!r} is of another type among non-members", got=column.type, allowed=field.type
            ) from None
    return pa.table(columns, schema=schema)


def _drawn(tables: Sequence[pa.Table], sides: Sequence[Rows], records: int, seed: int, *, together: bool) -> list[Rows]:
    """Draws rows by their content: so many of either side, or twice as many of both, as they come.

    Where a coin drew members, a fixed number on either side would make the coins depend on each other.
    """
    hashes = [row_hashes(table.take(pa.array(rows)), seed) for table, rows in zip(tables, sides, strict=True)]
    orders = [np.argsort(found, kind="stable") for found in hashes]
    if not together:
        return [rows[order[:records]] for rows, order in zip(sides, orders, strict=True)]
    whole = np.sort(np.concatenate(hashes))
    if not len(whole):
        return list(sides)
    last = whole[min(2 * records, len(whole)) - 1]
    return [rows[order[found[order] <= last]] for rows, order, found in zip(sides, orders, hashes, strict=True)]


def _distinct(table: pa.Table, rows: Rows) -> Rows:
    _, first = np.unique(row_hashes(table.take(pa.array(rows))), return_index=True)
    return rows[np.sort(first)]


def _one_row_a_person(tables: Sequence[pa.Table], sides: Sequence[Rows], entity_id: str, seed: int) -> list[Rows]:
    people = []
    for table, rows in zip(tables, sides, strict=True):
        if entity_id not in table.column_names:
            raise unknown_column(entity_id, "entity_id", table.column_names)
        people.append(row_hashes(table.select([entity_id]).take(pa.array(rows))))
    both = np.intersect1d(people[0], people[1])
    kept = []
    for table, rows, who in zip(tables, sides, people, strict=True):
        order = np.argsort(row_hashes(table.take(pa.array(rows)), seed), kind="stable")
        _, first = np.unique(who[order], return_index=True)
        chosen = order[first]
        kept.append(rows[np.sort(chosen[~np.isin(who[chosen], both)])])
    return kept
