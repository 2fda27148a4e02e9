"""Reading a Schema artifact."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer._tfx_compat import artifact_utils, io_utils


def read_schema(inputs: Mapping[str, Sequence[Any]]) -> Any | None:
    """Returns the TFMD schema of the `schema` input, or None if that channel is not connected."""
    if not inputs.get("schema"):
        return None
    uri = artifact_utils.get_single_uri(list(inputs["schema"]))
    return io_utils.SchemaReader().read(posixpath.join(uri, "schema.pbtxt"))
