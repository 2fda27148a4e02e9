"""How DPSynthesizer works: a checked value that travels as one property."""

from __future__ import annotations

import dataclasses
import json
import numbers
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.differential_privacy.coins import seed_or_secret
from tfx_anonymizer.differential_privacy.domain import Domain
from tfx_anonymizer.differential_privacy.plan import Design
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import schema_roles
from tfx_anonymizer.transforms.synthetic_rows import Wanted

OTHER_SPLITS = ("pass", "drop")


@dataclasses.dataclass(frozen=True)
class Settings:
    """Arguments of DPSynthesizer; see there.

    Raises:
        PolicyError: If one is not among what is allowed.
    """

    design: Design
    label: str | None
    entity_id: str | None
    direct_identifiers: tuple[str, ...] | None
    leave_out: tuple[str, ...]
    bins: int
    label_bins: int
    rows: int | None
    weight_key: str | None
    points: int | None
    splits: tuple[str, ...]
    other_splits: str
    source: str
    seed: int | None

    def __post_init__(self) -> None:
        for name in ("bins", "label_bins"):
            _check_whole(name, getattr(self, name), 2, 1000)
        for name, least in (("rows", 1), ("points", 2)):
            if getattr(self, name) is not None:
                _check_whole(name, getattr(self, name), least, 10**10)
        if self.seed is not None:
            _check_whole("seed", self.seed, 0, 2**32 - 1)
        for name in ("direct_identifiers", "leave_out", "splits"):
            _check_names(name, getattr(self, name))
        for name in ("label", "entity_id", "weight_key", "source"):
            _check_name(name, getattr(self, name))
        self._check_fit()

    def _check_fit(self) -> None:
        if not self.splits:
            raise PolicyError("splits is empty", hint="splits=['train']")
        if len(set(self.splits)) != len(self.splits):
            raise PolicyError("splits names a split twice", got=repr(self.splits))
        if self.other_splits not in OTHER_SPLITS:
            raise PolicyError(
                "other_splits is not known", got=repr(self.other_splits), allowed=" or ".join(OTHER_SPLITS)
            )
        if self.entity_id is None and self.design.rows_per_person != 1:
            raise PolicyError("max_rows_per_entity needs entity_id", hint="say which feature says whose row it is")

    @property
    def wanted(self) -> Wanted:
        """What rows are to be made; new ones at each call, where there is no seed."""
        return Wanted(self.rows, self.weight_key, self.points, seed_or_secret(self.seed))

    def with_roles(self, schema: Any) -> Settings:
        """Returns the settings with the roles that a schema's tags give, where no argument gives them."""
        roles = schema_roles(schema)
        given = self.direct_identifiers
        return dataclasses.replace(
            self,
            label=self.label or roles.get("label"),
            entity_id=self.entity_id or roles.get("entity_id"),
            direct_identifiers=roles.get("direct_identifiers", ()) if given is None else given,
        )

    def domain(self, schema: Any) -> Domain:
        """Returns what may be in the examples.

        Raises:
            PolicyError: If the schema does not say it of every feature.
        """
        drop = [*(self.direct_identifiers or ()), *([self.entity_id] if self.entity_id else [])]
        found = Domain.from_schema(
            schema,
            label=self.label,
            drop=drop,
            leave_out=self.leave_out,
            bins=self.bins,
            label_bins=self.label_bins,
        )
        if self.weight_key in {*found.columns, *found.left_out, *drop}:
            raise PolicyError("weight_key names a feature that the schema has", got=repr(self.weight_key))
        if self.points is not None and (found.label is None or not self.design.by_class):
            raise PolicyError("points need a label whose classes are cells", hint="another mechanism, or no points")
        return found

    def to_json(self) -> str:
        """Returns the settings as one JSON object."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Reads what `to_json` returned."""
        fields: Mapping[str, Any] = json.loads(text)
        lists = {name: fields[name] for name in ("direct_identifiers", "leave_out", "splits")}
        tuples = {name: None if value is None else tuple(value) for name, value in lists.items()}
        return cls(**{**fields, **tuples, "design": Design(**fields["design"])})


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:  # type: ignore[operator]
        raise PolicyError(f"{name} is out of range", got=repr(value), allowed=f"a whole number from {least} to {most}")


def _check_name(name: str, value: object) -> None:
    if value is None and name != "source":
        return
    if not isinstance(value, str) or not value:
        raise PolicyError(f"{name} is not a name", got=repr(value))


def _check_names(name: str, value: object) -> None:
    if value is None and name == "direct_identifiers":
        return
    if not isinstance(value, tuple) or not all(isinstance(item, str) and item for item in value):
        raise PolicyError(f"{name} is not a list of names", got=repr(value))
