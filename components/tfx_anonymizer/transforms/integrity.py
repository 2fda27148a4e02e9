"""Are the compressed files whole? Beam's reader takes a truncated gzip file for a shorter one and loses rows."""

import zlib
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.io import fileio
from apache_beam.io.filesystem import FileMetadata

from tfx_anonymizer.transforms.failures import damaged

_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"


class CheckGzip(beam.PTransform):  # type: ignore[misc]
    """Reads every gzip file under some patterns to its end; fails on one that is cut short or damaged.

    Args:
        patterns: File patterns; files that are not gzip are passed over.
        reading: What is being read, for the error's text.

    The result is a PCollection of the number of files found whole, one element a file.
    """

    def __init__(self, patterns: tuple[str, ...], reading: str) -> None:
        super().__init__()
        self._patterns = patterns
        self._reading = reading

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[int]:
        """Applies the transform."""
        return (
            begin
            | "Patterns" >> beam.Create(self._patterns)
            | "Match" >> fileio.MatchAll()
            | "Spread" >> beam.Reshuffle()
            | "Check" >> beam.FlatMap(_check, self._reading)
        )


def _check(metadata: FileMetadata, reading: str) -> Iterator[int]:
    from apache_beam.io.filesystem import CompressionTypes
    from apache_beam.io.filesystems import FileSystems

    with FileSystems.open(metadata.path, compression_type=CompressionTypes.UNCOMPRESSED) as file:
        data = file.read(_CHUNK)
        if data[:2] != _GZIP:
            return
        decoder = zlib.decompressobj(31)
        while data:
            try:
                decoder.decompress(data)
            except zlib.error:
                raise damaged(reading, "a gzip file that cannot be decompressed") from None
            # A file may be several gzip members, one after another.
            while decoder.eof and decoder.unused_data:
                rest, decoder = decoder.unused_data, zlib.decompressobj(31)
                try:
                    decoder.decompress(rest)
                except zlib.error:
                    raise damaged(reading, "a gzip file with something else behind its end") from None
            data = file.read(_CHUNK)
    if not decoder.eof:
        raise damaged(reading, "a gzip file without its end")
    yield 1
