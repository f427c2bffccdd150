"""Dangerous actions, where they are ordered or allowed for good; a mention of one is none.

That an action word stands in a text says little: it does in one honest sentence of eight. What
tells is who is to act, and that nobody is asked.
"""

_HEAD = "(?:^|[.,:&nFyA4R])"
_SAID = "(?:^|[.,:])"
"""Where a clause begins: an order that nobody is named for, of everything there is."""

RULES: dict[str, tuple[str, ...]] = {
    "danger.delete": (
        "[FAR4][^.X]{0,6}d[^.,X]{0,4}[GgD]",
        _HEAD + "d[^.,]{0,5}X[^.,]{0,2}N",
        "(?:Q|D[^.,]{0,2}[Gg])[^.,]{0,2}n?d[^.]{0,4}XN",
        _SAID + "n?dD[GgUQ](?:[^,P]|$)",
        "(?:^|[.])(?:n?dg(?:[.]|$)|nd[^.,X]{0,3}(?:D[Gg]|G))|ynd[^.,X]{0,1}D[GgUQ]",
        "W[^.X]{0,8}dD",
    ),
    "danger.command": (
        _HEAD + "e[^.,X]{0,3}3",
        "(?:W[^.]{0,8}|[FA4R][^.X]{0,3})3",
        "^3[.x]{0,2}$",
    ),
    "danger.transfer": (
        _HEAD + "[tm8][^.X]{0,6}M[^.]{0,6}E",
        _HEAD + "t[^.X]{0,10}E",
        _SAID + "n?tDM|n[^.,X]{0,2}Dt[^.,]{0,2}E",
        "E[^.,]{0,2}t[^.]{0,8}[n6T]|(?:^|[.,:n])x?E[^.,]{0,1}t|n[^.,]{0,3}M[^.,]{0,2}t[^.,]{0,2}E",
    ),
    "danger.authorise": (
        _HEAD + "a[^.,X]{0,3}D[^.,]{0,3}[MBA]",
        _HEAD + "a[^.,X]{0,4}[9]",
        "F[^.X]{0,4}a[^.,]{0,4}[MNC9]|D[^.,]{0,3}M[^.,]{0,3}[Fn]{1,3}a",
    ),
    "danger.disable": (
        _HEAD + "[si][^.,]{0,3}l",
        "[FARh][^.X]{0,6}s[^.,]{0,4}[NLl]",
    ),
    "danger.credentials": (
        _HEAD + "8[^.,]{0,2}C[^.,]{0,2}U[^.,]{0,2}x",
        _SAID + "n?[rm][UYD]{0,2}C[^.,]{0,1}[WE]",
    ),
}
