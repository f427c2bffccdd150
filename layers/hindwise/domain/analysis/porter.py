"""The Porter stemmer exactly as Lucene's `english` stemmer filter runs it.

Own code, because no library is: PyStemmer, snowballstemmer and nltk's original mode each stem
about one word in five hundred differently, and an index term that differs is a term not found.
"""

from functools import lru_cache

_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti"),
    *("ous", "ive", "ize", "al", "er", "ic", "ou"),
)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Give the stem of a lower-case word; words of one or two characters stay as they are.

    M. F. Porter, "An algorithm for suffix stripping", 1980, with the author's own two departures
    (`bli` for `abli`, and `logi`).
    """
    if len(word) < 3:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(_replace(word, _STEP_2), _STEP_3)
    return _tidy(_strip(word))


def _shape(word: str) -> str:
    """The word as `c` and `v`; a `y` is a vowel after a consonant."""
    out = ""
    for at, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and at > 0 and out[-1] == "c")
        out += "v" if vowel else "c"
    return out


def _measure(word: str) -> int:
    """How many times a vowel run is followed by a consonant run."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_cvc(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _mend(word[: -len(suffix)])
    return word


def _mend(word: str) -> str:
    """Give back the `e` or take the doubled consonant that `ed` and `ing` leave behind."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    doubled = len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"
    if doubled:
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_cvc(word) else word


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for suffix, other in table:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + other if _measure(rest) > 0 else word
    return word


def _strip(word: str) -> str:
    suffix = next((one for one in _STEP_4 if word.endswith(one)), None)
    if suffix is None:
        return word
    rest = word[: -len(suffix)]
    if suffix == "ion" and not rest.endswith(("s", "t")):
        return word
    return rest if _measure(rest) > 1 else word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_cvc(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
