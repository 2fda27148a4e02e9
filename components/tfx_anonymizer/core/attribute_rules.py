"""`representative="by_attribute"`: each attribute is released by the rule that a student learns most from.

What suits one attribute does not suit another: the mean meaning of an age tells a model more than its median, and that
of a rare kind of income less. The rules are tried an attribute at a time on one partition, beginning with the one that
is best for all; what makes the student's answers for the raw rows better is kept, until a round changes nothing.

Squared error decides, not the share of right answers: one attribute of many moves few answers across a bound, but all
a little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tfx_anonymizer.core.encoding import Codes

# Nothing was seen to be gained by a third.
ROUNDS = 2


def choose_rules(released: Mapping[str, Codes], closeness: Callable[[Codes], float]) -> tuple[str, ...]:
    """Chooses a rule for each attribute.

    Args:
        released: What each class releases by each rule, int32, shape (classes, attributes).
        closeness: Says how good a release is, from what its classes release; more is better.

    Returns:
        The rule of each attribute. The same for the same mapping: rules are tried in its order, and the earlier is
        kept in a tie.

    Example:
        >>> by_rule = {"median": np.array([[1, 5]]), "typical": np.array([[2, 6]])}
        >>> choose_rules(by_rule, lambda codes: -abs(codes[0, 0] - 2) - abs(codes[0, 1] - 5))
        ('typical', 'median')
    """
    reached = {rule: closeness(codes) for rule, codes in released.items()}
    start = max(reached, key=lambda rule: reached[rule])
    current, best = released[start].copy(), reached[start]
    rules = [start] * current.shape[1]
    attributes = current.shape[1]
    settled = 0
    for turn in range(ROUNDS * attributes):
        attribute = turn % attributes
        before = rules[attribute]
        for rule, codes in released.items():
            column = codes[:, attribute]
            if rule == before or np.array_equal(column, current[:, attribute]):
                continue
            trial = current.copy()
            trial[:, attribute] = column
            value = closeness(trial)
            if value > best:
                current, best, rules[attribute] = trial, value, rule
        # All others having been tried beside what was changed last, none would change any more.
        settled = settled + 1 if rules[attribute] == before else 1
        if settled == attributes:
            break
    return tuple(rules)


def mixed(released: Mapping[str, Codes], rules: tuple[str, ...]) -> Codes:
    """Takes each attribute's column from what its rule releases; int32, shape (classes, attributes)."""
    return np.stack([released[rule][:, attribute] for attribute, rule in enumerate(rules)], axis=1)
