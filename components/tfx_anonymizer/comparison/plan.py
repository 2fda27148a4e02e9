"""What is to be compared: values of k, ways of grouping, and the model that is retrained."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

import pyarrow as pa

from tfx_anonymizer._version import __version__
from tfx_anonymizer.core.partition import PARTITIONERS
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.guides.estimators import check_estimator_name
from tfx_anonymizer.guides.features import infer_task
from tfx_anonymizer.hashing import row_hashes
from tfx_anonymizer.policy import AnonymizationPolicy

METRICS = ("accuracy", "balanced_accuracy", "roc_auc", "r2")


@dataclasses.dataclass(frozen=True)
class Plan:
    """A grid of releases, and how each is judged.

    Attributes:
        policy: Roles and guarantees; its own k is not used. It names a label.
        ks: Values of k, at least 2 each; kept in rising order, each once.
        partitioners: Ways of grouping, as `core.AccuracyGuidedAnonymizer` takes them.
        model: The built-in estimator that guides, is retrained, and is the student.
        effort: As `core.AccuracyGuidedAnonymizer` takes it.
        metric: One of `METRICS`, or `auto`: accuracy for classes, R² for numbers.
        folds: Parts the rows are dealt into; each is kept aside once. At least 2.
        seed: Of all that is drawn at random, the folds among it.
    """

    policy: AnonymizationPolicy
    ks: tuple[int, ...]
    partitioners: tuple[str, ...] = ("auto",)
    model: str = "gradient_boosting"
    effort: str = "auto"
    metric: str = "auto"
    folds: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks all that can be checked without data.

        Raises:
            PolicyError: If a parameter is out of range, or there is no label.
        """
        if self.policy.label is None:
            raise PolicyError("a comparison retrains a model, and there is no label", hint="name the label")
        if not self.ks:
            raise PolicyError("ks is empty", allowed="one value of k or more, such as 5, 10, 50")
        for k in self.ks:
            dataclasses.replace(self.policy, k=k)
        known = ("auto", *PARTITIONERS)
        for name in self.partitioners or ("",):
            if name not in known:
                raise PolicyError("partitioner is not known", got=repr(name), allowed=" or ".join(known))
        check_estimator_name(self.model)
        if self.metric not in ("auto", *METRICS):
            raise PolicyError("metric is not known", got=repr(self.metric), allowed=" or ".join(("auto", *METRICS)))
        if not 2 <= self.folds <= 100:
            raise PolicyError("folds is out of range", got=self.folds, allowed="2 to 100")
        object.__setattr__(self, "ks", tuple(sorted(set(self.ks))))
        object.__setattr__(self, "partitioners", tuple(dict.fromkeys(self.partitioners)))

    @property
    def label(self) -> str:
        """The column that is predicted."""
        assert self.policy.label is not None
        return self.policy.label

    @property
    def cells(self) -> int:
        """How many releases are made."""
        return len(self.ks) * len(self.partitioners) * self.folds

    def describe(self) -> dict[str, Any]:
        """Returns what the cells have in common, by name and as text or numbers, for people to read."""
        policy = self.policy
        promised = {name: getattr(policy, name) for name in ("sensitive", "l", "t", "entity_id", "max_suppressed")}
        return {
            "quasi-identifiers": ", ".join(policy.quasi_identifiers),
            "label": self.label,
            **{name.replace("_", " "): _text(value) for name, value in promised.items() if value},
            "effort": self.effort,
            "folds": self.folds,
            "seed": self.seed,
        }

    def metric_for(self, label: pa.Array | pa.ChunkedArray) -> str:
        """Returns the metric for a label, without missing values.

        Raises:
            PolicyError: If the metric that was asked for does not suit it.
        """
        task = infer_task(label)
        if self.metric == "auto":
            return "accuracy" if task == "classification" else "r2"
        if (self.metric == "r2") != (task == "regression"):
            suited = "r2" if task == "regression" else ", ".join(METRICS[:-1])
            raise PolicyError(
                f"metric {self.metric!r} does not suit label {self.label!r}", got=f"a label for {task}", allowed=suited
            )
        classes = len(label.unique())
        if self.metric == "roc_auc" and classes != 2:
            raise PolicyError("metric 'roc_auc' needs a label of two classes", got=f"{classes} classes")
        return self.metric

    def fingerprint(self, table: pa.Table) -> str:
        """Names the data and all that the cells of the grid have in common; other k and partitioners may join later.

        Args:
            table: The data, in any order of rows.

        Returns:
            A hash that tells nothing of a single row.
        """
        common: dict[str, Any] = {
            "version": __version__,
            "rows": table.num_rows,
            "content": int(row_hashes(table).sum()),
            "policy": json.loads(dataclasses.replace(self.policy, k=2).to_json()),
            "model": self.model,
            "effort": self.effort,
            "metric": self.metric,
            "folds": self.folds,
            "seed": self.seed,
        }
        return hashlib.sha256(json.dumps(common, sort_keys=True).encode()).hexdigest()


def _text(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, tuple) else value
