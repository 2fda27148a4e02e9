"""Writing a file in one step: a reader sees what was there before, or all of the new."""

from __future__ import annotations

import posixpath
import uuid

from tfx.v1.dsl.io import fileio


def write_aside(path: str, content: str | bytes) -> None:
    """Writes a file under another name and then moves it in place, making its folder if need be.

    Args:
        path: The file's path, in any file system TFX can write to.
        content: Its content; text is written in UTF-8.
    """
    fileio.makedirs(posixpath.dirname(path))
    # A name of its own: a runner may do a stage again while the worker it gave up for lost still writes.
    aside = f"{path}.{uuid.uuid4().hex}.tmp"
    try:
        with fileio.open(aside, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        fileio.rename(aside, path, overwrite=True)
    except BaseException:
        if fileio.exists(aside):
            fileio.remove(aside)
        raise
