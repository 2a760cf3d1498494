"""Grading homework on "Attention Is All You Need": code, notebooks, worksheets, formulas and reports."""

__version__ = "0.1.0"
