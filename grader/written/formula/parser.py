"""A Pratt-style reader: tokens to an expression tree, loosest binding first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.written.formula import atoms
from grader.written.formula.attached import attached
from grader.written.formula.series import series
from grader.written.formula.spelling import Lexicon, is_attribute
from grader.written.formula.tokens import MAX_NESTING, Token
from grader.written.formula.tree import (
    Add,
    Call,
    Div,
    Dots,
    Mul,
    Neg,
    Node,
    Seq,
    UnreadableError,
)

_END = Token("end", "")
_TIMES = frozenset({"·", "*", "@", "⊙", ".", "x"})
_STARTS = frozenset({"num", "word", "func", "open", "group"})


class Parser:
    """Reads one expression; `doubts` notes where the text could be meant otherwise."""

    def __init__(
        self,
        tokens: list[Token],
        lexicon: Lexicon,
        aliases: Mapping[str, str],
        *,
        code: bool = False,
    ) -> None:
        self.tokens = tokens
        self.lexicon = lexicon
        self.aliases = aliases
        self.code = code
        self.at = 0
        self.depth = 0
        self.doubts: list[str] = []

    # ------------------------------------------------------------------------------------------ small steps

    @property
    def now(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    def peek(self, ahead: int = 1) -> Token:
        """The token `ahead` places further on."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else _END

    def take(self, text: str | None = None) -> Token:
        """Consume the next token; raise UnreadableError where it is not `text`."""
        token = self.now
        if token is _END or (text is not None and token.text != text):
            wanted = f"“{text}”" if text else "something more"
            raise UnreadableError(f"Expected {wanted} but found {'the end' if token is _END else token.text!r}.")
        self.at += 1
        return token

    def deeper(self, read: Callable[[], Node]) -> Node:
        """Run `read` one level down and give up where the nesting is absurd."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise UnreadableError("The formula is nested too deeply.")
        node = read()
        self.depth -= 1
        return node

    # ----------------------------------------------------------------------------------------- binding levels

    def whole(self) -> Node:
        """Read everything; raise UnreadableError where something is left over."""
        node = self.expression()
        if self.now is not _END:
            raise UnreadableError(f"“{self.now.text}” was not expected here.")
        return node

    def expression(self) -> Node:
        """Read terms joined side by side (||, ⊕), the loosest level."""
        first = self.deeper(self.terms)
        if self.now.text not in {"||", "⊕"}:
            return first
        items = [first]
        while self.now.text in {"||", "⊕"}:
            self.take()
            items.append(self.deeper(self.terms))
        return Call("concat", (Seq(tuple(items)),))

    def terms(self) -> Node:
        """Read a sum; a chain with dots in it (a_1 + … + a_h) becomes a Sum."""
        items: list[tuple[Node, bool]] = [(self.product(), False)]
        while self.now.text in {"+", "-"} and self.now.kind == "op":
            minus = self.take().text == "-"
            items.append((self.product(), minus))
        if len(items) > 1 and any(isinstance(item, Dots) for item, _ in items):
            return series(items)
        node = items[0][0]
        for item, minus in items[1:]:
            node = Add(node, item, minus)
        return node

    def product(self) -> Node:
        """Read factors; two that merely stand together are multiplied."""
        node = self.signed()
        while True:
            token = self.now
            if token.kind == "op" and token.text in {"/", "÷"}:
                self.take()
                divisor = self.tight(self.signed())
                node = Div(node, divisor)
                if token.text == "÷":
                    node = Call("floor", (node,))
            elif token.kind == "op" and token.text == "%":
                self.take()
                node = Call("mod", (node, self.signed()))
            elif self.is_times(token):
                self.take()
                node = Mul(node, self.signed(), entrywise=token.text == "⊙" or (token.text == "*" and self.code))
            elif self.starts(token):
                node = Mul(node, self.power())
            else:
                return node

    def is_times(self, token: Token) -> bool:
        """Say whether the token multiplies; a lone x between spaced matrices does, as in `Q x K^T`."""
        if token.text == "x":
            after = self.peek()
            spaced = not token.glued and not after.glued and token.kind == "word"
            return spaced and self.lexicon.matrices and "x" not in self.lexicon.words and self.starts(after)
        if token.text == "." and token.kind == "op":
            return not is_attribute(self.tokens, self.at + 1)
        return token.kind == "op" and token.text in _TIMES

    def starts(self, token: Token) -> bool:
        """Say whether a factor can begin with this token."""
        return token.kind in _STARTS or (token.kind == "op" and token.text in {"frac", "…"})

    def tight(self, divisor: Node) -> Node:
        """After a slash, a number glued to a letter is one divisor: d/2i means d/(2i)."""
        token = self.now
        if token.glued and token.kind in {"word", "func"} and token.text != "^":
            before = self.tokens[self.at - 1]
            if before.kind == "num":
                self.doubts.append("It is not clear how much stands under the slash.")
                return Mul(divisor, self.power())
            if before.kind == "word":
                self.doubts.append("It is not clear how much stands under the slash.")
        return divisor

    def signed(self) -> Node:
        """Read a factor with its sign; the sign binds looser than a power."""
        if self.now.kind == "op" and self.now.text in {"-", "+"}:
            if self.take().text == "+":
                return self.deeper(self.signed)
            return Neg(self.deeper(self.signed))
        return self.power()

    def power(self) -> Node:
        """Read an atom with everything raised, lowered or attached to it."""
        return self.deeper(lambda: attached(self, atoms.atom(self)))

    # ------------------------------------------------------------------------------------------- collections

    def items(self, close: Callable[[Token], bool]) -> tuple[list[Node], list[tuple[str, Node]], bool]:
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
                node = self.expression()
                match node:
                    case Call(name="concat", args=(Seq(items=parts),)) if self.now.text in {"||", "⊕"} or not found:
                        found.extend(parts if close(self.now) and len(parts) > 1 else (node,))
                        joins = joins or len(parts) > 1
                    case _:
                        found.append(node)
            if self.now.text in {",", ";"}:
                joins = (self.take().text == ";") or joins
            elif not close(self.now):
                if not self.now.text:
                    raise UnreadableError("A bracket is not closed.")
                raise UnreadableError(f"“{self.now.text}” was not expected inside the brackets.")
        self.at += 1
        return found, options, joins


def read(tokens: list[Token], lexicon: Lexicon, aliases: Mapping[str, str], *, code: bool) -> tuple[Node, list[str]]:
    """Return the tree of `tokens` and the doubts met; raises UnreadableError."""
    parser = Parser(tokens, lexicon, aliases, code=code)
    return parser.whole(), parser.doubts
