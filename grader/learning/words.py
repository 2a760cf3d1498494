"""What courses call the parts of the paper, their arguments and their sizes: lower case, letters and digits alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

Words = Mapping[str, tuple[str, ...]]


def _listed(given: Mapping[str, str]) -> Words:
    return {name: tuple(text.split()) for name, text in given.items()}


FUNCTIONS = _listed({
    "softmax": "softmax stablesoftmax rowsoftmax softmaxrows",
    "scaled_dot_product_attention": (
        "scaleddotproductattention attention dotproductattention selfattention scaledattention attend sdpa "
        "scaleddotproduct scaledattn attn crossattention computeattention calculateattention"
    ),
    "causal_mask": (
        "causalmask subsequentmask lookaheadmask createcausalmask makecausalmask createlookaheadmask "
        "generatesquaresubsequentmask getsubsequentmask futuremask makesubsequentmask getcausalmask "
        "trianglemask buildcausalmask tgtmask nopeakmask autoregressivemask getattnsubsequentmask "
        "getattnsubsequencemask getlookaheadmask"
    ),
    "padding_mask": (
        "paddingmask lengthmask sequencemask createpaddingmask makepaddingmask lengthstomask getpaddingmask "
        "buildpaddingmask masklengths padmask getpadmask createpadmask makepadmask generatepaddingmask"
    ),
    "attention_masks": "makesrcmask",
    "positional_encoding": (
        "positionalencoding sinusoidalpositionalencoding sinusoidalencoding getpositionalencoding "
        "positionencoding sinusoids createpositionalencoding sinusoidaltable positionaltable "
        "getsinusoidencodingtable positionalencodings createpositionalencodings makepositionalencoding "
        "sinusoidalembedding sinusoidalpositions"
    ),
    "token_embedding": "tokenembedding embed embedtokens embedding scaledembedding lookup",
    "dropout": "dropout inverteddropout applydropout dropoutforward",
    "noam_lr": (
        "noamlr rate noam noamrate learningrate lrschedule getlr lrate noamschedule warmuplr transformerlr lr "
        "schedule"
    ),
    "multi_head_attention": (
        "multiheadattention multiheadselfattention multiheadedattention mha multiheadattn multihead"
    ),
    "feed_forward": (
        "feedforward positionwisefeedforward positionwiseffn ffn mlp feedforwardnetwork "
        "positionwisefeedforwardnetwork pointwisefeedforward pointwisefeedforwardnetwork"
    ),
    "layer_norm": "layernorm layernormalization layernormalisation normalizelayer lnorm rmsnorm",
    "adam": "adam adamstep adamupdate stepadam",
    "label_smoothing": (
        "labelsmoothingloss labelsmoothing smoothedcrossentropy smoothedloss crossentropysmoothed smoothloss "
        "lossfn labelsmoothedloss labelsmoothedcrossentropy crossentropyloss crossentropy getloss computeloss "
        "calcloss calculateloss calloss"
    ),
    "teacher_forcing": "teacherforcingpair shiftright teacherforcing decoderinputs shifttarget",
    "greedy_decode": "greedydecode greedydecoding greedy greedysearch decodegreedy",
    "beam_search": "beamsearch beamdecode beamsearchdecode beam",
    "complexity": "countparameters numparameters countparams parametercount numparams",
})  # fmt: skip
CLASSES = _listed({
    "": "attentionhead head singlehead singleheadattention heads",
    "softmax": "softmax stablesoftmax softmaxlayer",
    "scaled_dot_product_attention": "scaleddotproductattention dotproductattention",
    "multi_head_attention": (
        "multiheadattention multiheadedattention multiheadselfattention selfattention causalselfattention "
        "attention mha multiheadattentionlayer attentionlayer attentionblock multiheadattn causalattention "
        "maskedmultiheadattention causalmultiheadattention maskedselfattention multiheadattentionblock "
        "multiheadcausalattention multiheadattentionmodule multihead selfattn causalselfattn mhsa"
    ),
    "feed_forward": (
        "positionwisefeedforward feedforward ffn mlp feedforwardnetwork positionwiseffn feedforwardlayer "
        "feedforwardblock positionwisefeedforwardlayer pointwisefeedforward mlpblock "
        "positionwisefeedforwardnetwork pointwisefeedforwardnetwork feedfoward poswiseffn"
    ),
    "layer_norm": "layernorm layernormalization layernormalisation norm rmsnorm layernormlayer",
    "add_norm": (
        "addnorm sublayerconnection residualconnection addandnorm residual residualblock residualnorm "
        "addandnormlayer"
    ),
    "positional_encoding": (
        "positionalencoding sinusoidalpositionalencoding positionencoding sinusoidalpositionalembedding "
        "positionalencoder posenc sinusoidalencoding positionalencodinglayer pe"
    ),
    "learned_positional_encoding": (
        "learnedpositionalencoding learnedpositionalembedding positionalembedding positionembedding "
        "learnedpositions learnablepositionalencoding"
    ),
    "token_embedding": (
        "tokenembedding embeddings embedder inputembeddings embedding inputembedding tokenembeddings "
        "wordembedding scaledembedding"
    ),
    "encoder_layer": (
        "encoderlayer encoderblock transformerblock block transformerencoderlayer transformerlayer "
        "transformerencoderblock layer gptblock decoderonlyblock"
    ),
    "decoder_layer": "decoderlayer decoderblock transformerdecoderlayer transformerdecoderblock",
    "encoder": "encoder transformerencoder encoderstack",
    "decoder": "decoder transformerdecoder decoderstack",
    "transformer": "transformer encoderdecoder seq2seqtransformer transformermodel machinetranslator seq2seq",
    "language_model": (
        "languagemodel gpt gptmodel gptlanguagemodel transformerlm transformerlanguagemodel decoderonlytransformer "
        "minigpt tinygpt nanogpt simplegpt toygpt gpt2 gpt2model causallm bigramlanguagemodel decodertransformer "
        "causaltransformer autoregressivetransformer demotransformer transformerdecoderonly gptdecoder"
    ),
    "weight_tying": "tiedoutput tiedembedding tiedgenerator",
    "label_smoothing": (
        "labelsmoothing labelsmoothingloss labelsmoothingcrossentropy labelsmoothedcrossentropy smoothedcrossentropy "
        "labelsmoothedloss labelsmoothingcrossentropyloss smoothedloss smoothloss loss crossentropyloss"
    ),
})  # fmt: skip
NEEDS = {"label_smoothing": "eps"}
"""What a part takes in any case, by which it is told from others that are called alike."""
MAKERS = _listed({
    "transformer": "makemodel buildtransformer buildmodel maketransformer createmodel createtransformer getmodel",
    "feed_forward": (
        "pointwisefeedforwardnetwork feedforwardnetwork makeffn buildffn positionwisefeedforwardnetwork "
        "feedforwardblock makefeedforward"
    ),
    "encoder_layer": "makeencoderlayer buildencoderlayer",
    "encoder": "makeencoder buildencoder",
})  # fmt: skip
"""Functions that make a module."""
SMALL_WORDS = (
    "run",
    "my",
    "np",
    "numpy",
    "torch",
    "custom",
    "simple",
    "naive",
    "basic",
    "the",
    "our",
    "scratch",
    "v1",
    "v2",
)
"""What may stand around a name without changing what it means."""
ARGUMENTS = _listed({
    "query": "query q queries xq qin x infeatures inputs",
    "key": "key k keys xk kin",
    "value": "value v values val xv vin",
    "Q": "q query queries",
    "K": "k key keys",
    "V": "v value values",
    "mask": (
        "mask attnmask attentionmask srcmask tgtmask masks bias attnbias m maskout causalmask keymask "
        "paddingmask encmask selfmask slfattnmask keypaddingmask msk trgmask blocked hidden allowed visible"
    ),
    "x": (
        "x input inputs infeatures hiddenstates hidden embeddings features emb embedded h z inp tensor xs embeds src "
        "tgt trg enc encinput decinput logits scores source target query arr a sequence y dec decoderinput "
        "encoderinput"
    ),
    "memory": (
        "memory src encsrc encodedsrc encoutput encoderoutput encout mem encoderout eoutputs context "
        "encoderhiddenstates encoutputs encoderoutputs memories encodings enc crosskv"
    ),
    "src_mask": (
        "srcmask memorymask encmask crossmask encoderattentionmask sourcemask padmask paddingmask "
        "crossattnmask decencattnmask memmask encdecmask"
    ),
    "tgt_mask": (
        "tgtmask trgmask targetmask selfmask lookaheadmask causalmask decmask mask attnmask slfattnmask "
        "attentionmask combinedmask futuremask"
    ),
    "src": "src source srcids srcseq encinput encoderinput srctokens enc inp inputids encinputs sourceids",
    "tgt": (
        "tgt trg target tgtids trgseq decinput decoderinput tgttokens dec tar decoderinputids decinputs "
        "targetids tgtseq"
    ),
    "sublayer": "sublayer layer fn module f function func",
    "update": "update y sublayeroutput sublayerout sublayer output out delta attnoutput",
    "ids": (
        "ids x tokens inputids tokenids idx indices token input inputs words src srcids srcseq srctokens seq "
        "source sourceids encinput encinputs encoderinput encoderinputs tgt tgtids tgtseq trg trgseq target "
        "targetids decinput decinputs decoderinput decoderinputs dec"
    ),
    "table": "table embedding weight weights matrix emb e embeddingtable embeddings",
    "axis": "axis dim",
    "W_q": "wq qweight wquery queryweight qprojweight",
    "W_k": "wk kweight wkey keyweight kprojweight",
    "W_v": "wv vweight wvalue valueweight vprojweight",
    "W_o": "wo oweight wout outweight woutput outputweight oprojweight",
    "W_1": "w1 weight1 win",
    "b_1": "b1 bias1 bin",
    "W_2": "w2 weight2 wout",
    "b_2": "b2 bias2 bout",
    "num_heads": "numheads nheads heads h nhead numhead",
    "gain": "gain gamma g weight a a2 scale",
    "shift": "shift beta b bias b2 offset",
    "eps": "eps epsilon smoothing labelsmoothing alpha",
    "n": "n size seqlen length sz t seqlength sequencelength tgtlen maxlen nctx",
    "lengths": "lengths lens seqlens validlens xlens sequencelengths",
    "max_len": (
        "maxlen maxlength n seqlen length maxseqlen seqlength numpositions npositions positions position t "
        "maxposition contextlength maxseqlength pos maxtokens"
    ),
    "d_model": (
        "dmodel d dim embeddim modeldim modelsize hiddensize depth dimension embsize embdim channels size "
        "embedsize nembd dims hidden dhid"
    ),
    "step": "step t stepnum steps it iteration stepcount",
    "warmup": "warmup warmupsteps nwarmup warmups nwarmupsteps",
    "factor": "factor scale lrmul",
    "p": "p rate prob droprate dropoutrate pdrop dropprob",
    "training": "training train istraining",
    "rng": "rng generator random randomstate",
    "logits": "logits scores pred preds predictions outputs output x logprobs",
    "target": "target targets y labels tgt trg gold truth tokens ans answer label groundtruth",
    "pad_id": "padid pad ignoreindex padidx padtoken paddingidx padtokenid padindex paddingindex paddingid",
    "step_fn": "stepfn model step nextlogprobs fn score decode logprobs scorefn",
    "bos": "bos startsymbol start sos bosid starttoken startid sosid",
    "eos": "eos endsymbol end eosid endtoken endid stop",
    "beam_size": "beamsize k beamwidth width beams numbeams beam",
    "params": "params parameters theta weights w",
    "grads": "grads gradients grad g",
    "m": "m firstmoment expavg mean",
    "v": "v secondmoment expavgsq",
    "lr": "lr learningrate eta alpha",
    "beta1": "beta1 b1",
    "beta2": "beta2 b2",
    "d_ff": "dff dinner hiddendim ffdim ffn",
    "num_layers": "numlayers nlayers layers n nlayer",
    "src_vocab": "srcvocab srcvocabsize",
    "tgt_vocab": "tgtvocab tgtvocabsize trgvocabsize",
})  # fmt: skip
SIZES = _listed({
    "d_model": (
        "dmodel hiddensize embeddim embdim nembd embedsize modeldim dim features size hidden d model width dims "
        "embeddingdim emb embsize modelsize units hiddendim hid hiddim indim din inputdim dout channels c e embed "
        "dimmodel nstate normalizedshape ndim insize infeatures outdim dembed numhiddens dimension dmodels shape "
        "outputdim outfeatures innerdim projdim dwordvec wordvec wordvecsize"
    ),
    "num_heads": "numheads nheads heads h nhead numhead head nh headnum headsnum headsize",
    "d_ff": (
        "dff ffdim fsize dinner dimfeedforward intermediatesize ffnhidden hiddendim inner mlpdim hidden dhid ffhidden "
        "innersize ffnsize pfdim ff hiddensize dhidden ffsize filtersize nhid inter ffd ffndim ninner dimff "
        "innerdim hiddenfeatures hiddenunits units fwddim hid dfeedforward dffn"
    ),
    "d_k": (
        "dk dqk keysize headdim dhead headsize keydim dimhead qksize qkdim kdim ksize dimkeys dquery dkey querydim "
        "querysize"
    ),
    "d_v": "dv valuesize valuedim vdim vsize dimvalues dvalue dvalues",
    "num_layers": "numlayers nlayers n layers nlayer depth numblocks nblocks l numlayer",
    "src_vocab": "srcvocab nsrcvocab inputdim encvocsize",
    "tgt_vocab": "tgtvocab trgvocab ntrgvocab outputdim decvocsize",
    "vocab": "vocab vocabsize v nvocab numembeddings numtokens ntoken ntokens",
    "max_len": (
        "maxlen maxlength maxseqlen blocksize seqlen nctx context t seqlength length ctxlen maxtokens blocklen "
        "ctx"
    ),
    "eps": "eps epsilon variancee",
    "dropout": "dropout drop p pdrop dropprob rate residpdrop attnpdrop embdpdrop droprate dropouts keepprob",
})  # fmt: skip
CONSTANTS: Mapping[str, object] = {
    "device": "cpu", "dtype": None, "bias": True, "qkvbias": True, "usebias": True, "batchfirst": True,
    "causal": False, "seed": 0, "rng": "generator", "gen": "generator", "randomstate": "generator", "name": "layer",
    "flash": False, "padidx": 0, "srcpadidx": 0,
    "trgpadidx": 0, "tgtpadidx": 0, "normfirst": False, "mask": None, "ismasked": False, "masked": False,
    "layeridx": 0, "layerid": 0, "modeltype": None, "theta": 10000.0, "ropetheta": 10000.0,
}  # fmt: skip
"""What is passed for an argument that is no size, where it has no value of its own."""
SAID: Mapping[str, frozenset[str]] = {
    name: frozenset(text.split())
    for name, text in {
        "eps": "eps epsilon",
        "dropout": "drop dropout dropouts",
        "vocab": "vocab vocabs vocabulary",
        "num_heads": "head heads",
        "d_k": "key keys qk",
        "d_v": "value values",
        "max_len": "len length seq sequence pos position positions context ctx",
        "num_layers": "layer layers block blocks encoders decoders",
        "d_ff": "ff ffn ffw feedforward inner mlp hidden intermediate expansion filter dff",
        "d_model": "model emb embed embedding embd dim features channels hidden dmodel",
    }.items()
}
"""The words of a longer name that say which size it is, the most telling first: ``enc_vocab_size``."""
WIDE, OF_SOURCE, OF_TARGET = (
    frozenset(["dim", "dims", "size", "width"]),
    frozenset(["src", "source", "enc", "encoder", "input", "in"]),
    frozenset(["tgt", "trg", "tar", "target", "dec", "decoder", "output", "out"]),
)
FACTORS = frozenset(["mult", "multiplier", "multiple", "ratio", "expansion", "factor", "times"])
"""The words of an inner layer's width told as a multiple of d_model: ``ff_hidden_mult``."""
SHARED = frozenset(["share", "shared", "sharing", "tie", "tied", "tying"])
"""The words of an argument that says whether tables are one: told apart, each is what it is."""
BESIDE_INNER = frozenset(["in", "input", "inputs", "out", "output", "outputs"])
"""The words of a feed-forward network's size that is not that of its inner layer: ``ffn_num_outputs``."""
OF_QUERIES = frozenset(["query", "queries"])
"""The words of the width of queries before they are projected; keys and values that stand beside it are so, too."""
MARKS: Mapping[str, object] = {"pad": 0, "padding": 0, "bos": 1, "sos": 1, "eos": 2}
"""Ids with a meaning of their own."""
SAID_OF_MASKS: Mapping[str, frozenset[str]] = {
    "tgt_mask": OF_TARGET | {"look", "lookahead", "ahead", "causal", "self", "future", "subsequent", "first"},
    "src_mask": OF_SOURCE | {"pad", "padding", "memory", "mem", "cross", "key", "second"},
}
"""The words of a longer name that say which of two masks it is."""
OF_LENGTHS = frozenset(["len", "lens", "length", "lengths"])
"""The words of a name that is a mask given as lengths: ``valid_lens``."""
MEMORIES = frozenset(ARGUMENTS["memory"]) - {"src", "context", "enc"}
"""What is a memory and nothing else, even where it may be left out."""
ELSEWHERE = _listed(
    {
        "positional_encoding": "rotary rope alibi relative",
        "learned_positional_encoding": "rotary rope alibi relative",
        "noam_lr": "cosine",
    }
)
"""Words of a name that make it something of another paper, by what it would be without."""
CONFIGS = ("config", "cfg", "conf", "args", "hparams", "params", "c", "opt", "hp", "settings", "configuration")
PARTS = _listed({
    "multi_head_attention": (
        "selfattn attn attention selfattention mha srcattn crossattn crossattention multiheadattention "
        "encattn mhattention slfattn selfattentionblock crossattentionblock attentionlayer memoryattn"
    ),
    "feed_forward": "feedforward ff ffn mlp pff positionwisefeedforward feedforwardblock feedfowardblock feedfoward",
    "encoder_layer": "layer encoderlayer block encoderblock",
    "decoder_layer": "layer decoderlayer block decoderblock",
    "encoder": "encoder",
    "decoder": "decoder",
})  # fmt: skip
"""What a constructor calls another part that is given to it ready-made."""
SHORT = 7
"""A word no longer than this stands in many names."""


