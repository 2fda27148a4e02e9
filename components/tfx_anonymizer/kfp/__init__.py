"""Kubeflow: components for tables, and what starts the steps of compiled TFX pipelines.

* `anonymize`, `validate` and `audit` are KFP components over CSV and Parquet `Dataset` artifacts; no TFX in sight.
  Importing this package does not import kfp: the names bring it in when they are first used.
* `run_step` runs one step of a pipeline that TFX compiled.
* `health` says whether a container can do its work.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfx_anonymizer.kfp.components import anonymize, audit, validate

__all__ = ["anonymize", "audit", "validate"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module(f"{__name__}.components"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
