"""The field's names: functions, dimensions, weights, and how runs of letters are cut into them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from grader.written.formula.tree import Add, Node, Num, Sym

_FUNCTION_WORDS = {
    "softmax": "softmax smax softargmax",
    "relu": "relu rectifier reluactivation",
    "max": "max maximum fmax",
    "min": "min minimum fmin",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "exp": "exp",
    "log": "ln log",
    "sin": "sin sine",
    "cos": "cos cosine",
    "tan": "tan",
    "abs": "abs",
    "power": "power pow",
    "sigmoid": "sigmoid logistic",
    "gelu": "gelu",
    "tanh": "tanh",
    "softplus": "softplus",
    "layernorm": "layernorm norm layernormalization layernormalisation normalize normalise lnorm layernormal",
    "batchnorm": "batchnorm batchnormalization bn",
    "rmsnorm": "rmsnorm",
    "dropout": "dropout",
    "attention": "attention attn att sdpa scaleddotproductattention dotproductattention selfattention selfattn",
    "concat": "concat concatenate cat concatenation hstack",
    "transpose": "transpose",
    "matmul": "matmul dot mm bmm",
    "multiply": "multiply",
    "choose": "choose",
    **{f"einsum{turns}": f"einsum{turns}" for turns in ("nn", "nt", "tn", "tt", "nnt", "ntt", "tnt", "ttt")},
    "arange": "arange",
    "clamp": "clamp clip",
    "floor": "floor",
    "dim": "len",
    "add_all": "addall",
    "itself": "float tensor asarray id identity",
}
FUNCTIONS: Mapping[str, str] = {word: name for name, words in _FUNCTION_WORDS.items() for word in words.split()}
CHANCE: Mapping[str, str] = {
    "var": "var", "variance": "var", "varianz": "var", "V": "var", "Var": "var", "E": "mean", "mean": "mean",
    "std": "std", "sd": "std", "stddev": "std", "cov": "cov", "expectation": "mean",
}  # fmt: skip

_DIMENSION_WORDS = {
    "d_model": "d_model d_modele d_modelo d_modello"
    " dmodel d_m d_mod d_emb d_embed d_embedding d_e D_model d_{model} d_M D_m embed_dim model_dim"
    " d_embd emb_dim dim_model d_hidden d_modell d_Model embedding_dim",
    "d_k": "d_k dk D_k d_q dq d_key d_head d_h head_dim dim_k key_dim dim_head d_K d_qk head_size dim_key D_h dhead",
    "d_v": "d_v dv D_v d_value d_V dim_v",
    "d_ff": "d_ff dff d_ffn d_f D_ff",
    "num_heads": "num_heads n_heads n_head nheads numheads num_head",
}
DIMENSIONS: Mapping[str, str] = {word: name for name, words in _DIMENSION_WORDS.items() for word in words.split()}
MAX_WORD = 30
MAX_LETTERS = 3  # more letters in a row are a word, not a product
_SUB_WORDS = frozenset(
    {
        "model", "mod", "emb", "embed", "embedding", "head", "key", "query", "value", "ff", "ffn", "num",
        "step", "steps", "warmup", "in", "out", "row", "rows", "col", "cols", "max", "hidden", "dim", "size",
        "len", "pos", "row-wise", "rowwise", "output", "Q", "K", "V", "O", "att", "attn", "up", "down", "total",
        "heads", "emb0", "k", "v", "q", "h",
    }
)  # fmt: skip
_ROLES = {
    "q": "Q", "k": "K", "v": "V", "o": "O", "query": "Q", "key": "K", "value": "V", "out": "O", "output": "O",
    "queries": "Q", "keys": "K", "values": "V", "proj": "O", "0": "O",
}  # fmt: skip
_LAYERS = {"in": "1", "up": "1", "out": "2", "down": "2", "ff1": "1", "ff2": "2", "ffn1": "1", "ffn2": "2"}
_WEIGHT = re.compile(r"[Ww](?:[QKVOqkvo])?|Wout|Wo")
_INDEX = re.compile(r"(?:[a-zHN]|\d{1,3}|[a-z][+-]\d)(?:,?(?:[a-z]|\d{1,3}|[a-z][+-]\d))?")
_INDEX_PART = re.compile(r"([a-z])([+-]\d)|([a-zHN])|(\d{1,3})")


def function_of(word: str, *, chance: bool) -> str | None:
    """Return the canonical function of a word, or None; `chance` adds variance and expectation."""
    if word == "LN":
        return "layernorm"
    if chance:
        found = CHANCE.get(word) or CHANCE.get(word.lower() if len(word) > 1 else word)
        if found:
            return found
    lowered = word.lower().replace("_", "")
    return FUNCTIONS.get(lowered) if len(lowered) > 1 else None


def index_nodes(text: str) -> tuple[Node, ...] | None:
    """Return the nodes of an index such as i, 12, ij, i,j or l+1, or None where the text is no index."""
    if text in DIMENSIONS:
        return (Sym(DIMENSIONS[text]),)
    if not _INDEX.fullmatch(text):
        return None
    nodes: list[Node] = []
    for letter, offset, alone, number in _INDEX_PART.findall(text):
        if letter:
            nodes.append(Add(Sym(letter), Num(float(offset[1:])), minus=offset[0] == "-"))
        else:
            nodes.append(Sym(alone) if alone else Num(float(number)))
    return tuple(nodes)


def _weight(base: str, pieces: list[str]) -> Sym:
    """Name a weight matrix: W^Q, W^K, W^V, W^O with a head's index, or W_1 and W_2."""
    parts = [*([base[1:]] if len(base) > 1 else []), *pieces]
    role = ""
    rest: list[str] = []
    for part in parts:
        if not role and part.lower() in _ROLES and not (part == "0" and rest):
            role = _ROLES[part.lower()]
        else:
            rest.append(part)
    if role:
        index = index_nodes(",".join(rest)) if rest else ()
        return Sym(f"W^{role}", index or ())
    if len(rest) == 1:
        layer = _LAYERS.get(rest[0].lower(), rest[0])
        nodes = index_nodes(layer)
        if layer in {"1", "2"} or nodes is None:
            return Sym(f"W_{layer}")
        return Sym("W" if base[0] == "W" else "w", nodes)
    return Sym("W" if base[0] == "W" else "w", index_nodes(",".join(rest)) or ())


