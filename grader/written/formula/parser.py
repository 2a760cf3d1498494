"""A Pratt-style reader: tokens to an expression tree, loosest binding first."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from grader.written.formula.calls import Calls, series, spread_out
from grader.written.formula.errors import UnreadableError
from grader.written.formula.kinds import kind_of
from grader.written.formula.lexer import Lexer, Token
from grader.written.formula.spelling import Lexicon, is_attribute, spell, symbol
from grader.written.formula.tails import END, Items
from grader.written.formula.tree import DOTS, Node, call, node, num, sym

_STARTS = frozenset({"num", "word", "func", "open", "group"})
_CLOSERS = {"(": {")"}, "[": {"]"}, "{": {"}", "]"}, "<": {">"}}


class Parser(Calls):
    """Reads one expression."""

    # ----------------------------------------------------------------------------------------- binding levels

    def expression(self) -> Node:
        """Read terms joined side by side (||, ⊕), the loosest level."""
        items = [self.deeper(self.terms)]
        while self.now.text in {"||", "⊕"}:
            self.take()
            items.append(self.deeper(self.terms))
        return call("concat", node("list", *items)) if len(items) > 1 else items[0]

    def compared(self) -> Node:
        """Read an expression that may be compared with another: a < b is 1 where it holds, else 0."""
        tree = self.expression()
        if self.now.kind == "op" and self.now.text in {"<", ">"}:
            below = self.take().text == "<"
            sides = (tree, self.expression())
            return node("<", *(sides if below else sides[::-1]))
        return tree

    def terms(self) -> Node:
        """Read a sum; a chain with dots in it (a_1 + … + a_h) becomes a sum over an index."""
        items, signs = [self.product()], "+"
        while self.now.kind == "op" and self.now.text in {"+", "-"}:
            signs += self.take().text
            items.append(self.product())
        if len(items) > 1 and DOTS in items:
            if "-" in signs:
                raise UnreadableError("A sum with dots needs a first and a last term.")
            return series(items)
        tree = items[0]
        for sign, item in zip(signs[1:], items[1:], strict=True):
            tree = node(sign, tree, item)
        return tree

    def product(self) -> Node:
        """Read factors; two that merely stand together are multiplied."""
        tree = self.signed()
        while True:
            token = self.now
            apart = token.text == ":" and not token.glued and self.starts(self.peek())
            if token.kind == "op" and (apart or token.text in {"/", "÷"}):
                self.take()
                tree = node("/", tree, self.tight(self.signed()))
                tree = call("floor", tree) if token.text == "÷" else tree
            elif self.is_times(token):
                self.take()
                entrywise = token.text == "⊙" or (token.text == "*" and self.lexicon.code)
                tree = node("⊙" if entrywise else "*", tree, self.signed())
            elif self.starts(token):
                tree = node("*", tree, self.power())
            else:
                return tree

    def is_times(self, token: Token) -> bool:
        """Say whether the token multiplies; a lone x between spaced matrices does, as in `Q x K^T`."""
        if token.text == "x":
            after = self.peek()
            spaced = not token.glued and not after.glued and token.kind == "word" and self.lexicon.kind.matrices
            return spaced and "x" not in self.lexicon.words and self.starts(after)
        if token.text == ".":
            return token.kind == "op" and not is_attribute(self.tokens, self.at + 1)
        return token.kind == "op" and token.text in {"·", "*", "@", "⊙"}

    def starts(self, token: Token) -> bool:
        """Say whether a factor can begin with this token."""
        return token.kind in _STARTS or (token.kind == "op" and token.text in {"frac", "…"})

    def tight(self, divisor: Node) -> Node:
        """After a slash, a number glued to a letter is one divisor: d/2i means d/(2i)."""
        before = self.tokens[self.at - 1].kind
        if self.now.glued and self.now.kind in {"word", "func"} and before in {"num", "word"}:
            self.doubts.append("It is not clear how much stands under the slash.")
            return node("*", divisor, self.power()) if before == "num" else divisor
        return divisor

    def signed(self) -> Node:
        """Read a factor with its sign; the sign binds looser than a power."""
        if self.now.kind == "op" and self.now.text in {"-", "+"}:
            minus = self.take().text == "-"
            body = self.deeper(self.signed)
            return node("neg", body) if minus else body
        return self.power()

    def power(self) -> Node:
        """Read an atom with everything raised, lowered or attached to it."""
        return self.deeper(lambda: self.attached(self.atom()))

    # -------------------------------------------------------------------------------------------------- atoms

    def atom(self) -> Node:
        """Read one atom without what is raised behind it."""
        token = self.now
        match token.kind, token.text:
            case "num", text:
                self.take()
                return num(float(text))
            case "word", "sum":
                self.take()
                return self.sum()
            case "word", _:
                return self.name()
            case "func", _:
                return self.function()
            case "open", _:
                return self.bracket()
            case "group", _:
                return self.group()
            case _, "frac":
                self.take()
                return node("/", self.argument(), self.argument())
            case _, "||" | "⊕":
                self.take()
                return self.joined()
        if token.text == "…" or [self.peek(ahead).text for ahead in range(3)] == ["."] * 3:
            self.at += 1 if token.text == "…" else 3
            return DOTS
        raise self.strange("here")

    def group(self) -> Node:
        r"""Read what stands in invisible braces; `{a \over b}` is a fraction."""
        self.take("{")
        if self.now.kind == "endgroup":
            self.take()
            return self.power()
        tree = self.expression()
        if self.now.text == "//over":
            self.take()
            tree = node("/", tree, self.expression())
        if self.now.kind != "endgroup":
            raise self.strange("inside the braces")
        self.take()
        return tree

    def argument(self) -> Node:
        r"""Read the argument of \frac: a group or a single token (`\frac12` is one half)."""
        token = self.now
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            self.tokens[self.at] = Token("num", token.text[1:], glued=True)
            return num(float(token.text[0]))
        return self.group() if token.kind == "group" else self.atom()

    def items(self, close: Callable[[Token], bool]) -> Items:
        """Read a bracket's items and keyword options up to its end; also say whether they were joined."""
        found: list[Node] = []
        options: list[tuple[str, Node]] = []
        joins = False
        while not close(self.now):
            if self.now.kind in {"word", "func"} and self.peek().text == "=":
                key = self.take().text
                self.take("=")
                options.append((key, self.expression()))
            else:
                tree = self.compared()
                side = tree.name == "concat" and len(tree.parts) == 1 and tree[0].op == "list"
                if side and (self.now.text in {"||", "⊕"} or not found):
                    several = len(tree[0].parts) > 1
                    found += tree[0].parts if close(self.now) and several else (tree,)
                    joins = joins or several
                else:
                    found.append(tree)
            if self.now.text in {",", ";"}:
                joins = (self.take().text == ";") or joins
            elif not close(self.now):
                raise (
                    self.strange("inside the brackets")
                    if self.now.text
                    else UnreadableError("A bracket is not closed.")
                )
        self.at += 1
        return found, options, joins

    def bracketed(self) -> Items:
        """Read an opening bracket and what it holds."""
        closers = _CLOSERS[self.take().text]
        return self.items(lambda token: token.kind == "close" and token.text in closers)

    def bracket(self) -> Node:
        """Read brackets: one item is that item, several are a list or, in square brackets, side by side."""
        opening = self.now.text
        items, options, joins = self.bracketed()
        if options or not items:
            raise UnreadableError("Empty brackets, or a setting where a factor was expected.")
        if opening == "<":
            if len(items) != 2:
                raise UnreadableError("Angle brackets may be a product or a mean; a person should look.")
            return node("*", items[0], node("T", items[1]))
        items = spread_out(items)
        if len(items) == 1 and self.now.text == "_" and "=" in {self.peek(2).text, self.peek(3).text}:
            var, low, high = self.bounds()  # {head_i}_{i=1}^h
            return call("concat", Node("join", (items[0], low, high), var))
        if joins or (opening == "[" and (len(items) > 1 or items[0].op == "join")):
            return call("concat", node("list", *items))
        return items[0] if len(items) == 1 else node("list", *items)

    def name(self) -> Node:
        r"""Read a symbol with its indices and labels, in any order: W_i^Q, W^Q_i, W^{Q\top}."""
        base, sub, label, turned = self.take().text, "", "", False
        if self.now.kind == "num" and self.now.glued and re.fullmatch(r"[A-Za-z]|head", base):
            sub = self.take().text if "." not in self.now.text else ""
        while not turned:
            if self.now.text == "_" and not sub and self.peek().text != "+":
                sub = self.subscript()
            elif self.now.text == "^" and not label and (found := self.label(base)):
                label, turned = found
            else:
                break
        tree = symbol(base, sub, label, self.lexicon)
        kind = self.lexicon.kind
        while self.now.text == "'" and (not kind.matrices or f"{tree.name}'" in self.lexicon.words):
            self.take()
            tree = sym(tree.name + "'", *tree.parts)
        return node("T", tree) if turned else tree


def read(tokens: list[Token], lexicon: Lexicon) -> tuple[Node, list[str]]:
    """Return the tree of `tokens` and the doubts met; raises UnreadableError."""
    parser = Parser(tokens, lexicon)
    tree = parser.expression()
    if parser.now is not END:
        raise parser.strange("here")
    return tree, parser.doubts


@lru_cache(maxsize=4096)
def tree_of(kind: str, text: str) -> Node:
    """Read one of our own forms; they are written in the notation the parser knows."""
    lexicon = Lexicon(kind_of(kind))
    return read(spell(Lexer(text).run(), lexicon), lexicon)[0]
