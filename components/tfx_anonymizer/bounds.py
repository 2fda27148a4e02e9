"""The bounds of a guarantee, checked one by one: k, l and which diversity it means, c, t, max_suppressed.

Example:
    >>> check_sensitive_bounds(("ill",), l=3, t=None, diversity="recursive", c=2.5)
    >>> check_sensitive_bounds(("ill",), l=3, t=None, diversity="recursive", c=None)
    Traceback (most recent call last):
    tfx_anonymizer.errors.PolicyError: diversity='recursive' needs c; got: None; allowed: a number above 0. Hint: ...
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence

from tfx_anonymizer.errors import PolicyError

DIVERSITIES = ("distinct", "entropy", "recursive")


def check_k(k: object) -> None:
    """Checks the least size of a class.

    Raises:
        PolicyError: If it is not an integer of 2 or more.
    """
    if not _is_int(k) or k < 2:  # type: ignore[operator]
        raise PolicyError(
            "k is out of range", got=repr(k), allowed="an integer of 2 or more", hint="k=50 is a common start"
        )


def check_sensitive_bounds(sensitive: Sequence[str], *, l: object, t: object, diversity: object, c: object) -> None:
    """Checks everything that is promised of sensitive columns; see `AnonymizationPolicy` for what it means.

    Raises:
        PolicyError: If a bound is out of range, or one is given without what it needs.
    """
    for name, bound in (("l", l), ("t", t)):
        if bound is not None and not sensitive:
            raise PolicyError(
                f"{name} is set but no column is sensitive",
                got=f"{name}={bound}",
                hint="name the columns it protects in `sensitive`; the label may be one of them",
            )
    _check_diversity(l, diversity, c)
    if t is not None and (not _is_real(t) or not 0.0 <= t <= 1.0):  # type: ignore[operator]
        raise PolicyError("t is out of range", got=repr(t), allowed="a number from 0 to 1")


def check_max_suppressed(share: object) -> None:
    """Checks the share of rows that may be left out.

    Raises:
        PolicyError: If it is not a number from 0 to less than 1.
    """
    if not _is_real(share) or not 0.0 <= share < 1.0:  # type: ignore[operator]
        raise PolicyError(
            "max_suppressed is out of range",
            got=repr(share),
            allowed="a share of the rows, 0 to less than 1",
            hint="max_suppressed=0.01 for one row in a hundred",
        )


def _check_diversity(l: object, diversity: object, c: object) -> None:
    if diversity not in DIVERSITIES:
        raise PolicyError("diversity is not known", got=repr(diversity), allowed=" or ".join(DIVERSITIES))
    if l is None and (diversity != "distinct" or c is not None):
        raise PolicyError(
            "diversity and c say which l is meant, but l is not set",
            got=f"diversity={diversity!r}, c={c!r}",
            hint="set l as well",
        )
    if diversity == "entropy":
        # H >= log l means something for any l above 1, and few real columns reach 2 in every class.
        if l is not None and (not _is_real(l) or l <= 1):  # type: ignore[operator]
            raise PolicyError("l is out of range", got=repr(l), allowed="a number above 1 for diversity='entropy'")
    elif l is not None and (not _is_int(l) or l < 2):  # type: ignore[operator]
        raise PolicyError(
            "l is out of range",
            got=repr(l),
            allowed=f"an integer of 2 or more for diversity={diversity!r}",
            hint="only diversity='entropy' takes an l between whole numbers" if _is_real(l) and l > 1 else None,  # type: ignore[operator]
        )
    if diversity == "recursive":
        if not _is_real(c) or c <= 0:  # type: ignore[operator]
            raise PolicyError(
                "diversity='recursive' needs c" if c is None else "c is out of range",
                got=repr(c),
                allowed="a number above 0",
                hint="c=3 with l=2: the most frequent value less than three times as often as all others together",
            )
    elif c is not None:
        raise PolicyError("c belongs to diversity='recursive'", got=f"c={c!r}, diversity={diversity!r}")


def _is_int(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_real(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(float(value))
