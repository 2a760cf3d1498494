"""The right form of each kind and the known wrong ones, as slots that can be filled wrongly one or two at a time.

A form is a chain of slots from the outside in; `@` stands for the next slot. Facts follow the paper: section
3.2.1 (attention), 3.2.2 (multi-head), 3.3 (feed-forward), 3.1 and 5.4 (residual and norm), 3.5 (positions), 5.3
(learning rate).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Slip:
    """One wrong filling: the slot it sits in, other slots it fills along, and what to tell the student."""

    id: str
    slot: str
    text: str
    title: str
    hint: str
    also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """The slots of the right form, outermost first, and the slips."""

    slots: Mapping[str, str]
    slips: tuple[Slip, ...]


def fill(form: Form, *slips: Slip) -> str:
    """Return the form's text with the slips in their slots."""
    filled = dict(form.slots)
    for slip in slips:
        filled.update(slip.also)
        filled[slip.slot] = slip.text
    text = "@"
    for part in filled.values():
        text = text.replace("@", part, 1)
    return text


_WHAT_WEIGHS = "Which of the matrices are the weights, and what do they weigh?"
ATTENTION = Form(
    {"value": "(@) V", "after": "@", "act": "softmax(@)", "scale": "(@) / sqrt(d_k)", "scores": "Q K^T"},
    (
        Slip("attn-no-scale", "scale", "@", "The scores are not scaled.",
             "What happens to the size of q·k when d_k grows, and what does the formula do about it?"),
        Slip("attn-no-root", "scale", "(@) / d_k", "Divided by d_k instead of its square root.",
             "The variance of q·k is d_k; by what must you divide to bring its standard deviation to one?"),
        Slip("attn-root-d-model", "scale", "(@) / sqrt(d_model)", "d_model stands under the root instead of d_k.",
             "How long are the vectors whose dot product you take?"),
        Slip("attn-root-d-v", "scale", "(@) / sqrt(d_v)", "d_v stands under the root instead of d_k.",
             "How long are the vectors whose dot product you take?"),
        Slip("attn-root-length", "scale", "(@) / sqrt(n)", "The number of tokens stands under the root.",
             "Does the size of one dot product depend on how many tokens there are?"),
        Slip("attn-root-length", "scale", "(@) / sqrt(m)", "The number of tokens stands under the root.",
             "Does the size of one dot product depend on how many tokens there are?"),
        Slip("attn-scale-inverted", "scale", "(@) * sqrt(d_k)", "Multiplied by the root instead of divided.",
             "Should the scores become larger or smaller before the softmax?"),
        Slip("attn-square", "scale", "(@) / d_k^2", "Divided by the square of d_k instead of its root.",
             "Compare the variance of q·k with its standard deviation."),
        Slip("attn-cube-root", "scale", "(@) / d_k^(1/3)", "A cube root in place of the square root.",
             "Which root brings a variance back to a standard deviation?"),
        Slip("attn-root-d-ff", "scale", "(@) / sqrt(d_ff)", "d_ff stands under the root instead of d_k.",
             "How long are the vectors whose dot product you take?"),
        Slip("attn-model-no-root", "scale", "(@) / d_model", "Divided by d_model instead of the root of d_k.",
             "How long are the vectors whose dot product you take?"),
        Slip("attn-scale-after-softmax", "scale", "@", "The scaling comes after the softmax.",
             "Do the rows still sum to one after your division?", {"after": "(@) / sqrt(d_k)"}),
        Slip("attn-no-root+attn-scale-after-softmax", "scale", "@",
             "The scaling comes after the softmax, and without root.",
             "Do the rows still sum to one after your division?", {"after": "(@) / d_k"}),
        Slip("attn-scaled-twice", "after", "(@) / sqrt(d_k)", "Scaled inside the softmax and once more outside.",
             "Do the rows still sum to one after your second division?"),
        Slip("attn-no-transpose", "scores", "Q K", "The keys are not transposed.",
             "Write the shapes of Q and K side by side: do the inner sizes agree?"),
        Slip("attn-transpose-first", "scores", "Q^T K", "The queries are transposed instead of the keys.",
             "What is the shape of your scores, and which shape should they have?"),
        Slip("attn-swapped", "scores", "K Q^T", "Keys and queries have changed places.",
             "Each row of the scores should belong to one query: which does yours belong to?"),
        Slip("attn-both-transposed", "scores", "Q^T K^T", "Both queries and keys are transposed.",
             "Write the shapes of your two factors side by side: do the inner sizes agree?"),
        Slip("attn-transpose-of-product", "scores", "(Q K)^T", "The product is transposed instead of the keys.",
             "Which matrix alone must be turned for the inner sizes to agree?"),
        Slip("attn-scores-with-values", "scores", "Q V^T", "Queries are compared with values.",
             "With what is a query compared: what a token offers to be found by, or what it holds?"),
        Slip("attn-scores-with-queries", "scores", "Q Q^T", "Queries are compared with themselves.",
             "With what is a query compared?"),
        Slip("attn-scores-with-keys", "scores", "K K^T", "Keys are compared with themselves.",
             "What asks the question that the keys answer?"),
        Slip("attn-value-inside", "value", "@", "The values are inside the softmax.", _WHAT_WEIGHS,
             {"scores": "Q K^T V"}),
        Slip("attn-value-first", "value", "V (@)", "The values stand before the weights.",
             "Each output is a weighted mix of rows of V: on which side must the weights stand?"),
        Slip("attn-no-value", "value", "@", "The values are missing: these are only the weights.",
             "What is mixed with the attention weights?"),
        Slip("attn-value-is-key", "value", "(@) K", "The keys are mixed instead of the values.", _WHAT_WEIGHS),
        Slip("attn-value-is-query", "value", "(@) Q", "The queries are mixed instead of the values.", _WHAT_WEIGHS),
        Slip("attn-value-plus", "value", "(@) + V", "The values are added instead of weighted.", _WHAT_WEIGHS),
        Slip("attn-value-transposed", "value", "(@) V^T", "The values are transposed.",
             "Write the shapes of the weights and of V side by side: do the inner sizes agree?"),
        Slip("attn-no-softmax", "act", "@", "The softmax is missing.",
             "How do the scores become weights that are positive and sum to one?"),
        Slip("attn-softmax-columns", "act", "softmax_column(@)", "The softmax runs over the queries.",
             "Which entries of the weights should sum to one: those of a row or of a column?"),
        Slip("attn-sigmoid", "act", "sigmoid(@)", "A sigmoid in place of the softmax.",
             "Would the weights of one query sum to one?"),
        Slip("attn-relu", "act", "relu(@)", "A ReLU in place of the softmax.",
             "Would the weights of one query sum to one?"),
        Slip("attn-tanh", "act", "tanh(@)", "A tanh in place of the softmax.",
             "Would the weights of one query sum to one?"),
        Slip("attn-softmax-last", "value", "softmax((@) V)", "The softmax is taken last, over the output.",
             _WHAT_WEIGHS, {"act": "@"}),
    ),
)  # fmt: skip

