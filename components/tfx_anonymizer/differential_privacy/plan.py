"""How a budget is divided, before any record is looked at.

Counting takes a tenth of epsilon, clustering three tenths (nothing where there are no clusters), and mixing all that
the accountant then finds left: their noise is set one after the other, each the least that keeps its share, and the
last the least with which everything together keeps the whole.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers

from tfx_anonymizer.differential_privacy.accounting import gaussian, least_noise, spent_epsilon, together
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.poisson_samples import PoissonSamples
from tfx_anonymizer.differential_privacy.spending import Part, Spending
from tfx_anonymizer.errors import PolicyError

RANDOM_MIXING, CLASS_WISE_MIXING = "random_mixing", "class_wise_mixing"
CLUST_MIX, CLUSTER_MEANS = "clust_mix", "cluster_means"
MECHANISMS = (RANDOM_MIXING, CLASS_WISE_MIXING, CLUST_MIX, CLUSTER_MEANS)
# What is taken where nothing is said: clusters, mixtures, and the probability of being in one.
_USUAL = {
    RANDOM_MIXING: (1, 1000, 0.005),
    CLASS_WISE_MIXING: (1, 100, 0.02),
    CLUST_MIX: (8, 100, 0.05),
    CLUSTER_MEANS: (8, 1, 1.0),
}
_COUNTING, _CLUSTERING = 0.1, 0.3
_MOST_ENTRIES = 1 << 24


@dataclasses.dataclass(frozen=True)
class Design:
    """What is released of a table; all of it public.

    Attributes:
        mechanism: One of `MECHANISMS`. `random_mixing`: samples of all records, the label among them.
            `class_wise_mixing`: samples of each class. `clust_mix`: samples of each class in each cluster.
            `cluster_means`: each class in each cluster, unsampled.
        clusters: Number of clusters; None: what is usual. 1 for mechanisms that have none.
        iterations: Of k-means.
        mixtures: Samples of each cell; None: what is usual.
        sampling_probability: With which a person is in a sample; None: what is usual.
        rows_per_person: The most rows that a person may have; everything is as noisy as that asks for.

    Raises:
        PolicyError: If one is out of range, or does not go with the mechanism.
    """

    mechanism: str = CLUSTER_MEANS
    clusters: int | None = None
    iterations: int = 2
    mixtures: int | None = None
    sampling_probability: float | None = None
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        if self.mechanism not in MECHANISMS:
            raise PolicyError("mechanism is not known", got=repr(self.mechanism), allowed=" or ".join(MECHANISMS))
        clusters, mixtures, probability = _USUAL[self.mechanism]
        for name, usual in (("clusters", clusters), ("mixtures", mixtures), ("sampling_probability", probability)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, usual)
        for name, most in (("clusters", 1000), ("iterations", 20), ("mixtures", 100_000), ("rows_per_person", 1000)):
            _check_whole(name, getattr(self, name), most)
        self._check_fit()

    def _check_fit(self) -> None:
        if not self.clustered and self.clusters != 1:
            raise PolicyError(f"{self.mechanism} has no clusters", got=f"clusters={self.clusters}")
        if self.mechanism == CLUSTER_MEANS and (self.mixtures, self.sampling_probability) != (1, 1.0):
            raise PolicyError("cluster_means does not sample", hint="mechanism='clust_mix' does")
        probability = self.sampling_probability
        real = isinstance(probability, numbers.Real) and not isinstance(probability, bool)
        if not real or not 0.0 < probability <= 1.0:  # type: ignore[operator]
            raise PolicyError("sampling_probability is out of range", got=repr(probability), allowed="above 0, up to 1")

    @property
    def clustered(self) -> bool:
        """Whether there are clusters to be found."""
        return self.mechanism in (CLUST_MIX, CLUSTER_MEANS)

    @property
    def by_class(self) -> bool:
        """Whether classes are cells of their own."""
        return self.mechanism != RANDOM_MIXING

    def samples(self, seed: int | None) -> PoissonSamples:
        """Returns how samples are drawn."""
        return PoissonSamples(self.sampling_probability or 1.0, self.mixtures or 1, seed)

    def check_size(self, cells: int, width: int) -> None:
        """Refuses a release that no worker could hold.

        Raises:
            PolicyError: If there are too many cells, mixtures or codes.
        """
        entries = cells * (self.mixtures or 1) * width
        if entries > _MOST_ENTRIES:
            raise PolicyError(
                "the release is too large to be summed in memory",
                got=f"{cells} cells of {self.mixtures} mixtures of {width} entries",
                allowed=f"up to {_MOST_ENTRIES:,} entries",
                hint="fewer mixtures, clusters or bins, or a label of fewer classes",
            )


@dataclasses.dataclass(frozen=True)
class Plan:
    """A design and the noise that keeps its budget.

    Attributes:
        design: What is released.
        budget: What may be spent.
        counting: Noise multiplier of the cells' counts.
        clustering: Of each iteration's sums, and of the sum that centres are drawn from; None without clusters.
        mixing: Of each sample's sums.
    """

    design: Design
    budget: Budget
    counting: float
    clustering: float | None
    mixing: float

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is done to the records."""
        design = self.design
        found = [Part("counts of cells", self.counting)]
        if self.clustering is not None:
            found.append(Part("k-means", self.clustering, times=design.iterations + 1))
        mixtures, probability = design.mixtures or 1, design.sampling_probability or 1.0
        return (*found, Part("mixtures", self.mixing, times=mixtures, sampling_probability=probability))

    def spending(self, source: str) -> Spending:
        """Returns what carrying it out spends; epsilon is what the accountant finds, at most the budget's."""
        epsilon = _epsilon(self.parts, self.budget.delta)
        return Spending(self.design.mechanism, source, epsilon, self.budget.delta, self.parts)

    def scales(self, squared_norm: int) -> tuple[float, float, float]:
        """Returns the standard deviations of the noise on counts, clusters' sums and mixtures' sums.

        Args:
            squared_norm: The greatest squared length of a record's vector.
        """
        rows = self.design.rows_per_person
        length = rows * math.sqrt(squared_norm)
        return self.counting * rows, (self.clustering or 0.0) * length, self.mixing * length


@functools.lru_cache(maxsize=64)
def plan(design: Design, budget: Budget) -> Plan:
    """Sets the noise; nothing but the arguments is looked at.

    Args:
        design: What is to be released.
        budget: What may be spent.

    Raises:
        GuaranteeError: If the budget cannot be kept.
    """
    counting = least_noise(gaussian, dataclasses.replace(budget, epsilon=_COUNTING * budget.epsilon))
    clustering = None
    if design.clustered:
        share = dataclasses.replace(budget, epsilon=_CLUSTERING * budget.epsilon)
        times = design.iterations + 1
        clustering = least_noise(lambda noise: gaussian(noise, times=times), share)
    trial = Plan(design, budget, counting, clustering, 1.0)

    def all_of(noise: float) -> object:
        return together(*(part.event for part in dataclasses.replace(trial, mixing=noise).parts))

    return dataclasses.replace(trial, mixing=least_noise(all_of, budget))


@functools.lru_cache(maxsize=64)
def _epsilon(parts: tuple[Part, ...], delta: float) -> float:
    return spent_epsilon(together(*(part.event for part in parts)), delta=delta)


def _check_whole(name: str, value: object, most: int) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not 1 <= value <= most:  # type: ignore[operator]
        raise PolicyError(f"{name} is out of range", got=repr(value), allowed=f"a whole number from 1 to {most:,}")
