"""What a table's columns may be, and what may be asked of it; proposals for a person to decide on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tfx_anonymizer.errors import InputDataError, PolicyError, unknown_column
from tfx_anonymizer.inspection import patterns
from tfx_anonymizer.inspection.columns import ColumnFacts, codes_of, describe
from tfx_anonymizer.inspection.uniqueness import SetFacts, grow_sets, measure_set

DIRECT, PERSON, LABEL, KNOWN, SPECIAL, NOTHING, OTHER = (
    "direct identifier", "entity id", "label", "quasi-identifier", "special category", "constant", "other"
)  # fmt: skip
# A class for each value of such a column would be a class for a handful of people.
_MANY_VALUES = 100


@dataclasses.dataclass(frozen=True)
class Advice:
    """What was found in a table.

    Attributes:
        rows: Number of rows.
        people: Number of distinct people, if a column tells whose row it is.
        k: The k that was asked about.
        columns: Facts about each column, in the table's order.
        roles: What each column may be, by name.
        sets: What sets of columns single out, growing by a column each.
        proposed: What the proposed quasi-identifiers single out together; None if none is proposed.
        warnings: What to look at before going on.
    """

    rows: int
    people: int | None
    k: int
    columns: tuple[ColumnFacts, ...]
    roles: Mapping[str, str]
    sets: tuple[SetFacts, ...]
    proposed: SetFacts | None
    warnings: tuple[str, ...]

    def of_role(self, role: str) -> tuple[str, ...]:
        """Returns the columns that may be of a role, in the table's order."""
        return tuple(name for name, found in self.roles.items() if found == role)

    def to_dict(self) -> dict[str, Any]:
        """Returns the advice as JSON-ready values."""
        return {**dataclasses.asdict(self), "roles": dict(self.roles)}


def inspect_table(table: pa.Table, *, label: str | None = None, entity_id: str | None = None, k: int = 50) -> Advice:
    """Looks at every column, and at what they tell together.

    Args:
        table: n rows.
        label: The column that a model is to predict, if it is known.
        entity_id: The column that says whose row it is, if it is known.
        k: The k to ask about, at least 2.

    Returns:
        Proposals, with counts and shares and no value of any record.

    Raises:
        ColumnError: If a named column is absent.
        InputDataError: If there are no rows.
        PolicyError: If k is out of range.

    Example:
        >>> people = pa.table({"age": [30, 31, 30, 31], "zip": ["a", "a", "b", "c"], "ill": [0, 1, 0, 1]})
        >>> advice = inspect_table(people, label="ill", k=2)
        >>> advice.of_role("quasi-identifier"), advice.proposed.unique
        (('age', 'zip'), 1.0)
    """
    if k < 2:
        raise PolicyError("k is out of range", got=k, allowed="an integer of 2 or more")
    for role, named in (("label", label), ("entity_id", entity_id)):
        if named is not None and named not in table.column_names:
            raise unknown_column(named, role, table.column_names)
    if not table.num_rows:
        raise InputDataError("the table holds no rows")
    codes = {name: codes_of(table.column(name)) for name in table.column_names}
    facts = tuple(describe(name, table.column(name), codes[name]) for name in table.column_names)
    roles = {one.name: _role(one, label, entity_id) for one in facts}
    telling = {name: codes[name] for name, role in roles.items() if role in (KNOWN, SPECIAL, OTHER)}
    sets = tuple(grow_sets(telling, k)) if telling else ()
    # What singles people out is a quasi-identifier, whatever its name.
    for name in sets[-1].columns if sets else ():
        if roles[name] == OTHER:
            roles[name] = KNOWN
    chosen = [name for name, role in roles.items() if role in (KNOWN, SPECIAL)]
    owner = entity_id or next((name for name, role in roles.items() if role == PERSON), None)
    people = None if owner is None else len(np.unique(codes[owner]))
    return Advice(
        rows=table.num_rows,
        people=people,
        k=k,
        columns=facts,
        roles=roles,
        sets=sets,
        proposed=measure_set(codes, chosen, k) if chosen else None,
        warnings=tuple(_warnings(facts, roles, people or table.num_rows, k)),
    )


def _role(column: ColumnFacts, label: str | None, entity_id: str | None) -> str:
    if column.name in (label, entity_id):
        return LABEL if column.name == label else PERSON
    if column.is_constant:
        return NOTHING
    if _is_direct(column):
        return DIRECT
    if patterns.names_a_person_id(column.name):
        return PERSON
    if patterns.names_a_special_category(column.name):
        return SPECIAL
    return KNOWN if patterns.names_what_others_know(column.name) else OTHER


def _is_direct(column: ColumnFacts) -> bool:
    name = column.name
    if patterns.names_a_person_id(name):
        # Without two rows of one person it says no more than the row itself.
        return column.numbers_rows
    if column.form is not None or patterns.names_an_identifier(name):
        return True
    return column.numbers_rows and (patterns.names_an_id(name) or not patterns.names_what_others_know(name))


def _warnings(columns: Sequence[ColumnFacts], roles: Mapping[str, str], people: int, k: int) -> list[str]:
    found = []
    for column in columns:
        role = roles[column.name]
        if role == DIRECT:
            why = f"looks like {column.form}" if column.form else (
                "tells nearly every row apart" if column.numbers_rows else "is named like one"
            )  # fmt: skip
            found.append(f"{column.name!r} may be a direct identifier: it {why}. Drop it with --direct-identifiers.")
        elif role == SPECIAL:
            found.append(
                f"{column.name!r} may be of a special category of personal data. If others know it, it is a "
                "quasi-identifier; if not, protect it with --sensitive and --l or --t."
            )
        elif role in (KNOWN, OTHER) and column.distinct > max(_MANY_VALUES, people // k) and not column.is_measured:
            found.append(
                f"{column.name!r} has {column.distinct:,} values: classes of {k} will hold many of them. Coarsen it "
                "first if its fine values do not matter, or declare it --categorical if its numbers are only codes."
            )
        elif role == NOTHING:
            found.append(f"{column.name!r} is the same in every row; it tells nothing.")
    if k > people:
        found.append(f"k={k} is out of reach: there are {people:,}.")
    elif people // k < 10:
        found.append(f"k={k} leaves at most {people // k} classes: a model will learn little from so few.")
    return found