_HEAD = "attention(Q W^Q_i, K W^K_i, V W^V_i)"
MULTI_HEAD = Form(
    {"out": "@ W^O", "join": "concat_{i=1}^{h}(@)", "head": _HEAD},
    (
        Slip("mh-no-output", "out", "@", "The output projection W^O is missing.",
             "What mixes the information of the heads and brings it back to d_model?"),
        Slip("mh-output-plus", "out", "@ + W^O", "W^O is added instead of multiplied.",
             "What is the shape of the joined heads, and what of W^O?"),
        Slip("mh-output-first", "out", "W^O (@)", "W^O stands on the wrong side.",
             "Write the shapes of the joined heads and of W^O side by side."),
        Slip("mh-sum", "join", "sum_{i=1}^{h} (@)", "The heads are added instead of joined.",
             "How wide is the result of h heads put side by side, and how wide is a sum?"),
        Slip("mh-average", "join", "(1/h) sum_{i=1}^{h} (@)", "The heads are averaged instead of joined.",
             "What would averaging do to what different heads have found?"),
        Slip("mh-no-projection", "head", "attention(Q, K, V)", "The heads have no projections of their own.",
             "If every head sees the same Q, K and V, how do they differ?"),
        Slip("mh-no-value-projection", "head", "attention(Q W^Q_i, K W^K_i, V)", "V is not projected in the heads.",
             "How wide should the values of one head be?"),
        Slip("mh-no-scale", "head", "softmax(Q W^Q_i (K W^K_i)^T) V W^V_i", "The scores in the heads are not scaled.",
             "What happens to the dot products when d_k grows?"),
        Slip("mh-no-root", "head", "softmax(Q W^Q_i (K W^K_i)^T / d_k) V W^V_i", "Divided by d_k, not by its root.",
             "By what must you divide to bring the standard deviation of q·k to one?"),
        Slip("mh-root-d-model", "head", "softmax(Q W^Q_i (K W^K_i)^T / sqrt(d_model)) V W^V_i",
             "d_model stands under the root instead of d_k.", "How long are the vectors of one head?"),
        Slip("mh-query-and-key-swapped", "head", "attention(K W^K_i, Q W^Q_i, V W^V_i)",
             "Query and key have changed places.", "In which order does Attention take its arguments?"),
        Slip("mh-value-and-query-swapped", "head", "attention(V W^V_i, K W^K_i, Q W^Q_i)",
             "Query and value have changed places.", "In which order does Attention take its arguments?"),
        Slip("mh-key-and-value-swapped", "head", "attention(Q W^Q_i, V W^V_i, K W^K_i)",
             "Key and value have changed places.", "In which order does Attention take its arguments?"),
        Slip("mh-weights-swapped", "head", "attention(Q W^Q_i, K W^V_i, V W^K_i)",
             "The projections of keys and values have changed places.", "Which matrix belongs to which input?"),
        Slip("mh-weights-swapped", "head", "attention(Q W^K_i, K W^Q_i, V W^V_i)",
             "The projections of queries and keys have changed places.", "Which matrix belongs to which input?"),
    ),
)  # fmt: skip

