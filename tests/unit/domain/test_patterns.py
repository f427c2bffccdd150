"""Which episodes are consolidated, what a pattern must rest on, and when patterns disagree."""

from datetime import timedelta
from typing import Any

import pytest

from hindwise.domain.call import Call
from hindwise.domain.consensus import doubts
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import Episode, SemanticMemory, Source, Status, Type
from hindwise.domain.patterns import (
    EVIDENCE_CHANGED,
    Grounded,
    Proposal,
    disagreement,
    eligible,
    enough,
    grounded,
    joined,
    pattern_from,
    pattern_id,
    too_little,
)
from hindwise.domain.scope import Origin
from tests.builders import NOW, episode, fact, principal, scope

RULES = LearningRules()
CALL = Call(scope=scope(), principal=principal(), now=NOW + timedelta(days=30))


def happened(number: int = 0, **given: Any) -> Episode:
    moment = NOW + timedelta(hours=number)
    return episode(f"Deploy {number} failed", at=moment, **{"importance": 0.8, **given})


def pattern(*evidence: Episode, **given: Any) -> SemanticMemory:
    ids = tuple(one.id for one in evidence)
    return fact("Deploys fail.", type=Type.PATTERN, evidence_ids=ids, **given)


def held(*cited: str, shown: tuple[Episode, ...]) -> Grounded | str:
    proposal = Proposal(content="Deploys fail.", evidence_ids=cited, cited=len({*cited}))
    return grounded(proposal, {one.id: one for one in shown})


def test_important_episodes_of_the_domain_and_general_ones_are_eligible_newest_first() -> None:
    mine, general = happened(1, domain="release"), happened(2)
    others = [
        happened(3, domain="lunch"),
        happened(4, importance=0.6),
        fact(importance=0.9),
        *(happened(5, status=one) for one in Status if one is not Status.ACTIVE),
        happened(6, valid_until=NOW + timedelta(days=1)),
    ]
    assert eligible([mine, *others, general], "release", call=CALL, rules=RULES) == (general, mine)


def test_evidence_of_a_pattern_of_the_domain_is_not_eligible_again() -> None:
    first, second, third = (happened(number) for number in range(3))
    records = [first, second, third, pattern(first, second, domain="release")]
    assert eligible(records, "release", call=CALL, rules=RULES) == (third,)
    assert len(eligible(records, "general", call=CALL, rules=RULES)) == 3


def test_what_one_key_reports_is_one_source_and_dissent_is_flagged() -> None:
    def reported(number: int, key: str) -> Episode:
        source = Source(document=f"page {number}")
        return happened(number, origin=Origin.DOCUMENT, principal=key, source=source)

    many, other = [reported(number, "crawler") for number in range(50)], reported(51, "mailer")
    assert not enough(many) and enough([*many, other])
    assert doubts(many) == ("consensus", "consensus.reported")
    mixed = [happened(1), happened(2, origin=Origin.AGENT)]
    assert doubts(mixed) == ()
    assert doubts([*mixed, other]) == ("consensus", "consensus.minority")


def test_what_is_left_of_a_fallen_pattern_is_eligible_again() -> None:
    left = happened()
    fallen = pattern(left, status=Status.OBSOLETE, flags=(EVIDENCE_CHANGED,))
    given_up = pattern(left, status=Status.OBSOLETE)
    assert eligible([left, fallen], "general", call=CALL, rules=RULES) == (left,)
    assert eligible([left, given_up], "general", call=CALL, rules=RULES) == ()


@pytest.mark.parametrize(
    ("count", "minutes", "expected"),
    [
        (25, 180, "too short"),
        (12, 5 * 24 * 60, "too few"),
        (20, 24 * 60, "too short"),
        (20, 24 * 60 + 1, None),
    ],
)
def test_worth_it_from_twenty_over_more_than_a_day(
    count: int, minutes: int, expected: str | None
) -> None:
    step = timedelta(minutes=minutes) / (count - 1)
    why = too_little([episode(at=NOW + step * number) for number in range(count)], RULES)
    assert why is None if expected is None else (why or "").startswith(expected)


def test_what_was_invented_is_dropped_counted_and_paid_for() -> None:
    shown = (happened(1), happened(2))
    found = held(shown[1].id, shown[0].id, "mem-does-not-exist", shown[0].id, shown=shown)
    assert isinstance(found, Grounded)
    assert found.evidence == shown
    assert (found.cited, found.confidence(RULES)) == (3, round(0.85 * 2 / 3, 4))


