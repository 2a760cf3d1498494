"""Cut cleaned text into tokens: numbers, words, operators, brackets and separators."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grader.written.formula.tree import UnreadableError

THOUSANDS = "may be thousands or a decimal fraction."
MAX_TOKENS = 700
MAX_NESTING = 40
MAX_DIGITS = 24


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the formula; `glued` = no space before it, `solid` = a word that is not cut into letters."""

    kind: str  # num word op open close group endgroup sep
    text: str
    glued: bool = False
    solid: bool = False


_NUMBER = re.compile(
    r"[1-9]\d{0,2}(?:(?:,|\{,\}|\\,|\\;|\\ | |_)\d{3})+(?![\d.])"  # 10,000 and 10\,000
    r"|(?:\d+(?:\.\d+|\.(?![A-Za-z\d.]))?|\.\d+)(?:[eE][+-]?\d+(?![\w.]))?",
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_DECIMAL_COMMA = re.compile(r"\d+(?:,|\{[,.]\})\d{1,2}(?!\d)")
_WORD = re.compile(r"[A-Za-z]+")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?|\\(.)", re.DOTALL)

_SPACING = frozenset(
    {
        ",", ";", ":", "!", "space", "thinspace", "enspace", "displaystyle", "textstyle", "scriptstyle",
        "scriptscriptstyle", "limits", "nolimits", "left", "right", "big", "Big", "bigg", "Bigg", "bigl",
        "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "middle", "bf", "rm", "it", "sf",
        "tt", "cal", "mathstrut", "strut", "hfill", "hfil", "noindent", "centering", "small", "large",
        "normalsize", "tiny", "mathop", "ensuremath", "boxed", "fbox", "mathrel", "mathbin", "mathord", "relax",
        "bold", "emph", "underline", "vec", "allowbreak", "nobreak", "/", "-",
    }
) | {" ", "\n"}  # fmt: skip
_FONTS = frozenset(
    {
        "text", "mathrm", "mathbf", "mathsf", "mathtt", "mathit", "mathcal", "mathbb", "mathfrak", "mathscr",
        "operatorname", "textrm", "textbf", "textit", "textsf", "texttt", "textnormal", "mbox", "hbox", "bm",
        "boldsymbol", "pmb", "symbf", "symbfit", "symrm", "mathnormal", "mathbfit", "mathbfsf",
    }
)  # fmt: skip
_OPERATORS = {
    "cdot": "·", "times": "·", "ast": "*", "bullet": "·", "star": "*", "div": "/", "over": "//over",
    "odot": "⊙", "circ": "⊙", "oplus": "⊕", "bigoplus": "⊕", "|": "||", "Vert": "||", "parallel": "||",
    "lVert": "||", "rVert": "||", "mid": "||", "vert": "|", "top": "T", "intercal": "T", "transpose": "T",
    "prime": "'", "dots": "…", "ldots": "…", "cdots": "…", "dotsc": "…", "dotsb": "…", "vdots": "…", "dotsm": "…",
    "le": "<", "leq": "<", "ge": "<", "geq": "<", "lt": "<", "gt": "<", "ne": "≠", "neq": "≠", "in": "∈",
    "sim": "~", "approx": "=", "equiv": "=", "triangleq": "=", "doteq": "=", "coloneqq": "=", "propto": "∝",
    "leftarrow": "=", "gets": "=",
    "pm": "±", "mp": "±", "colon": ":", "wedge": "∧", "leqslant": "<", "geqslant": "<", "forall": "∀", "mapsto": "→",
    "tr": "T",
}  # fmt: skip
_SEPARATORS = {
    "Rightarrow": "sep", "implies": "sep", "Longrightarrow": "sep", "iff": "sep", "Leftrightarrow": "sep",
    "to": "sep", "rightarrow": "sep", "therefore": "sep", "because": "sep", "newline": "sep",
    "quad": "quad", "qquad": "quad", "\\": "line",
}  # fmt: skip
_OPEN = {"(": "(", "[": "[", "lbrace": "{", "{": "{", "lbrack": "[", "langle": "<", "lparen": "("}
_CLOSE = {")", "]", "rbrace", "}", "rbrack", "rangle", "rparen"}
_SHADES = frozenset({"hat", "tilde", "bar", "widehat", "widetilde", "overline", "dot", "check"})
_KEEP_SECOND = frozenset({"textcolor", "underset", "overset", "colorbox", "stackrel"})
_BRACES = frozenset({"underbrace", "overbrace"})
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac", "flatfrac"})


class Lexer:
    """Reads one text from left to right; `doubts` collects what could have been meant otherwise."""

    def __init__(self, text: str, level: int = 0) -> None:
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
        if len(self.tokens) > MAX_TOKENS:
            raise UnreadableError("The formula is too long to be read.")

    def run(self) -> list[Token]:
        """Read everything."""
        if self.level > MAX_NESTING:
            raise UnreadableError("The formula is nested too deeply.")
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \n":
                if char == "\n":
                    self.tokens.append(Token("newline", "\n"))
                self.space = True
                self.at += 1
            elif char.isdigit() or (char == "." and self.text[self.at + 1 : self.at + 2].isdigit()):
                self.number()
            elif char.isascii() and char.isalpha():
                word = _WORD.match(self.text, self.at)
                assert word is not None  # noqa: S101 - the first letter has been seen
                self.at = word.end()
                self.add("word", word.group())
            elif char == "\\":
                self.command()
            else:
                self.sign(char)
        return self.tokens

    def number(self) -> None:
        """Read a number; after `^` a comma is a decimal comma."""
        raised = any(token.text == "^" for token in self.tokens[-3:]) and all(
            token.text in {"^", "-", "+"} or token.kind in {"group", "open"} for token in self.tokens[-1:]
        )
        comma = _DECIMAL_COMMA.match(self.text, self.at)
        if comma and (raised or "{" in comma.group()):
            self.at = comma.end()
            self.add("num", comma.group().replace("{", "").replace("}", "").replace(",", "."))
            return
        match = _NUMBER.match(self.text, self.at)
        assert match is not None  # noqa: S101 - a digit has been seen
        self.at = match.end()
        raw = match.group()
        if raw.endswith(".") and not self.space and self.tokens and self.tokens[-1].kind == "word":
            raw = raw[:-1]  # b2. ends a sentence
            self.at -= 1
        if len(raw) > MAX_DIGITS:
            raise UnreadableError("A number has too many digits.")
        if re.fullmatch(r"[1-9]\d{0,2}(?:\.000)+", raw):
            raw = raw.replace(".", "")  # nobody writes 10.000 for ten
        elif _THOUSANDS.fullmatch(raw):
            self.doubts.append(f"“{raw}” {THOUSANDS}")
        self.add("num", re.sub(r"[^\d.eE+-]", "", raw))

    def sign(self, char: str) -> None:
        """Read a one- or two-character operator."""
        pair = self.text[self.at : self.at + 2]
        double = {
            "**": "^",
            "//": "÷",
            ":=": "=",
            "<-": "=",
            "==": "=",
            "=>": "sep",
            "->": "sep",
            "<=": "<",
            ">=": "<",
            "||": "||",
        }
        if pair in double:
            self.at += 2
            kind = "sep" if double[pair] == "sep" else "op"
            self.add(kind, double[pair])
            return
        self.at += 1
        if char in "{}":
            self.add("group" if char == "{" else "endgroup", char)
        elif char in "([":
            self.add("open", char)
        elif char in ")]":
            self.add("close", char)
        elif char == "~":
            self.space = True
        elif char in "+-*/^_,;=.'@|<>:!%\"":
            self.add("op", "<" if char == ">" else char)
        else:
            raise UnreadableError(f"The sign “{char}” cannot be read here.")

    def group(self) -> str | None:
        """Read the braces that come next and return what is inside, or None where there are none."""
        at = self.at
        while at < len(self.text) and self.text[at] in " \n":
            at += 1
        if at >= len(self.text) or self.text[at] != "{":
            return None
        depth = 0
        for end in range(at, len(self.text)):
            if self.text[end] == "{" and self.text[end - 1] != "\\":
                depth += 1
            elif self.text[end] == "}" and self.text[end - 1] != "\\":
                depth -= 1
                if depth == 0:
                    self.at = end + 1
                    return self.text[at + 1 : end]
        raise UnreadableError("A brace is not closed.")

    def inner(self, text: str) -> list[Token]:
        """Read `text` on its own, one level down."""
        lexer = Lexer(text, self.level + 1)
        tokens = lexer.run()
        self.doubts.extend(lexer.doubts)
        return tokens

    def command(self) -> None:
        """Read a LaTeX command."""
        match = _COMMAND.match(self.text, self.at)
        if match is None:
            raise UnreadableError("A backslash stands alone at the end.")
        self.at = match.end()
        name = match.group(1) or match.group(2)
        if name in _SPACING:
            if name in {"left", "right"}:
                self.at += self.text[self.at : self.at + 1] == "."
            self.space = self.space or name not in {"left", "right", "!"}
        elif name in _OPERATORS:
            self.add("op", _OPERATORS[name])
        elif name in _SEPARATORS:
            self.tokens.append(Token(_SEPARATORS[name], "\\" + name))
            self.space = True
        elif name in _OPEN:
            self.add("open", _OPEN[name])
        elif name in _CLOSE:
            self.add("close", name)
        elif name in _FONTS:
            self.font(name)
        else:
            self.decorated(name)

    def font(self, name: str) -> None:
        """Read a font command: its letters stay, a word of several letters stays whole."""
        content = self.group()
        if content is None:
            return
        content = content.replace(r"\_", "_").replace(r"\ ", " ").replace("~", " ")
        bare = content.strip()
        if re.fullmatch(r"[A-Za-z][A-Za-z \-]*[A-Za-z]", bare) and name not in {"mathbf", "bm", "boldsymbol", "pmb"}:
            self.space = self.space or content[:1] == " "
            for part in re.split(r"[ \-]+", bare):
                self.add("word", part, solid=True)
                self.space = True
            self.space = content[-1:] == " "
            return
        for token in self.inner(content):
            self.tokens.append(replace(token, glued=token.glued and not self.space))
        self.space = False

    def decorated(self, name: str) -> None:
        """Read accents, braces under and over, fractions, and everything that is a word of its own."""
        if name in _FRACTIONS:
            self.add("op", "frac")
        elif name in _SHADES:
            content = self.group() or ""
            letters = "".join(re.findall(r"[A-Za-z]+", content))
            self.add("word", f"{letters}{name}", solid=True)
        elif name in _KEEP_SECOND:
            first, second = self.group(), self.group()
            tokens = self.inner(second if second is not None else first or "")
            self.tokens.extend(tokens)
        elif name in _BRACES:
            self.tokens.append(Token("group", "{"))
            self.tokens.extend(self.inner(self.group() or ""))
            self.tokens.append(Token("endgroup", "}"))
            rest = re.compile(r"\s*[_^]\s*").match(self.text, self.at)
            if rest:
                self.at = rest.end()
                if self.group() is None:
                    raise UnreadableError("The note at a brace cannot be read.")
        elif name in {"begin", "end"}:
            raise UnreadableError("An environment such as cases or array is read by a person.")
        else:
            self.add("word", name, solid=True)
        if len(self.tokens) > MAX_TOKENS:
            raise UnreadableError("The formula is too long to be read.")


_NOT_LETTERS = re.compile(r"[^A-Za-z0-9,()+\-_]")


def flat(tokens: list[Token]) -> str:
    """Return tokens as one flat text without braces and spaces, for subscripts and labels."""
    return _NOT_LETTERS.sub("", "".join(token.text for token in tokens))
