"""Student code runs here, in a process of its own; only plain values come back. Start with parent.py."""
