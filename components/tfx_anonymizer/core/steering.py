"""The guide in fixed point: what the model said about each person, as integers.

Sums of integers come out the same in whatever order they are added, so a partition steered by them is the same for any
order of rows, shards or retries. 21 bits keep a probability to better than a millionth, and leave room for the exact
sum of eight billion rows in 53 bits.

Example:
    >>> steer([0.0, 0.5, 1.0]).ravel().tolist()
    [-1048576, 0, 1048576]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from tfx_anonymizer.core.encoding import Target
from tfx_anonymizer.errors import GuideError

FULL_SCALE = 1 << 20
MAX_CLASSES = 32
MAX_DIMENSIONS = 8


def steer(guide: Any, rows: int | None = None) -> Target:
    """Turns a guide's predictions into the integers that a partitioner follows.

    Args:
        guide: Class labels, class probabilities or regression values, shape (n,) or (n, classes); a list, NumPy array,
            pandas Series or DataFrame, or Arrow array. Text, Booleans, categories, and integers of at most 32 distinct
            values are class labels, of which the 32 most frequent are told apart if there are more; all else is
            followed as numbers: floats, decimals, dates and times.
        rows: The number of rows expected.

    Returns:
        int32, shape (n, d), each entry within ±2**20. Two-class probabilities need d = 1; more than eight columns are
        projected onto the eight directions along which they vary most.

    Raises:
        GuideError: If the shape is wrong, or a prediction is missing or not finite.
    """
    values = _as_array(guide)
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] == 0):
        raise GuideError("the guide has the wrong shape", got=values.shape, allowed="(n,) or (n, classes)")
    if rows is not None and len(values) != rows:
        raise GuideError(
            "the guide does not have one prediction a row", got=f"{len(values)} predictions", allowed=f"{rows}"
        )
    if values.ndim == 1 and _are_labels(values):
        return _fixed_point(_indicators(values))
    numbers = _as_floats(values)
    return _fixed_point(_fewer_columns(numbers))


def shares(target: Target) -> npt.NDArray[np.float64]:
    """Returns a target as shares of its full scale, 0 to 1, float64, shape (n, d); probabilities come back as such."""
    return (target / FULL_SCALE + 1.0) / 2.0


def predictions(guide: Any) -> npt.NDArray[Any]:
    """Returns what a guide predicts rather than how sure it is.

    Args:
        guide: As `steer` takes it.

    Returns:
        Shape (n,): the number of the likeliest of several columns, whether a probability is above one half (numbers
        that all lie from 0 to 1), or the guide itself where it is labels, or numbers of another range.

    Example:
        >>> predictions([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]]).tolist(), predictions([0.2, 0.9]).tolist()
        ([1, 0], [False, True])
    """
    values = _as_array(guide)
    if values.ndim == 2 and values.shape[1] > 1:
        likeliest: npt.NDArray[Any] = np.argmax(_as_floats(values), axis=1)
        return likeliest
    values = values.reshape(-1)
    if len(values) and not _are_labels(values):
        numbers = _as_floats(values)
        if numbers.min() >= 0.0 and numbers.max() <= 1.0:
            return np.asarray(numbers[:, 0] > 0.5)
    return values


def classes_of(target: Target) -> Target | None:
    """Returns which class each row is of where a target was made of labels, from 0, shape (n,); None if of numbers."""
    if target.shape[1] == 1:
        classes = np.unique(target)
        return np.searchsorted(classes, target[:, 0]).astype(np.int32) if len(classes) <= 2 else None
    _, codes = np.unique(target, axis=0, return_inverse=True)
    return codes.reshape(-1).astype(np.int32)


def unguided(rows: int) -> Target:
    """Returns the target of a partition that no model steers: all alike, shape (n, 1)."""
    return np.zeros((rows, 1), dtype=np.int32)


def _as_array(guide: Any) -> npt.NDArray[Any]:
    if isinstance(guide, (pa.Array, pa.ChunkedArray)):
        return _plain(np.asarray(guide.to_pandas()))
    if isinstance(guide, (pd.Series, pd.DataFrame)):
        return _plain(guide.to_numpy())
    return _plain(np.asarray(guide))


def _plain(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Turns numbers in disguise into numbers: decimals, dates and times, and what pandas keeps as objects."""
    if values.ndim == 1 and values.dtype.kind == "O" and len(values):
        kind = pd.api.types.infer_dtype(values, skipna=True)
        if kind == "integer" and not pd.isna(values).any():
            values = values.astype(np.int64)
        elif kind in ("decimal", "floating", "mixed-integer-float"):
            values = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=np.float64)
        elif kind in ("date", "datetime", "datetime64"):
            values = pd.to_datetime(pd.Series(values), utc=True).dt.tz_localize(None).to_numpy()
        elif kind in ("timedelta", "timedelta64"):
            values = pd.to_timedelta(pd.Series(values)).to_numpy()
    if values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    return values


