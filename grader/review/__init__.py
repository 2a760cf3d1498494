"""The review queue: what the grader could not decide, item by item, for a person."""
