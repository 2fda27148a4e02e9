"""Can this container work? `python -m tfx_anonymizer.kfp.health`: one line and exit code 0, or what is wrong and 1.

It resolves the package's artifact types by the names that compiled pipelines carry, imports TFX's entry point, groups a
small made-up table and counts it again, and tries where Kubeflow's launcher puts artifacts.
"""

from __future__ import annotations

import os
import sys
from importlib import metadata

K = 5


def main() -> int:
    """Checks everything and says so; returns the exit code."""
    try:
        types = resolve_artifact_types()
        reached = anonymize_something()
        check_entry_point()
        check_folders()
    except Exception as error:
        sys.stderr.write(f"unhealthy: {type(error).__name__}: {error}\n")
        return 1
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("tfx-anonymizer", "tfx", "kfp"))
    sys.stdout.write(f"healthy: {versions}; {len(types)} artifact types; k={reached} reached of {K}\n")
    return 0


def resolve_artifact_types() -> list[str]:
    """Imports each artifact type of the package by its own name, as TFX does in a container.

    Returns:
        The names.
    """
    from tfx.v1.dsl import Artifact

    import tfx_anonymizer
    from tfx_anonymizer import artifacts

    found = []
    for value in vars(artifacts).values():
        if isinstance(value, type) and issubclass(value, Artifact):
            title: str = vars(value)["TYPE_NAME"]
            package, name = title.split(".")
            if package != tfx_anonymizer.__name__ or getattr(tfx_anonymizer, name) is not value:
                raise ImportError(f"{title} does not name its own class")
            found.append(title)
    return found


def anonymize_something() -> int:
    """Groups a made-up table and returns the k that was counted."""
    import pandas as pd

    from tfx_anonymizer import AccuracyGuidedAnonymizer, measure_privacy

    table = pd.DataFrame({"age": [i * 7 % 60 for i in range(60)], "ill": [i % 2 for i in range(60)]})
    released = AccuracyGuidedAnonymizer(["age"], k=K, label="ill").fit_transform(table)
    reached = measure_privacy(released, ["age"]).k
    if reached < K:
        raise AssertionError(f"k={reached} was counted, {K} was asked")
    return reached


def check_entry_point() -> None:
    """Imports what runs a compiled step."""
    from tfx_anonymizer._tfx_compat import kubeflow_entry_points

    kubeflow_entry_points()


def check_folders() -> None:
    """Checks that the launcher can write where it puts artifacts; where no such folder is, it can make it.

    Raises:
        PermissionError: If it cannot.
    """
    from tfx_anonymizer.kfp.run_step import FOLDERS

    for folder in FOLDERS.values():
        place = folder.rstrip("/")
        if not os.access(place if os.path.isdir(place) else "/", os.W_OK):  # noqa: PTH112
            raise PermissionError(f"{place} cannot be written by user {os.getuid()}")


if __name__ == "__main__":
    sys.exit(main())
