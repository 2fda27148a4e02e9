"""Coordinates in which people whom the guide treats alike lie close to one another."""

from __future__ import annotations

from tfx_anonymizer.core.space.bins import Bins, bin_codes
from tfx_anonymizer.core.space.contributions import contributions
from tfx_anonymizer.core.space.effects import Effects
from tfx_anonymizer.core.space.responses import responses

__all__ = ["Bins", "Effects", "bin_codes", "contributions", "responses"]
