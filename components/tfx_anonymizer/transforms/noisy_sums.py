"""Noisy statistics of a split: sums in Beam, noise added once to each total.

Every statistic is a sum over people, added up bundle by bundle, so a worker holds one array whatever the size of the
split. Noise goes onto the total, in one place, and a checkpoint follows it: everybody downstream sees one noisy answer,
however often a runner repeats what comes after. A runner that repeats the noising itself gives that answer's place to
one of the attempts; the other one never leaves the worker that is given up. The coins of samples are thrown within a
bundle and come out again as its sum alone, of which a runner keeps one likewise.

Example:
    >>> import operator, apache_beam as beam, pyarrow as pa
    >>> from tfx_anonymizer.differential_privacy.attributes import Categorical
    >>> from tfx_anonymizer.differential_privacy.budget import Budget
    >>> from tfx_anonymizer.differential_privacy.domain import Domain
    >>> from tfx_anonymizer.differential_privacy.plan import Design, plan
    >>> design = Design("cluster_means", clusters=2, iterations=1)
    >>> layout = Layout(Domain((Categorical("city", ("Ulm", "Bonn")),)), design)
    >>> coded = layout.code(pa.table({"city": ["Ulm", "Bonn"] * 500}))
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     released = p | beam.Create([coded]) | NoisySums(layout, plan(design, Budget(1.0, 1e-6)), seed=0)
    ...     _ = released | beam.Map(operator.attrgetter("counts.shape", "sums.shape")) | beam.Map(print)
    ((2,), (2, 1, 3))
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import apache_beam as beam
import numpy as np
from apache_beam.transforms.window import GlobalWindows
from apache_beam.utils.windowed_value import WindowedValue

from tfx_anonymizer.differential_privacy.clusters import only_centre
from tfx_anonymizer.differential_privacy.coins import generator
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.people import Coded
from tfx_anonymizer.differential_privacy.plan import Plan
from tfx_anonymizer.differential_privacy.released import Released, with_noise
from tfx_anonymizer.differential_privacy.synthesis import check_people, next_centres, start_centres

# Tuples of integer arrays, and centres: Beam's type hints know no parameterized arrays.
_Arrays: TypeAlias = Any
_Centres: TypeAlias = Any


class NoisySums(beam.PTransform):  # type: ignore[misc]
    """Releases what a plan releases: a PCollection of `Coded` becomes one `Released`.

    Args:
        layout: What is released.
        plan: With how much noise.
        seed: Makes it repeatable, for any bundles and retries, and not private.
    """

    def __init__(self, layout: Layout, plan: Plan, seed: int | None = None) -> None:
        super().__init__()
        self._layout = layout
        self._plan = plan
        self._seed = seed

    def expand(self, coded: beam.PCollection[Coded]) -> beam.PCollection[Released]:
        """Applies the transform."""
        layout, seed = self._layout, self._seed
        centres = self._centres(coded)
        shapes: list[tuple[int, ...]] = [
            (layout.cells,),
            (layout.cells, layout.design.mixtures or 1, layout.encoding.width),
        ]
        total = _added(coded, "Cells", functools.partial(_cell_sums, layout, seed), centres, shapes)
        return (
            total
            | "Noise" >> beam.Map(self._noisy, beam.pvalue.AsSingleton(centres))
            | "Checkpoint" >> beam.Reshuffle()
            | "Check" >> beam.Map(_checked, self._plan)
        )

    def _centres(self, coded: beam.PCollection[Coded]) -> beam.PCollection[_Centres]:
        layout, plan, seed = self._layout, self._plan, self._seed
        middle = only_centre(layout.encoding)
        only = coded.pipeline | "Middle" >> beam.Create([middle], reshuffle=False)
        if plan.clustering is None:
            return only
        cluster_sums = functools.partial(_cluster_sums, layout)
        width = layout.encoding.width
        total = _added(coded, "All", cluster_sums, only, [(1, width)])
        centres = total | "Begin" >> beam.Map(_begin, layout, plan, seed) | "Begun" >> beam.Reshuffle()
        for turn in range(plan.design.iterations):
            total = _added(coded, f"Turn[{turn}]", cluster_sums, centres, [(layout.clusters, width)])
            moved = total | f"Move[{turn}]" >> beam.Map(
                _move, beam.pvalue.AsSingleton(centres), layout, plan, turn, seed
            )
            centres = moved | f"Moved[{turn}]" >> beam.Reshuffle()
        return centres

    def _noisy(self, total: _Arrays, centres: _Centres) -> Released:
        counts, sums = total
        return with_noise(centres, counts, sums, self._layout, self._plan, self._seed)


def _cell_sums(layout: Layout, seed: int | None, part: Coded, centres: _Centres) -> _Arrays:
    return layout.cell_sums(part, centres, seed)


def _cluster_sums(layout: Layout, part: Coded, centres: _Centres) -> _Arrays:
    return (layout.cluster_sums(part, centres),)


def _begin(total: _Arrays, layout: Layout, plan: Plan, seed: int | None) -> _Centres:
    return start_centres(total[0], layout, plan, generator(seed, 1), seed)


def _move(total: _Arrays, centres: _Centres, layout: Layout, plan: Plan, turn: int, seed: int | None) -> _Centres:
    return next_centres(centres, total[0], layout, plan, turn, seed)


def _checked(released: Released, plan: Plan) -> Released:
    check_people(released, plan)
    return released


def _added(
    coded: beam.PCollection[Coded],
    name: str,
    of: Callable[[Coded, _Centres], _Arrays],
    centres: beam.PCollection[_Centres],
    shapes: list[tuple[int, ...]],
) -> beam.PCollection[_Arrays]:
    """Adds up arrays over all records; zeros where there are none."""
    return (
        coded
        | f"{name}/Add" >> beam.ParDo(_AddBundle(of), beam.pvalue.AsSingleton(centres))
        | f"{name}/Total" >> beam.CombineGlobally(_Total(shapes))
    )


class _AddBundle(beam.DoFn):  # type: ignore[misc]
    """Adds up a bundle's arrays before anything leaves the worker."""

    def __init__(self, of: Callable[[Coded, _Centres], _Arrays]) -> None:
        self._of = of
        self._held: _Arrays | None = None

    def start_bundle(self) -> None:
        self._held = None

    def process(self, coded: Coded, centres: _Centres) -> list[Any]:
        found = self._of(coded, centres)
        self._held = found if self._held is None else _plus(self._held, found)
        return []

    def finish_bundle(self) -> Iterator[WindowedValue]:
        if self._held is not None:
            held, self._held = self._held, None
            yield GlobalWindows.windowed_value(held)


class _Total(beam.CombineFn):  # type: ignore[misc]
    def __init__(self, shapes: list[tuple[int, ...]]) -> None:
        self._shapes = shapes

    def create_accumulator(self) -> _Arrays | None:
        return None

    def add_input(self, total: _Arrays | None, arrays: _Arrays) -> _Arrays:
        return arrays if total is None else _plus(total, arrays)

    def merge_accumulators(self, totals: Iterable[_Arrays | None]) -> _Arrays | None:
        merged = None
        for total in totals:
            if total is not None:
                merged = self.add_input(merged, total)
        return merged

    def extract_output(self, total: _Arrays | None) -> _Arrays:
        if total is None:
            return tuple(np.zeros(shape, dtype=np.int64) for shape in self._shapes)
        return total


def _plus(first: Any, second: Any) -> _Arrays:
    return tuple(a + b for a, b in zip(first, second, strict=True))
