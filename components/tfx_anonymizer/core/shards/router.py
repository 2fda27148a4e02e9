"""Which shard a row belongs to: a tree over the quasi-identifiers, and the shard of each of its leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.core.columns import read_column
from tfx_anonymizer.core.encoding import Attribute
from tfx_anonymizer.core.partition.guided_tree import TreeAssigner


@dataclasses.dataclass(frozen=True)
class Router:
    """Places rows into shards.

    Attributes:
        attributes: The quasi-identifiers, with the values that the tree needs.
        tree: Places encoded rows into leaves.
        shard_of_leaf: The shard of each leaf, from 0 without gaps, int32, shape (leaves,).

    Example:
        >>> import pyarrow as pa
        >>> router = Router.trivial()
        >>> router.shards, router.assign(pa.table({"age": [1, 2]})).tolist()
        (1, [0, 0])
    """

    attributes: tuple[Attribute, ...]
    tree: TreeAssigner
    shard_of_leaf: npt.NDArray[np.int32]

    @classmethod
    def trivial(cls, attributes: tuple[Attribute, ...] = ()) -> Router:
        """Returns the router of a single shard."""
        leaf = np.array([-1], dtype=np.int32)
        nothing = np.zeros(1, dtype=np.int32)
        return cls(attributes, TreeAssigner(leaf, nothing, nothing, nothing), nothing)

    @property
    def shards(self) -> int:
        """The number of shards."""
        return int(self.shard_of_leaf.max()) + 1

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return len(self.shard_of_leaf)

    def leaf_of(self, table: Any) -> npt.NDArray[np.int32]:
        """Returns the leaf of each row of a table, int32, shape (n,).

        Args:
            table: A pandas DataFrame or Arrow Table that has the quasi-identifiers, single-valued.

        Raises:
            ColumnError: If a quasi-identifier is absent or of another type than in growing.
        """
        if self.leaves == 1:
            return np.zeros(len(table), dtype=np.int32)
        codes = [a.encode(read_column(table, a.name, "quasi_identifiers")) for a in self.attributes]
        return self.tree.assign(np.stack(codes, axis=1))

    def assign(self, table: Any) -> npt.NDArray[np.int32]:
        """Returns the shard of each row of a table, int32, shape (n,); see `leaf_of`."""
        return np.asarray(self.shard_of_leaf[self.leaf_of(table)])

    def types(self) -> Sequence[tuple[str, pa.DataType]]:
        """Returns the quasi-identifiers' names and types."""
        return [(attribute.name, attribute.domain.type) for attribute in self.attributes]