FFN = Form(
    {"out": "@ W_2 + b_2", "act": "relu(@)", "in": "x W_1 + b_1"},
    (
        Slip("ffn-no-relu", "act", "(@)", "The ReLU is missing.",
             "Without it, to what single layer do two linear ones collapse?"),
        Slip("ffn-min", "act", "min(0, @)", "A minimum where the paper takes the maximum.",
             "Which values does a ReLU let through?"),
        Slip("ffn-max-one", "act", "max(1, @)", "The ReLU cuts at 0, not at 1.", "Where does a ReLU bend?"),
        Slip("ffn-relu-negated", "act", "(-relu(-(@)))", "The sign in the ReLU is turned.",
             "Which values does a ReLU let through?"),
        Slip("ffn-softmax", "act", "softmax(@)", "A softmax in place of the ReLU.",
             "Which activation does section 3.3 use?"),
        Slip("ffn-sigmoid", "act", "sigmoid(@)", "A sigmoid in place of the ReLU.",
             "Which activation does section 3.3 use?"),
        Slip("ffn-tanh", "act", "tanh(@)", "A tanh in place of the ReLU.", "Which activation does section 3.3 use?"),
        Slip("ffn-gelu", "act", "gelu(@)", "A GELU in place of the ReLU.",
             "Later models use it; which activation does section 3.3 use?"),
        Slip("ffn-no-bias-1", "in", "x W_1", "The first bias is missing.", "Is the first layer linear or affine?"),
        Slip("ffn-bias-1-minus", "in", "x W_1 - b_1", "The first bias is subtracted.", "Which sign does a bias have?"),
        Slip("ffn-bias-1-outside", "in", "x W_1", "The first bias is added outside the ReLU.",
             "Is the bias added before or after the ReLU?", {"act": "(relu(@) + b_1)"}),
        Slip("ffn-bias-1-last", "in", "x W_1", "The first bias is added at the very end.",
             "Is the bias added before or after the ReLU?", {"out": "@ W_2 + b_1 + b_2"}),
        Slip("ffn-no-bias-2", "out", "@ W_2", "The second bias is missing.", "Is the second layer linear or affine?"),
        Slip("ffn-bias-2-minus", "out", "@ W_2 - b_2", "The second bias is subtracted.",
             "Which sign does a bias have?"),
        Slip("ffn-same-bias", "out", "@ W_2 + b_1", "The first bias is used twice.",
             "How wide is the output, and how wide is b_1?"),
        Slip("ffn-same-weights", "out", "@ W_1 + b_1", "The first layer's weights are used twice.",
             "What brings d_ff back to d_model?"),
        Slip("ffn-bias-2-multiplied", "out", "@ (W_2 + b_2)", "b_2 is inside the product.",
             "Is the bias added before or after the product with W_2?"),
        Slip("ffn-output-first", "out", "W_2 @ + b_2", "W_2 stands on the other side than W_1.",
             "On which side did W_1 stand?"),
        Slip("ffn-relu-last", "out", "relu((@) W_2 + b_2)", "The ReLU stands after the second layer.",
             "Can the output be negative in your version?", {"act": "@"}),
        Slip("ffn-relu-twice", "out", "relu(@ W_2 + b_2)", "A second ReLU stands after the second layer.",
             "Can the output be negative in your version?"),
        Slip("ffn-swapped-layers", "in", "x W_2 + b_2", "The two layers have changed places.",
             "Which matrix takes d_model to d_ff?", {"out": "@ W_1 + b_1"}),
        Slip("ffn-residual", "out", "x + @ W_2 + b_2", "The residual belongs around the sublayer, not inside.",
             "Is adding x part of FFN(x), or of what surrounds it?"),
        Slip("ffn-one-layer", "out", "@", "The second layer is missing.", "What brings d_ff back to d_model?"),
        Slip("ffn-product-inside", "act", "relu(@)", "W_2 slipped inside the maximum.",
             "Where does the bracket of max(0, …) close?", {"in": "x W_1 + b_1 W_2", "out": "@ + b_2"}),
    ),
)  # fmt: skip

