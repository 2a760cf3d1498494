"""Every noun that travels: frozen, picklable data and nothing else.

``grade(submission, settings) -> Report`` takes and returns these, so that the command line, CI, a class and a
cluster are the same code.
"""
