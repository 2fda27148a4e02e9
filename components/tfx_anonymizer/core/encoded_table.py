"""A table as the grouping sees it: every column that matters as codes."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.columns import Table, column_names, kind_of, read_column, require_values
from tfx_anonymizer.core.encoding import Attribute, Codes, Target, fit_attribute
from tfx_anonymizer.core.guarantees import Guarantees
from tfx_anonymizer.core.partition import Partition
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.representatives import BY_EFFECTS, representative_codes
from tfx_anonymizer.core.space import responses
from tfx_anonymizer.core.students import Column
from tfx_anonymizer.errors import ColumnError
from tfx_anonymizer.policy import AnonymizationPolicy


@dataclasses.dataclass(frozen=True)
class EncodedTable:
    """A table's rows as arrays.

    Attributes:
        attributes: The quasi-identifiers, in the order of the codes' columns.
        problem: What is to be grouped.
    """

    attributes: tuple[Attribute, ...]
    problem: Problem

    @classmethod
    def encode(
        cls,
        table: Table,
        policy: AnonymizationPolicy,
        target: Target,
        guarantees: Guarantees,
        *,
        is_part: bool = False,
    ) -> EncodedTable:
        """Encodes a table's quasi-identifiers.

        Args:
            table: n rows.
            policy: Says which columns are quasi-identifiers.
            target: The guide in fixed point, int32, shape (n, d).
            guarantees: What each class must hold.
            is_part: Whether the rows are a part of a table, in which a column may be missing throughout.

        Raises:
            ColumnError: If a column is absent, multi-valued, of mixed types or, in a whole table, missing in every row.
        """
        arrays = {name: read_column(table, name, "quasi_identifiers") for name in policy.quasi_identifiers}
        for name, array in arrays.items() if not is_part else ():
            require_values(array, name)
        attributes, codes = _encode(arrays, policy, target)
        cardinality = np.array([len(attribute.domain) for attribute in attributes], dtype=np.int64)
        numeric = np.array([attribute.kind == "numeric" for attribute in attributes])
        return cls(attributes, Problem(codes, cardinality, target, guarantees, numeric))

    def take(self, rows: npt.NDArray[np.int64]) -> EncodedTable:
        """Returns some of the rows, or all of them in another order."""
        return EncodedTable(self.attributes, self.problem.take(rows))

    def columns(self) -> tuple[Column, ...]:
        """Returns the quasi-identifiers as a student's columns."""
        return _columns(self.attributes, self.problem.codes)

    def represent(self, representative: str, partition: Partition) -> Codes:
        """Returns what each class of a partition releases, int32, shape (classes, attributes)."""
        effects = partition.effects
        if effects is None and representative in BY_EFFECTS:
            effects = self.problem.effects(responses)
        return representative_codes(
            representative,
            self.problem.codes,
            partition.labels,
            self.attributes,
            effects,
            self.problem.guarantees.k,
        )


def unchanged_columns(table: Table, policy: AnonymizationPolicy, target: Target) -> tuple[Column, ...]:
    """Encodes the columns that a model learns from and anonymization leaves alone.

    Args:
        table: n rows.
        policy: Says which columns have other roles.
        target: The guide in fixed point, int32, shape (n, d).

    Returns:
        Those that can be read; a column of lists or of mixed types is not, and none of it is said.
    """
    roles = {*policy.quasi_identifiers, *policy.direct_identifiers, policy.label, policy.entity_id}
    arrays = {}
    for name in column_names(table):
        if name not in roles:
            with contextlib.suppress(ColumnError):
                arrays[name] = read_column(table, name, "features")
    return _columns(*_encode(arrays, policy, target)) if arrays else ()


def _encode(
    arrays: Mapping[str, pa.Array], policy: AnonymizationPolicy, target: Target
) -> tuple[tuple[Attribute, ...], Codes]:
    fitted = [
        fit_attribute(name, array, kind_of(array, codes=name in policy.categorical), target)
        for name, array in arrays.items()
    ]
    return tuple(attribute for attribute, _ in fitted), np.stack([codes for _, codes in fitted], axis=1)


def _columns(attributes: tuple[Attribute, ...], codes: Codes) -> tuple[Column, ...]:
    return tuple(
        Column(column, attribute.numbers() if attribute.kind == "numeric" else None)
        for attribute, column in zip(attributes, codes.T, strict=True)
    )