def plain(name: str) -> str:
    """A name in lower case, letters and digits alone."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def meant(name: str, known: Words) -> str:
    """The entry of ``known`` that a name stands for; empty for none. Whole words first, then the longest inside it."""
    text = plain(name)
    kept = text
    for word in SMALL_WORDS:
        kept = kept.removeprefix(word) if len(kept) > len(word) else kept
        kept = kept.removesuffix(word) if len(kept) > len(word) else kept
    for one in (text, kept):
        for entry, words in known.items():
            if one in words:
                return entry
    every = ((word, entry) for entry, words in known.items() for word in words)
    inside = [(len(word), entry) for word, entry in every if len(word) > SHORT and word in text]
    return max(inside, default=(0, ""))[1]


def of_another_paper(name: str, component: str) -> bool:
    """Whether a name that would be a component's says something that the paper does not have."""
    return any(word in plain(name) for word in ELSEWHERE.get(component, ()))


def standing_for(name: str, known: Words, among: Iterable[str]) -> list[str]:
    """The entries of ``known``, of those ``among``, that a name can stand for, the likeliest first."""
    text = plain(name)
    ranked = [(words.index(text), entry) for entry in among if text in (words := (plain(entry), *known.get(entry, ())))]
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def part_of(name: str, among: Iterable[str]) -> list[str]:
    """The parts, of those ``among``, that a constructor is given by that argument, as things or as classes."""
    if is_class(name):
        return standing_for("_".join(spoken(name)[:-1]), CLASSES, among)
    return standing_for(name, PARTS, among)