_SUB = "layernorm(x + #(x))"
ADD_NORM = Form(
    {"all": _SUB},
    (
        Slip("addnorm-pre-norm", "all", "x + #(layernorm(x))", "Pre-norm: the norm stands before the sublayer.",
             "Later models do so; where does section 3.1 put the norm?"),
        Slip("addnorm-no-residual", "all", "layernorm(#(x))", "The residual connection is missing.",
             "Where does x itself go?"),
        Slip("addnorm-no-norm", "all", "x + #(x)", "The LayerNorm is missing.", "What follows the addition?"),
        Slip("addnorm-norm-then-add", "all", "x + layernorm(#(x))", "The norm comes before the addition.",
             "Is the sum normalised, or only the sublayer's output?"),
        Slip("addnorm-norm-input", "all", "layernorm(x) + #(x)", "Only x is normalised, not the sum.",
             "What is inside the LayerNorm?"),
        Slip("addnorm-norm-each", "all", "layernorm(x) + layernorm(#(x))", "Both terms are normalised, not their sum.",
             "Is a sum of normalised vectors itself normalised?"),
        Slip("addnorm-minus", "all", "layernorm(x - #(x))", "Subtracted instead of added.",
             "How does a residual connection join its two paths?"),
        Slip("addnorm-minus", "all", "layernorm(#(x) - x)", "Subtracted instead of added.",
             "How does a residual connection join its two paths?"),
        Slip("addnorm-times", "all", "layernorm(x \\odot #(x))", "Multiplied instead of added.",
             "How does a residual connection join its two paths?"),
        Slip("addnorm-sublayer-of-norm", "all", "#(layernorm(x))", "Pre-norm, and the residual is missing.",
             "Where does x itself go?"),
        Slip("addnorm-norm-inside-too", "all", "layernorm(x + #(layernorm(x)))",
             "x is also normalised before the sublayer.",
             "What does the sublayer receive in section 3.1?"),
        Slip("addnorm-norm-twice", "all", "layernorm(layernorm(x) + #(x))", "x is normalised before it is added.",
             "Does the residual path change x?"),
        Slip("addnorm-norm-of-sublayer", "all", "layernorm(x + layernorm(#(x)))",
             "The sublayer's output is normalised twice.",
             "How many norms surround one sublayer?"),
        Slip("addnorm-added-again", "all", "layernorm(x + #(x)) + x", "x is added a second time after the norm.",
             "How many residual connections surround one sublayer?"),
        Slip("addnorm-sublayer-last", "all", "#(layernorm(x + x))", "The order of the parts is turned round.",
             "What comes first: sublayer, addition or norm?"),
        Slip("addnorm-sublayer-of-sum", "all", "#(x + layernorm(x))", "The order of the parts is turned round.",
             "What comes first: sublayer, addition or norm?"),
        Slip("addnorm-no-sublayer", "all", "layernorm(x) + x", "The sublayer is missing.", "What is added to x?"),
        Slip("addnorm-no-sublayer", "all", "layernorm(x + x)", "The sublayer is missing.", "What is added to x?"),
        Slip("addnorm-batch-norm", "all", "batchnorm(x + #(x))", "Batch norm in place of layer norm.",
             "Over which axis does the Transformer normalise?"),
        Slip("addnorm-rms-norm", "all", "rmsnorm(x + #(x))", "RMS norm in place of layer norm.",
             "Later models use it; which norm does section 3.1 use?"),
        Slip("addnorm-softmax", "all", "softmax(x + #(x))", "A softmax in place of the norm.",
             "What follows the addition?"),
    ),
)  # fmt: skip


