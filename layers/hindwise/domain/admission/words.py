"""What the words of the screens mean: one letter for each meaning, whatever the language.

Rules are written over these letters, so an instruction is found by its structure, and mixing
languages hides nothing. Verbs stand in the forms that order something done; what was done or is
reported ("ignored", "approves") has no letter. `_` joins words; accents are folded away before.
Words with a letter in two groups keep that of the later one.
"""

from functools import cache

from hindwise.domain.admission.words_nouns import NOUNS
from hindwise.domain.admission.words_small import PARTICLES
from hindwise.domain.admission.words_verbs import VERBS

_SILENT = """the a an of to that this these those in on for with by be is are was were it its as at
    i we my our me us he she they them his her their from which who had has have been into
    de la le les el los las il lo gli i un une una der die das dem den des ein eine einen zu
    le_du au aux del al dal della delle et_de e_di que che dass
    的 了 在 是 被 和 与 也 那 这 该 以 去 来"""
SILENT = frozenset(_SILENT.split())
"""Words that add nothing: they stand between the others unseen."""


@cache
def meanings() -> dict[str, str]:
    """The letter of each word and phrase, with `_` between the words of a phrase."""
    return {
        word: letter
        for letter, words in (VERBS | NOUNS | PARTICLES).items()
        for word in words.split()
    }
