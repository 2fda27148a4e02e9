"""Beam transforms over the core; usable outside TFX.

Modules that define transforms do without `from __future__ import annotations`: Beam reads annotations as type hints
when a pipeline is built, and can only read them if they are not text.
"""
