"""UCI Adult, the benchmark of the paper, with a small Keras trainer."""
