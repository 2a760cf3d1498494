"""Judging torch modules without knowing what they call their parameters.

What differs from a function is how the student's thing is read and called: ``programs`` makes and calls it,
``reading`` turns a trace into what it is made of, ``layout`` turns its tensors into the paper's matrices, ``search``
finds the reading under which it is the paper or a known mistake, ``examine`` asks and judges. Cases, checks, outcomes,
the choice among mistakes and the lines to paste are those of ``judging``. Only plain values come in; torch is never
imported here.
"""
