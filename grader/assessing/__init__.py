"""One submission on its way to outcomes, in one look or two: ``assess.py`` is where to start."""
