"""Guide models: SavedModels, built-in estimators, and where to find them. TensorFlow is imported only when used."""

from __future__ import annotations

from tfx_anonymizer.guides.base import Guide
from tfx_anonymizer.guides.estimator_guide import EstimatorGuide, fit_estimator
from tfx_anonymizer.guides.estimators import ESTIMATOR_NAMES
from tfx_anonymizer.guides.loading import GuideLocation

__all__ = ["ESTIMATOR_NAMES", "EstimatorGuide", "Guide", "GuideLocation", "fit_estimator"]
