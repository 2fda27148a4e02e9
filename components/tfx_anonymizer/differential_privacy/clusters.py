"""k-means that looks at the records through noisy sums alone (after Su et al. 2016).

Centres begin at made-up records, drawn from the noisy distribution of all. Each iteration releases one noisy sum of the
vectors nearest to each centre; a vector's leading one makes that a count as well. Given the centres, a record's cluster
is a function of the record alone, so clusters partition the people and what is released of each is released at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.differential_privacy.attributes import Codes, Floats
from tfx_anonymizer.differential_privacy.blocks import distributions, sizes
from tfx_anonymizer.differential_privacy.encoding import Encoding, Sums

# A centre begins halfway between a made-up record and the middle of all.
_PULL = 0.5
_STEP = 1 << 16


def nearest(places: Codes, centres: Floats) -> npt.NDArray[np.int64]:
    """Returns the nearest centre of each record, shape (n,).

    Args:
        places: Of n records, as `Encoding.places` gives them.
        centres: Shape (clusters, width).
    """
    if len(centres) == 1:
        return np.zeros(len(places), dtype=np.int64)
    # Of |x - c|^2, what differs between centres: |c|^2 - 2 x.c. The last entry stands for a value without a code.
    padded = np.concatenate([centres, np.zeros((len(centres), 1))], axis=1).T
    offset = -0.5 * (centres**2).sum(axis=1)
    found = np.empty(len(places), dtype=np.int64)
    for start in range(0, len(places), _STEP):
        part = places[start : start + _STEP]
        score = np.tile(offset, (len(part), 1))
        for j in range(part.shape[1]):
            score += padded[part[:, j]]
        found[start : start + _STEP] = score.argmax(axis=1)
    return found


def only_centre(encoding: Encoding) -> Floats:
    """Returns the one centre that everybody is nearest to."""
    return np.zeros((1, encoding.width))


def first_centres(total: Sums, encoding: Encoding, count: int, noise: float, random: np.random.Generator) -> Floats:
    """Draws centres from the distribution of all records.

    Args:
        total: The noisy sum of all, shape (1, width).
        encoding: Says where blocks are.
        count: Number of centres.
        noise: Standard deviation of the noise in `total`.
        random: What draws.

    Returns:
        Shape (count, width).
    """
    middle = _means(total, encoding, noise)[0]
    centres = np.ones((count, encoding.width))
    for block in encoding.blocks:
        drawn = random.choice(block.stop - block.start, size=count, p=middle[block])
        centres[:, block] = _PULL * middle[block]
        centres[np.arange(count), block.start + drawn] += 1.0 - _PULL
    return centres


def moved(centres: Floats, sums: Sums, encoding: Encoding, noise: float) -> Floats:
    """Moves centres to the middle of the records nearest to them.

    Args:
        centres: Where they were, shape (clusters, width).
        sums: Noisy sums of those records, of the same shape.
        encoding: Says where blocks are.
        noise: Standard deviation of the noise in `sums`.

    Returns:
        Where they are now; a centre whose records drown in the noise stays.
    """
    found = _means(sums, encoding, noise)
    drowned = sums[:, 0] < 3 * noise
    return np.where(drowned[:, None], centres, found)


def _means(sums: Sums, encoding: Encoding, noise: float) -> Floats:
    numbers = sums.astype(np.float64)
    unknown = np.full(len(sums), np.inf)
    held = sizes(numbers, encoding, np.zeros(len(sums)), unknown, noise)
    return distributions(numbers / held[:, None], encoding)
