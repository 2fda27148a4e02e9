"""A TensorFlow SavedModel as a guide, through a signature that takes serialized tf.Examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.errors import GuideError

DEFAULT_SIGNATURE = "serving_default"
# A model's floating-point sums depend on the shape of what it is given, and how many rows a worker hands over depends
# on its load: so the model only ever sees blocks of this many rows, the last one filled up.
BLOCK = 512
_PREFERRED_OUTPUTS = ("probabilities", "scores", "outputs", "output_0", "predictions", "logits")


class SavedModelGuide:
    """Predicts with a SavedModel.

    Args:
        path: The folder that holds `saved_model.pb`.
        signature: The signature to call; its one input takes serialized tf.Examples, shape (n,).
        output: Which of the signature's outputs to follow; needed only where it has several and none of a usual name.

    Raises:
        GuideError: If the model cannot be loaded, or has no such signature or output.
    """

    # What a SavedModel is made of cannot be told; nearly all that TFX trains are networks.
    kind = "mlp"
    needs_records = True
    columns: tuple[str, ...] = ()

    def __init__(self, path: str, signature: str = DEFAULT_SIGNATURE, output: str | None = None) -> None:
        import tensorflow as tf

        try:
            self._model = tf.saved_model.load(path)
        except (OSError, tf.errors.OpError) as error:
            raise GuideError("the model cannot be loaded", got=f"{type(error).__name__} in {path}") from None
        available = list(self._model.signatures)
        if signature not in available:
            raise GuideError(
                f"the model has no signature {signature!r}",
                got=", ".join(available) or "no signature at all",
                hint="save it with a signature of serialized tf.Examples, or name another with signature_name=",
            )
        self._function = self._model.signatures[signature]
        self._input = self._only_input(signature)
        self._output = self._pick_output(signature, output)

    def predict(self, table: pa.Table, records: Sequence[bytes] | None = None) -> npt.NDArray[np.float64]:
        """Predicts from serialized tf.Examples; see `base.Guide`."""
        if records is None:
            raise GuideError("a SavedModel guide needs the rows as serialized tf.Examples")
        blocks = [self._predict_block(records[start : start + BLOCK]) for start in range(0, len(records), BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, 1))

    def predict_new(self, table: pa.Table, records: Sequence[bytes] | None = None) -> npt.NDArray[np.float64]:
        """Predicts as `predict` does: a SavedModel has no folds."""
        return self.predict(table, records)

    def _predict_block(self, records: Sequence[bytes]) -> npt.NDArray[np.float64]:
        import tensorflow as tf

        filled = [*records, *[records[0]] * (BLOCK - len(records))]
        try:
            found = self._function(**{self._input: tf.constant(filled, dtype=tf.string)})[self._output]
        except tf.errors.OpError as error:
            # The cause is dropped on purpose: TensorFlow quotes the offending example.
            raise GuideError("the model failed on some rows", got=type(error).__name__) from None
        values = np.asarray(found, dtype=np.float64)
        if values.ndim == 0 or len(values) != BLOCK:
            raise GuideError(
                f"the model's output {self._output!r} does not have one prediction a row",
                got=f"shape {values.shape} for {BLOCK} rows",
            )
        return values.reshape(BLOCK, -1)[: len(records)]

    def _only_input(self, signature: str) -> str:
        import tensorflow as tf

        inputs: dict[str, Any] = self._function.structured_input_signature[1]
        takes = {
            name: spec for name, spec in inputs.items() if spec.dtype == tf.string and spec.shape.rank in (None, 1)
        }
        if len(inputs) != 1 or len(takes) != 1:
            shown = ", ".join(f"{name}: {spec.dtype.name}{spec.shape}" for name, spec in inputs.items())
            raise GuideError(
                f"signature {signature!r} does not take serialized tf.Examples",
                got=shown or "no input",
                allowed="one input of text, shape (n,)",
                hint="name another signature with signature_name=",
            )
        return next(iter(takes))

    def _pick_output(self, signature: str, output: str | None) -> str:
        outputs = list(self._function.structured_outputs)
        if output is not None:
            if output not in outputs:
                raise GuideError(f"signature {signature!r} has no output {output!r}", allowed=", ".join(outputs))
            return output
        if len(outputs) == 1:
            return str(outputs[0])
        for name in _PREFERRED_OUTPUTS:
            if name in outputs:
                return name
        raise GuideError(
            f"signature {signature!r} has several outputs", got=", ".join(outputs), hint="name one with output_key="
        )
