"""Training with differential privacy: one call in a Trainer module in place of `model.fit`.

TensorFlow is imported when a function is called, not before.
"""

from __future__ import annotations

from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.dp_training.arrays import collect
from tfx_anonymizer.dp_training.record import PrivateTraining
from tfx_anonymizer.dp_training.training import dp_fit

__all__ = ["Budget", "PrivateTraining", "collect", "dp_fit"]
