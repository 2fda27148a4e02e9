"""Rows drawn from prototypes: every attribute by itself, given the prototype."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.differential_privacy.attributes import Codes, Floats
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.released import Prototypes

_STEP = 1 << 13


def draw_rows(
    prototypes: Prototypes,
    layout: Layout,
    count: int,
    random: np.random.Generator,
    *,
    weight_key: str | None = None,
    weight: float = 1.0,
) -> pa.Table:
    """Draws rows.

    Args:
        prototypes: Kinds of people, each drawn as often as its weight says.
        layout: What columns there are.
        count: Number of rows.
        random: What draws; it need not be secure, for it sees nothing private.
        weight_key: A column of weights to add.
        weight: What is in it: how many real rows a row stands for.

    Returns:
        Plain columns by name: those of the domain, missing as null; those left out, all missing; the weight.
    """
    domain = layout.domain
    which = random.choice(len(prototypes.weights), size=count, p=prototypes.weights / prototypes.weights.sum())
    columns = {}
    for attribute, block in zip(layout.encoding.attributes, layout.encoding.blocks, strict=True):
        codes = _draw(prototypes.distributions[:, block], which, random)
        columns[attribute.name] = attribute.decode(codes, random)
    if domain.label is not None and layout.design.by_class:
        codes = prototypes.classes[which].astype(np.int32)
        columns[domain.label.name] = domain.label.decode(codes, random)
    for name, kind in domain.left_out.items():
        columns[name] = pa.nulls(count, kind)
    if weight_key is not None:
        columns[weight_key] = pa.array(np.full(count, weight, dtype=np.float32))
    return pa.table(dict(sorted(columns.items())))


def _draw(distribution: Floats, which: npt.NDArray[np.int64], random: np.random.Generator) -> Codes:
    """Draws a code for each row from the distribution of its prototype."""
    running = np.cumsum(distribution, axis=1)
    # Whatever rounding leaves below one belongs to nobody.
    running /= running[:, -1:]
    last = distribution.shape[1] - 1 - np.argmax(distribution[:, ::-1] > 0, axis=1)
    found = np.empty(len(which), dtype=np.int32)
    for start in range(0, len(which), _STEP):
        part = which[start : start + _STEP]
        drawn = (running[part] <= random.random(len(part))[:, None]).sum(axis=1)
        found[start : start + _STEP] = np.minimum(drawn, last[part])
    return found
