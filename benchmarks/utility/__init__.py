"""The paper's figures 2 to 5 redone: every method, every k, every model, on Adult and Nursery."""
