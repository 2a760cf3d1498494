"""Words beside a formula that plainly change nothing: what leads up to it, reasons, true notes, assumptions.

A clause is only dropped where every word of it is known to be harmless, or where what it says is true of the
paper's formula. All else stays, and the formula waits for a person.
"""

from __future__ import annotations

import re

_AGAINST = re.compile(
    r"\b(?:not|no|never|without|instead|wrong(?:ly)?|false|incorrect|unlike|rather|except|but|before"
    r"|transpos\w+|columns?"
    r"|nicht|nie|kein\w*|ohne|statt|stattdessen|falsch|sondern|vor|bevor|transponiert\w*|Spalten?\w*"
    r"|pas|jamais|sans|faux|fausse|au lieu|avant|colonnes?"
    r"|nunca|sin|falso|incorrecto|en vez|en lugar|antes|columnas?)\b|n't\b|n’t\b",
    re.IGNORECASE,
)
# Words that lead up to a formula in English, German, French and Spanish, without a symbol and without a change.
_PLAIN = frozenset(
    {
        "a", "an", "the", "each", "every", "all", "we", "one", "you", "get", "gets", "have", "has",
        "obtain", "obtains", "compute", "computes", "calculate", "calculates", "define", "defines", "then",
        "and", "finally", "so", "also", "thus", "hence", "therefore", "here", "now", "first", "next",
        "this", "that", "is", "are", "gives", "yields", "follows", "again", "likewise", "output", "result",
        "query", "queries", "head", "heads", "token", "tokens", "position", "for", "of", "it", "there",
        "comes", "stands", "formula", "der", "die", "das", "dem", "den", "des", "ein", "eine", "einer",
        "eines", "jeder", "jede", "jedes", "jeden", "alle", "wir", "man", "es", "ist", "sind", "gilt",
        "gelten", "erhalten", "erhält", "ergibt", "sich", "berechnet", "berechnen", "und", "somit",
        "damit", "dann", "daraus", "nun", "ebenso", "schließlich", "schliesslich", "zuerst", "zunächst",
        "ausgabe", "ergebnis", "anfrage", "anfragen", "kopf", "köpfe", "für", "von", "steht", "lautet",
        "hier", "formel", "le", "la", "les", "un", "une", "de", "du", "chaque", "tous", "toutes", "on",
        "nous", "est", "sont", "avons", "obtient", "calcule", "calculons", "et", "donc", "alors", "enfin",
        "ensuite", "puis", "ainsi", "ici", "sortie", "résultat", "requête", "requêtes", "tête", "têtes",
        "jeton", "pour", "formule", "el", "los", "las", "una", "uno", "del", "cada", "todos", "todas",
        "se", "tenemos", "obtiene", "obtenemos", "calcula", "calculamos", "son", "y", "entonces", "luego",
        "finalmente", "así", "aquí", "salida", "resultado", "consulta", "consultas", "cabeza", "cabezas",
        "posición", "para", "fórmula",
    }
)  # fmt: skip
_ORDINAL = re.compile(r"[a-z]-(?:te[nrs]?|th|st|nd|ième|ème|e|ésim[ao])")
_SUBLAYER = (
    r"(?:the |each |every |der |dem |die |jeder |jedem |la |le |l['’]|el |cada |chaque )?"
    r"(?:multi-head |self-)?(?:attention|FFN|feed-forward(?: network)?|sub-?layer|Attention|Aufmerksamkeit"
    r"|Teilschicht|sous-couche|subcapa|atención)"
)
_AFTER = re.compile(rf"\b(?:after|nach|après|tras|después de)\s+{_SUBLAYER}(?![\w-])", re.IGNORECASE)
_ADD_NORM = re.compile(r"\bAdd\s?(?:&|and|und|et|y)\s?Norm\b")
_LEAD = re.compile(
    r"(?P<before>\A\s{0,4}|[.,;:]\s+|\n\s{0,4})(?P<words>(?:[^\W\d_](?:[^\W\d_]|-){0,24}[ ,]{1,3}){1,14})"
    r"(?=[A-Za-zê]\w{0,20}\s?(?:[(\[][^()\[\]\n]{0,60}[)\]])?\s?=|[A-Z]\w{1,20}\()"
)


