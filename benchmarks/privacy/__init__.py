"""The paper's Tables 1 and 2 with stronger attacks beside them: `python -m benchmarks.privacy`."""
