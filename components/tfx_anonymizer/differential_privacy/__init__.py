"""Differential privacy: budgets, and what mechanisms spend of them."""
