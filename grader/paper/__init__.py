"""The paper with settings: small numpy functions that compute it as it stands, or otherwise as a setting says.

A file for each part of the paper. Every default is the paper's choice, and a test proves that it is the reference's.
What a course may settle otherwise and what students get wrong are settings alike, so that functions and torch modules
are judged by one computation. ``sublayers``, ``layers`` and ``stacks`` take settings by their whole names
(``sdpa.scale``, ``mha.merge``, ``ffn.activation``, ``ln.eps_at``), of which the first word is the part: they go down
through every block, so that a mistake inside attention can be tried inside a whole model.
"""