def _positions(function: str, other: str) -> Form:
    minus = f"pe-minus-{function}"
    return Form(
        {"outer": "@", "function": f"{function}(@)", "angle": "pos / (@)", "base": "10000^(@)",
                 "exponent": "2 i / d_model"},
        (
            Slip(minus, "outer", "-(@)", f"Minus {function}: the paper has a plus.",
                 "What should the encoding of position 0 be?"),
            Slip("pe-swapped-function", "function", f"{other}(@)", "Sine and cosine have changed places.",
                 "Which of the two belongs to the even columns?"),
            Slip("pe-tangent", "function", "tan(@)", "A tangent is no bounded wave.",
                 "Which two functions does section 3.5 use?"),
            Slip("pe-exponent-no-2", "exponent", "i / d_model", "The 2 in the exponent is missing.",
                 "Which column does index i stand for?"),
            Slip("pe-next-exponent", "exponent", "(2 i + 1) / d_model", "The exponent counts one column too far.",
                 "Sine and cosine of one pair share their frequency: which exponent do both have?"),
            Slip("pe-d-k", "exponent", "2 i / d_k", "d_k stands in the exponent instead of d_model.",
                 "How many columns does the encoding have?"),
            Slip("pe-d-ff", "exponent", "2 i / d_ff", "d_ff stands in the exponent instead of d_model.",
                 "How many columns does the encoding have?"),
            Slip("pe-exponent-no-d", "exponent", "2 i", "The exponent is not divided by d_model.",
                 "Between which two values should the exponent run?"),
            Slip("pe-exponent-times-d", "exponent", "2 i d_model", "Multiplied by d_model instead of divided.",
                 "Between which two values should the exponent run?"),
            Slip("pe-exponent-upside-down", "exponent", "d_model / (2 i)",
                 "The fraction in the exponent is upside down.",
                 "What is the exponent for the first pair, i = 0?"),
            Slip("pe-exponent-4i", "exponent", "4 i / d_model", "The exponent is twice too large.",
                 "Between which two values should the exponent run?"),
            Slip("pe-exponent-position", "exponent", "2 pos / d_model", "The position stands in the exponent.",
                 "Which of the two, position or column, sets the wavelength?"),
            Slip("pe-position-and-index-swapped", "exponent", "2 pos / d_model",
                 "Position and column have changed places.",
                 "Which of the two sets the wavelength?", {"angle": "i / (@)"}),
            Slip("pe-exponent-sign", "angle", "pos (@)", "The sign of the exponent is turned: multiplied, not divided.",
                 "Do the wavelengths grow or shrink with the column?"),
            Slip("pe-no-position", "angle", "1 / (@)", "The position is missing.",
                 "Where does the word's place come in?"),
            Slip("pe-angle-upside-down", "angle", "(@) / pos", "The fraction is upside down.",
                 "Should the angle grow or shrink with the position?"),
            Slip("pe-index-in-angle", "angle", "2 i / (@)", "The column stands where the position belongs.",
                 "Where does the word's place come in?"),
            Slip("pe-exponent-over-all", "base", "10000^(2 i) / d_model", "d_model has slipped out of the exponent.",
                 "How far does the exponent reach?"),
            Slip("pe-exponent-as-product", "base", "10000 (@)", "The exponent has become a factor.",
                 "Is 10000 multiplied or raised?"),
            Slip("pe-base-missing-power", "base", "10000", "The exponent is missing.",
                 "How do the columns differ from each other?"),
            Slip("pe-division-outside", "angle", "pos", "The division stands outside the function.",
                 "Is the sine divided, or its angle?", {"outer": "(@) / 10000^(2 i / d_model)"}),
            Slip("pe-two-pi", "angle", "2 pi pos / (@)", "A factor 2π has crept in.",
                 "How does section 3.5 write the angle?"),
            Slip("pe-shifted-position", "angle", "(pos + 1) / (@)", "The position is shifted by one.",
                 "What should the encoding of position 0 be?"),
            *(
                Slip(f"pe-base-{base}", "base", f"{base}^(@)", f"The base is {base} instead of 10000.",
                     "Between which wavelengths does the paper place the waves?")
                for base in (10, 100, 1000, 5000, 100000, 1000000)
            ),
            Slip("pe-base-e", "base", "exp(@)", "The base is e instead of 10000.",
                 "Between which wavelengths does the paper place the waves?"),
        ),
    )  # fmt: skip


PE_SIN = _positions("sin", "cos")
PE_COS = _positions("cos", "sin")

