"""What is released of a table, noise and all, and what can be made of it without looking at the table again."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.attributes import Floats
from tfx_anonymizer.differential_privacy.blocks import distributions, sizes
from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.differential_privacy.encoding import Sums
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.noise import rounded_gaussian
from tfx_anonymizer.differential_privacy.plan import Plan
from tfx_anonymizer.errors import GuaranteeError


@dataclasses.dataclass(frozen=True)
class Released:
    """The noisy statistics; whoever has them has all that the budget was spent on.

    Attributes:
        centres: Of the clusters, shape (clusters, width).
        counts: Noisy numbers of rows, shape (cells,).
        sums: Noisy sums of samples, shape (cells, mixtures, width).
    """

    centres: Floats
    counts: Sums
    sums: Sums

    @property
    def total(self) -> float:
        """The noisy number of rows."""
        return float(self.counts.sum())


@dataclasses.dataclass(frozen=True)
class Prototypes:
    """Made-up kinds of people, from which rows are drawn.

    Attributes:
        distributions: Of every attribute's codes, shape (prototypes, width).
        classes: Of each prototype, shape (prototypes,).
        weights: How many rows each stands for, shape (prototypes,).
        suppressed: Cells that were too small to be told from noise.
    """

    distributions: Floats
    classes: npt.NDArray[np.int64]
    weights: Floats
    suppressed: int


def with_noise(centres: Floats, counts: Sums, sums: Sums, layout: Layout, plan: Plan, seed: int | None) -> Released:
    """Adds the noise, once.

    Args:
        centres: Of the clusters.
        counts: True numbers of rows, shape (cells,).
        sums: True sums of samples, shape (cells, mixtures, width).
        layout: Says how long a record is.
        plan: Says how much noise.
        seed: None, unless nothing private is at stake.
    """
    counting, _, mixing = plan.scales(layout.encoding.squared_norm)
    noisy_counts = counts + rounded_gaussian(Coins(seed, "counts"), counting, counts.shape)
    return Released(centres, noisy_counts, sums + rounded_gaussian(Coins(seed, "mixtures"), mixing, sums.shape))


def prototypes(released: Released, layout: Layout, plan: Plan) -> Prototypes:
    """Makes distributions of noisy sums.

    Cells whose noisy count is within three standard deviations of none, or whose samples hold more noise than people,
    are left out. What is left of a mixture beyond its cell's mean is kept so far as it is not noise.

    Args:
        released: The noisy statistics.
        layout: What they are of.
        plan: How noisy they are.

    Raises:
        GuaranteeError: If no cell is left.
    """
    design = plan.design
    mixtures, probability = design.mixtures or 1, design.sampling_probability or 1.0
    counting, _, mixing = plan.scales(layout.encoding.squared_norm)
    least = max(3.0 * counting, mixing / (probability * np.sqrt(mixtures)))
    kept = np.flatnonzero(released.counts >= least)
    if not len(kept):
        raise GuaranteeError(
            "no cell has enough people to be told from the noise, so there is nothing to release",
            got=f"{len(released.counts)} cells, and a least noisy count of {least:.0f}",
            hint="a larger epsilon, fewer clusters, or more people",
        )
    counts = released.counts[kept].astype(np.float64)
    sums = released.sums[kept].astype(np.float64)
    means = np.stack([_mixture_means(s, c, layout, plan) for s, c in zip(sums, counts, strict=True)])
    flat = distributions(means.reshape(-1, means.shape[2]), layout.encoding)
    classes = np.repeat(kept % layout.classes, mixtures)
    return Prototypes(flat, classes, np.repeat(counts / mixtures, mixtures), len(released.counts) - len(kept))


def _mixture_means(sums: Floats, count: float, layout: Layout, plan: Plan) -> Floats:
    """Divides the sums of one cell by their sizes, and draws them towards the cell's mean as their noise asks for."""
    mixtures, encoding, probability = len(sums), layout.encoding, plan.design.sampling_probability or 1.0
    counting, _, noise = plan.scales(encoding.squared_norm)
    expected = probability * count
    # How far the count's own noise leaves the number of people in a sample open, and how far the coins do.
    open_, drawn = (probability * counting) ** 2, max(expected * (1.0 - probability), 0.0)
    whole = sums.sum(axis=0, keepdims=True)
    spread = mixtures**2 * open_ + mixtures * drawn
    held = sizes(whole, encoding, np.array([expected * mixtures]), np.array([spread]), noise * mixtures**0.5)
    middle: Floats = whole / held[:, None]
    if mixtures == 1:
        return middle
    every = np.full(mixtures, expected)
    held = sizes(sums, encoding, every, np.full(mixtures, open_ + drawn), noise)
    means = sums / held[:, None]
    likely = distributions(middle, encoding)[0, 1:]
    signal = float((likely * (1.0 - likely)).sum()) / max(expected, 1.0)
    kept = signal / (signal + encoding.width * noise**2 / max(expected, 1.0) ** 2)
    found: Floats = middle + kept * (means - middle)
    return found
