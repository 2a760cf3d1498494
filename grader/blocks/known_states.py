"""Known mistakes that no single answer shows: what is kept from call to call, and what the gradient does not see."""

from __future__ import annotations

from grader.blocks.faults import Fault, family

_mha = family("multi_head_attention", "section 3.2.2")
_ffn = family("feed_forward", "sections 3.3 and 5.4")
_add = family("add_norm", "sections 3.1 and 5.4")

STATE_SIGNS: tuple[Fault, ...] = (
    _mha(
        "weights-changed-by-the-call",
        "A call changes the weights.",
        "Compare your parameters before and after a call. Which of them has changed?",
        "Look for in-place steps on a weight (mul_, copy_, .data = …), and for max_norm, which rewrites rows.",
        "Weights are learned: only the optimiser changes them. A forward pass that scales its own weights gives "
        "another answer each time.",
    ),
    _mha(
        "state-kept-between-calls",
        "Something of one call is kept and used in the next.",
        "Call the module without a mask, with one, and without one again. Is the third answer the first one?",
        "Look for self.… = … inside forward, and for an `if … is None` that falls back on what was kept.",
        "The answer may depend on the arguments and the weights alone. A mask that is kept belongs to another batch.",
    ),
    _mha(
        "float64-not-kept",
        "A module of float64 answers in float32.",
        "Which type has your result where weights and input are float64?",
        "Look for .float(), dtype=torch.float32 or torch.FloatTensor in forward.",
        "The next layer is float64 as well and refuses what is float32. Take the type from the input: y.to(x.dtype).",
    ),
    _mha(
        "table-row-never-learned",
        "A row of the table is never learned.",
        "Which row of your table gets no gradient, although its position is used?",
        "Look for padding_idx in your nn.Embedding.",
        "padding_idx is for the ids of padding. Among positions, row 0 belongs to the first token of every sentence.",
    ),
    _ffn(
        "ffn-positions-meet",
        "Positions affect one another in the feed-forward network.",
        "Change one position of the input. Which positions of the output move?",
        "Look for a convolution wider than 1, a sum or a mean over positions, or a reshape that mixes them.",
        "The same network is applied to each position by itself (section 3.3). Only attention lets positions meet.",
    ),
    _mha(
        "gradient-of-another-function",
        "The gradient of the input is not that of the answer.",
        "Move the input a little. Does the answer move as the gradient says?",
        "Look for detach(), .data, no_grad() or item() on something that is computed from the input.",
        "What is detached counts as a constant in the backward pass. The answer is right, and training follows another "
        "function: what comes before this block is pulled the wrong way, or not at all.",
    ),
)

DROPOUT_PLACES: tuple[Fault, ...] = (
    _ffn(
        "dropout-rate-ignored",
        "The rate that is passed is not the one that is used.",
        "Build the block with dropout=0 and call it twice in training mode. Do the answers differ?",
        "Look at the number in your nn.Dropout(…): is it the argument?",
        "With a rate of 0 nothing may be dropped. A number that is built in cannot be chosen.",
    ),
    _add(
        "dropout-on-the-sublayers-input",
        "Dropout acts on what goes into the sublayer instead of what comes out of it.",
        "Let the sublayer give the same vector whatever it gets. Is anything dropped then?",
        "Look at the order: dropout(sublayer(x)) or sublayer(dropout(x))?",
        "Section 5.4 applies dropout to the output of each sub-layer, before it is added to the sub-layer's input.",
    ),
)
