"""Cut cleaned text into tokens: numbers, words, operators, brackets and separators."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grader.written.formula.errors import UnreadableError
from grader.written.formula.vocabulary import table, words

THOUSANDS = "may be thousands or a decimal fraction."
MAX_TOKENS = 700
MAX_NESTING = 40
MAX_DIGITS = 24


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the formula.

    glued: no space before it. solid: a word that is not cut into letters. depth: brackets around it.
    kind: num word func op open close group endgroup sep line quad newline end.
    """

    kind: str
    text: str
    glued: bool = False
    solid: bool = False
    depth: int = 0


_NEXT = re.compile(
    r"(?P<space>[ ~]+)|(?P<newline>\n)|(?P<number>\d|\.\d)|(?P<word>[A-Za-z]+)"
    r"|\\(?:(?P<command>[A-Za-z]+)\*?|(?P<escaped>[\s\S]))|(?P<sign>\*\*|//|:=|<-|==|=>|->|<=|>=|\|\||[\s\S])"
)
_NUMBER = re.compile(
    r"[1-9]\d{0,2}(?:(?:,|\{,\}|\\,|\\;|\\ | |_)\d{3})+(?![\d.])"  # 10,000 and 10\,000
    r"|(?:\d+(?:\.\d+|\.(?![A-Za-z\d.]))?|\.\d+)(?:[eE][+-]?\d+(?![\w.]))?"
)
_DECIMAL_COMMA = re.compile(r"\d+(?:,|\{[,.]\})\d{1,2}(?!\d)")
_DOUBLE = {"**": "^", "//": "÷", ":=": "=", "<-": "=", "==": "=", "<=": "<", ">=": ">"}
_COMMANDS = {
    **{word: ("op", sign) for word, sign in table("operators").items()},
    **{word: (kind, "\\" + word) for word, kind in table("breaks").items()},
    **{word: ("open" if sign in "([{<" else "close", sign) for word, sign in table("brackets").items()},
}
_SPACES = words("spaces") | {" ", "\n"}
_TIGHT = words("spaces", "tight")
_FRAMES = words("spaces", "frames")
_FONTS, _BOLD = table("fonts"), words("fonts", "bold")
_ACCENTS, _BRACES = words("accents"), words("accents", "brace")
_SUB_OR_SUPER = re.compile(r"\s*[_^]\s*")


