"""Compiling with numba where a cache folder may be missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a function to machine code on first use, and keeps the code for the next process where it can.

    numba refuses `cache=True` outright when neither the package's folder nor the user's cache folder is writable, as in
    a read-only container without a home; such a process compiles for itself instead.
    """
    try:
        made: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        made = numba.njit(nogil=True)(function)
    return made
