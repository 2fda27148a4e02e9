"""What a guide is: a model that says, for each row, how it would be treated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy.typing as npt
import pyarrow as pa


class Guide(Protocol):
    """Gives predictions for rows."""

    @property
    def kind(self) -> str:
        """What kind of model it is: one of `estimators.ESTIMATOR_NAMES`."""

    @property
    def needs_records(self) -> bool:
        """Whether `predict` wants each row as a serialized tf.Example."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that `predict` wants."""

    def predict(self, table: pa.Table, records: Sequence[bytes] | None = None) -> npt.NDArray[Any]:
        """Predicts.

        Args:
            table: n rows of the wanted columns, single-valued, missing as null; one that is absent is missing
                in all rows.
            records: The same rows as serialized tf.Examples, in the same order; only if `needs_records`.

        Returns:
            Class probabilities or regression values, float, shape (n,) or (n, classes).

        Raises:
            GuideError: If the model cannot be applied to these rows.
        """

    def predict_new(self, table: pa.Table, records: Sequence[bytes] | None = None) -> npt.NDArray[Any]:
        """Predicts as the published model does, rows it has learned from included; see `predict`."""
