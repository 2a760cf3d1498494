"""Formulas as students type them: numbers for known sizes, HTML, Word, German, programs, and sentences around them."""

import pytest

from grader.written.formula.judge import examine


@pytest.mark.parametrize(
    "claim", ["Var(q·k) = 1", "Var(q·k) = d_k^2", "Var(q·k) = 64^2", "Var(q·k) = 8", "Var(q·k) = d_k = 8"]
)
def test_a_stated_size_excuses_no_other_number(claim: str) -> None:
    assert examine("variance", f"d_k = 64, {claim}").verdict != "equal"


@pytest.mark.parametrize(
    "words", ["Erst auf 2048, dann zurück auf 512: ", "First we widen it to 2048 units, then back: ", ""]
)
@pytest.mark.parametrize("end", [".", "", " .", ". So it is."])
def test_a_sentence_around_a_right_formula_never_makes_it_wrong(words: str, end: str) -> None:
    assert examine("ffn", f"{words}FFN(x) = max(0, x W1 + b1) W2 + b2{end}").verdict in {"equal", "review"}


RIGHT = [
    ("attention", "softmax(QK<sup>T</sup> / &radic;d<sub>k</sub>) V"),
    ("attention", "softmax(Q&middot;K<sup>T</sup>/&radic;<i>d</i><sub>k</sub>)&nbsp;V"),
    ("attention", "<p>softmax(QK<sup>T</sup> / sqrt(d<SUB>k</SUB>))&#183;V</p>"),
    ("ffn", "<b>FFN</b>(x) = max(0, xW<sub>1</sub> + b<sub>1</sub>)W<sub>2</sub> + b<sub>2</sub>"),
    ("attention", "softmax⁡((QK^T)/√(d_k ))V"),
    ("attention", "Attention(Q,K,V)=softmax⁡├((QK^T)/√(d_k )┤)V"),
    ("pe_sin", "PE_((pos,2i))=sin⁡(pos/〖10000〗^(2i/d_model ) )"),
    ("attention", "softmax(Q·K^T / Wurzel(d_k))·V"),
    ("attention", "softmax(Q·K^T / Quadratwurzel aus d_k)·V"),
    ("attention", "softmax((Q·K^T) : sqrt(d_k)) · V"),
    ("attention", "S = Q·K^T : Wurzel(d_k), A = softmax(S), das Ergebnis ist A·V"),
    ("attention", "S = Q·K^T / sqrt(d_k), dann A = softmax(S) zeilenweise, das Ergebnis = A·V."),
    ("pe_sin", "PE(pos; 2i) = sin(pos : 10.000^(2i : d_model))"),
    ("pe_cos", "cos(pos / 10'000^(2i/d_model))"),
    ("pe_cos", "cos(pos / 10’000^(2i/d_model))"),
    ("attention", r"\DeclareMathOperator{\sm}{softmax} \[ \sm\left(\frac{QK^\top}{\sqrt{d_k}}\right)V \]"),
    ("attention", r"\newcommand{\dk}{d_k} \[ \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{\dk}}\right)V \]"),
    ("attention", r"\def\A{\mathrm{softmax}} $\A\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$"),
    ("attention", r"\mathrm{softmax}\biggl(\frac{QK^{\rm T}}{\sqrt{\smash[b]{d_k}}}\biggr)V \label{eq:attn}"),
    ("ffn", r"{\rm FFN}(x)=\max\{\mathbf{0}, xW_1+b_1\}W_2+b_2 \eqno(2)"),
    ("attention", r"\mathrm{softmax}\left(\frac{Q\,{}^{t}\!K}{\sqrt{d_k}}\right)V"),
    ("attention", r"\mathrm{softmax}(Q\cdot{}^tK/\sqrt{d_k})V"),
    ("pe_cos", "posEnc[pos][2*i+1] = Math.cos(pos / Math.pow(10000, (2*i)/dModel));"),
    ("noam", "let lr = Math.pow(dModel, -0.5) * Math.min(Math.pow(stepNum, -0.5), stepNum * Math.pow(warmup, -1.5));"),
    ("add_norm", "out = LayerNormalization()(Add()([x, sublayer(x)]))"),
    ("add_norm", "layers.LayerNormalization(epsilon=1e-6)(layers.Add()([x, sublayer(x)]))"),
    ("add_norm", "Today most write x + Sublayer(LayerNorm(x)), but the 2017 paper has LayerNorm(x + Sublayer(x))."),
    ("add_norm", "Heute meist x + Sublayer(LayerNorm(x)), das Paper hat aber: LayerNorm(x + Sublayer(x))"),
    ("attention", "Without scaling it would be softmax(QK^T)V; the paper uses softmax(QK^T/sqrt(d_k))V."),
    ("ffn", "BERT has GELU here, but in this paper it is ReLU: FFN(x) = max(0, xW1 + b1)W2 + b2."),
    ("ffn", "z = x @ W1 + b1\nz[z < 0] = 0\nreturn z @ W2 + b2"),
    ("ffn", "h = x @ W1 + b1\nh[h <= 0] = 0.0\ny = h @ W2 + b2"),
    ("ffn", r"(\mathbb{1}[u>0]\odot u)\,W_2+b_2,\quad u=xW_1+b_1"),
    ("noam", r"\eta(n)=d^{-1/2}\left([n<w]\,n\,w^{-3/2}+[n\ge w]\,n^{-1/2}\right)"),
    ("ffn", r"W_2^{\top}\max(0,\,W_1^{\top}x+b_1)+b_2 \quad (x \text{ a column})"),
    ("ffn", "FFN(x) = max(0, xW_1 + b_1)W_2 + b_2 (x is a row vector)"),
    ("multi_head", "Concat(head_1|...|head_h) * W^O, head_i = Attention(Q*WQ_i, K*WK_i, V*WV_i) [i=1..h]"),
    ("attention", "SM(Q·K^T / sqrt(d_k)) · V (SM = Softmax, zeilenweise)"),
    ("add_norm", r"\left(\mathrm{LayerNorm}\circ(\mathrm{id}+\mathrm{Sublayer})\right)(x)"),
    ("add_norm", "LayerNorm ∘ (Sublayer + id)"),
    ("variance", "q, k ~ N(0, I) independent: Var(q·k) = d_k, Var(q·k/sqrt(d_k)) = d_k/d_k = 1"),
    ("variance", "The variances of the d_k independent products q_i·k_i are 1 each and add up, so Var(q·k) = d_k."),
    (
        "multi_head",
        "Concat(A_1 V_1, …, A_h V_h) W^O, A_i = softmax(Q_i K_i^T/√d_k), (Q_i, K_i, V_i) = (QW_i^Q, KW_i^K, VW_i^V)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "source"), RIGHT)
def test_what_students_type_is_never_called_wrong(kind: str, source: str) -> None:
    verdict = examine(kind, source)
    assert verdict.verdict in {"equal", "review"}, (verdict.reason, verdict.reading)


WRONG = [
    ("attention", "softmax(Q ^T K / sqrt(d_k)) V"),
    ("attention", "softmax(Q {}^T K / sqrt(d_k)) V"),
    ("attention", r"\mathrm{softmax}(Q{}^T K/\sqrt{d_k})V"),
    ("attention", "softmax(Q<sup>T</sup>K / &radic;d<sub>k</sub>) V"),
    ("attention", "softmax(QK<sup>T</sup> / d<sub>k</sub>) V"),
    ("attention", "softmax(Q·K^T · Wurzel(d_k))·V"),
    ("attention", "softmax((Q·K^T) : d_k) · V"),
    ("attention", "S = Q·K^T : Wurzel(d_k), A = softmax(S), das Ergebnis ist A·K"),
    ("attention", "softmax((Q·K^T) : sqrt(d_model)) · V"),
    ("pe_sin", "PE(pos; 2i) = sin(pos : 10.000^(2i · d_model))"),
    ("pe_cos", "cos(pos / 1'000^(2i/d_model))"),
    ("attention", r"\DeclareMathOperator{\softmax}{sigmoid} \[ \softmax\left(\frac{QK^\top}{\sqrt{d_k}}\right)V \]"),
    ("attention", r"\newcommand{\dk}{d_v} \[ \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{\dk}}\right)V \]"),
    ("pe_cos", "posEnc[pos][2*i+1] = Math.sin(pos / Math.pow(10000, (2*i)/dModel));"),
    ("add_norm", "x + LayerNormalization()(sublayer(x))"),
    ("add_norm", "Add()([x, LayerNormalization()(sublayer(x))])"),
    ("add_norm", "Most write LayerNorm(x + Sublayer(x)), but the paper has x + Sublayer(LayerNorm(x))."),
    ("add_norm", "The paper has LayerNorm(x + Sublayer(x)), but most write x + Sublayer(LayerNorm(x))."),
    ("attention", "Without scaling it would be softmax(QK^T/sqrt(d_k))V; the paper uses softmax(QK^T)V."),
    ("ffn", "z = x @ W1 + b1\nz[z > 0] = 0\nreturn z @ W2 + b2"),
    ("ffn", "z = x @ W1 + b1\nz[z < 0] = 1\nreturn z @ W2 + b2"),
    ("ffn", r"(\mathbb{1}[u<0]\odot u)\,W_2+b_2,\quad u=xW_1+b_1"),
    ("noam", r"\eta(n)=d^{-1/2}\left([n>w]\,n\,w^{-3/2}+[n\le w]\,n^{-1/2}\right)"),
    ("ffn", "SM(xW1 + b1)W2 + b2 (SM = softmax)"),
    ("add_norm", r"\left(\mathrm{Sublayer}\circ(\mathrm{id}+\mathrm{LayerNorm})\right)(x)"),
    ("add_norm", r"(\mathrm{id}+\mathrm{Sublayer})\circ\mathrm{LayerNorm}"),
    ("add_norm", r"\mathrm{LayerNorm}\circ\mathrm{Sublayer}"),
    ("variance", "q, k ~ N(0, I) independent: Var(q·k) = d_k^2"),
    ("variance", "The entries of q and k are independent with variance 2, so Var(q·k) = d_k."),
    ("variance", "The products are not independent of each other, so Var(q·k) = d_k."),
    (
        "multi_head",
        "Concat(A_1 V_1, …, A_h V_h) W^O, A_i = softmax(Q_i K_i^T/√d_k), (Q_i, K_i, V_i) = (KW_i^K, QW_i^Q, VW_i^V)",
    ),
    ("multi_head", "Concat(head_1|...|head_h), head_i = Attention(Q*WQ_i, K*WK_i, V*WV_i) [i=1..h]"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "source"), WRONG)
def test_what_students_type_wrong_is_not_read_as_right(kind: str, source: str) -> None:
    assert examine(kind, source).verdict in {"different", "review"}


@pytest.mark.parametrize("remark", ["[i < d_model]", "[0 <= i < d_model/2]", "(d_k: 64)", "(n: 5)", "[pos < n]"])
def test_a_remark_in_brackets_is_no_factor(remark: str) -> None:
    assert examine("pe_sin", f"PE(pos,2i) = sin(pos/10000^(2i/d_model)) {remark}").verdict in {"equal", "review"}
    assert examine("attention", f"softmax(QK^T/sqrt(d_k))V {remark}").verdict in {"equal", "review"}


@pytest.mark.parametrize(
    ("kind", "source", "slip"),
    [
        ("noam", "lrate = d_model^(-0.5) · step_num^(-0.5), warmup_steps = 4000.", "noam-decay-only"),
        (
            "attention",
            r"o_i=\sum_{j}\exp\left(\frac{q_i^\top k_j}{\sqrt{d_k}}\right)v_j",
            "attn-no-denominator",
        ),
        ("attention", "exp(QK^T/sqrt(d_k))V", "attn-no-denominator"),
        ("ffn", "FFN(x) = max(x, x W1 + b1) W2 + b2", "ffn-max-with-input"),
        (
            "multi_head",
            "Concat(head_1 W^O, ..., head_h W^O), head_i = Attention(QW_i^Q, KW_i^K, VW_i^V)",
            "mh-output-on-each",
        ),
        (
            "multi_head",
            "Concat(head_1, ..., head_h) W^O, head_i = Attention(QW_i^Q, KW_i^K, QW_i^V)",
            "mh-value-from-query",
        ),
        (
            "multi_head",
            "Concat(head_1, ..., head_h) W^O, head_i = Attention(QW_i^Q, KW_i^K, KW_i^V)",
            "mh-value-from-key",
        ),
        (
            "multi_head",
            "Concat(head_1, ..., head_h) W^O, head_i = Attention(QW_i^Q, QW_i^K, VW_i^V)",
            "mh-key-from-query",
        ),
        ("add_norm", "The result is added to the input, i.e. LayerNorm(x) + Sublayer(x).", "addnorm-norm-input"),
    ],
)  # fmt: skip
def test_what_is_plainly_wrong_has_its_name(kind: str, source: str, slip: str) -> None:
    verdict = examine(kind, source)
    assert (verdict.verdict, verdict.slip) == ("different", slip)


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("multi_head", "Concat(head_1, ..., head_h) W^O, head_i = Attention(QW_i^Q, QW_i^K, QW_i^V)"),
        ("multi_head", "Concat(head_1, ..., head_h) W^O, head_i = Attention(XW_i^Q, XW_i^K, XW_i^V)"),
        ("attention", r"o_i=\frac{\sum_{j}\exp(q_i^\top k_j/\sqrt{d_k})v_j}{\sum_l \exp(q_i^\top k_l/\sqrt{d_k})}"),
        ("add_norm", "The sum is normalised, i.e. LayerNorm(x + Sublayer(x))."),
        ("variance", r"\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d_k}\operatorname{Var}(q_ik_i)=d_k"),
        ("noam", "lrate = d_model^(-0.5) · min(step_num^(-0.5), step_num · warmup_steps^(-1.5)), warmup_steps = 4000."),
    ],
)  # fmt: skip
def test_what_is_like_a_slip_but_right_is_not_named(kind: str, source: str) -> None:
    assert examine(kind, source).verdict in {"equal", "review"}


