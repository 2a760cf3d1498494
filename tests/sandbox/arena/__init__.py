"""The arena: hostile submissions run at every level that the machine offers. `tests/attacks.py` is its door."""
