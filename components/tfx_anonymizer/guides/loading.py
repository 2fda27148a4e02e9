"""Finding out what kind of guide lies in a folder, and loading it once a process."""

from __future__ import annotations

import dataclasses
import functools
import posixpath
import threading

from tfx_anonymizer.errors import GuideError
from tfx_anonymizer.guides.base import Guide
from tfx_anonymizer.guides.saved_model import DEFAULT_SIGNATURE, SavedModelGuide

ESTIMATOR_FOLDER = "Format-Estimator"
SERVING_FOLDER = "Format-Serving"
_lock = threading.Lock()


@dataclasses.dataclass(frozen=True)
class GuideLocation:
    """Where a guide lies and how to ask it; small, hashable and picklable, so it travels to workers.

    Attributes:
        uri: A Model artifact's folder, a SavedModel's folder, or a built-in estimator's folder.
        signature: The SavedModel's signature.
        output: The signature's output, if it must be named.
    """

    uri: str
    signature: str = DEFAULT_SIGNATURE
    output: str | None = None

    def load(self) -> Guide:
        """Loads the guide, or returns the one loaded before in this process.

        Raises:
            GuideError: If the folder holds no model, or one that cannot guide.
        """
        # Threads of a Beam worker share the model instead of each loading its own.
        with _lock:
            return _load(self)


@functools.lru_cache(maxsize=2)
def _load(location: GuideLocation) -> Guide:
    from tensorflow.io import gfile

    for folder in (location.uri, posixpath.join(location.uri, ESTIMATOR_FOLDER)):
        if gfile.exists(posixpath.join(folder, "estimator.json")):
            from tfx_anonymizer.guides.estimator_guide import EstimatorGuide

            names = [name for name in gfile.listdir(folder) if not name.endswith("/")]
            return EstimatorGuide.from_files({name: _read(posixpath.join(folder, name)) for name in names})
    for folder in (location.uri, posixpath.join(location.uri, SERVING_FOLDER)):
        if gfile.exists(posixpath.join(folder, "saved_model.pb")):
            return SavedModelGuide(folder, location.signature, location.output)
    raise GuideError(
        "the folder holds no model that can guide",
        got=location.uri,
        allowed=f"a SavedModel, a Model artifact with {SERVING_FOLDER} or {ESTIMATOR_FOLDER}",
    )


def _read(path: str) -> bytes:
    from tensorflow.io import gfile

    with gfile.GFile(path, "rb") as file:
        return bytes(file.read())
