"""Examples artifacts: their splits, files and facts, read as they are and carried over to a rewritten artifact."""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Sequence
from typing import Any

from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import artifact_utils, examples_utils
from tfx_anonymizer.errors import InputDataError, PolicyError
from tfx_anonymizer.transforms.examples_io import PARQUET, ExamplesSource

# ExampleGen keeps these as custom properties, so that `Examples.span` itself reads 0; an Importer may declare them.
_FACTS = ("span", "version")


@dataclasses.dataclass(frozen=True)
class ExamplesInput:
    """One Examples artifact to read.

    Attributes:
        artifact: The artifact.
        splits: Its split names.
        payload_format: Its payload format, as TFX names it.
    """

    artifact: Any
    splits: tuple[str, ...]
    payload_format: str

    @classmethod
    def of(cls, artifacts: Sequence[Any]) -> ExamplesInput:
        """Looks into an input channel's artifacts.

        Raises:
            InputDataError: If there is not exactly one, or its payload format is not supported.
        """
        if len(artifacts) != 1:
            raise InputDataError("examples must be one artifact", got=f"{len(artifacts)} artifacts")
        artifact = artifacts[0]
        splits = tuple(artifact_utils.decode_split_names(artifact.split_names))
        payload_format = examples_utils.get_payload_format_string(artifact)
        ExamplesSource((), payload_format)
        return cls(artifact, splits, payload_format)

    def check_splits(self, wanted: Sequence[str], parameter: str = "splits") -> None:
        """Checks that splits exist and hold files.

        Raises:
            PolicyError: If the artifact has no split of a name, or none is wanted.
            InputDataError: If a split's folder holds no file.
        """
        if not wanted:
            raise PolicyError(f"{parameter} is empty", allowed=f"some of {', '.join(self.splits)}")
        for split in wanted:
            if split not in self.splits:
                raise PolicyError(
                    f"{parameter} names a split the examples do not have",
                    got=repr(split),
                    allowed=" or ".join(map(repr, self.splits)),
                )
            if not self._files(split):
                raise InputDataError(f"split {split!r} holds no file")

    def others(self, rewritten: Sequence[str], other_splits: str) -> list[str]:
        """Returns the splits that are written without being rewritten; none if `other_splits` drops them."""
        return [] if other_splits == "drop" else [split for split in self.splits if split not in rewritten]

    def source(self, split: str) -> ExamplesSource:
        """Returns where the examples of a split lie."""
        return ExamplesSource(
            tuple(examples_utils.get_split_file_patterns([self.artifact], split)), self.payload_format
        )

    def arrow_schema(self, split: str) -> Any | None:
        """Returns the Arrow schema of a split of Parquet files; None for other payload formats."""
        if self.payload_format != PARQUET:
            return None
        import pyarrow.parquet as pq
        from apache_beam.io.filesystems import FileSystems

        with FileSystems.open(self._files(split)[0]) as file:
            return pq.read_schema(file)

    def _files(self, split: str) -> list[str]:
        return [path for pattern in self.source(split).patterns for path in sorted(fileio.glob(pattern))]


def write_facts(source: Any, target: Any, splits: Sequence[str]) -> None:
    """Gives a rewritten Examples artifact the facts of its source: span, version, payload and file format.

    Args:
        source: The artifact read.
        target: The artifact written.
        splits: The names of the splits written.
    """
    target.split_names = artifact_utils.encode_split_names(list(splits))
    for name in _FACTS:
        if source.has_custom_property(name):
            target.set_int_custom_property(name, source.get_int_custom_property(name))
        elif getattr(source, name):
            setattr(target, name, getattr(source, name))
    examples_utils.set_payload_format(target, examples_utils.get_payload_format(source))
    examples_utils.set_file_format(target, examples_utils.get_file_format(source))


def split_prefix(artifact: Any, split: str) -> str:
    """Returns the beginning of the file names of a split to be written."""
    return posixpath.join(artifact_utils.get_split_uri([artifact], split), "data_tfrecord")


def remove_attempts(artifact: Any, splits: Sequence[str]) -> None:
    """Removes the temporary folders that Beam left beside the files of finished splits.

    Beam makes one each time that the first stage of a write is run, and deletes that of the last time alone. Where a
    runner had to repeat it, the others would stop every reader that takes all a split's folder holds for its files.
    """
    for split in splits:
        folder = posixpath.dirname(split_prefix(artifact, split))
        for path in fileio.glob(posixpath.join(folder, "beam-temp-*")):
            fileio.rmtree(path)


def clear(artifact: Any) -> None:
    """Empties an output artifact's folder, so that a failure leaves nothing that looks finished."""
    if fileio.exists(artifact.uri):
        fileio.rmtree(artifact.uri)
    fileio.makedirs(artifact.uri)
