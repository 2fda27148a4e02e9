"""What PrivacyAuditor is told beside roles and bounds: where to look, what to train, how the model answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.core.selection import check_method
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.guides.estimators import check_estimator_name


@dataclasses.dataclass(frozen=True)
class Options:
    """How an audit in a pipeline is carried out; see `component.PrivacyAuditor` for what each field means.

    Raises:
        PolicyError: If a field is wrong.
    """

    label_key: str | None = None
    member_split: str = "train"
    non_member_split: str = "eval"
    release_split: str = "train"
    attributes: tuple[str, ...] = ()
    exclude_features: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    entity_id: str | None = None
    label_fn: str | None = None
    label_classes: tuple[str, ...] = ()
    estimator: str | None = None
    reference_fn: str | None = None
    partitioner: str = "auto"
    representative: str = "auto"
    effort: str = "auto"
    signature_name: str = "serving_default"
    output_key: str | None = None

    def __post_init__(self) -> None:
        for name in ("attributes", "exclude_features", "categorical", "label_classes"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(item, str) and item for item in value):
                raise PolicyError(f"{name} is not a list of names", got=repr(value))
            object.__setattr__(self, name, tuple(value))
        if self.member_split == self.non_member_split:
            raise PolicyError("members and non-members are the same split", got=self.member_split)
        if self.estimator is not None:
            check_estimator_name(self.estimator)
        if self.estimator is not None and self.reference_fn is not None:
            raise PolicyError("estimator and reference_fn both say what references are", allowed="one of the two")
        for name in ("label_fn", "reference_fn"):
            value = getattr(self, name)
            if value is not None and "." not in value:
                raise PolicyError(f"{name} is not the import path of a function", got=value, hint="my_package.module.f")
        check_method(self.partitioner, self.representative, self.effort, "auto")

    @property
    def method(self) -> dict[str, Any]:
        """How references are anonymized; arguments of `AccuracyGuidedAnonymizer`."""
        return {name: getattr(self, name) for name in ("partitioner", "representative", "effort")}

    def to_dict(self) -> dict[str, Any]:
        """Returns the options as JSON-ready values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Options:
        """Reads what `to_dict` gave."""
        return cls(**fields)