_LATE = "step * warmup^(-1.5)"
NOAM = Form(
    {"width": "d_model^(-0.5) * @", "pick": "min(@)", "first": "step^(-0.5), @", "second": _LATE},
    (
        Slip("noam-max", "pick", "max(@)", "A maximum where the paper takes the minimum.",
             "Which of the two terms is smaller during the warm-up?"),
        Slip("noam-sum", "pick", "add_all(@)", "The two terms are added instead of compared.",
             "Which of the two terms counts during the warm-up?"),
        Slip("noam-d-model-sign", "width", "d_model^(0.5) * @", "The sign of d_model's exponent is turned.",
             "Should a wider model learn with larger or smaller steps?"),
        Slip("noam-d-model-power", "width", "d_model^(-1) * @", "d_model has exponent −1 instead of −0.5.",
             "Which power of d_model stands in section 5.3?"),
        Slip("noam-d-model-power", "width", "d_model^(-1.5) * @", "d_model has exponent −1.5 instead of −0.5.",
             "Which power of d_model stands in section 5.3?"),
        Slip("noam-d-model-power", "width", "d_model * @", "d_model has exponent 1 instead of −0.5.",
             "Which power of d_model stands in section 5.3?"),
        Slip("noam-d-k", "width", "d_k^(-0.5) * @", "d_k stands in place of d_model.",
             "Which width does section 5.3 use?"),
        Slip("noam-no-d-model", "width", "@", "The factor with d_model is missing.",
             "Should the rate depend on the width of the model?"),
        Slip("noam-d-model-plus", "width", "d_model^(-0.5) + @", "Added instead of multiplied.",
             "Is the width a factor or a term?"),
        Slip("noam-step-sign", "first", "step^(0.5), @", "The sign of the step's exponent is turned.",
             "Does the rate rise or fall after the warm-up?"),
        Slip("noam-step-power", "first", "step^(-1), @", "The step has exponent −1 instead of −0.5.",
             "With which power of the step does the rate fall?"),
        Slip("noam-step-power", "first", "step^(-1.5), @", "The step has exponent −1.5 instead of −0.5.",
             "With which power of the step does the rate fall?"),
        Slip("noam-warmup-sign", "second", "step * warmup^(1.5)", "The sign of the warm-up's exponent is turned.",
             "Does a longer warm-up mean a steeper or a gentler rise?"),
        Slip("noam-warmup-power", "second", "step * warmup^(-0.5)", "The warm-up has exponent −0.5 instead of −1.5.",
             "At step = warmup both terms should agree: do yours?"),
        Slip("noam-warmup-power", "second", "step * warmup^(-1)", "The warm-up has exponent −1 instead of −1.5.",
             "At step = warmup both terms should agree: do yours?"),
        Slip("noam-warmup-power", "second", "step * warmup^(-2)", "The warm-up has exponent −2 instead of −1.5.",
             "At step = warmup both terms should agree: do yours?"),
        Slip("noam-no-step", "second", "warmup^(-1.5)", "The step is missing in the second term.",
             "What makes the rate rise during the warm-up?"),
        Slip("noam-step-plus", "second", "step + warmup^(-1.5)", "Added instead of multiplied.",
             "At step = warmup both terms should agree: do yours?"),
        Slip("noam-step-inverted", "second", "warmup^(-1.5) / step", "Divided by the step instead of multiplied.",
             "What makes the rate rise during the warm-up?"),
        Slip("noam-no-warmup", "second", "step", "The warm-up is missing in the second term.",
             "At step = warmup both terms should agree: do yours?"),
        Slip("noam-step-and-warmup-swapped", "first", "warmup^(-0.5), @", "Step and warm-up have changed places.",
             "Which of the two is fixed during training?", {"second": "warmup * step^(-1.5)"}),
        Slip("noam-exponents-swapped", "first", "step^(-1.5), @", "The two exponents have changed places.",
             "At step = warmup both terms should agree: do yours?", {"second": "step * warmup^(-0.5)"}),
        Slip("noam-decay-only", "pick", "@", "Only the falling part is given.",
             "What makes the rate rise during the warm-up?", {"first": "step^(-0.5)"}),
        Slip("noam-rise-only", "pick", "@", "Only the rising part is given.",
             "What makes the rate fall after the warm-up?", {"first": "@"}),
    ),
)  # fmt: skip

FORMS: Mapping[str, Form] = {
    "attention": ATTENTION, "multi_head": MULTI_HEAD, "ffn": FFN, "add_norm": ADD_NORM, "pe_sin": PE_SIN,
    "pe_cos": PE_COS, "noam": NOAM,
}  # fmt: skip
