"""What privacy costs at each k: every release of a grid retrained, scored on rows kept aside, and attacked."""

from __future__ import annotations

from tfx_anonymizer.comparison.outcome import Comparison, Point
from tfx_anonymizer.comparison.plan import METRICS, Plan
from tfx_anonymizer.comparison.run import compare

__all__ = ["METRICS", "Comparison", "Plan", "Point", "compare"]