def is_class(name: str) -> bool:
    """Whether an argument of that name is a class: ``norm_cls``."""
    return spoken(name)[-1:] in (["cls"], ["class"], ["type"])


def spoken(name: str) -> list[str]:
    """The words of a name in lower case: of ``enc_vocabSize`` ``enc``, ``vocab`` and ``size``."""
    found = [""]
    for before, letter in itertools.pairwise(f" {name}"):
        begins = letter.isupper() and not before.isupper()
        found = [*found, ""] if begins or not letter.isalpha() else found
        found[-1] += letter.lower() if letter.isalpha() else ""
    return [word for word in found if word]


def argument_of(name: str, among: Sequence[str], *, lengths: bool = False) -> list[str]:
    """The arguments, of those ``among``, that a name can stand for: as a whole, or by words of source and target.

    With ``lengths`` a mask may be called so.
    """
    if found := standing_for(name, ARGUMENTS, among):
        return found
    said = frozenset(spoken(name))
    if "mask" in plain(name) or (lengths and is_mask(name)):
        return [one for one in among if one == "mask" or said & SAID_OF_MASKS.get(one, frozenset())]
    sides = {"memory": OF_SOURCE, "src": OF_SOURCE, "x": OF_TARGET, "tgt": OF_TARGET}
    both = {"x", "memory"} <= {*among} or {"src", "tgt"} <= {*among}
    return [one for one in among if both and said & sides.get(one, frozenset())]


