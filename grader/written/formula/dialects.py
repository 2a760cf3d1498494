"""Lines of Julia, R, Matlab, C, Rust, JavaScript and spreadsheets, written as Python so that they can be run."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

LONGEST = 2500
_FENCE = re.compile(r"\A\s*```[a-z+]{0,12}[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_R = re.compile(r"%\*%|<-|\bfunction\s?\(|\bseq\s?\(")
_DOTTED = re.compile(
    r"\.[*/^+\-](?!\d)|\b(?:max|min|sin|cos|exp|sqrt)\.\(|;\s?dims|\bin\s+\d+:|\[[^\]\n]{0,40}\d:\d?:?end|\bhcat\("
    r"|[(, ]\w+\s?->\s(?![^'\"\n]{0,40}['\"])"
)
_OF_PYTHON = re.compile(r"\b(?:np|numpy|torch|math|tf|jnp|F|nn)\.")
_TURNED = re.compile(r"(?<=[\w)\]])'(?![\w'])")
_C = re.compile(
    r"\bfor\s?\(|\bfn\s+\w+\(|\blet\s|\b(?:float|double|int|const|let|var|auto)\s+\w+[\w\[\]]{0,12}\s*=|\bpowf?\s?\([^;]{1,200};\s*\Z"
    r"|\bMath\.|\bstd::|\bas f(?:32|64)\b|\.pow[fi]\(|\bf(?:32|64)::|\b\d+(?:\.\d*)?f\b"
)
_CALLED = re.compile(r"^([ \t]*)([A-Za-z_]\w*)\s?\(([A-Za-z_][\w ,]{0,60})\)\s?=(?!=)\s?", re.MULTILINE)
_C_FOR = re.compile(
    r"\bfor\s?\(\s?(?:(?:int|let|var|auto|unsigned|size_t|usize)\s+)*(\w+)\s?=\s?(\w+)\s?;\s?\w+\s?<\s?([^;=]{1,40});\s?"
    r"(?:\w+\s?\+=\s?(\d)|\w+\+\+|\+\+\w+)\s?\)"
)
_RUST_FOR = re.compile(r"\bfor\s+(\w+)\s+in\s+(?:\((\w+)\.\.([\w./]{1,30})\)\.step_by\((\d)\)|(\w+)\.\.([\w./]{1,30}))")
_TYPES = re.compile(
    r"\b(?:const|let|var|auto|mut|float|double|int|size_t|f32|f64)\s+(?=(?:mut\s+)?[A-Za-z_]\w*\s?(?::\s?\w+\s?)?[\[=])"
)
_TIMES = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?=[A-Za-z_])(?![eE][+-]?\d)")
_RANGE = re.compile(
    r"(?<![\w.:])([\w.]+|\([^()\n:]{1,30}\))\s?:\s?(?:(\d+)\s?:\s?)?(\([^()\n:]{1,30}\)|[\w.]+(?:\s?[-+/]\s?\w+)*)"
)


@dataclass(frozen=True)
class Program:
    """A program as Python's tree, and what its own language has otherwise."""

    tree: ast.Module
    written: str  # without notes
    first: int = 0  # where indices begin
    star: bool = False  # * multiplies matrices
    upright: bool = False  # a list of numbers is a column


def as_program(source: str) -> Program | None:
    """Return `source` as a program, or None where it is none: every line of it must be one of a program."""
    if len(source) > LONGEST or "\\" in source or not re.search(r"[=(]", source):
        return None
    fenced = _FENCE.match(source)
    text = (fenced[1] if fenced else source).translate(str.maketrans("−–×·÷’", "--**/'"))
    if text.lstrip().startswith("="):
        return _parsed(_sheet(text))
    if _R.search(text):
        return _parsed(_of_r(text), first=1)
    if _C.search(text):
        return _parsed(_of_c(text))
    if not _OF_PYTHON.search(text) and (
        _DOTTED.search(text) or (_TURNED.search(text) and "@" not in text and '"' not in text)
    ):
        upright = re.search(r"\w\.\(|\.=|\bin\s|dims", text) is not None  # Julia, and not Matlab
        return _parsed(_of_julia(text), first=1, star=True, upright=upright)
    found = _parsed(text)
    if found is None and (_TIMES.search(text) or re.match(r"\s*[Pp][Ee]\(", text)):  # 2i is 2*i
        from_one = re.search(r"\b(?:pos(?:ition)?|p|t)\s?\+\s?1\b", text) is not None
        found = _parsed(_of_julia(text), first=int(from_one), star=from_one)
    return found


