"""A part of the contract on moto, a second emulator with opinions of its own.

Only where it is honest: not idempotency tokens, batch limits or ttl.
"""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from hindwise.adapters.dynamodb.client import connect
from tests.contract import test_auditing as auditing
from tests.contract import test_budget as budget
from tests.contract import test_learning_due as due
from tests.contract import test_learning_rows as learning
from tests.contract import test_projections as projections
from tests.contract import test_requests_and_keys as requests_and_keys
from tests.contract import test_store_changes as changes
from tests.contract import test_store_conditions as conditions
from tests.contract import test_store_records as records
from tests.contract.backends import Backend, on_dynamodb
from tests.ministack import create_table

HONEST = [
    auditing.test_counters_are_of_a_tenant_and_minute_or_day,
    records.test_numbers_come_back_exactly,
    records.test_an_id_is_taken_once,
    records.test_a_replacement_needs_the_version_it_was_made_from,
    records.test_forgetting_leaves_a_tombstone_and_nothing_else,
    records.test_pages_go_from_newest_to_oldest,
    conditions.test_a_slot_is_written_only_as_it_was_read,
    conditions.test_a_claim_is_free_or_expected_or_over,
    conditions.test_a_release_frees_only_what_is_its_own,
    conditions.test_touches_count_once_a_minute_and_only_what_is_active,
    changes.test_clearing_removes_exactly_what_was_handled,
    changes.test_failed_attempts_are_counted_and_parked_rows_leave_the_queue,
    changes.test_a_closing_answer_may_follow_its_own_open_row_only,
    requests_and_keys.test_keys_are_found_by_hash_listed_and_revoked,
    projections.test_what_is_late_does_not_outlive_its_record,
    learning.test_a_conversation_is_written_only_as_it_was_read,
    learning.test_messages_are_said_to_be_somewhere_once,
    learning.test_a_job_is_written_only_as_it_was_read,
    learning.test_a_commit_under_a_claim_is_done_only_while_it_is_held,
    learning.test_jobs_are_listed_newest_first_page_by_page,
    learning.test_the_first_answer_stands_for_fourteen_days,
    learning.test_a_pair_is_decided_once_whichever_is_named_first,
    learning.test_forgetting_takes_away_what_was_said_about_its_turns,
    due.test_a_claimed_job_is_due_when_its_lease_is_over,
    due.test_a_memory_waits_until_it_is_settled,
    due.test_only_the_version_that_was_compared_is_settled,
    due.test_what_is_not_active_waits_until_it_is,
    budget.test_calls_and_tokens_are_counted_and_corrected,
]


@pytest.fixture
def moto() -> Iterator[Backend]:
    with mock_aws():
        session = boto3.Session(
            aws_access_key_id="test", aws_secret_access_key="test", region_name="eu-central-1"
        )
        client = connect(session=session)
        create_table(client, "memories")
        yield on_dynamodb(client, "memories")
        client.close()


@pytest.mark.parametrize("contract", HONEST, ids=lambda test: test.__name__)
def test_the_contract_holds(contract, moto: Backend):
    contract(moto)
