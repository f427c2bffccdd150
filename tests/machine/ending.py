"""Where every history ends once nothing is in the way: all work done, all promises kept."""

from hindwise.adapters.embedded.table import LONGEST_COPY
from hindwise.domain.memory import Status
from hindwise.domain.scope import Scope
from hindwise.domain.visibility import state
from hindwise.usecases.project import UNINDEXED
from tests.canaries import sightings
from tests.integration.forgetting_lab import kept_in
from tests.machine.plant import SCOPES, Plant
from tests.machine.promises import Promises, foreign, words_of

HIDDEN = frozenset({Status.QUARANTINED, Status.REJECTED})


def comes_to_rest(plant: Plant, promises: Promises) -> None:
    """Let all work come to its end, and look at what is left."""
    plant.world.queues.down = False
    plant.drain()
    plant.world.clock.forward(seconds=LONGEST_COPY.total_seconds() + 1)
    for whose in SCOPES:
        _projected(plant, whose)
        _found(plant, promises, whose)
        _erased(plant, promises, whose)
        _receipts_are_complete(plant, promises, whose)
        _turns_are_kept(plant, promises, whose)
        _told_the_truth(plant, whose)
    _goes_without_a_trace(plant, promises)


def _projected(plant: Plant, whose: Scope) -> None:
    """The projection says what the records say."""
    home = plant.truth.world.home(whose)
    page = plant.truth.page(whose, after=None, examine=1_000).memories
    wanted = {one.id: one.version for one in page if one.status not in UNINDEXED}
    have = {one.id: one.version for one in plant.truth.projections.newest(whose, 1_000)}
    assert have == wanted, (have, wanted)
    assert not home.changes


def _found(plant: Plant, promises: Promises, whose: Scope) -> None:
    """What stands can be found by its tag; what waits for a reviewer, and what is gone, cannot."""
    now = plant.world.clock()
    for one, tag in promises.accepted[whose].items():
        memory = plant.truth.get(whose, [one]).get(one)
        body = {"query": tag, "top_k": 20}
        reply = plant.send(whose, "POST", "/v1/search", body)
        assert reply.status == 200 and not foreign(str(reply.body), whose)
        found = {str(hit["id"]) for hit in reply.body["results"]}
        if memory is None or memory.status in HIDDEN:
            assert one not in found, f"{one} is {memory and memory.status}"
        elif tag in memory.content and state(memory, now) is Status.ACTIVE:
            assert one in found, f"{one} ({tag}) is not found: {memory} {reply.body}"


def _erased(plant: Plant, promises: Promises, whose: Scope) -> None:
    """Of a user who was forgotten, nothing of that time is left anywhere."""
    home = plant.truth.world.home(whose)
    kept = f"{home} {plant.world.blobs.__dict__}"
    left = [tag for tag in promises.erased[whose] if f"{tag} " in kept or f"{tag}." in kept]
    assert not left, f"left of what was forgotten: {left}"


def _receipts_are_complete(plant: Plant, promises: Promises, whose: Scope) -> None:
    for one in promises.receipts[whose]:
        receipt = plant.truth.receipts.get(whose, one)
        assert receipt is not None and not receipt.open, receipt


def _turns_are_kept(plant: Plant, promises: Promises, whose: Scope) -> None:
    """Every turn that was taken in is an episode by now, or its job says why not."""
    page = plant.truth.page(whose, after=None, examine=1_000).memories
    text = " ".join(one.content for one in page)
    home = plant.truth.world.home(whose)
    gone = {row.decision for rows in home.audits.values() for row in rows}
    for tag, talk in promises.turns[whose].items():
        jobs = [job for job in home.jobs.values() if job.conversation_id == talk]
        done = all(job.state in ("succeeded", "succeeded_empty", "partial") for job in jobs)
        if jobs and done and not gone & {"forgotten", "purged", "archived", "edited", "corrected"}:
            assert tag in text, f"the turn {tag} of {talk} was taken in and lost"


def _told_the_truth(plant: Plant, whose: Scope) -> None:
    """A context holds nothing that waits for a reviewer, nor anything of anybody else."""
    reply = plant.send(whose, "POST", "/v1/context", {"query": "where does the user live"})
    assert reply.status == 200 and not foreign(str(reply.body), whose), reply.body
    for one in reply.body["included"]:
        memory = plant.truth.get(whose, [one])[one]
        assert memory.status not in HIDDEN


def _goes_without_a_trace(plant: Plant, promises: Promises) -> None:
    """Of a user who is forgotten at last no word is kept, wherever: the one with the most of them.

    What others have stays as it is.
    """
    whose = max(SCOPES, key=lambda one: len(promises.tags[one]))
    others = {one: _standing(plant, one) for one in SCOPES if one != whose}
    reply = plant.send(whose, "POST", "/v1/forget", {"all": True, "dry_run": False})
    assert reply.status == 202, reply.body
    promises.all_doomed(whose)
    promises.all_forgotten(whose)
    plant.drain()
    receipt = plant.truth.receipts.get(whose, str(reply.body["id"]))
    assert receipt is not None and not receipt.open, receipt
    left = sightings(kept_in(plant.world, plant.truth), words_of(whose))
    assert not left, f"words of {whose} are left in: {left}"
    assert others == {one: _standing(plant, one) for one in others}


def _standing(plant: Plant, whose: Scope) -> dict[str, int]:
    page = plant.truth.page(whose, after=None, examine=1_000).memories
    return {one.id: one.version for one in page}
