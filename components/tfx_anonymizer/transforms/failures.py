"""Typed errors across the border between Beam's workers and the driver.

A worker's exception comes back as itself on the in-process runner, with the stage's name appended, and as the text of
a traceback on every other. Either way the driver raises the typed error that was meant. Errors of Beam's own readers
quote the bytes they failed on, so they are replaced by one that does not.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from tfx_anonymizer import errors

_OURS = re.compile(r"tfx_anonymizer\.errors\.(?P<type>\w+): (?P<text>[^\n]*)")
_STAGE = re.compile(r" \[while running '.*$", flags=re.DOTALL)
_UNREADABLE = (
    "Not a valid TFRecord",
    "while decompressing",
    "Compressed file ended",
    "Unable to parse example",
    "Unable to parse sequence example",
    "Parquet magic bytes not found",
    "Parquet file size is",
)


@contextlib.contextmanager
def typed_errors(reading: str) -> Iterator[None]:
    """Runs a Beam pipeline and raises its failures as typed errors.

    Args:
        reading: What is being read, for the error's text; for example `split 'train'`.

    Raises:
        AnonymizerError: The error a stage of ours raised, as its own type.
        InputDataError: If the input is damaged.
    """
    try:
        yield
    except errors.AnonymizerError as error:
        raise type(error)(_STAGE.sub("", str(error))) from None
    except Exception as error:
        text = str(error)
        ours = _OURS.search(text)
        if ours is not None and isinstance(getattr(errors, ours["type"], None), type):
            raise getattr(errors, ours["type"])(_STAGE.sub("", ours["text"])) from None
        if any(sign in text for sign in _UNREADABLE):
            raise damaged(reading, type(error).__name__) from None
        raise


def damaged(reading: str, sign: str) -> errors.InputDataError:
    """Builds the error for input that is truncated or not what it should be."""
    return errors.InputDataError(
        f"{reading} cannot be read: a file is truncated, or damaged, or not of the payload format the artifact says",
        got=sign,
        hint="write the examples again; a copy that was interrupted is the usual cause",
    )
