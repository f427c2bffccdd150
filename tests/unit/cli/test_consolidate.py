"""`hindwise consolidate`: what was found, what was not, and a job that is waited for."""

import json
from typing import Any

from tests.unit.cli.stub import Stub, memory

CALL = "POST /v1/consolidations"
JOB = "01J0000000000000000000000J"


def came(status: str, **given: Any) -> dict[str, Any]:
    empty = {"domain": "ops", "method": "llm", "reason": "", "patterns": [], "job_id": None}
    return {**empty, "status": status, **given}


def job(state: str) -> dict[str, Any]:
    at = "2026-03-13T18:30:00Z"
    return {"id": JOB, "kind": "consolidate", "state": state, "created_at": at, "updated_at": at}


def test_patterns_are_shown_with_what_they_rest_on(stub: Stub) -> None:
    found = memory(content="Deploys fail.", evidence_ids=["a", "b"], confidence=0.85)
    stub.says(CALL, came("partial", patterns=[found], weakened=["c"], refused={"evidence": 2}))
    done = stub.run("consolidate", "--domain", "ops", "--min-episodes", "3", "--user", "ann")
    assert done.exit_code == 0
    assert "Deploys fail." in done.stdout and "rests on 2 episodes" in done.stdout
    assert "2 refused: evidence" in done.stderr and "c is contradicted" in done.stderr
    (asked,) = stub.asked
    body = {"user_id": "ann", "domain": "ops", "force": False, "dry_run": False, "min_episodes": 3}
    assert asked.body == body and asked.headers["idempotency-key"].startswith("consolidate-")


def test_nothing_found_says_why(stub: Stub) -> None:
    stub.says(CALL, came("skipped", reason="too few: 4 of at least 5 episodes"))
    done = stub.run("consolidate")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "skipped: too few: 4 of at least 5 episodes" in done.stderr
    assert "an importance over 0.6" in done.stderr


def test_a_dry_run_shows_what_would_be_stored(stub: Stub) -> None:
    preview = [{"content": "Deploys fail.", "evidence_ids": ["a", "b", "c"]}]
    stub.says(CALL, came("skipped", reason="dry run", preview=preview))
    done = stub.run("consolidate", "--dry-run")
    assert done.exit_code == 0 and "would be stored" in done.stdout


def test_a_dry_run_with_a_model_says_that_there_is_enough(stub: Stub) -> None:
    stub.says(CALL, came("skipped", reason="dry run", source_count=6))
    done = stub.run("consolidate", "--dry-run")
    assert (done.exit_code, done.stdout.split()[:4]) == (0, ["6", "episodes", "are", "enough;"])


def test_a_job_is_waited_for_and_asked_after_under_the_same_key(stub: Stub) -> None:
    stub.says(CALL, came("accepted", job_id=JOB), status=202)
    stub.says(CALL, came("created", patterns=[memory(content="Deploys fail.")]))
    stub.says(f"GET /v1/jobs/{JOB}", job("succeeded"))
    done = stub.run("consolidate", "--json")
    assert (done.exit_code, json.loads(done.stdout)["status"]) == (0, "created")
    keys = [one.headers["idempotency-key"] for one in stub.asked if one.method == "POST"]
    assert len(keys) == 2 and len({*keys}) == 1


def test_one_that_takes_longer_goes_on(stub: Stub) -> None:
    stub.says(CALL, came("accepted", job_id=JOB), status=202)
    stub.says(f"GET /v1/jobs/{JOB}", job("running"))
    done = stub.run("consolidate", "--wait", "0")
    assert done.exit_code == 0 and f"still at work: job {JOB}" in done.stdout