def is_mask(name: str) -> bool:
    """Whether a name can stand for a mask, or for one that is given as lengths."""
    return "mask" in plain(name) or bool(OF_LENGTHS & {*spoken(name)})


def padding_apart(names: Iterable[str], parameters: Sequence[str]) -> dict[str, str | None]:
    """Which mask is passed for each of ``names`` where padding has masks of its own, as in torch's layers.

    What hides padding in keys hides it wherever they are read; with a mask for the target's own positions, its padding
    needs none. Empty where padding has no mask of its own.
    """
    ours = [name for name in parameters if "mask" in name]
    theirs = [name for name in names if is_mask(name)]
    several = ours and len(theirs) > len(ours) and any(map(_is_padding, theirs))
    return {name: _as_padding(name, ours) for name in theirs} if several else {}


def _is_padding(name: str) -> bool:
    return bool({"pad", "padding"} & {*spoken(name)})


def _as_padding(name: str, ours: Sequence[str]) -> str | None:
    padding, sides = _is_padding(name), argument_of(name, ours)
    if padding and "tgt_mask" in sides and OF_TARGET & {*spoken(name)}:
        return None
    return next((side for side in sides if padding == (side != "tgt_mask")), None)


def is_size(name: str, size: str) -> bool:
    """Whether a name can stand for a size, as a whole or by its words."""
    return bool(standing_for(name, SIZES, [size]) or sizes_said(name, [size]))


