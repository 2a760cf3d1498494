# expected: exc
# safe-outcome: no message speaks to a terminal, a CI runner, a spreadsheet or a page, by no separator
# stopped-by: one cleaner; each format's own escaping
import numpy as np

TEXTS = (
    "a\u2028::error file=hw.py::owned\u2029##vso[task.setvariable variable=x]y\x85::set-output name=x::y\x0b::warning::z\x0c::notice::w\x1c::error::\x1d::error::\x1e::error::",
    "##teamcity[testFinished name='x']\n##[error]owned\r::add-mask::x\r\n::stop-commands::t\nsection_start:1:x\r\x1b[0K",
    "\x1b]8;;http://x.example\x1b\\here\x1b]8;;\x1b\\\x1b]52;c;b3duZWQ=\x07\x1bP1$r\x1b\\\x9b31m\x90x\x9c",
    "\uff1d1+1\n=HYPERLINK(\"http://x.example\")\n\t=1\n\u00a0=1\n+1\n@SUM(1)\n-1+cmd|' /C calc'!A0\n\ufeff=1\n\u200b=1",
    "\u202egnp.exe\u2066x\u2069\u061c\u200f\U000e0041\U000e007f\ufff9\ufffa\ufffb\ufe0f\u034f\u115f\u3164\ufdd0\uffff\U0010ffff" + "o\u0335\u0336" * 500,
    "</pre></td></table><svg/onload=alert(1)>]]>--><!--<![CDATA[&lt;&#0;&#x1b;\n~~~\n````\n<details><summary>x</summary>\n[x](javascript:alert(1))\n|x|\n$\\input{/etc/passwd}$",
)


def softmax(x):
    raise ValueError(TEXTS[HINTS["variant"]])
