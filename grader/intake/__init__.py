"""From what was handed in to a ``Submission``: by value, within caps, nothing executed, nothing written to disk."""
