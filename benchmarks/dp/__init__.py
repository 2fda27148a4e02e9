"""What differential privacy costs on UCI Adult, beside k-anonymity."""