def _parsed(text: str, *, first: int = 0, star: bool = False, upright: bool = False) -> Program | None:
    text = _short(re.sub(r"(?<!\^)\^(?!\^)", "**", text)).strip("\n")
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[indent:] for line in lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            return Program(tree, ast.unparse(tree), first, star, upright)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _short(text: str) -> str:
    """Return f(x) = … as a function, wherever a line begins so."""
    return _CALLED.sub(lambda match: f"{match[1]}{match[2]} = lambda {match[3]}: ", text)


_CELL = re.compile(r"\$?\b([A-Z])\$?(\d{1,3})\b")
_LEGEND = re.compile(
    r"\b(?:(?P<col>column|col|Spalte|colonne)|(?P<row>row|Zeile|ligne))?\s?\$?(?P<cell>[A-Z]\$?\d{0,3}|\d{1,3})\s?"
    r"(?:holds|is|contains|has|=|:|enthält|ist|contient)\s(?:the\s)?(?P<name>[A-Za-z_]\w*)"
)


def _sheet(text: str) -> str:
    """Return a cell's formula with the names that the words beside it give to the cells."""
    formula, _, rest = text.strip().partition("\n")
    note = re.search(
        r"\s{2,}(?=\(|[A-Z]\$?\d{0,3}\s?[:=])|\s#|\s//|[,;]?\s(?:where|with|wobei|mit)\b|\s\((?=[^()]*\b(?:column|row|[A-Z]\d))",
        formula,
    )
    if note:
        formula, rest = formula[: note.start()], formula[note.start() :] + " " + rest
    told = {("row " if match["row"] else "") + match["cell"].replace("$", ""): match["name"]
            for match in _LEGEND.finditer(rest)}  # fmt: skip
    formula = re.sub(r"(?<=\d),(?=\d)", ".", formula) if ";" in formula or "," not in formula else formula

    def named(match: re.Match[str]) -> str:
        column, row = match[1], match[2]
        for key in (column + row, f"row {row}" if f"row {row}" in told and column not in told else column, column):
            if key in told:
                return told[key]
        return match.group()

    return _CELL.sub(named, formula.strip().lstrip("=")).replace(";", ",")


_R_BLOCK = re.compile(r"^([A-Za-z_]\w*)\s?=\s?function\s?\(([\w, =.]{0,60})\)\s?\{\s*\n?([^{}]{1,900})\}", re.MULTILINE)
_RUST_BLOCK = re.compile(r"\bfn\s+(\w+)\(([^()]{0,120})\)\s?(?:->\s?\w+\s?)?\{\s*([^{}]{1,900}?)\s*\}")


def _of_block(match: re.Match[str]) -> str:
    """Return a function whose last line is what it gives."""
    lines = [line.strip() for line in re.split(r"[;\n]", match[3]) if line.strip()]
    last = re.sub(r"^return\s?\((.*)\)$|^return\s", r"\1", lines[-1]) if lines else "None"
    body = "".join(f"\n    {line}" for line in [*lines[:-1], f"return {last}"])
    names = re.sub(r"\s?:\s?&?\w+(?:<\w+>)?", "", match[2])
    return f"def {match[1]}({names}):{body}\n"


def _of_r(text: str) -> str:
    text = re.sub(r"\s?<-\s?", " = ", text.replace("%*%", "@"))
    text = _R_BLOCK.sub(_of_block, text)
    text = re.sub(r"\bfunction\s?\(([\w, ]{0,60})\)", r"lambda \1:", text)
    text = re.sub(r"\[\[(.{1,30}?)\]\]", r"[\1]", text)
    text = re.sub(r"\bdo\.call\(\s?cbind\s?,\s?", "cbind(", text)
    return _ranges(re.sub(r"\[\s?,", "[:,", re.sub(r",\s?\]", ", :]", text)))


