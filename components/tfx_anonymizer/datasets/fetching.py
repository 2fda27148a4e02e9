"""Downloading a data set's files, each checked against the sum it must have."""

from __future__ import annotations

import dataclasses
import hashlib
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from tfx_anonymizer.errors import InputDataError, PolicyError

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_TIMEOUT_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Dataset:
    """A data set on the web.

    Attributes:
        url: The folder its files lie in.
        sha256: The sum of each file, by name.
        licence: Under which terms it may be used.
    """

    url: str
    sha256: Mapping[str, str]
    licence: str


DATASETS = {
    "adult": Dataset(
        f"{_UCI}/adult",
        {
            "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        },
        "CC BY 4.0, UCI Machine Learning Repository",
    ),
    "nursery": Dataset(
        f"{_UCI}/nursery",
        {"nursery.data": "1f2ff809b36c4524f8619d9cf0952e9937ff9e281eab7b2784acf604b45df879"},
        "CC BY 4.0, UCI Machine Learning Repository",
    ),
}


def fetch(name: str, folder: str | Path, url: str | None = None) -> list[Path]:
    """Downloads a data set's files, or finds them there already.

    Args:
        name: A key of `DATASETS`.
        folder: Where the files go; made if it does not exist.
        url: Another folder on the web to take them from.

    Returns:
        The files' paths.

    Raises:
        PolicyError: If there is no data set of that name.
        InputDataError: If the files cannot be reached, or are not what they should be; nothing is then left behind.
    """
    if name not in DATASETS:
        raise PolicyError("data set is not known", got=repr(name), allowed=" or ".join(DATASETS))
    dataset = DATASETS[name]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file_name, expected in dataset.sha256.items():
        path = folder / file_name
        if not path.exists() or _sum(path.read_bytes()) != expected:
            data = _download(f"{(url or dataset.url).rstrip('/')}/{file_name}")
            if _sum(data) != expected:
                raise InputDataError(
                    f"{file_name} is not the file it should be", got=f"sha256 {_sum(data)}", allowed=expected
                )
            aside = path.with_name(f".{file_name}.tmp")
            aside.write_bytes(data)
            aside.replace(path)
        paths.append(path)
    return paths


def _download(url: str) -> bytes:
    if not url.startswith(("https://", "http://")):
        raise PolicyError("the data set's address is not on the web", got=url, allowed="https://…")
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310 (checked above)
            return bytes(response.read())
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise InputDataError(
            f"{url} cannot be reached",
            got=str(getattr(error, "reason", error)),
            hint="check the network, or put the file in place by hand and pass its folder with --data",
        ) from None


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
