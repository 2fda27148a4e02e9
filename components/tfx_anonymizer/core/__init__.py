"""The method on columns: pandas or Arrow in, the same type out. No Beam, TensorFlow or TFX is ever imported here."""

from __future__ import annotations

from tfx_anonymizer.core.anonymizer import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.generalization import Generalization
from tfx_anonymizer.core.measures import PrivacyMeasures, measure_privacy

__all__ = ["AccuracyGuidedAnonymizer", "Generalization", "PrivacyMeasures", "measure_privacy"]
