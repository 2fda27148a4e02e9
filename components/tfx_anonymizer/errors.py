"""Typed errors: one base class, one line of text each, never a raw value of a record.

Every message says what is wrong, what was got, what is allowed and what to try next. The text stays on one line so
that it survives the trip from a Beam worker to the driver (see `transforms.failures`), and the only constructor
argument that reaches `Exception.args` is that text, so that pickling and Beam's own re-raising keep the type.

Example:
    >>> print(PolicyError("k is too small", got=1, allowed="an integer of 2 or more", hint="k=50 is a common start"))
    k is too small; got: 1; allowed: an integer of 2 or more. Hint: k=50 is a common start
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AnonymizerError(ValueError):
    """Base of every error that tfx_anonymizer raises on purpose.

    Args:
        problem: What is wrong, naming the column or the parameter.
        got: What was found; a count, a name or a parameter's value, never a value of a record.
        allowed: What would have been accepted.
        hint: What the reader can do about it.
    """

    def __init__(self, problem: str, *, got: object = None, allowed: object = None, hint: str | None = None) -> None:
        parts = [problem]
        if got is not None:
            parts.append(f"got: {got}")
        if allowed is not None:
            parts.append(f"allowed: {allowed}")
        text = "; ".join(parts)
        if hint is not None:
            text = f"{text}. Hint: {hint}"
        super().__init__(" ".join(text.split()))


class PolicyError(AnonymizerError):
    """A parameter or a privacy role is wrong; raised when the pipeline is built wherever that is possible."""


class ColumnError(AnonymizerError):
    """A column is absent, multi-valued, of mixed types or entirely missing."""


class GuaranteeError(AnonymizerError):
    """The guarantee asked for cannot be reached on this table, so nothing is released."""


class GuideError(AnonymizerError):
    """The guide's predictions, or the model that should give them, cannot be used."""


class InputDataError(AnonymizerError):
    """The input cannot be read: empty, truncated, absent, or in a payload format that is not supported."""


class GeneralizationFormatError(AnonymizerError):
    """A saved generalization is damaged, incomplete or of a version this package does not know."""


class ViolationError(AnonymizerError):
    """A release breaks the promise made for it; raised by the validator."""


class OrchestrationError(AnonymizerError):
    """A scheduler cannot run the pipeline: it cannot be loaded, or its graph is not the one that was described."""


class PrivacyWarning(UserWarning):
    """A choice that keeps the guarantee and still releases more than it need."""


def unknown_column(name: str, role: str, present: Iterable[str]) -> ColumnError:
    """Builds the error for a column that the table does not have.

    Args:
        name: The name asked for.
        role: The parameter that named it, for example `quasi_identifiers`.
        present: The names the table does have.

    Returns:
        The error, with the closest present names as a hint.
    """
    names = sorted(map(str, present))
    close = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "check the spelling and the file's header"
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return ColumnError(f"{role} names a column {name!r} that is not in the data", allowed=f"one of {shown}", hint=hint)
