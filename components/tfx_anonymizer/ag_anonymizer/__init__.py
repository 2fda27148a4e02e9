"""AGAnonymizer: rewrites examples so that k people share each combination of quasi-identifiers."""