class Lexer:
    """Reads one text from left to right; `doubts` collects what could have been meant otherwise."""

    def __init__(self, text: str, level: int = 0) -> None:
        if level > MAX_NESTING:
            raise UnreadableError("The formula is nested too deeply.")
        self.text = text
        self.level = level
        self.at = 0
        self.tokens: list[Token] = []
        self.doubts: list[str] = []
        self.space = True

    def add(self, kind: str, text: str, *, solid: bool = False) -> None:
        """Append a token and note whether a space came before it."""
        self.tokens.append(Token(kind, text, glued=not self.space, solid=solid))
        self.space = False

    def run(self) -> list[Token]:
        """Read everything."""
        while match := _NEXT.match(self.text, self.at):
            if len(self.tokens) > MAX_TOKENS:
                raise UnreadableError("The formula is too long to be read.")
            self.at = match.end()
            kind = match.lastgroup
            if kind in {"space", "newline"}:
                self.space = True
                self.tokens += [Token("newline", "\n")] * (kind == "newline")
            elif kind == "number":
                self.number(match.start())
            elif kind == "word":
                self.add("word", match[0])
            elif kind == "sign":
                self.sign(match[0])
            else:
                self.command(match["command"] or match["escaped"])
        return self.tokens

    def number(self, start: int) -> None:
        """Read a number; after `^` a comma is a decimal comma."""
        last = self.tokens[-1] if self.tokens else Token("", "")
        raised = any(token.text == "^" for token in self.tokens[-3:]) and (
            last.text in {"^", "-", "+"} or last.kind in {"group", "open"}
        )
        comma = _DECIMAL_COMMA.match(self.text, start)
        if comma and (raised or "{" in comma[0]):
            self.at = comma.end()
            self.add("num", re.sub(r"\{?[,.]\}?", ".", comma[0]))
            return
        match = _NUMBER.match(self.text, start)
        assert match is not None  # noqa: S101 - a digit has been seen
        raw = match[0]
        if raw.endswith(".") and not self.space and (last.kind == "word" or last.text == "_"):
            raw = raw[:-1]  # b2. ends a sentence
        self.at = start + len(raw)
        if len(raw) > MAX_DIGITS:
            raise UnreadableError("A number has too many digits.")
        if re.fullmatch(r"[1-9]\d{0,2}(?:\.000)+", raw):
            raw = raw.replace(".", "")  # nobody writes 10.000 for ten
        elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", raw):
            self.doubts.append(f"“{raw}” {THOUSANDS}")
        self.add("num", re.sub(r"[^\d.eE+-]", "", raw))

    def sign(self, sign: str) -> None:
        """Read an operator, a bracket or a separator."""
        if sign in {"=>", "->"}:
            self.add("sep", sign)
        elif sign in "{}":
            self.add("group" if sign == "{" else "endgroup", sign)
        elif sign in "([":
            self.add("open", sign)
        elif sign in ")]":
            self.add("close", sign)
        elif sign in _DOUBLE or sign == "||" or sign in "+-*/^_,;=.'@|<>:!%\"":
            self.add("op", _DOUBLE.get(sign, sign))
        else:
            raise UnreadableError(f"The sign “{sign}” cannot be read here.")

    def group(self) -> str | None:
        """Read the braces that come next and return what is inside, or None where there are none."""
        at = self.at + len(self.text[self.at :]) - len(self.text[self.at :].lstrip(" \n"))
        if self.text[at : at + 1] != "{":
            return None
        depth = 0
        for end in range(at, len(self.text)):
            if self.text[end] in "{}" and self.text[end - 1] != "\\":
                depth += 1 if self.text[end] == "{" else -1
                if depth == 0:
                    self.at = end + 1
                    return self.text[at + 1 : end]
        raise UnreadableError("A brace is not closed.")

    def inner(self, text: str) -> list[Token]:
        """Read `text` on its own, one level down."""
        lexer = Lexer(text, self.level + 1)
        tokens = lexer.run()
        self.doubts += lexer.doubts
        return tokens

    def command(self, name: str) -> None:
        """Read a LaTeX command."""
        if name in _FRAMES and (inside := self.group()) is not None:
            self.text, self.at = f" {inside} {self.text[self.at :]}", 0  # what stands inside is the formula
        elif name in _SPACES:
            self.at += name in {"left", "right"} and self.text[self.at : self.at + 1] == "."
            self.space = self.space or name not in _TIGHT
        elif name in _COMMANDS:
            kind, text = _COMMANDS[name]
            self.add(kind, text)
            self.space = self.space or kind in {"sep", "quad", "line"}
        elif name in _FONTS:
            self.font(name)
        elif name in _ACCENTS:
            self.add("word", "".join(re.findall(r"[A-Za-z]+", self.group() or "")) + name, solid=True)
        elif name in _BRACES:
            self.tokens += [Token("group", "{"), *self.inner(self.group() or ""), Token("endgroup", "}")]
            if rest := _SUB_OR_SUPER.match(self.text, self.at):
                self.at = rest.end()
                if self.group() is None:
                    raise UnreadableError("The note at a brace cannot be read.")
        elif name in {"begin", "end"}:
            raise UnreadableError("An environment such as cases or array is read by a person.")
        else:
            self.add("word", name, solid=True)

    def font(self, name: str) -> None:
        """Read a font command: its letters stay, a word of several letters stays whole."""
        content = self.group()
        if content is None:
            return
        content = content.replace(r"\_", "_").replace(r"\ ", " ").replace("~", " ")
        if re.fullmatch(r"[A-Za-z][A-Za-z \-]*[A-Za-z]", content.strip()) and name not in _BOLD:
            self.space = self.space or content[:1] == " "
            for part in re.split(r"[ \-]+", content.strip()):
                self.add("word", part, solid=True)
                self.space = True
            self.space = content[-1:] == " "
            return
        for token in self.inner(content):
            self.tokens.append(replace(token, glued=token.glued and not self.space))
        self.space = False


_NOT_LETTERS = re.compile(r"[^A-Za-z0-9,()+\-_]")


def flat(tokens: list[Token]) -> str:
    """Return tokens as one flat text without braces and spaces, for subscripts and labels."""
    return _NOT_LETTERS.sub("", "".join(token.text for token in tokens if token.text != "frac"))


def group_at(tokens: list[Token], start: int) -> list[Token] | None:
    """Return the tokens inside the group or bracket that begins at `start`, or None."""
    if start >= len(tokens) or tokens[start].kind not in {"group", "open"}:
        return None
    depth = 0
    for end in range(start, len(tokens)):
        depth += (tokens[end].kind in {"group", "open"}) - (tokens[end].kind in {"endgroup", "close"})
        if depth == 0:
            return tokens[start + 1 : end]
    return None
