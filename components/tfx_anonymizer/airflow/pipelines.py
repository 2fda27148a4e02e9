"""Finding the user's pipeline by name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from tfx_anonymizer.errors import OrchestrationError

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def check_path(path: str) -> str:
    """Returns the path if it has the form `package.module:function`.

    Raises:
        OrchestrationError: If not.
    """
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise OrchestrationError(
            "the pipeline is not named by an import path", got=repr(path), allowed="module:function"
        )
    return path


def load_pipeline(path: str, kwargs: Mapping[str, Any]) -> Any:
    """Calls the user's function and returns its pipeline.

    The function is called before this package imports TFX, so that what it sets in the environment counts.

    Args:
        path: `package.module:function`.
        kwargs: Arguments of the function.

    Raises:
        OrchestrationError: If there is no such function, or it does not return a pipeline. What the function
            raises itself passes through.
    """
    module_name, function_name = check_path(path).split(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # Found, but what it imports is missing: that is the user's to read in full.
        raise OrchestrationError(
            f"the pipeline's module {module_name!r} cannot be found",
            hint="install it in TFX's environment, or name its folder in PYTHONPATH or the task's cwd",
        ) from None
    function: Callable[..., Any] | None = getattr(module, function_name, None)
    if not callable(function):
        raise OrchestrationError(f"module {module_name!r} has no function {function_name!r}")
    pipeline = function(**kwargs)

    from tfx import v1 as tfx

    if not isinstance(pipeline, tfx.dsl.Pipeline):
        raise OrchestrationError(
            f"{path} does not return a pipeline", got=type(pipeline).__name__, allowed="tfx.dsl.Pipeline"
        )
    return pipeline
