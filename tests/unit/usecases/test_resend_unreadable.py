import logging
from datetime import timedelta

from hindwise.domain import changes as c
from hindwise.domain.ports import QueueName
from hindwise.usecases.resend import resend
from tests import builders
from tests.builders import NOW
from tests.lab import Lab

SCOPE = builders.scope()


def test_what_cannot_be_read_keeps_nobody_from_being_sent_again(caplog):
    lab = Lab()
    jobs = [builders.job(next_at=NOW - timedelta(seconds=n), conversation_id="c") for n in (2, 1)]
    talk = builders.conversation("a secret name", idle_at=NOW - timedelta(seconds=3), turns=2)
    lab.store.commit(SCOPE, [c.PutJob(job=job) for job in jobs])
    lab.store.commit(SCOPE, [c.PutConversation(conversation=talk)])
    lab.store.faults.unreadable = {talk.id, jobs[0].id}
    with caplog.at_level(logging.ERROR):
        sent = resend(worker=lab.worker, until=NOW + timedelta(seconds=10))
    assert (sent.jobs, sent.idle) == (1, 0)
    assert lab.queues.take(QueueName.EXTRACT) == (SCOPE, jobs[1].id)
    assert lab.queues.take(QueueName.EXTRACT) is None
    assert jobs[0].id in caplog.text
    assert talk.id not in caplog.text