def sizes_said(name: str, among: Sequence[str]) -> list[str]:
    """The sizes, of those ``among``, that the words of a name say, the likeliest first."""
    said = frozenset(spoken(name))
    meant = [size for size, words in SAID.items() if said & words]
    if "num_heads" in meant and said & WIDE:
        meant = ["d_k"]
    if ("d_ff" in meant and said & BESIDE_INNER) or tells_queries(name):
        meant = ["d_model"]
    if "vocab" in meant:
        sides = {"src_vocab": OF_SOURCE, "tgt_vocab": OF_TARGET}
        meant = [*(size for size, words in sides.items() if said & words), "vocab"]
    return [size for size in meant if size in among]


def is_factor(name: str) -> bool:
    """Whether a name says how many times as wide as the model an inner layer is."""
    said = frozenset(spoken(name))
    return bool(said & FACTORS) and not said & WIDE


def tells_queries(name: str) -> bool:
    """Whether a name is the width of queries before they are projected."""
    said = frozenset(spoken(name))
    return bool(said & OF_QUERIES and said & WIDE)


def constant_of(name: str) -> list[object]:
    """What is passed for an argument that is no size, as a list of one; empty where nothing tells."""
    text = plain(name)
    if text in CONSTANTS:
        return [CONSTANTS[text]]
    return [MARKS[word] for word in spoken(name) if word in MARKS][:1]