AROUND = [
    "Der Decoder bekommt 512 Werte: {}",
    "{}, das ist Gleichung 1 auf Seite 4.",
    "{} Das Ergebnis ist eine Matrix mit 64 Spalten.",
    "{}. The result is used in the next layer with d_k = 64 and 8 heads.",
    "Most people forget this, but the paper has {}",
]
STEPS = [
    ("attention", r"$$S = QK^T/\sqrt{d_k}$$ $$A = \text{softmax}(S)$$ $$O = AV$$"),
    ("attention", "S = QK^T/sqrt(d_k), A = softmax(S), O = AV"),
    ("attention", r"$S = QK^T \to A=\text{softmax}(S/\sqrt{d_k}) \to AV$"),
    ("add_norm", r"Residual: $r = x + F(x)$; output: $\text{LN}(r)$"),
    ("add_norm", "r = x + F(x), LayerNorm(r)"),
    ("ffn", "u = max(0, xW_1 + b_1), FFN(x) = uW_2 + b_2"),
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("kind", "source"), STEPS)
def test_sentences_around_steps_never_make_them_wrong(kind: str, source: str, around: str) -> None:
    assert examine(kind, around.replace("{}", source)).verdict in {"equal", "review"}


LAYERS = [
    ("attention", "nn.Softmax(dim=-1)({})", "Q @ K.T / math.sqrt(d_k)", " @ V", "nn.Softmax(dim=0)({})"),
    ("add_norm", "nn.LayerNorm(d_model)({})", "x + sublayer(x)", "", "nn.LayerNorm(d_model)(x) + sublayer(x)"),
    ("ffn", "nn.ReLU()({})", "x @ W_1 + b_1", " @ W_2 + b_2", "nn.Tanh()({})"),
]


@pytest.mark.parametrize(("kind", "layer", "inside", "behind", "other"), LAYERS)
def test_a_layer_is_made_and_then_applied(kind: str, layer: str, inside: str, behind: str, other: str) -> None:
    assert examine(kind, layer.format(inside) + behind).verdict == "equal"
    assert examine(kind, other.format(inside) + behind).verdict == "different"
