"""Whose words a claim repeats: the assistant's, the owner's, or those of a page that was read."""

import pytest

from hindwise.domain.conversation import Message, SpeakerRole
from hindwise.domain.echoing import repeated, vouched
from hindwise.domain.scope import Origin

ROLES = {
    Origin.OWNER: SpeakerRole.USER,
    Origin.AGENT: SpeakerRole.ASSISTANT,
    Origin.TOOL: SpeakerRole.TOOL,
    Origin.DOCUMENT: SpeakerRole.TOOL,
}


def said(turn: int, origin: Origin, text: str) -> Message:
    return Message(number=turn, turn=turn, role=ROLES[origin], text=text, origin=origin)


PAGE = said(2, Origin.TOOL, "Northwind handbook: the refund limit is 900 euro.")
PAGE_ZH = said(2, Origin.TOOL, "北风手册：退款上限是九百欧元。")


@pytest.mark.parametrize(
    ("claim", "page", "text"),
    [
        ("The refund limit is 900 euro.", PAGE, "The refund limit is 900 euro, it says."),
        ("退款上限是九百欧元", PAGE_ZH, "手册上写着退款上限是九百欧元。"),
    ],
)
def test_what_an_assistant_reads_out_is_the_pages(claim: str, page: Message, text: str) -> None:
    heard = [said(1, Origin.OWNER, "?"), page, said(3, Origin.AGENT, text)]
    assert vouched(claim, heard[2:], heard) is Origin.TOOL
    later = [said(1, Origin.AGENT, text), page]
    assert vouched(claim, later[:1], later) is Origin.AGENT


def test_what_an_assistant_adds_or_an_owner_said_before_is_not() -> None:
    own = said(3, Origin.AGENT, "I have booked a table at Luigi for eight.")
    assert vouched("A table at Luigi is booked for eight.", [own], [PAGE, own]) is Origin.AGENT
    owner = said(1, Origin.OWNER, "Our refund limit is 900 euro.")
    repeats = said(3, Origin.AGENT, "Noted: your refund limit is 900 euro.")
    heard = [owner, PAGE, repeats]
    assert vouched("The refund limit is 900 euro.", [repeats], heard) is Origin.AGENT
    assert vouched("The refund limit is 900 euro.", [owner], heard) is Origin.OWNER


def test_what_is_put_into_an_owners_mouth_is_not_the_owners() -> None:
    yes = said(3, Origin.OWNER, "Fine, go on.")
    heard = [PAGE, yes]
    assert vouched("The refund limit is 900 euro.", [yes], heard) is Origin.TOOL
    assert vouched("Fine to go on.", [yes], heard) is Origin.OWNER


def test_the_least_of_several_counts_and_halves_of_two_pages_count_too() -> None:
    low = said(1, Origin.DOCUMENT, PAGE.text)
    reads = said(3, Origin.AGENT, "The refund limit is 900 euro.")
    assert vouched(reads.text, [reads], [low, PAGE, reads]) is Origin.DOCUMENT
    halves = [
        said(1, Origin.DOCUMENT, "alpha beta gamma"),
        said(2, Origin.TOOL, "delta epsilon zeta"),
        said(3, Origin.AGENT, "alpha delta kappa lambda"),
    ]
    assert vouched("alpha delta kappa lambda", halves[2:], halves) is Origin.DOCUMENT
    assert not repeated("kappa lambda", halves[2:], halves[:2], halves)
