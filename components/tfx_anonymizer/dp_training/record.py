"""What a private training was: the record that its model carries."""

from __future__ import annotations

import dataclasses
import json
import posixpath
import uuid
from importlib import metadata
from typing import Any

FILE = "differential_privacy.json"

_COVERS = "what one {unit} of the training data, more or less, changes in the model that dp_fit left"
_DOES_NOT_COVER = (
    "preprocessing learned from the same data: vocabularies, means, quantiles, statistics",
    "the choice of this training among others tried on the same data",
    "figures of evaluation on the same data",
    "other models or releases of the same data: their budgets add up",
)


@dataclasses.dataclass(frozen=True)
class PrivateTraining:
    """What was spent and how.

    Attributes:
        epsilon: An upper bound at `delta`; None if a seed made the noise: what anybody can compute again hides nothing.
        delta: As in `Budget`.
        noise_multiplier: Standard deviation of the noise, in units of `clip_norm`.
        sampling_probability: With which a person was in a step's sample.
        steps: How many steps were taken.
        batch_size: The expected size of a sample, by which its sum was divided.
        clip_norm: Greatest L2 norm of what one person adds to a sum.
        people: How many people there are, taken as public.
        unit: `person` (rows were grouped by an id) or `row`.
    """

    epsilon: float | None
    delta: float
    noise_multiplier: float
    sampling_probability: float
    steps: int
    batch_size: int
    clip_norm: float
    people: int
    unit: str

    def to_dict(self) -> dict[str, Any]:
        """Returns the record as JSON-ready values, with what it covers and what not."""
        return {
            **dataclasses.asdict(self),
            "mechanism": "DP-SGD",
            "sampling": "poisson",
            "neighbours": f"add or remove one {self.unit}",
            "accountant": f"privacy loss distributions, dp-accounting {metadata.version('dp-accounting')}",
            "covers": _COVERS.format(unit=self.unit),
            "does_not_cover": list(_DOES_NOT_COVER),
        }

    def save(self, folder: str) -> str:
        """Writes `differential_privacy.json` into a folder, which may be the model's own.

        Args:
            folder: Where to, on any file system that TensorFlow knows; made if it does not exist.

        Returns:
            The file's path.
        """
        from tensorflow.io import gfile

        gfile.makedirs(folder)
        path = posixpath.join(folder, FILE)
        aside = f"{path}.{uuid.uuid4().hex}"
        with gfile.GFile(aside, "w") as file:
            file.write(json.dumps(self.to_dict(), indent=2) + "\n")
        gfile.rename(aside, path, overwrite=True)
        return path
