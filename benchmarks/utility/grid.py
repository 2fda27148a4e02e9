"""The grid: every method at every k for every model, on paired splits."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.utility import models
from benchmarks.utility.cases import Case, Split, load_case, split
from benchmarks.utility.methods import METHODS
from benchmarks.utility.results import Measurement


@dataclasses.dataclass(frozen=True)
class Grid:
    """What is to be measured; every combination of these."""

    cases: tuple[str, ...]
    models: tuple[str, ...]
    k: tuple[int, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]

    def __iter__(self) -> Iterator[tuple[str, str, int, str, int]]:
        """Yields what is to be measured, what shares a split and a guide side by side."""
        for case, seed, model in itertools.product(self.cases, self.seeds, self.models):
            for k, method in itertools.product(self.k, self.methods):
                yield case, model, k, method, seed


class Measuring:
    """Measures keys of a grid, keeping the split, the raw model's accuracy and its guide for the next key."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder of UCI's files."""
        self._folder = folder
        self._cases: dict[str, Case] = {}
        self._kept: tuple[tuple[str, str, int], Split, float, models.Guide] | None = None

    def measure(self, case_name: str, model: str, k: int, method: str, seed: int) -> Measurement:
        """Anonymizes the training rows, retrains, and asks about held-out rows."""
        case, part, raw, guide = self._shared(case_name, model, seed)
        start = time.perf_counter()
        released = METHODS[method](case, part, model, guide, k, seed)
        seconds = time.perf_counter() - start
        sizes = released.groupby(list(case.quasi_identifiers), dropna=False).size()
        reached = models.accuracy(model, released, part.label, part.test, part.test_label, case.categorical, seed)
        return Measurement(
            case_name, model, k, method, seed, raw, reached, len(sizes), int(sizes.min()), round(seconds, 2)
        )

    def _shared(self, name: str, model: str, seed: int) -> tuple[Case, Split, float, models.Guide]:
        case = self._cases.setdefault(name, load_case(name, self._folder))
        if self._kept is None or self._kept[0] != (name, model, seed):
            part = split(case, seed)
            raw = models.accuracy(model, part.train, part.label, part.test, part.test_label, case.categorical, seed)
            guide = models.guide(model, part.train, part.label, case.categorical, seed)
            self._kept = (name, model, seed), part, raw, guide
        _, part, raw, guide = self._kept
        return case, part, raw, guide
