"""Reading what TFMA found out about models, by TFMA itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.report.price import Figure, Groups


def read_evaluation(uri: str) -> tuple[Groups, Groups | None]:
    """Reads a ModelEvaluation artifact.

    Args:
        uri: Its folder.

    Returns:
        The metrics of the model that was evaluated, by slice, and those of its baseline, if there was one.

    Raises:
        InputDataError: If it cannot be read.
    """
    import tensorflow_model_analysis as tfma

    try:
        specs = tfma.load_eval_result(uri).config.model_specs
        names = {spec.is_baseline: spec.name for spec in specs}
        found = _groups(tfma.load_eval_result(uri, model_name=names.get(False, "")))
        baseline = _groups(tfma.load_eval_result(uri, model_name=names[True])) if True in names else None
    except Exception as error:
        # TFMA, TensorFlow and protobuf have types of their own for what is absent or damaged.
        raise InputDataError(
            "an evaluation cannot be read", got=type(error).__name__, hint="has the Evaluator that makes it succeeded?"
        ) from None
    return found, baseline


def _groups(result: Any) -> Groups:
    found = {}
    for slice_key, outputs in result.slicing_metrics:
        # What compares two slices has a key of two keys.
        if all(len(part) == 2 and isinstance(part[0], str) for part in slice_key):
            found[tuple((column, _text(value)) for column, value in slice_key if column)] = _figures(outputs)
    return found


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _figures(outputs: Mapping[str, Any]) -> dict[str, Figure]:
    """Returns the metrics of a model's only output, or of its first, over all classes."""
    subkeys = outputs.get("") or outputs[min(outputs)]
    metrics = subkeys.get("") or subkeys[min(subkeys)]
    found = {name: _figure(value) for name, value in metrics.items()}
    return {name: figure for name, figure in found.items() if figure is not None}


def _figure(value: Mapping[str, Any]) -> Figure | None:
    if "boundedValue" in value:
        bounded = value["boundedValue"]
        low, high = (float(bounded.get(end, math.nan)) for end in ("lowerBound", "upperBound"))
        return _finite(float(bounded["value"]), low, high)
    if "doubleValue" in value:
        return _finite(float(value["doubleValue"]), math.nan, math.nan)
    return None


def _finite(value: float, low: float, high: float) -> Figure | None:
    if not math.isfinite(value):
        return None
    bounded = math.isfinite(low) and math.isfinite(high)
    return Figure(value, (high - low) / 2 if bounded else None)