def is_weight(base: str) -> bool:
    """Say whether the letters begin the name of a weight matrix."""
    return bool(_WEIGHT.fullmatch(base))


def _pieces(text: str) -> list[str]:
    """Cut a label such as `Q,i`, `Qi`, `(1)` or `out` into its parts."""
    parts: list[str] = []
    for chunk in re.findall(r"[A-Za-z0-9]+", text):
        if chunk.lower() in _ROLES or chunk.lower() in _LAYERS or chunk.isdigit() or len(chunk) > MAX_LETTERS:
            parts.append(chunk)
        else:
            parts.extend(re.findall(r"\d+|[A-Za-z]", chunk))
    return parts


def symbol(base: str, sub: str, label: str, aliases: Mapping[str, str]) -> Sym:
    """Return the symbol written as `base_sub^label`; `aliases` are the kind's own names.

    `sub` and `label` are flat texts without braces and spaces.
    """
    if is_weight(base) and not (base == "w" and not sub and not label):
        return _weight(base, _pieces(sub) + _pieces(label))
    if base in {"b", "B"} and (sub or label):
        layer = _LAYERS.get((sub or label).strip("()").lower(), (sub or label).strip("()"))
        return Sym(f"b_{layer}")
    flat = f"{base}_{sub.strip('()')}" if sub else base
    flat = flat.replace(",", "")
    for table in (aliases, DIMENSIONS):
        for name in (flat, flat.lower()):
            if name in table and not label:
                return Sym(table[name])
    if sub and base in {"d", "D", "dim"}:
        return Sym(flat)  # d_x is some other size, not d with an index
    extra = label.strip("()")
    index = index_nodes(sub.strip("()")) if sub else ()
    second = index_nodes(extra) if extra else ()
    if index is not None and second is not None:
        return Sym(aliases.get(base, base), index + second)
    return Sym(flat + (f"^{label}" if label else ""))


@lru_cache(maxsize=4096)
def split_word(text: str, words: frozenset[str]) -> tuple[str, ...]:
    """Cut a run of letters into known words and single letters; a long unknown word stays whole."""
    lowered = text.lower().replace("_", "")
    if text in words or lowered in FUNCTIONS or len(text) == 1 or len(text) > MAX_WORD:
        return (text,)
    if re.fullmatch(r"head[a-z]", text):
        return ("head", "_", text[4])
    best = _cheapest(text, words)
    letters = sum(len(piece) == 1 for piece in best)
    if letters == len(best) and (len(text) > MAX_LETTERS + 1 or (len(text) > MAX_LETTERS and text.islower())):
        return (text,)
    if letters > MAX_LETTERS:
        return (text,)
    return best


def _cheapest(text: str, words: frozenset[str]) -> tuple[str, ...]:
    best: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for end in range(1, len(text) + 1):
        options = []
        for start in range(max(0, end - 24), end):
            piece = text[start:end]
            cost, before = best[start]
            if len(piece) == 1:
                options.append((cost + 3, (*before, piece)))
            elif piece in words or (len(piece) >= MAX_LETTERS and piece.lower() in FUNCTIONS):
                options.append((cost + 2, (*before, piece)))
        best.append(min(options))
    return best[-1][1]


def split_subscript(base: str, text: str, words: frozenset[str], *, lowered: bool = False) -> tuple[str, str]:
    """Cut the letters after `_` into the subscript and what follows it (`d_kV`: k, V).

    `lowered` says that the last letter carries a subscript of its own (`q_ik_i`).
    """
    if lowered and len(text) == 2:  # noqa: PLR2004 - an index and the next symbol
        return text[0], text[1]
    if text in _SUB_WORDS or f"{base}_{text}" in words or f"{base}_{text}" in DIMENSIONS:
        return text, ""
    for end in range(len(text) - 1, 0, -1):
        head = text[:end]
        if f"{base}_{head}" in words or f"{base}_{head}" in DIMENSIONS:
            return head, text[end:]
    if text.islower():
        return text, ""
    first = re.match(r"[a-z]+|[A-Z][a-z]{2,}|.", text)
    size = first.end() if first else 1
    return text[:size], text[size:]
