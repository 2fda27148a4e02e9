"""What every class of a partition must hold: k rows or people, l distinct sensitive values, closeness t.

A partitioner asks for nothing else: it gets the guarantees as integer arrays and may only make cuts both sides of which
keep them. `check_reachable` says before any work whether the whole table, as one class, keeps them.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.core import diversity
from tfx_anonymizer.core.columns import Table, column_names, kind_of, people_of, read_column
from tfx_anonymizer.core.whole import Whole
from tfx_anonymizer.errors import GuaranteeError
from tfx_anonymizer.policy import AnonymizationPolicy

Codes = npt.NDArray[np.int32]

# Classes keep t with this much to spare, so that a recount that adds in another order never disagrees.
SLACK = 1e-9


@dataclasses.dataclass(frozen=True)
class Guarantees:
    """The guarantee of an `AnonymizationPolicy`, bound to the rows of one table.

    Attributes:
        k: Least number of rows, or of distinct people, in a class.
        people: Whose row it is, codes from 0, shape (n,); None if rows are counted.
        sensitive: Codes of every sensitive attribute, from 0, shape (n, s); s may be 0.
        ordered: Whether a sensitive attribute's values have an order of their own, shape (s,).
        l: How diverse every sensitive attribute is in a class; 0 if not asked for.
        t: Greatest distance of a class's sensitive distribution from the table's; infinite if not asked for.
        diversity: In what sense, `distinct`, `entropy` or `recursive`; see `AnonymizationPolicy`.
        c: The factor of `recursive` diversity.
        overall: For rows that are a part of a table, the shares of each sensitive attribute's values in the whole.
    """

    k: int
    people: Codes | None
    sensitive: Codes
    ordered: npt.NDArray[np.bool_]
    l: float
    t: float
    diversity: str = "distinct"
    c: float = np.inf
    overall: tuple[npt.NDArray[np.float64], ...] | None = None

    @property
    def counts_rows_only(self) -> bool:
        """Whether k rows are all that is asked for."""
        return self.people is None and self.l == 0 and np.isinf(self.t)

    def shares(self) -> list[npt.NDArray[np.float64]]:
        """Returns the shares of each sensitive attribute's values in the whole table, of which t is the distance."""
        if self.overall is not None:
            return list(self.overall)
        return [np.bincount(codes) / len(codes) for codes in self.sensitive.T]

    def take(self, rows: npt.NDArray[np.int64]) -> Guarantees:
        """Returns the same for some of the rows, or for all of them in another order."""
        people = None if self.people is None else self.people[rows]
        return dataclasses.replace(self, people=people, sensitive=self.sensitive[rows])


def bind(policy: AnonymizationPolicy, table: Table, part_of: Whole | None = None) -> Guarantees:
    """Reads the columns that a policy's guarantee speaks of, and checks that it can be kept at all.

    Args:
        policy: What is promised.
        table: n rows.
        part_of: The table that these rows are a part of, if they are not all.

    Raises:
        ColumnError: If a column is absent, or an entity id is missing in some row.
        GuaranteeError: If the whole table as a single class would break the guarantee.
    """
    rows = len(table) if len(column_names(table)) else 0
    people = None if policy.entity_id is None else people_of(table, policy.entity_id)
    columns, ordered = [], []
    protects = policy.l is not None or policy.t is not None
    for name in policy.sensitive if protects else ():
        codes, in_order = _sensitive(table, name, part_of)
        columns.append(codes)
        ordered.append(in_order)
    guarantees = Guarantees(
        k=policy.k,
        people=people,
        sensitive=np.stack(columns, axis=1) if columns else np.zeros((rows, 0), dtype=np.int32),
        ordered=np.array(ordered, dtype=np.bool_),
        l=policy.l or 0,
        t=np.inf if policy.t is None else float(policy.t),
        diversity=policy.diversity,
        c=np.inf if policy.c is None else float(policy.c),
        overall=None
        if part_of is None or not columns
        else tuple(part_of.sensitive[n].shares for n in policy.sensitive),
    )
    _check_reachable(guarantees, policy, rows)
    return guarantees


def _check_reachable(guarantees: Guarantees, policy: AnonymizationPolicy, rows: int) -> None:
    if guarantees.people is None:
        if rows < policy.k:
            raise GuaranteeError(
                "the table has fewer than k rows, so no class of k can be made",
                got=f"{rows} rows, k={policy.k}",
                hint="use a smaller k or more data",
            )
    else:
        people = len(np.unique(guarantees.people))
        if people < policy.k:
            raise GuaranteeError(
                f"the table holds rows of fewer than k distinct {policy.entity_id!r}",
                got=f"{people} in {rows} rows, k={policy.k}",
                hint="use a smaller k or more data",
            )
    for name, codes in zip(policy.sensitive, guarantees.sensitive.T, strict=False):
        _check_diverse(name, codes, guarantees)


def _check_diverse(name: str, codes: Codes, guarantees: Guarantees) -> None:
    """Refuses a diversity that the whole table lacks: no class can be made of which all of them have it.

    That is so for all three kinds, since merging classes that are diverse gives a class that is (Machanavajjhala et al.
    2007, section 4: monotonicity).
    """
    if not guarantees.l:
        return
    reached = diversity.measure(np.zeros_like(codes), codes, 1, guarantees.diversity, guarantees.l)
    if not diversity.broken(reached, guarantees.diversity, guarantees.l, guarantees.c)[0]:
        return
    asked, hint = f"l={guarantees.l}", "use a smaller l"
    if guarantees.diversity == "distinct":
        problem, got = "has fewer than l distinct values in the whole table", f"{int(reached[0])}"
    elif guarantees.diversity == "entropy":
        problem, got = "has less entropy than log l in the whole table", f"the entropy of log {reached[0]:.4g}"
        hint = "use a smaller l, which need not be whole, or diversity='distinct'"
    else:
        problem = "is not (c, l)-diverse in the whole table"
        got, asked = f"r1 / (r_l + …) = {reached[0]:.4g}", f"c={guarantees.c}, l={guarantees.l}"
        hint = "use a greater c or a smaller l"
    raise GuaranteeError(f"sensitive column {name!r} {problem}", got=f"{got}, {asked}", hint=hint)


def _sensitive(table: Table, name: str, part_of: Whole | None) -> tuple[Codes, bool]:
    """Codes in the order of the values, missing last, and whether that order means anything."""
    array = read_column(table, name, "sensitive")
    ordered = is_ordered(array)
    if part_of is not None:
        return part_of.sensitive[name].codes(array), ordered
    encoded = array.dictionary_encode()
    rank = np.argsort(np.asarray(pc.sort_indices(encoded.dictionary)))
    table_of_codes = np.append(rank, len(rank)).astype(np.int32)
    codes = table_of_codes[np.asarray(encoded.indices.fill_null(len(rank)), dtype=np.int64)]
    return codes, ordered


def is_ordered(array: pa.Array) -> bool:
    """Tells whether a sensitive column's values have an order, so that t is measured by the ordered distance."""
    return kind_of(array, codes=False) == "numeric" and not pa.types.is_boolean(array.type)