def test_without_two_sources_nothing_is_a_pattern() -> None:
    talk = Source(conversation_id="c1", first_turn=1, last_turn=1)
    said = [happened(number, source=talk) for number in range(3)]
    letter = [happened(number, source=Source(document="a.pdf")) for number in range(2)]
    twice = [episode("Deploys fail.", importance=0.8) for _ in range(2)]
    for one_source in (said, letter, twice):
        ids = [one.id for one in one_source]
        assert held(*ids, shown=tuple(one_source)) == "one_source"
    assert held("x", "y", shown=(happened(),)) == "evidence"
    assert held(shown=(happened(),)) == "evidence"
    assert isinstance(held(said[0].id, letter[0].id, shown=(*said, *letter)), Grounded)


def test_the_same_evidence_is_the_same_pattern_in_its_domain() -> None:
    one, other = happened(1), happened(2)
    assert pattern_id("a", [one, other]) == pattern_id("a", [other, one])
    assert pattern_id("a", [one, other]) != pattern_id("b", [one, other])
    assert pattern_id("a", [one, other]) != pattern_id("a", [one, happened(3)])


def test_a_pattern_has_the_least_authority_of_its_evidence() -> None:
    shown = (
        happened(1, origin=Origin.TOOL, entities=("prod", "ci"), scene="work"),
        happened(2, origin=Origin.OWNER, entities=("prod",), scene="work"),
    )
    found = held(shown[0].id, shown[1].id, shown=shown)
    assert isinstance(found, Grounded)
    made = pattern_from(found, "release", method="llm", call=CALL, rules=RULES)
    assert (made.origin, made.type, made.domain) == (Origin.TOOL, Type.PATTERN, "release")
    assert (made.entities, made.scene) == (("prod",), "work")
    assert (made.evidence_ids, made.event_time) == (
        (shown[0].id, shown[1].id),
        shown[1].event_time,
    )


def test_disagreeing_weakens_the_older_one_and_both_say_so() -> None:
    old, new = pattern(confidence=0.8), pattern(confidence=0.6)
    after, ((before, weakened),) = disagreement(new, [old], factor=0.7, call=CALL)
    assert before == old
    assert (weakened.confidence, weakened.status) == (0.56, Status.ACTIVE)
    assert (after.status, weakened.version) == (Status.ACTIVE, old.version + 1)
    assert [one.other for one in (*after.verdicts, *weakened.verdicts)] == [old.id, new.id]


@pytest.mark.parametrize(
    "less", [{"origin": Origin.TOOL, "confidence": 0.8}, {"confidence": 0.4}], ids=str
)
def test_less_authority_or_much_less_certainty_weakens_nothing(less: dict[str, Any]) -> None:
    old = pattern(confidence=0.8)
    after, ((_, kept),) = disagreement(pattern(**less), [old], factor=0.7, call=CALL)
    assert (after.status, kept.status, kept.confidence) == (Status.CONTESTED, Status.ACTIVE, 0.8)
    assert kept.verdicts and after.verdicts


def test_what_is_contested_by_one_weakens_no_other() -> None:
    firm = pattern(confidence=0.9, origin=Origin.OWNER)
    weak = pattern(confidence=0.3, origin=Origin.TOOL)
    new = pattern(confidence=0.8, origin=Origin.AGENT)
    for olds in ([weak, firm], [firm, weak]):
        after, changed = disagreement(new, olds, factor=0.7, call=CALL)
        assert after.status is Status.CONTESTED
        assert {later.id: later.confidence for _, later in changed} == {firm.id: 0.9, weak.id: 0.3}


def test_a_pattern_found_again_rests_on_the_evidence_of_both() -> None:
    first, second, third = (happened(number) for number in range(3))
    lesser = happened(4, origin=Origin.TOOL)
    old = pattern(first, second, confidence=0.6)
    found = held(second.id, third.id, lesser.id, shown=(second, third, lesser))
    assert isinstance(found, Grounded)
    after = joined(old, found, call=CALL, rules=RULES)
    assert after is not None
    assert after.evidence_ids == (first.id, second.id, third.id)
    assert (after.confidence, after.origin, after.version) == (0.85, Origin.OWNER, 2)
    assert joined(after, found, call=CALL, rules=RULES) is None
