"""What an audit does and what may be reached at most; checked when it is built.

Example:
    >>> AuditSettings(mode="standard").reference_models
    4
    >>> AuditSettings(mode="thorough")
    Traceback (most recent call last):
    tfx_anonymizer.errors.PolicyError: mode is not known; got: 'thorough'; allowed: quick or standard or deep
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.errors import PolicyError

# Reference models by mode; each costs a training of the whole pipeline.
MODES = {"quick": 0, "standard": 4, "deep": 64}
LEAST_RECORDS = 50


@dataclasses.dataclass(frozen=True)
class AuditSettings:
    """How an audit attacks, and what it blesses.

    Attributes:
        mode: `quick`: what the model's answers alone tell; no training. `standard`: RMIA against a few reference
            models. `deep`: RMIA and LiRA against many, and the paper's neural attack.
        references: Reference models, an even number; None takes the mode's.
        max_auc: Greatest AUC of any attack on membership; its upper confidence limit must not be above.
        max_tpr: Greatest share of members caught at 1 % false alarms; likewise.
        max_risk: Greatest share of what a control leaves over that an attack on the release gets right; likewise, for
            attacks that know the quasi-identifiers.
        max_advantage: Greatest advantage that the model gives over guessing a sensitive attribute without it; likewise.
        records: Most members, and most non-members, that are judged.
        confidence: Of every interval, 0 to 1.
        delta: The delta of the lower bounds on epsilon.
        seed: Of everything that is drawn.

    Raises:
        PolicyError: If a value is out of range.
    """

    mode: str = "standard"
    references: int | None = None
    max_auc: float = 0.6
    max_tpr: float = 0.05
    max_risk: float = 0.1
    max_advantage: float = 0.1
    records: int = 10_000
    confidence: float = 0.95
    delta: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise PolicyError("mode is not known", got=repr(self.mode), allowed=" or ".join(MODES))
        if self.references is not None:
            self._check_references(self.references)
        for name, low, high in (
            ("max_auc", 0.5, 1.0),
            ("max_tpr", 0.0, 1.0),
            ("max_risk", 0.0, 1.0),
            ("max_advantage", 0.0, 1.0),
        ):
            _check_real(name, getattr(self, name), low, high)
        _check_real("confidence", self.confidence, 0.5, 0.9999)
        _check_real("delta", self.delta, 0.0, 0.5)
        if not _whole(self.records) or self.records < LEAST_RECORDS:
            raise PolicyError(
                "records is out of range", got=repr(self.records), allowed=f"an integer of {LEAST_RECORDS} or more"
            )
        if not _whole(self.seed) or self.seed < 0:
            raise PolicyError("seed is out of range", got=repr(self.seed), allowed="an integer of 0 or more")

    def _check_references(self, references: object) -> None:
        least = {"quick": 0, "standard": 2, "deep": 4}[self.mode]
        if not _whole(references) or references < least or references % 2:  # type: ignore[operator]
            raise PolicyError(
                "references is out of range",
                got=repr(references),
                allowed=f"an even number of {least} or more in mode {self.mode!r}",
            )
        if self.mode == "quick" and references:
            raise PolicyError(
                "mode 'quick' trains no reference model", got=f"references={references}", hint="mode='standard'"
            )

    @property
    def reference_models(self) -> int:
        """How many reference models are trained."""
        return MODES[self.mode] if self.references is None else self.references

    def to_dict(self) -> dict[str, Any]:
        """Returns the settings as JSON-ready values."""
        return {**dataclasses.asdict(self), "references": self.reference_models}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> AuditSettings:
        """Builds settings from a mapping; whole floats, as Kubeflow hands them over, become integers.

        Raises:
            PolicyError: If a field is not known or out of range.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(fields) - known)
        if unknown:
            raise PolicyError("audit settings have no such field", got=unknown[0], allowed=", ".join(sorted(known)))
        return cls(**{name: _integer(value) if name in _INTEGERS else value for name, value in fields.items()})


_INTEGERS = ("references", "records", "seed")


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _whole(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _check_real(name: str, value: object, low: float, high: float) -> None:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(float(value))
    if not real or not low <= value <= high:  # type: ignore[operator]
        raise PolicyError(f"{name} is out of range", got=repr(value), allowed=f"a number from {low:g} to {high:g}")
