"""Whatever a model offers: a pattern is never more than what it rests on."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.domain.call import Call
from hindwise.domain.clusters import clustered
from hindwise.domain.evidence import without
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import Episode, Source, Status
from hindwise.domain.patterns import Grounded, Proposal, grounded, pattern_from, source_of
from hindwise.domain.scope import Origin
from tests.builders import NOW, episode, principal, scope

RULES = LearningRules()
CALL = Call(scope=scope(), principal=principal(), now=NOW + timedelta(days=30))
SOURCES = (
    None,
    Source(conversation_id="c1", first_turn=1, last_turn=1),
    Source(conversation_id="c1", first_turn=2, last_turn=2),
    Source(conversation_id="c2"),
    Source(document="a.pdf"),
)
EPISODES = st.lists(
    st.builds(
        lambda text, source, origin, hours: episode(
            text, source=source, origin=origin, importance=0.8, at=NOW + timedelta(hours=hours)
        ),
        st.sampled_from(["Deploy failed", "Release failed", "发布失败", "Lunch"]),
        st.sampled_from(SOURCES),
        st.sampled_from(list(Origin)),
        st.integers(0, 2),
    ),
    max_size=12,
)
CHOSEN = st.lists(st.integers(0, 15), max_size=12)


def cited(shown: list[Episode], chosen: list[int]) -> tuple[str, ...]:
    """Ids of what is shown, and of what never was."""
    return tuple(shown[at].id if at < len(shown) else f"made-up-{at}" for at in chosen)


@given(EPISODES, CHOSEN)
def test_what_is_taken_rests_on_two_sources_and_is_no_surer_or_weightier(
    shown: list[Episode], chosen: list[int]
) -> None:
    ids = cited(shown, chosen)
    there = {one.id: one for one in shown}
    proposal = Proposal(content="It fails.", evidence_ids=ids, cited=len({*ids}))
    found = grounded(proposal, there)
    known = [there[one] for one in {*ids} if one in there]
    assert isinstance(found, Grounded) is (len({source_of(one) for one in known}) >= 2)
    if isinstance(found, str):
        return
    made = pattern_from(found, "ops", method="llm", call=CALL, rules=RULES)
    assert {*made.evidence_ids} == {one.id for one in known}
    assert made.confidence <= round(0.85 * len(known) / len({*ids}), 4)
    assert made.origin == min(one.origin for one in known)
    again = proposal.model_copy(update={"evidence_ids": ids[::-1]})
    assert grounded(again, there) == found


@settings(deadline=None)
@given(EPISODES, st.permutations(range(12)))
def test_patterns_without_a_model_do_not_depend_on_the_order(
    shown: list[Episode], order: list[int]
) -> None:
    shuffled = [shown[at] for at in order if at < len(shown)]
    found = clustered(shown, {}, threshold=0.5)
    assert found == clustered(shuffled, {}, threshold=0.5)
    grouped = [one for proposal in found for one in proposal.evidence_ids]
    assert len(grouped) == len({*grouped})
    assert all(isinstance(grounded(one, {e.id: e for e in shown}), Grounded) for one in found)


@given(EPISODES, CHOSEN, CHOSEN)
def test_losing_evidence_never_strengthens_and_in_any_order_leaves_the_same(
    shown: list[Episode], chosen: list[int], going: list[int]
) -> None:
    there = {one.id: one for one in shown}
    ids = tuple(dict.fromkeys(one for one in cited(shown, chosen) if one in there))
    found = grounded(Proposal(content="It fails.", evidence_ids=ids, cited=len(ids)), there)
    if isinstance(found, str):
        return
    made = before = pattern_from(found, "ops", method="llm", call=CALL, rules=RULES)
    gone = [one for one in cited(shown, going) if one in made.evidence_ids]
    for one in dict.fromkeys(gone):
        after = without(before, (one,), there, at=CALL.now)
        assert after is not None and after.confidence < before.confidence
        before = after  # type: ignore[assignment]
    left = {source_of(there[one]) for one in before.evidence_ids}
    assert {*before.evidence_ids} == {*made.evidence_ids} - {*gone}
    if gone:
        assert (before.status is Status.OBSOLETE) is (len(left) < 2)