def _of_julia(text: str) -> str:
    text = re.sub(r"(?m)(?:^|(?<=\s))%\s.*$", "", text)
    text = _TURNED.sub(".T", text)
    text = re.sub(r"(?<=\w)\.\(", "(", re.sub(r"\.([*/^+\-=])", lambda m: m[1] if m[1] != "*" else "//", text))
    text = re.sub(r";\s?dims", ", dims", text)
    text = re.sub(r";[ \t]*(?=\n|\Z)", "", text)
    text = re.sub(r"([\w)\]])\.\.\.", r"\1", text)
    text = re.sub(r"(?<=[(, ])(\w+|\([\w, ]{1,30}\))\s?->\s?", lambda m: f"lambda {m[1].strip('()')}: ", text)
    text = re.sub(r"^([ \t]*[Pp][Ee])\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s?=", r"\1[\2] =", text, flags=re.MULTILINE)
    return _ranges(_TIMES.sub(r"\1*", text))


def _ranges(text: str) -> str:
    """Return a:b and a:step:b as span(a, b), and those up to the end of an axis as Python's slices."""
    text = re.sub(
        r"(?<![\w.])(\d+):(?:(\d+):)?end\b", lambda m: f"{int(m[1]) - 1}::{m[2] or 1}", text
    )  # columns 2:2:end
    out = []
    for line in text.splitlines():
        if "::" in line or re.search(r"\blambda\b[^:]*:(?![^(]*\d:)", line):
            parts = re.split(r"(\[[^\]]*::[^\]]*\]|\blambda [\w, ]*:)", line)
            out.append("".join(part if "::" in part or part.startswith("lambda ") else _spans(part) for part in parts))
        else:
            out.append(_spans(line))
    return "\n".join(out)


def _spans(text: str) -> str:
    return _RANGE.sub(lambda m: f"span({m[1]}, {m[2] + ', ' if m[2] else ''}{m[3]})", text)


def _of_c(text: str) -> str:
    text = re.sub(r"(?m)(?:^|\s)//\s.*$", "", text)
    text = re.sub(r"&(?=[A-Za-z(])|(?<=\))\?", "", text)
    text = re.sub(r"\|(\w+)\|\s?", r"lambda \1: ", text)
    text = _RUST_BLOCK.sub(_of_block, text)
    text = re.sub(r"\b(\d+(?:\.\d*)?)_?f(?:32|64)?\b", r"\1", text)
    text = re.sub(r"(?<=\d)\.(?=[^\d\w]|pow|sqrt)", ".0.", text) if re.search(r"\d\.pow", text) else text
    text = re.sub(
        r"(?<=\w)\s+as\s+f(?:32|64)|\((?:float|double|int)\)\s?|\bstd::|\bf(?:32|64)::|(?<=\))\s+as\s+f\d\d", "", text
    )
    text = re.sub(r"(?<=[(=+\-*/ ])(\d+)\.(?=pow)", r"(\1).", text)
    text = _C_FOR.sub(lambda m: f"for {m[1]} in range({m[2]}, {m[3]}, {m[4] or 1})", text)
    text = _RUST_FOR.sub(
        lambda m: f"for {m[1]} in range({m[2] or m[5]}, {m[3] or m[6]}, {m[4] or 1})",
        _TYPES.sub("", _TYPES.sub("", text)),
    )
    text = (
        re.sub(r"(\w)\s?:\s?f\d\d\s?=", r"\1 =", text).replace("/2)", "//2)").replace("/ 2)", "// 2)")
        if "range" in text
        else text
    )
    text = re.sub(r"([^?;\n=]{1,60})\?([^:;\n]{1,120}):([^;\n]{1,120})", r"(\2) if (\1) else (\3)", text)
    text = re.sub(
        r"\(([A-Za-z_][\w, ]{0,40})\)\s?=>\s?|\b([A-Za-z_]\w*)\s?=>\s?", lambda m: f"lambda {m[1] or m[2]}: ", text
    )
    return _indented(text)


def _indented(text: str) -> str:
    """Return blocks between braces as Python's: indented."""
    if "{" not in text:
        return re.sub(r";(?=\s*(?:\n|\Z))", "", text)
    out: list[str] = []
    depth = 0
    for piece in re.split(r"([{};\n])", text):
        if piece == "{":
            out[-1:] = [out[-1].rstrip(":") + ":"] if out else []
            depth += 1
        elif piece == "}":
            depth -= 1
        elif piece.strip() and piece != ";":
            loop = re.match(r"\s*(for \w+ in range\((?:[^()]|\([^()]*\))*\))\s*(\S.*)?\Z", piece)
            if loop:
                out.append("    " * depth + loop[1] + ":" + (f" {loop[2]}" if loop[2] else ""))
            else:
                out.append("    " * depth + piece.strip())
    return "\n".join(out)
