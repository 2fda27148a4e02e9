"""What a comparison found: means over folds, which releases no other beats, and the k to take."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfx_anonymizer.comparison.fold import Cell


@dataclasses.dataclass(frozen=True)
class Point:
    """Releases of one partitioner and one k, over all folds.

    Attributes:
        partitioner: How rows were grouped, as it was asked for.
        k: The k that was asked for.
        reached: Whether every fold's release could keep the guarantee; if not, the figures are NaN.
        score: Mean score of the retrained model.
        change: Mean difference from the model trained on the same raw rows, in points (hundredths); negative is a loss.
        change_error: Standard error of `change` over folds, points.
        membership: Mean AUC of the loss attack on the retrained model; one half is a coin.
        classes: Mean number of equivalence classes.
        changed: Mean share of quasi-identifying cells that were changed.
        chosen: The partitioners and representatives that were used, the most frequent first.
        seconds: Mean time of grouping.
        on_front: Whether no other point has as great a k and as good a score, one of them better (Pareto).
    """

    partitioner: str
    k: int
    reached: bool
    score: float = math.nan
    change: float = math.nan
    change_error: float = math.nan
    membership: float = math.nan
    classes: float = math.nan
    changed: float = math.nan
    chosen: str = ""
    seconds: float = math.nan
    on_front: bool = False


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A finished comparison.

    Attributes:
        metric: What `score` is.
        model: The estimator that was retrained.
        folds: Over how many folds means are.
        score_raw: Mean score of the model trained on raw rows.
        membership_raw: Mean AUC of the loss attack on that model.
        points: One for each partitioner and k.
    """

    metric: str
    model: str
    folds: int
    score_raw: float
    membership_raw: float
    points: tuple[Point, ...]

    @classmethod
    def of(cls, cells: Iterable[Cell], metric: str, model: str, folds: int) -> Comparison:
        """Sums up the cells of a grid."""
        found = list(cells)
        groups: dict[tuple[str, int], list[Cell]] = {}
        for cell in found:
            groups.setdefault((cell.partitioner, cell.k), []).append(cell)
        points = [_point(group) for group in groups.values()]
        raw = {cell.fold: cell for cell in found if cell.reached}
        return cls(
            metric=metric,
            model=model,
            folds=folds,
            score_raw=_mean([cell.score_raw for cell in raw.values()]),
            membership_raw=_mean([cell.membership_raw for cell in raw.values()]),
            points=tuple(dataclasses.replace(point, on_front=_on_front(point, points)) for point in points),
        )

    def recommended(self, at_most: float) -> Point | None:
        """Returns the greatest k whose mean loss is small enough; of two partitioners the better one.

        Args:
            at_most: The loss that is allowed, in points of the metric.

        Returns:
            The point, or None if every release loses more.

        Example:
            >>> points = (Point("auto", 10, True, change=-0.2), Point("auto", 100, True, change=-1.4))
            >>> found = Comparison("accuracy", "mlp", 3, 0.85, 0.53, points).recommended(at_most=1.0)
            >>> found.k
            10
        """
        good_enough = [point for point in self.points if point.reached and point.change >= -at_most]
        return max(good_enough, key=lambda point: (point.k, point.change), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON-ready values; what could not be reached has None for figures."""
        fields = dataclasses.asdict(self)
        fields["points"] = [{name: _or_none(value) for name, value in point.items()} for point in fields["points"]]
        return {name: _or_none(value) for name, value in fields.items()}


def _point(cells: Sequence[Cell]) -> Point:
    first = cells[0]
    if not all(cell.reached for cell in cells):
        return Point(first.partitioner, first.k, reached=False)
    changes = [100.0 * (float(cell.score or 0.0) - float(cell.score_raw or 0.0)) for cell in cells]
    used = [cell.chosen or "" for cell in cells]
    return Point(
        partitioner=first.partitioner,
        k=first.k,
        reached=True,
        score=_mean([cell.score for cell in cells]),
        change=float(np.mean(changes)),
        change_error=float(np.std(changes, ddof=1) / math.sqrt(len(changes))) if len(changes) > 1 else math.nan,
        membership=_mean([cell.membership for cell in cells]),
        classes=_mean([cell.classes for cell in cells]),
        changed=_mean([cell.changed for cell in cells]),
        chosen="; ".join(sorted(set(used), key=lambda name: (-used.count(name), name))),
        seconds=_mean([cell.seconds for cell in cells]),
    )


def _or_none(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else math.nan


def _on_front(point: Point, points: Sequence[Point]) -> bool:
    if not point.reached:
        return False
    return not any(
        other.reached
        and other.k >= point.k
        and other.score >= point.score
        and (other.k > point.k or other.score > point.score)
        for other in points
    )
