"""What others have published, as partitioners behind the same interface, so that a comparison is one parameter.

They keep every guarantee as the others do, but they are not the method: `partitioner="auto"` never takes one.
"""

from __future__ import annotations

from collections.abc import Mapping

from tfx_anonymizer.core.partition.baselines.base import Baseline
from tfx_anonymizer.core.partition.baselines.entropy_tree import EntropyTree
from tfx_anonymizer.core.partition.baselines.hilbert import Hilbert
from tfx_anonymizer.core.partition.baselines.mondrian import Mondrian
from tfx_anonymizer.core.partition.baselines.paper import PaperTree
from tfx_anonymizer.core.partition.baselines.r_plus_tree import RPlusTree

BASELINES: Mapping[str, Baseline] = {
    p.name: p for p in (Mondrian(), Hilbert(), RPlusTree(), EntropyTree(), PaperTree())
}

__all__ = ["BASELINES", "Baseline"]
