"""Time and memory of the components on Beam, beside a plain copy of the same examples: `python -m benchmarks.scale`."""
