"""Known mistakes in the whole model (sections 3.4 and 3.5; figure 1)."""

from __future__ import annotations

from grader.blocks.faults import Fault, family
from grader.blocks.known_stacks import MEMORY, stack_signs

_trf = family("transformer", "section 3 and figure 1")

_ADDED = (
    "Swap two source words. Should the output change?",
    "Look at the line that adds the table to the embeddings.",
    "Token i of every sequence gets row i of the table, on both sides: x + pe[: n].",
)
_FACTOR = (
    "What exactly does the paper multiply by sqrt(d_model)?",
    "Look at the order of the factor and the sum.",
    "The embedding is scaled, then the position added: sqrt(d_model) · e + pe.",
)
_OUTPUT = (
    "What does your loss function expect, and what does it do first?",
    "Look at the last line of forward.",
    "The model returns logits; cross-entropy applies log-softmax itself.",
)
_CAUSAL = (
    "What may the output at position i know of the target?",
    "Look at the mask that you build where tgt_mask is None.",
    "Position i sees positions 0 to i: ones on and below the diagonal.",
)
_SRC_MASK = (
    "Which attentions read source tokens?",
    "Follow src_mask through forward.",
    "Source padding is hidden in the encoder and in attention to the memory.",
)

MODEL: tuple[Fault, ...] = (
    _trf("trf-no-positional-encoding", "The positions are never added.", *_ADDED, trf__pe="none"),
    _trf("trf-no-positional-encoding", "The positions are not added on the source side.", *_ADDED, trf__pe_src="none"),
    _trf("trf-no-positional-encoding", "The positions are not added on the target side.", *_ADDED, trf__pe_tgt="none"),
    _trf(
        "trf-pe-single-row",
        "All positions get one row of the table: that of the last position.",
        *_ADDED,
        trf__pe="single_row_last",
    ),
    _trf(
        "trf-pe-single-row",
        "All positions get one row of the table: the one that the length points at.",
        *_ADDED,
        trf__pe="single_row_next",
    ),
    _trf(
        "trf-pe-single-row",
        "All positions get one row of the table: the one that the length points at.",
        *_ADDED,
        trf__pe="single_row_next",
        trf__rows=10**4,
    ),
    _trf("trf-pe-single-row", "All positions get row 1 of the table.", *_ADDED, trf__pe="second_row"),
    _trf("trf-pe-single-row", "All positions get the last row of the table.", *_ADDED, trf__pe="last_row_of_all"),
    _trf("trf-pe-single-row", "All positions get row 0 of the table.", *_ADDED, trf__pe="first_row"),
    _trf(
        "trf-pe-offset",
        "The target's positions go on where the source's end.",
        *_ADDED,
        trf__pe_tgt="after_source",
    ),
    _trf(
        "trf-pe-by-sample", "Rows of the table are added by sample instead of by position.", *_ADDED, trf__pe="by_batch"
    ),
    *(
        _trf(
            "trf-pe-by-sample",
            f"On the {words} side rows of the table are added by sample instead of by position.",
            *_ADDED,
            **{f"trf__pe_{side}": "by_batch"},
        )
        for side, words in (("src", "source"), ("tgt", "target"))
    ),
    _trf(
        "trf-pe-multiplied",
        "The embedding is multiplied by the positions instead of added to them.",
        *_ADDED,
        trf__pe="multiplied",
    ),
    _trf("trf-pe-instead-of-embedding", "The positions replace the embeddings.", *_ADDED, trf__pe="instead"),
    _trf("trf-pe-added-twice", "The positions are added twice.", *_ADDED, trf__pe="twice"),
    _trf(
        "trf-embed-scale-after-pe",
        "The positions are added first and the sum is scaled.",
        *_FACTOR,
        trf__pe="before_scale",
    ),
    _trf(
        "trf-embed-scale-on-positions",
        "The positions are scaled instead of the embedding.",
        *_FACTOR,
        trf__pe="scaled",
        emb__scale="none",
    ),
    _trf("trf-embed-scale-missing", "The embedding is not multiplied by sqrt(d_model).", *_FACTOR, emb__scale="none"),
    *(
        _trf(
            "trf-embed-scale-missing",
            f"The embedding is not multiplied by sqrt(d_model) on the {words} side.",
            *_FACTOR,
            **{f"trf__scale_{side}": "none"},
        )
        for side, words in (("src", "source"), ("tgt", "target"))
    ),
    _trf("trf-embed-scale-inverted", "The embedding is divided by sqrt(d_model).", *_FACTOR, emb__scale="divided"),
    _trf("trf-embed-scale-without-root", "The embedding is multiplied by d_model.", *_FACTOR, emb__scale="d_model"),
    _trf(
        "trf-embed-scale-by-vocabulary",
        "The embedding is multiplied by the root of the vocabulary's size.",
        *_FACTOR,
        emb__scale="vocab",
    ),
    _trf(
        "trf-one-table-for-both",
        "The source is embedded with the target's table.",
        "Which table turns source tokens into vectors, and which one target tokens?",
        "Look at the line that embeds src.",
        "Source and target have vocabularies of their own, and each has a table of its own.",
        trf__src_table="tgt_table",
    ),
    _trf(
        "trf-one-table-for-both",
        "The target is embedded with the source's table.",
        "Which table turns source tokens into vectors, and which one target tokens?",
        "Look at the line that embeds tgt.",
        "Source and target have vocabularies of their own, and each has a table of its own.",
        trf__tgt_table="src_table",
    ),
    *(
        _trf(
            "trf-shifts-target-itself",
            words,
            "Who takes the last token off the target, the model or the one who calls it?",
            "Look for a roll, a slice or a cat of tgt in forward.",
            "The caller shifts: forward gets the decoder's input, and output i belongs to the tokens up to tgt[i].",
            trf__shift=how,
        )
        for how, words in (
            ("repeated", "The target is shifted inside the model: its first token comes twice."),
            ("zero", "The target is shifted inside the model, with token 0 in front."),
            ("rolled", "The target is rolled by one inside the model."),
        )
    ),
    _trf(
        "encoder-is-causal",
        "Where no source mask is given, the encoder hides later positions.",
        "Which source tokens may a source token look at?",
        "Look at the mask that the encoder gets where src_mask is None.",
        "Only the decoder predicts the next token; in the encoder every position sees all of the source.",
        trf__src_causal=True,
    ),
    *(
        _trf(
            "trf-hides-an-id-by-itself",
            f"Where no mask is given, {words} with the id 0 are hidden.",
            "Who knows which id is the padding, the model or the one who calls it?",
            "Look for a comparison of ids with a number in forward.",
            "Padding comes in through the masks; where none is given every token of the source is seen.",
            trf__own_padding=sides,
        )
        for sides, words in (("src", "source tokens"), ("tgt", "target tokens"), ("src tgt", "tokens"))
    ),
    _trf("trf-not-causal", "Nothing hides the future where no target mask is given.", *_CAUSAL, trf__causal="none"),
    _trf("trf-causal-mask-leaks", "The default target mask shows one future token.", *_CAUSAL, trf__causal="leaky"),
    _trf("trf-causal-mask-strict", "The default target mask hides the token itself.", *_CAUSAL, trf__causal="strict"),
    _trf(
        "trf-causal-mask-transposed",
        "The default target mask shows the future and hides the past.",
        *_CAUSAL,
        trf__causal="transposed",
    ),
    _trf("trf-ignores-tgt-mask", "A target mask that is given is not used.", *_CAUSAL, trf__tgt_mask="ignored"),
    _trf(
        "trf-src-mask-not-in-decoder",
        "The source mask is not used in attention to the memory.",
        *_SRC_MASK,
        trf__src_mask="encoder",
    ),
    _trf(
        "trf-src-mask-not-in-encoder",
        "The source mask is not used in the encoder.",
        *_SRC_MASK,
        trf__src_mask="decoder",
    ),
    _trf("trf-encoder-uses-tgt-mask", "The encoder gets the target mask.", *_SRC_MASK, trf__src_mask="tgt_in_encoder"),
    _trf("trf-ignores-src-mask", "The source mask is not used.", *_SRC_MASK, trf__src_mask="none"),
    _trf(
        "trf-decoder-reads-embeddings",
        "The decoder reads the source embeddings instead of the encoder's output.",
        *MEMORY,
        trf__memory="embeddings",
    ),
    _trf(
        "trf-decoder-reads-embeddings",
        "The decoder reads the source embeddings, and the encoder is never run.",
        *MEMORY,
        trf__memory="no encoder",
    ),
    _trf(
        "trf-no-output-layer",
        "The decoder's vectors are returned without the output layer.",
        "How many numbers does the model return for each position, and how many words are there?",
        "Look at the last line of forward.",
        "A linear layer turns each vector of the decoder into one logit for each word of the target.",
        trf__generator="none",
    ),
    *(
        _trf(
            "trf-last-position-only",
            "Logits are returned for the last position only.",
            "How many positions of the target are trained in one step?",
            "Look for [:, -1] in the last lines of forward.",
            "Every position predicts the token after it, all in one step: logits are (batch, n_tgt, tgt_vocab).",
            trf__output=how,
        )
        for how in ("last_position", "last_positions")
    ),
    *(
        _trf(
            "trf-drops-a-position",
            f"The logits of the {words} position are left out.",
            "How many tokens of the target go in, and how many rows of logits come out?",
            "Look for a slice in the last lines of forward.",
            "There are logits for every token of tgt; who trains the model cuts the target before the call.",
            trf__output=how,
        )
        for how, words in (("but_the_last", "last"), ("but_the_first", "first"))
    ),
    _trf(
        "trf-returns-probabilities",
        "The model ends with a softmax and returns probabilities.",
        *_OUTPUT,
        trf__output="probabilities",
    ),
    _trf(
        "trf-returns-probabilities",
        "The model ends with a softmax over the positions.",
        *_OUTPUT,
        trf__output="probabilities_over_positions",
    ),
    _trf(
        "trf-returns-log-probabilities", "The model ends with a log-softmax.", *_OUTPUT, trf__output="log_probabilities"
    ),
    _trf("trf-activation-on-logits", "The model ends with a ReLU.", *_OUTPUT, trf__output="relu"),
    _trf("trf-activation-on-logits", "The model ends with a sigmoid.", *_OUTPUT, trf__output="sigmoid"),
    _trf("trf-scales-logits", "The logits are divided by sqrt(d_model).", *_OUTPUT, trf__output="scaled"),
)

MODEL_SIGNS: tuple[Fault, ...] = (
    *stack_signs("transformer"),
    _trf("trf-no-positional-encoding", "Nothing tells the positions of the source apart.", *_ADDED),
    _trf(
        "trf-pe-is-trained",
        "The table of sines is a Parameter, so that training changes it.",
        "After one optimiser step, is your table still made of sines?",
        "Look at how the table is stored.",
        "register_buffer keeps a tensor with the module and out of the optimiser.",
    ),
    _trf(
        "trf-learned-positions",
        "The positions are learned, where the hand-out asks for the fixed table of sines.",
        "Which of your tables should training change?",
        "Look at how the positions are made.",
        "Section 3.5's table is computed once and not trained.",
    ),
    _trf(
        "trf-pe-not-a-buffer",
        "The table is a plain attribute, so that it does not move with the module.",
        "What does module.to(device) move, and how does it know about your table?",
        "Look for register_buffer.",
        "A buffer follows the module to another device or dtype, and is saved with it.",
    ),
)
