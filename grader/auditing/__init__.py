"""The catalogue of misconceptions turned on the grader itself: whether a rubric catches them, and how they read."""
