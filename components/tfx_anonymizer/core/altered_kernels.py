"""Compiled choice of members as representatives that are no real person's record.

Combinations are known by a sum of one mixed word an attribute, so that exchanging one value is one subtraction and one
addition. Two combinations of one sum (of 2**64) would be taken for each other, which can only cost an exchange.
"""

from __future__ import annotations

import numpy as np

from tfx_anonymizer.core.jit import compiled
from tfx_anonymizer.core.representative_kernels import precedes


@compiled
def _word(attribute, code):
    """Scatters an attribute's code over 64 bits (the finalizer of SplitMix64; Steele, Lea and Flood 2014)."""
    value = np.uint64(attribute + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(code)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def combination_words(codes):
    """Returns one word a row, the same for the same combination, uint64, shape (n,)."""
    words = np.zeros(len(codes), dtype=np.uint64)
    for i in range(len(codes)):
        for f in range(codes.shape[1]):
            words[i] += _word(f, codes[i, f])
    return words


@compiled
def _is_rare(word, known, holders, k):
    """Tells whether a combination is held by someone, but by fewer than k rows."""
    place = np.searchsorted(known, word)
    return place < len(known) and known[place] == word and holders[place] < k


@compiled
def _distances(effects, row, mean, out):
    """Writes each attribute's squared distance in effects from the class's mean; returns their sum."""
    whole = 0.0
    for f in range(effects.shape[1]):
        total = 0.0
        for d in range(effects.shape[2]):
            total += (effects[row, f, d] - mean[f, d]) ** 2
        out[f] = total
        whole += total
    return whole


@compiled
def _nearest(codes, effects, members, mean, distance):
    best, least = -1, np.inf
    for row in members:
        whole = _distances(effects, row, mean, distance)
        if whole < least or (whole == least and precedes(codes, row, best)):
            best, least = row, whole
    return best


@compiled
def _exchange(codes, effects, members, mean, chosen, distance, fixed, word, known, holders, k):
    """Finds the exchange of one value that moves `chosen` least from the mean, one that leaves no rare record first.

    Returns:
        (attribute, row): which value to take, and whose; (-1, -1) if all members agree in what may still change.
    """
    found, whose = -1, -1
    found_rare, least = True, np.inf
    of_row = np.empty(codes.shape[1])
    for row in members:
        _distances(effects, row, mean, of_row)
        for f in range(codes.shape[1]):
            if fixed[f] or codes[row, f] == chosen[f]:
                continue
            cost = of_row[f] - distance[f]
            if cost > least and not found_rare:
                continue
            rare = _is_rare(word - _word(f, chosen[f]) + _word(f, codes[row, f]), known, holders, k)
            if rare and not found_rare:
                continue
            tie = cost == least and (f, codes[row, f]) < (found, codes[whose, f] if whose >= 0 else 0)
            if (found_rare and not rare) or cost < least or tie:
                found, whose, least, found_rare = f, row, cost, rare
    return found, whose


@compiled
def altered_members(codes, effects, rows, first, known, holders, k):
    """In every class the member nearest its mean effects, altered until no fewer than k real rows have its combination.

    While some rows have it, but fewer than k, one value is exchanged for another member's; each attribute once at most.

    Args:
        codes: int32, shape (n, attributes).
        effects: float64, shape (n, attributes, d).
        rows: Row numbers sorted by class.
        first: Where each class begins in `rows`, shape (classes + 1,).
        known: The words of all combinations in the data, ascending, uint64.
        holders: How many rows have each.
        k: How many make it no one's in particular.

    Returns:
        int32, shape (classes, attributes); every code is attained in its class.
    """
    classes, attributes = len(first) - 1, codes.shape[1]
    chosen = np.empty((classes, attributes), dtype=np.int32)
    distance = np.empty(attributes)
    for c in range(classes):
        members = rows[first[c] : first[c + 1]]
        mean = np.zeros(effects.shape[1:])
        for row in members:
            mean += effects[row]
        mean /= len(members)
        nearest = _nearest(codes, effects, members, mean, distance)
        _distances(effects, nearest, mean, distance)
        word = np.uint64(0)
        for f in range(attributes):
            chosen[c, f] = codes[nearest, f]
            word += _word(f, chosen[c, f])
        fixed = np.zeros(attributes, dtype=np.bool_)
        while _is_rare(word, known, holders, k):
            f, row = _exchange(codes, effects, members, mean, chosen[c], distance, fixed, word, known, holders, k)
            if f < 0:
                break
            word += _word(f, codes[row, f]) - _word(f, chosen[c, f])
            chosen[c, f] = codes[row, f]
            fixed[f] = True
    return chosen