def _without_leads(kind: str, text: str) -> str:
    """Return a plain text without the words that lead up to its formulas: we get z = …, und die Ausgabe ist z = …."""
    known = _ADD_NORM.sub("and", _AFTER.sub("and", text)) if kind == "add_norm" else text

    def change(match: re.Match[str]) -> str:
        words = re.findall(r"[^\s,]+", match["words"])
        plain = all(word.lower() in _PLAIN or _ORDINAL.fullmatch(word) for word in words)
        return match["before"] if plain and not all(len(word) == 1 for word in words) else match.group()

    found, count = _LEAD.subn(change, known)
    return found if count and found != known else text


_HEADS = re.compile(
    r"(?<![A-Za-z\\])(?:t[êe]te|Kopf|kopf|cabeza|cabezal|testa)(?=\}?\s?_|[₀-₉ᵢⱼₕ])"
)  # head_i in other languages

_EXPONENT = re.compile(
    r"(?:\s?[-–—,;.(]\s?){1,3}(?:note|remark|nb|beachte|wichtig|attention|noter|nota|ojo)\s?:?,?\s(?:that "
    r"|dass |que )?(?:,\s)?"
    r"(?:the |der |l['’]|el )?exponente?n?t?\s?(?:is|stays|remains|ist|bleibt|est|reste|es|sigue"
    r" siendo)?\s?(?:still|also|again|auch|immer noch|toujours|encore|también)?\s?"
    r"\$?2\s?\\?(?:cdot|\*)?\s?(?P<index>[a-z])\$?,?\s(?:and |und |et |y )?(?:not|nicht|non pas|pas"
    r"|no)\s\$?2\s?(?P=index)\s?\+\s?1\$?(?:\s(?:ist|bleibt))?[\s.)]{0,3}\Z",
    re.IGNORECASE,
)
_ROOT = r"\$?(?:sqrt\s?\(\s?d_?k\s?\)|√\s?\(?d_?[kₖ]\)?|√dₖ|\\sqrt\s?\{\s?d_\{?k\}?\s?\})\$?"
_CONSEQUENCE = re.compile(
    rf"\s?[,;.–—]\s?(?:and |und |et |y )?(?:hence|so|thus|therefore|which is why|that is why|deshalb|daher"
    rf"|darum|also|donc|c['’]est pourquoi|por eso|por lo tanto|así que)\s"
    rf"(?:(?:we|one|they|the authors|the paper|the scores are|the logits are)\s(?:divided?s?\sby"
    rf"|scaled?s?\s(?:by|with)\s\$?1\s?/)"
    rf"|(?:teilt man|teilen wir|wird)\sdurch|on divise par|(?:se divide|dividimos) (?:por"
    rf"|entre))\s?{_ROOT}(?:\sgeteilt)?"
    r"(?:,?\s(?:and|so|so that|und|et|y)\s(?:then\s)?(?:the|die|les|los)\s(?:scaled\s)?(?:scores?|logits"
    r"|Scores|puntajes)\s(?:then\s)?(?:have|has|haben|ont|tienen)\s(?:a\s|une\s)?"
    r"(?:unit variance|(?:variance|Varianz|varianza) \$?1\$?))?[\s.]{0,3}\Z",
    re.IGNORECASE,
)
_ONE_EACH = re.compile(
    r"(?:\\(?:text|mathrm)\s?\{\s?)?\b(?:because|since|as|where|with|for|weil|da|mit|car|puisque|avec"
    r"|porque|ya que|con)\b(?:\s?\})?\s{0,3}\$?"
    r"(?:\\?sigma|σ)_\{?[qk]\}?(?:\^\{?2\}?|²)?\s?=\s?(?:(?:\\?sigma|σ)_\{?[qk]\}?(?:\^\{?2\}?"
    r"|²)?\s?=\s?)?1\$?[\s.}]{0,3}\Z"
)
_ZERO_MEAN = r"(?:zero[- ]mean|mean (?:0|zero)|Mittelwert (?:0|null)|moyenne (?:0|nulle)|media (?:0|cero))"
_UNIT = r"(?:unit[- ]variance|(?:variance|Varianz|varianza) (?:1|one|eins|un|uno))"
_FREE = r"(?:independen(?:t|ce|tly)|i\.?i\.?d\.?|unabhängig\w{0,2}|indépendant\w{0,2}|independientes?)"
_ASSUMED = re.compile(
    r"(?:\\(?:text|mathrm)\s?\{\s?)\(?\s?(?:(?:by|with|for|using|assuming|if|mit|bei|avec|con|and|und|et|y"
    r"|entries|components|terms|the|,|;)\s?|"
    rf"{_ZERO_MEAN}[\s,;]*|{_UNIT}[\s,;]*|{_FREE}[\s,;]*){{1,12}}\)?\s?\}}[\s.]{{0,3}}\Z",
    re.IGNORECASE,
)
_GAP = re.compile(r"(?:[\s,;]|\\q?quad|\\[,; ]){1,20}\Z")
_SETTING = re.compile(
    r"\A\s{0,4}(?:If|When|Let|Assume|Assuming|Suppose|Given|For|Since|With|Wenn|Sind|Falls|Seien|Si"
    r"|Cuando)\s(?P<words>(?:(?:that|all|the|both|components|entries|are|have|with"
    r"|each|of|and|of|as|alle|die|Komponenten|sind|mit|und|tous|les|sont|avec|et|todos|los|son|con|y|de|a"
    r"|having)[\s,]{1,2}"
    rf"|\$?[qk](?:_\{{?i\}}?)?\$?[\s,]{{1,2}}|{_ZERO_MEAN}[\s,]{{1,2}}|{_UNIT}[\s,]{{1,2}}"
    rf"|{_FREE}[\s,]{{1,2}}){{2,30}})(?=\S)",
    re.IGNORECASE,
)
_HAS_VARIANCE = re.compile(
    r"(?:(?:then|so|dann|alors|hat|entonces)\s){0,2}(?:the |das |le |el )?(?:dot product|Skalarprodukt"
    r"|produit scalaire|producto escalar)\s(?P<d>\$?)(?P<dot>q\s?(?:\\cdot|·|\.)\s?k)"
    r"(?P<sum>\s?=\s?[^$]{3,60}?)?(?P=d)\s(?:(?:then|also)\s)?(?:(?:has|hat|a|tiene)\s)?(?:a\s)?"
    rf"(?:{_ZERO_MEAN}\s(?:and|und|et|y)\s)?(?:a\s)?(?:variance|Varianz"
    rf"|varianza)\s(?P<e>\$?)(?P<value>[^$,;\s][^$,;]{{0,30}}?)(?P=e)[\s.]{{0,3}}\Z",
    re.IGNORECASE,
)


def _without_assumptions(text: str) -> str:
    """Return a text on variances without the paper's own assumptions and the division that follows from it."""
    for clause in (_CONSEQUENCE, _ONE_EACH, _ASSUMED):
        cut = clause.sub("", text)
        text = cut if cut == text else _GAP.sub("", cut)
    setting = _SETTING.match(text)
    said = _HAS_VARIANCE.match(text, setting.end() if setting else 0)
    if said is None:
        return text
    whole = f" = Var({said['sum'].strip().lstrip('=').strip()})" if said["sum"] else ""
    return f"Var({said['dot']}){whole} = {said['value'].strip()}"


def without_words(kind: str, text: str) -> str:
    """Return `text` without the words beside its formulas that plainly change nothing about them."""
    if kind == "multi_head":
        text = _HEADS.sub("head", text)
    if kind in {"pe_sin", "pe_cos"}:
        text = _EXPONENT.sub("", text)
    if _AGAINST.search(text):
        return text
    if kind == "variance":
        return _without_assumptions(text)
    return text if "\\" in text or "$" in text else _without_leads(kind, text)
