"""What a model's answers alone say of a record: scores of membership, higher for likelier members.

`confidence` is what the model gives to what is true of a record: the probability of its label, or, where the label is
a number, a density; float64, shape (n,), from 0 to 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.errors import InputDataError

Floats = npt.NDArray[np.float64]

# Trees answer exactly 0 and 1, whose odds are infinite.
_SMALLEST = 1e-6


def confidence_of_classes(probabilities: Floats, labels: npt.NDArray[np.int64]) -> Floats:
    """Returns the probability of each record's own label.

    Args:
        probabilities: Of each class, float64, shape (n, classes).
        labels: The true class of each record, int64, shape (n,); -1 for a label that is none of the model's.

    Raises:
        InputDataError: If shapes differ or a label is out of range.

    Example:
        >>> confidence_of_classes(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 1])).tolist()
        [0.9, 0.6]
    """
    if probabilities.ndim != 2 or len(probabilities) != len(labels):
        raise InputDataError("probabilities and labels differ in shape", got=f"{probabilities.shape}, {labels.shape}")
    if len(labels) and (labels.max() >= probabilities.shape[1] or labels.min() < -1):
        raise InputDataError("a label is no class of the model", allowed=f"codes below {probabilities.shape[1]}, or -1")
    own = probabilities[np.arange(len(labels)), np.maximum(labels, 0)]
    return np.where(labels < 0, 0.0, own)


def confidence_of_numbers(predicted: Floats, wanted: Floats, spread: float) -> Floats:
    """Returns the normal density of each record's label about the model's answer, at most 1.

    Args:
        predicted: The model's numbers, float64, shape (n,).
        wanted: The true numbers, float64, shape (n,).
        spread: Standard deviation of the errors to be expected, the same for every model that is compared.

    Example:
        >>> confidence_of_numbers(np.array([1.0, 5.0]), np.array([1.0, 3.0]), 2.0).round(4).tolist()
        [1.0, 0.6065]
    """
    return np.asarray(np.exp(-0.5 * ((predicted - wanted) / max(spread, 1e-12)) ** 2), dtype=np.float64)


def log_odds(confidence: Floats) -> Floats:
    """Returns ln(p / (1 - p)), float64, shape (n,); finite.

    Example:
        >>> log_odds(np.array([0.5, 0.75])).round(4).tolist()
        [0.0, 1.0986]
    """
    bounded = np.clip(confidence, _SMALLEST, 1 - _SMALLEST)
    return np.asarray(np.log(bounded) - np.log1p(-bounded), dtype=np.float64)


def loss_score(confidence: Floats) -> Floats:
    """Scores by the loss (Yeom et al. 2018): the surer the model is of what is true, the likelier a member.

    Example:
        >>> loss_score(np.array([0.5, 1.0])).round(4).tolist()
        [-0.6931, 0.0]
    """
    return np.log(np.clip(confidence, _SMALLEST, None)) + 0.0


def gap_score(right: npt.NDArray[np.bool_]) -> Floats:
    """Scores by whether the model is right (Yeom et al. 2018, the gap attack): 1 or 0.

    Args:
        right: Whether the model's answer is the true label, bool, shape (n,).
    """
    return right.astype(np.float64)
