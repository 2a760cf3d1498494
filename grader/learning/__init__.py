"""A course's conventions, read from the instructor's own solution: what is right there is tried, seen and written."""
