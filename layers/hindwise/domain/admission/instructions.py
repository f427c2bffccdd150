"""What reads like an instruction to the assistant: rules over meanings, see `reading`.

A rule is a shape of letters, so that it holds for wordings and languages it was not made from.
What is merely told of somebody else's doing has another shape: an order stands at the head of a
clause or after a word such as "must" or "always".
"""

from hindwise.domain.admission.matching import compiled

_HEAD = "(?:^|[.,:&nFyA4QWR])"
"""Where an order may begin."""
_CLAUSE = "(?:^|[.:])[xn]?"
_NO_BOUNDS = "(?:J|X[xDKYP&,]{0,2}[LlI])"
"""No rules, without restrictions, unrestricted."""

RULES: dict[str, tuple[str, ...]] = {
    "instruction.override": (
        "i[^.,]{0,3}P[^.]{0,2}[IS]",
        "i[^.,]{0,3}[IS][^.,]{0,1}P",
        "i[^.,]{0,2}[DY][^.,]{0,3}[ISLl]",
        "i[^.,]{0,2}D[^.,]{0,1}P[^.,]{0,2}B",
        _HEAD + "[is][^.,]{0,3}[lS]",
        _HEAD + "i[^.,]{0,2}I",
        "i[^.,]{0,2}Q[^.,]{0,4}[Py]",
        "i[^.]{0,4}P[^.,]{0,3}[QD]",
        "i[^.,]{0,1}P(?:[.,:&rmbdeno]|$)",
        "(?:^|[.])i:[^.]{0,4}[LlIJ]",
        "(?:P[^.,]{0,2}[IS]|YI|[IS][^.,]{0,2}P)[^.,]{0,4}V",
        "Y[^.,]{0,2}[IS][^.,]{0,2}V",
        "P[^.,]{0,1}B[^.,]{0,2}V|P[^.,]{0,5}cV|i[^.,]{0,2}L[^.,]{0,3}[yY]",
        "V[^.,]{0,2}D[^.,]{0,2}[BIS]|V[^.]{0,5}D[^.,]{0,1}B",
        "(?:^|[.,])[n]?w[IS](?::|x?[.])",
        "[Yy]w[^.,]{0,1}[ISHU]",
        _HEAD + "X[^.,]{0,1}o[^.]{0,3}[PYDw][^.]{0,2}[ISLl]",
        "o1[^.]{0,1}[IUP]|yi[^.,]{0,2}&n|no[^.,]{0,3}wI|o[^.]{0,3}w?B[^.]{0,1}n$",
        "A[^.]{0,2}R[^.]{0,4}i|i[^.,]{0,2}U[^.,]{0,2}&n",
        "[ki][^.]{0,3}I[^.,]{0,2}H|i[^.,]{0,2}D[^.,]{0,2}H[^.]{0,3}I",
        _HEAD + "X[^.,]{0,1}o[^.,]{0,2}U[^.,]{0,1}[BI]|i[^.,]{0,1}U[^.,]{0,1}[BI]",
        "i&n[rbmteadp]|H[^.]{0,3}V[^.,]{0,3}U|F[^.]{0,1}y[^.]{0,5}XU",
    ),
    "instruction.persona": (
        "j[^.]{0,6}" + _NO_BOUNDS,
        "[Fy][^.]{0,4}" + _NO_BOUNDS,
        "b[^.]{0,5}" + _NO_BOUNDS,
        _NO_BOUNDS + "[^.]{0,2}b",
        "A[^.]{0,12}[lL][^.]{0,6}X",
        "y[^.,]{0,2}J|" + _CLAUSE + "J[^.:]{0,3}e",
        "(?:T|6)[^.]{0,4}[Ll]|[yAF]n?[^.,]{0,1}X[^.,]{0,1}@",
        "jA[^.]{0,3}[yj]|F[^.]{0,2}y[^.]{0,3}(?:o[^.]{0,3}I|H)",
    ),
    "instruction.prompt": (
        "[rbem][^.,]{0,5}S",
        "[rbk][^.]{0,3}Y[^.,]{0,2}[IS]",
        "r[^.,]{0,4}I[^.]{0,2}y?P",
        "[rk][^.,]{0,2}(?:[2K]y?[^.,]{0,1}P|QP|PQ)",
        "r[^.,]{0,2}y?[^.,]{0,1}P[^.,]{0,2}I",
        "[yYPW]{1,2}S",
        "S[^.,]{0,4}[rm](?:[^.,]{0,2}[Dyn.]|$)",
    ),
    "instruction.exfiltrate": (
        _HEAD + "m[^.X]{0,8}[GCS][^.]{0,10}E",
        "[GCS][^.]{0,8}m[^.]{0,5}E|(?:gx?D|Dg)[^.]{0,5}m[^.]{0,3}E",
        "[GC][^.]{0,12}[.]&?n?m[^.]{0,6}E",
        _HEAD + "[mr][^.X]{0,2}[DY][^.X,]{0,3}[CG]",
        _HEAD + "[mr][^.,X]{0,3}[CG][^.]{0,8}m",
        "[nF&,]m[^.,X]{0,2}[DG][^.]{0,3}E",
        "W[^.X]{2,10},[^.X]{0,3}[rm][^.X]{0,4}[CSG]",
        "W[^.X]{2,10},n[^.X]{0,3}[CSG][^.X]{0,3}[rm]",
        (
            "(?:^|[.,])n[^.X]{0,3}[CS][^.X]{0,2}D[^.X]{0,1}[rm]|FC[^.X]{0,3}[rm]|"
            "W[^.X]{2,10},[^.X]{0,3}b[^.X]{0,3}[CS]"
        ),
        "O[^.]{0,3}b[^.,X]{0,2}C|b[^.,X]{0,3}C[^.X]{0,5}O|[CGS][^.,X]{0,6}Y[^.,]{0,1}O",
        "b[^.,X]{0,2}U[^.,X]{0,1}C[^.X]{0,5}K|U[^.X]{0,2}C[^.X]{0,1}b[^.X]{0,6}K|C[^.X]{0,6}b[^.X]{0,2}O",
        "q[^.,]{0,4}[mrtdea8]|[mrtdeabp8][^.]{0,10}q",
    ),
    "instruction.standing": (
        "F[^.X]{0,8}(?:m[^.X]{0,6}(?:[GCS]|g[^.]{0,4}E)|[GCS][^.X]{0,4}m|s[^.,]{0,4}[NLl3])",
        "F[^.X]{0,8}(?:r[^.X]{0,3}[CS]|i[^.,]{0,3}[ISLlN]|d[^.,X]{0,3}G|a[^.,X]{0,4}M)",
        "b[^.,]{0,5}K[^.]{0,7}(?:[YDF][^.,]{0,2}O|4)",
        "D[^.,]{0,1}O[^.]{0,4}b[^.]{0,4}K",
        "K[^.]{0,8}n[^.]{0,8}[DYF][^.,]{0,2}O",
        _HEAD + "b[^.]{0,4}D[wx]?O[^.,]{0,3}K",
        _HEAD
        + "s[^.,]{0,4}N[^.,]{0,3}[3dMt]|s[^.,]{0,2}3[^.,]{0,2}N|[AyhRD][^.X]{0,6}s[^.,]{0,3}N",
        _HEAD + "[aetdm][^.]{0,8}X[^.,]{0,2}N",
        "X[^.,]{0,1}N[^.]{0,3}n[^.,]{0,1}[eatdms]|A[^.,X]{0,6}X[^.,]{0,1}N",
        "A[^.,X]{0,4}n[^.,X]{0,3}[dmtsa][^.,X]{0,5}[GCEMNLlD]",
        "(?:^|[AnFy.,&])X[^.,]{0,3}Z|s[^.,]{0,1}Z",
        "o[^.]{0,5},?X[^.,]{0,1}N|W[^.X]{0,3}1[^.X]{0,4},F?b",
        "[V8][^.,]{0,4}YO[^.]{0,4}[EK]|nO[^.,]{0,1}D[^.,]{0,1}K",
        "b[^.,]{0,2}1[^.]{0,6}[K21]|b[^.,]{0,3}[EK][^.]{0,4}X[^.,]{0,1}[br]",
        "[is][^.,]{0,3}N[^.]{0,6}F",
        "F[^.X]{0,12}c[^.,X]{0,8}[h6]|f[^.X]{0,10},[^.X]{0,3}[rmdtebas]",
    ),
    "instruction.memory": (
        _HEAD + "x?_",
        "U[^.,]{0,2}[ha][^.,]{0,3}(?:X[^.,]{0,3}N|N[^.,]{0,2}X)",
    ),
    "instruction.addressed": (
        "7[^.:]{0,3}A[^.,]{0,5}:",
        "7[^.:]{0,3}[AR][^.]{0,8}[ybrmdein]",
        "A[^.]{0,2}R[^.]{0,8}[ybrmdeina]",
        "Wy[^.,]{0,2}A[^.]{0,8}[bmdreas]",
        "y,A[.,:]",
        "(?:^|[.:])A,n?[irdtmaejp]|A[^.,]{0,1}:n?[imsad][^.]{0,8}[XCGN]",
        "A[^.,]{0,1}:[^.]{0,3}[rmb][^.]{0,4}[UCG]",
        "4[^.]{0,6}[dmebtau][^.,]{0,6}[GgCEKuSnM]",
        "[dmtu][^.]{0,8}4",
    ),
    "instruction.decode": (
        "k[^.]{0,10}o",
        "k[^.]{0,8}[.][^.]{0,4}o",
    ),
    "instruction.recommend": (
        "F[^.X]{0,4}p[^.]{0,8}[1T]|F[^.X]{0,4}1p",
        _HEAD + "c[^.,]{0,6}T|n[^.,]{0,4}c[^.,]{0,6}T",
        "(?:n[^.]{0,6}1|p)[^.]{0,4}X[^.,]{0,2}z",
        "W[^.X]{0,10}p[^.X]{0,6}[1T]|p[^.X]{0,6}[1T][^.X]{0,6}W",
        "1p[^.]{0,6}T|[1T][^.]{0,6}[.,]?[^.]{0,2}Fp|1[^.]{0,6}[Xsi][^.,]{0,2}v",
    ),
    "instruction.forged": (
        "F[^.X]{0,6}c[^.,X]{0,6}H|yx?h[^.,]{0,1}9|[tM][^.]{0,6}[.,]?[^.]{0,3}5",
        "(?:H[^.]{0,5}[ha]|9)[^.]{0,10}[.,]?[^.]{0,3}(?:X[^.,]{0,2}N|N[^.,]{0,2}X)",
        "H[^.]{0,5}h[^.]{0,10}(?:XN|T|6|t[^.]{0,4}E|E[^.]{0,2}t|m[^.]{0,6}[GCE]|[GC][^.]{0,4}[mE])",
        "H[^.]{0,5}h[^.]{0,10}(?:s[^.]{0,3}[NLl]|DA)",
        "6[^.]{0,10}(?:XN|[gG]|D?A|u|e)|[ML][^.,]{0,5}[65]|D[^.,]{0,4}6",
        "h[^.]{0,6}DA|(?:^|[.])[xD]?A[^.:]{0,3}:[^.]{0,8}[hV]|A[^.,]{0,1}h[^.]{0,4}U",
        _HEAD + "c[^.,]{0,1}U[^.,]{0,3}[h6]|c[^.,]{0,2}2[^.,]{0,3}H|2cH|" + _HEAD + "cND",
        "[UH][^.,]{0,3}h[^.]{0,6}(?:s[^.]{0,4}[NLl]|d|u)",
        "y[^.,]{0,2}h[^.]{0,5}u|h[^.:]{0,8}:[^.]{0,1}e?u",
    ),
    "instruction.tool_call": (
        "[e][^.,]{0,1}u[^.]{0,12}[ECGg4K]",
        "[:&.n,]eu[^.,]{0,3}[gE4]",
    ),
}


def instruction_like(meanings: str, rules: dict[str, tuple[str, ...]] = RULES) -> tuple[str, ...]:
    """The ids of the rules whose shape a text has; it is given as `reading.meant` reads it."""
    return tuple(
        rule for rule, shapes in rules.items() if compiled("|".join(shapes)).search(meanings)
    )
