"""What stands behind an atom: powers, transposes, positive parts, attributes and slices."""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.written.formula.errors import UnreadableError
from grader.written.formula.lexer import MAX_NESTING, Token, flat, group_at
from grader.written.formula.spelling import Lexicon, is_attribute, is_weight
from grader.written.formula.tree import Node, call, node, num, sym

_TURNS = frozenset({"T", "'", "t", "tr", "Tr", "transpose"})
_LABELLED = re.compile(r"[A-Z]|b|x|h|z|head|[QKVXZHWq]_.*")
_LABEL = re.compile(r"\(?(?:[QKVOqkvo]|[a-z]|\d|out|query|key|value|output|[a-z][+-]\d)\)?(?:,[a-z])?")
_RENAMED = {"t": "transpose", "mm": "matmul", "dot": "matmul", "bmm": "matmul", "clip": "clamp", "permute": "transpose",
            "swapaxes": "transpose", "size": "shape"}  # fmt: skip
_SWAPS = ([-2.0, -1.0], [-1.0, -2.0], [0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0])


END = Token("end", "")
Items = tuple[list[Node], list[tuple[str, Node]], bool]


class Steps:
    """Reads one expression; `doubts` notes where the text could be meant otherwise."""

    def __init__(self, tokens: list[Token], lexicon: Lexicon) -> None:
        self.tokens = [*tokens]
        self.lexicon = lexicon
        self.at = 0
        self.depth = 0
        self.doubts: list[str] = []

    # ------------------------------------------------------------------------------------------ small steps

    @property
    def now(self) -> Token:
        """The token that comes next."""
        return self.peek(0)

    def peek(self, ahead: int = 1) -> Token:
        """Return the token `ahead` places further on."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else END

    def take(self, text: str | None = None) -> Token:
        """Consume the next token; raise UnreadableError where it is not `text`."""
        token = self.now
        if token is END or text not in {None, token.text}:
            found = "the end" if token is END else repr(token.text)
            raise UnreadableError(f"Expected {f'“{text}”' if text else 'something more'} but found {found}.")
        self.at += 1
        return token

    def deeper(self, read: Callable[[], Node]) -> Node:
        """Run `read` one level down and give up where the nesting is absurd."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise UnreadableError("The formula is nested too deeply.")
        tree = read()
        self.depth -= 1
        return tree

    def strange(self, where: str) -> UnreadableError:
        """Return the error that the next token stands where it should not."""
        return UnreadableError(f"“{self.now.text or 'the end'}” was not expected {where}.")

    expression: Callable[[], Node]
    product: Callable[[], Node]
    signed: Callable[[], Node]
    power: Callable[[], Node]
    atom: Callable[[], Node]
    group: Callable[[], Node]
    argument: Callable[[], Node]
    name: Callable[[], Node]
    bracketed: Callable[[], Items]
    items: Callable[[Callable[[Token], bool]], Items]
    """What the parser reads: a whole expression, a product, …, a bracket and what it holds."""

    def subscript(self) -> str:
        """Read what stands after `_` and return it as flat text."""
        self.take("_")
        inside = group_at(self.tokens, self.at)
        if inside is None:
            if self.now.kind in {"group", "open"}:
                raise UnreadableError("A bracket is not closed.")
            return flat([self.take()])
        self.at += len(inside) + 2
        return flat(inside)

    def label(self, base: str) -> tuple[str, bool] | None:
        """Read `^…` behind a name when it is a label (W^Q, x^{(l)}); return it and whether a transpose follows.

        None leaves the `^` for the power rule.
        """
        following = self.peek()
        inside = group_at(self.tokens, self.at + 1)
        content = inside if inside is not None else [following]
        if not content or not _LABELLED.fullmatch(base) or content[0].kind not in {"word", "num", "open", "func"}:
            return None
        turned = len(content) > 1 and content[-1].text in {"T", "'"} and content[-1].kind == "op"
        if turned:
            content = [token for token in content[:-1] if token.text != "^"]
        text = flat(content)
        bracketed = following.text == "(" or content[0].kind == "open"
        weight = is_weight(base) or base == "b"
        if text == "T" or not _LABEL.fullmatch(text) or (text in _TURNS and not (turned or bracketed or weight)):
            return None
        layer = self.lexicon.kind.opaque and text in {"l", "n", "t", "i", "k"}  # x^l, the input of layer l
        letter = re.fullmatch(r"[a-z]", text) and base.isupper()
        if not (weight or bracketed or ((layer or base == "head" or letter) and not text[-1:].isdigit())):
            return None
        self.at += 2 if inside is None else len(inside) + 3
        return text.strip("()"), turned

    def attached(self, tree: Node) -> Node:
        """Read everything that stands behind `tree`."""
        matrices = self.lexicon.kind.matrices
        while True:
            token = self.now
            below = group_at(self.tokens, self.at + 1) if token.text == "_" else None
            if token.text == "^" and token.kind == "op":
                tree = self._raised(tree)
            elif (token.text == "'" and matrices) or (token.text == "T" and token.kind == "op"):
                self.take()
                tree = node("T", tree)
            elif token.text == "_" and (self.peek().text == "+" or flat(below or []) == "+"):
                self.at += 4 if below else 2
                tree = call("relu", tree)
            elif token.text == "." and is_attribute(self.tokens, self.at + 1):
                tree = self._attribute(tree)
            else:
                return tree

    def _raised(self, tree: Node) -> Node:
        following = self.peek()
        inside = group_at(self.tokens, self.at + 1) if following.kind == "group" else None
        content = inside if inside is not None else [following]
        text = flat(content)
        turns = bool(content) and {token.text for token in content} <= {"T", "'"}
        if turns or text == "+" or (self.lexicon.kind.matrices and tree.op != "num" and text in _TURNS):
            before = self.tokens[self.at - 1]
            self.at += 2 if inside is None else len(inside) + 3
            if text == "+":
                return call("relu", tree)
            if before.kind == "endgroup" and tree.op == "*":  # in {QK}^T it visually stands on K alone
                return node("*", tree[0], node("T", tree[1]))
            return node("T", tree)
        self.take("^")
        return node("^", tree, self._exponent(plain=tree.op == "num"))

    def _exponent(self, *, plain: bool) -> Node:
        """Read an exponent; x^-1/2 is meant as a power of minus one half."""
        sign = self.now
        if sign.kind in {"group", "open"}:
            return self.power()
        if sign.kind == "op" and sign.text in {"-", "+"}:
            self.take()
        token, slash, under = self.now, self.peek(), self.peek(2)
        if token.text in {"1", "3"} and slash.text == "/" and slash.glued and under.text == "2":
            self.at += 3
            self.doubts.append("An exponent such as ^-1/2 should stand in brackets.")
            tree = node("/", num(float(token.text)), num(2))
        elif token.kind in {"num", "word"}:
            self.take()
            word = token.kind == "word"
            if slash.glued and ((slash.kind == "word" and (plain or word)) or (slash.kind == "num" and word)):
                raise UnreadableError("It is not clear how much stands in the exponent; please use brackets.")
            tree = sym(token.text) if word else num(float(token.text))
        else:
            tree = self.power()
        return node("neg", tree) if sign.text == "-" and sign.kind == "op" else tree

    def _attribute(self, tree: Node) -> Node:
        """Read .T, .transpose(-2, -1), .dot(V), .shape[-1], .softmax(-1) and their like."""
        self.take(".")
        name = self.take().text
        if name in {"T", "mT"}:
            return node("T", tree)
        found, options, _ = self.bracketed() if self.now.kind == "open" else ([], [], False)
        name = _RENAMED.get(name, name)
        if name == "transpose":
            axes = [part.value if part.op == "num" else -part[0].value if part.op == "neg" else 9.0 for part in found]
            if found and axes not in _SWAPS:
                raise UnreadableError("Which axes are swapped is not clear.")
            return node("T", tree)
        if name in {"float", "item"}:
            return tree
        if name == "max" and found:  # of an axis; the function takes the larger of two
            found, options = [], [("axis", found[0]), *options]
        return Node("call", (tree, *found), "dim" if name == "shape" else name, options=tuple(options))
