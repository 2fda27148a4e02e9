"""Public data sets for examples and benchmarks: fetched, checked against their sums, read with names."""

from __future__ import annotations

from tfx_anonymizer.datasets.fetching import DATASETS, fetch
from tfx_anonymizer.datasets.uci import read_adult, read_nursery

__all__ = ["DATASETS", "fetch", "read_adult", "read_nursery"]