def _are_labels(values: npt.NDArray[Any]) -> bool:
    if values.dtype.kind == "f":
        return False
    if values.dtype.kind in "iu":
        return len(np.unique(values)) <= MAX_CLASSES
    return True


def _indicators(labels: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """One column a class, missing a class of its own; d - 1 columns for two classes."""
    codes, classes = pd.factorize(labels, sort=False, use_na_sentinel=True)
    codes = np.where(codes < 0, len(classes), codes)
    # Columns in an order that does not depend on which label came first.
    text = [f"{type(value).__name__}:{value!r}" for value in classes] + [""]
    rank = np.argsort(np.argsort(text))
    used, columns = np.unique(rank[codes], return_inverse=True)
    columns = _most_frequent(columns.reshape(-1), len(used))
    return _fewer_columns(np.eye(columns.max(initial=0) + 1)[columns])


def _most_frequent(codes: npt.NDArray[np.int64], number: int) -> npt.NDArray[np.int64]:
    """Gives all but the most frequent of many codes one in common: a column each would outgrow the table."""
    if number <= MAX_CLASSES:
        return codes
    frequent = np.argsort(-np.bincount(codes), kind="stable")[:MAX_CLASSES]
    place = np.full(number, MAX_CLASSES)
    place[np.sort(frequent)] = np.arange(MAX_CLASSES)
    return place[codes]


def _as_floats(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        # The cause is dropped on purpose: NumPy quotes the offending value.
        raise GuideError("the guide's predictions are not all numbers", got=f"dtype {values.dtype}") from None
    bad = int((~np.isfinite(numbers)).sum())
    if bad:
        raise GuideError(
            "the guide's predictions are missing or not finite",
            got=f"{bad} such values",
            hint="a model that divides by zero or was not trained gives these",
        )
    return numbers if numbers.ndim == 2 else numbers[:, None]


def _fewer_columns(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if numbers.shape[1] == 2 and np.allclose(numbers.sum(axis=1), 1.0):
        return numbers[:, 1:]
    if numbers.shape[1] <= MAX_DIMENSIONS:
        return numbers
    # Twelve bits are enough to find directions, and leave room for products of rows in 63.
    whole = _fixed_point(numbers).astype(np.int64) >> 8
    total = whole.sum(axis=0)
    scatter = (whole.T @ whole).astype(np.float64) - np.outer(total, total) / max(len(whole), 1)
    _, vectors = np.linalg.eigh(scatter)
    directions = vectors[:, ::-1][:, :MAX_DIMENSIONS]
    return np.asarray(whole @ directions)


def _fixed_point(numbers: npt.NDArray[np.float64]) -> Target:
    """Scales all columns alike to ±FULL_SCALE about the middle of each one's range."""
    if not len(numbers):
        return np.zeros(numbers.shape, dtype=np.int32)
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    half = float(((high - low) / 2).max())
    if half == 0.0:
        return np.zeros(numbers.shape, dtype=np.int32)
    scaled: Target = np.rint((numbers - (low / 2 + high / 2)) / half * FULL_SCALE).astype(np.int32)
    return scaled
