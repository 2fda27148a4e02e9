"""TFX components that retrain your existing Trainer on k-anonymous examples.

Importing this package imports neither TensorFlow nor Beam nor TFX: a name brings its module in when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tfx_anonymizer._version import __version__

if TYPE_CHECKING:
    from tfx_anonymizer.ag_anonymizer.component import AGAnonymizer
    from tfx_anonymizer.anonymization_tuner.component import AnonymizationTuner
    from tfx_anonymizer.artifacts import (
        AnonymizationChoice,
        AnonymizationReport,
        AuditReport,
        ComparisonReport,
        Generalization,
        PrivacyBlessing,
        PrivacyReport,
        SynthesisReport,
        ValidationReport,
    )
    from tfx_anonymizer.audit_split.component import AuditSplit
    from tfx_anonymizer.core.anonymizer import AccuracyGuidedAnonymizer
    from tfx_anonymizer.core.measures import PrivacyMeasures, measure_privacy
    from tfx_anonymizer.dp_synthesizer.component import DPSynthesizer
    from tfx_anonymizer.errors import AnonymizerError
    from tfx_anonymizer.initial_model_trainer.component import InitialModelTrainer
    from tfx_anonymizer.k_anonymity_validator.component import KAnonymityValidator
    from tfx_anonymizer.policy import AnonymizationPolicy
    from tfx_anonymizer.privacy_auditor.component import PrivacyAuditor
    from tfx_anonymizer.privacy_reporter.component import PrivacyReporter

_HOMES = {
    "AGAnonymizer": "ag_anonymizer.component",
    "AccuracyGuidedAnonymizer": "core.anonymizer",
    "AnonymizationChoice": "artifacts",
    "AnonymizationPolicy": "policy",
    "AnonymizationReport": "artifacts",
    "AnonymizationTuner": "anonymization_tuner.component",
    "AnonymizerError": "errors",
    "AuditReport": "artifacts",
    "AuditSplit": "audit_split.component",
    "ComparisonReport": "artifacts",
    "DPSynthesizer": "dp_synthesizer.component",
    "Generalization": "artifacts",
    "InitialModelTrainer": "initial_model_trainer.component",
    "KAnonymityValidator": "k_anonymity_validator.component",
    "PrivacyAuditor": "privacy_auditor.component",
    "PrivacyBlessing": "artifacts",
    "PrivacyMeasures": "core.measures",
    "PrivacyReport": "artifacts",
    "PrivacyReporter": "privacy_reporter.component",
    "SynthesisReport": "artifacts",
    "ValidationReport": "artifacts",
    "measure_privacy": "core.measures",
}

__all__ = [
    "AGAnonymizer",
    "AccuracyGuidedAnonymizer",
    "AnonymizationChoice",
    "AnonymizationPolicy",
    "AnonymizationReport",
    "AnonymizationTuner",
    "AnonymizerError",
    "AuditReport",
    "AuditSplit",
    "ComparisonReport",
    "DPSynthesizer",
    "Generalization",
    "InitialModelTrainer",
    "KAnonymityValidator",
    "PrivacyAuditor",
    "PrivacyBlessing",
    "PrivacyMeasures",
    "PrivacyReport",
    "PrivacyReporter",
    "SynthesisReport",
    "ValidationReport",
    "__version__",
    "measure_privacy",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
