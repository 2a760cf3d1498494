"""The kinds of formula and the names each one knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from grader.written.formula.clean import clean
from grader.written.formula.forms import FORMS, fill
from grader.written.formula.names import CHANCE, DIMENSIONS
from grader.written.formula.parser import read
from grader.written.formula.spelling import Lexicon, spell
from grader.written.formula.tokens import Lexer
from grader.written.formula.tree import Node

_COMMON = (
    "transpose_b dim axis keepdims keepdim True False pos step alpha beta gamma delta epsilon eta theta lambda mu pi"
    " sigma tau FFN MLP MHA MultiHead phi omega infty rho nu xi Omega sum"
)


def _table(text: str) -> dict[str, str]:
    """Read `canonical: alias alias` lines into an alias table."""
    out: dict[str, str] = {}
    for line in text.strip().splitlines():
        name, _, words = line.strip().partition(":")
        out.update(dict.fromkeys([name, *words.split()], name))
    return out


@dataclass(frozen=True)
class Kind:
    """What one kind of formula knows.

    aliases: written name → our name. roles: names an unknown symbol may stand for. main: names the formula is
    defined under. signs: calls the formula cannot do without.
    """

    id: str
    aliases: Mapping[str, str]
    roles: tuple[str, ...]
    main: frozenset[str]
    signs: frozenset[str]
    matrices: bool = True
    opaque: bool = False
    flexible: frozenset[str] = frozenset()
    never: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    @property
    def words(self) -> frozenset[str]:
        """Names of several letters, which are not cut."""
        names = {*self.aliases, *self.aliases.values(), *DIMENSIONS, *_COMMON.split()}
        if self.id == "variance":
            names |= set(CHANCE) | {word.capitalize() for word in CHANCE} | {"SD", "VAR", "STD"}
        return frozenset(name for name in names if len(name) > 1)


_ATTENTION = _table("""
Q: queries query Query Queries
K: keys key Key Keys
V: values value Value Values
d_k: d D dim
M: mask Mask
n: T L N S_len
""")
_ATTENTION.pop("T"), _ATTENTION.pop("L"), _ATTENTION.pop("N")
_MULTI = _table("""
Q: queries query Query
K: keys key Key
V: values value Value
head: h head_ Head hd Z z O H Y y A a S
heads: Heads
num_heads: n_h
""")
for _name in ("h", "z", "O", "Z", "H", "Y", "y", "A", "a", "S"):
    _MULTI.pop(_name)
_PE = _table("""
pos: position Pos POS POSITION position_id pos_id
d_model: d D dim
""")
_FFN = _table("""
x: X inputs input
b_1: b1 bias1 bias_1
b_2: b2 bias2 bias_2
W_1: W1 w1 w_1 weight1 W_in W_up
W_2: W2 w2 w_2 weight2 W_out W_down
""")
_ADD_NORM = _table("""
x: X inputs input
d_model: d D dim
epsilon: eps varepsilon
gamma: g weight
beta: b bias
sublayer: Sublayer SubLayer sub_layer sublayer_output
""")
_NOAM = _table("""
step: step_num steps step_number global_step s_num stepnum step_n n_step current_step iteration iter num_steps num_step
warmup: warmup_steps warm_up warmup_step warm_up_steps w_steps n_warmup T_warmup T_w t_warmup t_w n_w num_warmup_steps
d_model: d D dim
""")
_NOAM.update(
    dict.fromkeys(
        [
            "warmupsteps",
            "T_warm",
            "t_warm",
            "warm",
            "w_s",
            "N_w",
            "N_warmup",
            "step_warmup",
            "step_w",
            "s_w",
            "s_warmup",
        ],
        "warmup",
    )
)
_VARIANCE = _table("""
q: Q query
k: K key
d_k: d D n dim
""")
_SUBLAYERS = frozenset({"layernorm"})

KINDS: tuple[str, ...] = ("attention", "multi_head", "pe_sin", "pe_cos", "ffn", "add_norm", "noam", "variance")
_LIST = (
    Kind("attention", _ATTENTION, ("Q", "K", "V", "X", "X_q", "X_kv", "d_k"), frozenset({"attention", "O", "Z"}),
         frozenset({"softmax", "exp", "sigmoid", "attention"})),
    Kind("multi_head", _MULTI, ("d_k", "d_model", "X"),
         frozenset({"MultiHead", "MHA", "multihead", "MultiHeadAttention"}), frozenset({"concat"})),
    Kind("pe_sin", _PE, ("pos", "i", "d_model"), frozenset(), frozenset({"sin", "cos", "tan"}), matrices=False,
         flexible=frozenset("ijkptmnl")),
    Kind("pe_cos", _PE, ("pos", "i", "d_model"), frozenset(), frozenset({"sin", "cos", "tan"}), matrices=False,
         flexible=frozenset("ijkptmnl")),
    Kind("ffn", _FFN, ("x", "W_1", "b_1", "W_2", "b_2"), frozenset({"FFN", "ffn", "FeedForward", "MLP"}),
         frozenset({"max", "min", "relu", "clamp"})),
    Kind("add_norm", _ADD_NORM, ("x",), frozenset(), _SUBLAYERS, matrices=False, opaque=True),
    Kind("noam", _NOAM, ("step", "warmup", "d_model"), frozenset({"lrate", "lr"}),
         frozenset({"min", "max"}), matrices=False,
         never=frozenset({("w", "step"), ("W", "step"), ("T", "step"), ("tau", "step")})),
    Kind("variance", _VARIANCE, (), frozenset(), frozenset({"var"})),
)  # fmt: skip


def kind_of(name: str) -> Kind:
    """Return the kind called `name`; raises KeyError for another name."""
    return {kind.id: kind for kind in _LIST}[name]


def lexicon_of(kind: Kind, extra: frozenset[str] = frozenset(), functions: frozenset[str] = frozenset()) -> Lexicon:
    """Return what words may mean in this kind, with the student's own names added."""
    return Lexicon(
        words=_words(kind.id) | extra,
        chance=kind.id == "variance",
        matrices=kind.matrices,
        functions=functions,
        opaque=kind.opaque,
    )


@lru_cache(maxsize=16)
def _words(name: str) -> frozenset[str]:
    return kind_of(name).words


@lru_cache(maxsize=4096)
def tree_of(kind_name: str, text: str) -> Node:
    """Read one of our own forms; they are written in the notation the parser knows."""
    kind = kind_of(kind_name)
    tree, _ = read(spell(Lexer(clean(text)).run(), lexicon_of(kind)), lexicon_of(kind), kind.aliases, code=False)
    return tree


def key_text(kind_name: str) -> str:
    """Return the right form of a kind as text."""
    return fill(FORMS[kind_name])
