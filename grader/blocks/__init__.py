"""Judging torch modules without knowing what they call their parameters.

``parts`` and ``stacks`` are the paper in numpy with knobs, ``reading`` turns a trace into what a module is made of,
``layout`` turns its tensors into the paper's matrices, ``search`` finds the reading under which the module is the
paper or a known mistake, ``examine`` asks and judges. Only plain values come in; torch is never imported here.
"""
