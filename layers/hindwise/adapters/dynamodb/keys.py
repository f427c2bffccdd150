"""Every key of the table, built and read back here and nowhere else.

Tenants need no escape (`[a-z0-9-]`). Users and other foreign words are percent-encoded, so that no
separator can be smuggled in and no two users share a partition. Sessions, tasks, slots and texts
enter as a hash: every key stays far below DynamoDB's 2,048 and 1,024 bytes.
"""

from datetime import UTC, date, datetime
from urllib.parse import quote, unquote
from zlib import crc32

from hindwise.adapters.dynamodb.expressions import Key
from hindwise.domain.ids import is_working_id, key_hash
from hindwise.domain.scope import Scope

DIRTY_BUCKETS = 16
WORK_BUCKETS = 16
SHARDS = 8
AUDIT_BUCKETS = 8
SEQ_DIGITS = 12
LONGEST_WORD = 800
"""Characters of a foreign word in a sort key, of which DynamoDB takes 1,024 bytes."""
PARKED = "PARKED"
DOCUMENTS = "#V#"
"""In the partition of every projected document, and in no other."""


def quoted(word: str) -> str:
    """A foreign word without any separator of ours, readable back."""
    return quote(word, safe="")


def short(word: str) -> str:
    """A foreign word of any length in a sort key; a long one enters as a hash."""
    found = quoted(word)
    return found if len(found) <= LONGEST_WORD else f"={key_hash(word)}"


def bucket(word: str, count: int) -> int:
    """A number below `count` that `word` always has."""
    return crc32(word.encode()) % count


def scope_pk(scope: Scope) -> str:
    """The partition of a scope's memories; all other partitions of the scope begin with it."""
    return f"T#{scope.tenant}#U#{quoted(scope.user)}"


def part(scope: Scope, *words: str) -> str:
    """One of the scope's other partitions."""
    return "#".join((scope_pk(scope), *words))


def scope_of(pk: str) -> Scope:
    """Read the scope back from one of its partitions."""
    _, tenant, _, user, *_ = pk.split("#")
    return Scope(tenant=tenant, user=unquote(user))


def memory(scope: Scope, memory_id: str) -> Key:
    """A memory of any kind."""
    if is_working_id(memory_id):
        return part(scope, "W"), memory_id
    return scope_pk(scope), f"M#{memory_id}"


def fence(scope: Scope) -> Key:
    """The moment up to which a scope is forgotten, beside its memories."""
    return scope_pk(scope), "FENCE"


def version(scope: Scope, memory_id: str, number: int) -> Key:
    """An old version of a memory."""
    return part(scope, "H"), f"{memory_id}#{number:010d}"


def shard(scope: Scope, number: int) -> str:
    """One of the eight partitions of the scope's projected documents."""
    return part(scope, "V", str(number))


def document(scope: Scope, memory_id: str, embedder: str) -> Key:
    """The projected document of a memory for one embedder."""
    home = shard(scope, bucket(memory_id, SHARDS))
    return home, f"{memory_id}#{quoted(embedder)}"


def turn(scope: Scope, session_id: str, seq: int, memory_id: str) -> Key:
    """A place in a session."""
    return part(scope, "T", key_hash(session_id)), f"{place(seq)}#{memory_id}"


def place(seq: int) -> str:
    """A number of a session as it sorts; below zero counts as zero."""
    return f"{max(seq, 0):0{SEQ_DIGITS}d}"


def task(scope: Scope, task_id: str, memory_id: str) -> Key:
    """An episode's membership in a task."""
    return part(scope, "Y", key_hash(task_id)), memory_id


def counter(scope: Scope, session_id: str) -> Key:
    """The counter of a session's places."""
    return part(scope, "C"), key_hash(session_id)


def slot(scope: Scope, key: str) -> Key:
    """A slot."""
    return part(scope, "L"), key_hash(key)


def claim(scope: Scope, key: str) -> Key:
    """A claimed text or external id."""
    return part(scope, "X"), key_hash(key)


def edge(scope: Scope, source: str, dependant: str) -> Key:
    """A link: the source first, then the dependant, so that it is found from either end.

    A long source (a document's address) enters as a hash.
    """
    return part(scope, "R"), f"{short(source)}#{quoted(dependant)}"


def change(scope: Scope, ulid: str, memory_id: str) -> Key:
    """A change row."""
    return part(scope, "D"), f"D#{ulid}#{memory_id}"


def audit(scope: Scope, memory_id: str, entry_id: str) -> Key:
    """An audit row: by memory, then time, so that a chain is one short query."""
    return part(scope, "A"), f"{memory_id}#{entry_id}"


def log(scope: Scope, ulid: str) -> Key:
    """A row of the scope's projection log."""
    return part(scope, "G"), ulid


def conversation(scope: Scope, conversation_id: str) -> Key:
    """A conversation; its chunks and the entries of its jobs begin with its key."""
    return part(scope, "O"), key_hash(conversation_id)


def chunk(scope: Scope, conversation_id: str, first: int) -> Key:
    """A chunk of a conversation, by its first message."""
    home, own = conversation(scope, conversation_id)
    return home, f"{own}#M#{place(first)}"


def after_chunks(sk: str) -> str:
    """What sorts after all chunks of the conversation that a chunk's sort key is of."""
    return sk.rpartition("#")[0] + "$"


def job_entry(scope: Scope, conversation_id: str, job_id: str) -> Key:
    """A job's entry among those of a conversation."""
    home, own = conversation(scope, conversation_id)
    return home, f"{own}#J#{short(job_id)}"


def job(scope: Scope, job_id: str) -> Key:
    """A job."""
    return part(scope, "J"), f"J#{short(job_id)}"


def job_id(sk: str) -> str:
    """Read a job's id back from its sort key; one that entered as a hash is not known any more."""
    return unquote(sk.removeprefix("J#"))


def answer(scope: Scope, job_id: str, window: int | None = None) -> Key:
    """What a reasoner said about a window of a job; without a window what all of its begin with."""
    number = "" if window is None else f"{window:06d}"
    return part(scope, "J"), f"A#{short(job_id)}#{number}"


def verdicts(scope: Scope, one: str, other: str) -> tuple[Key, Key]:
    """The two rows of what was decided between two memories: `one` first, and the mirror."""
    home = part(scope, "P")
    return (home, f"{short(one)}#{short(other)}"), (home, f"{short(other)}#{short(one)}")


def mirrored(sk: str) -> str:
    """The sort key of the other row of a verdict."""
    one, other = sk.split("#")
    return f"{other}#{one}"


def spent(tenant: str, day: date) -> Key:
    """What a tenant used of a reasoner on a day (UTC)."""
    return f"T#{tenant}#B#{day.isoformat()}", "LLM"


def request(tenant: str, principal: str, key_hash: str) -> Key:
    """An idempotency key."""
    return f"T#{tenant}#P#{quoted(principal)}", f"Q#{key_hash}"


def lesson(tenant: str, memory_id: str) -> Key:
    """What a memory that reviewers turned away has taught; all of a tenant's in one partition."""
    return f"T#{tenant}#LESSON", memory_id


def api_key(digest: str) -> Key:
    """An API key by its hash."""
    return f"KEY#{digest}", "KEY"


def dirty(number: int) -> str:
    """A bucket of the projection backlog in the index `work`."""
    return f"DIRTY#{number}"


def job_bucket(number: int) -> str:
    """A bucket of due jobs and idle conversations in the index `work`."""
    return f"JOB#{number}"


def settle_bucket(number: int) -> str:
    """A bucket of memories that wait for comparison in the index `work`."""
    return f"SETTLE#{number}"


def domain(scope: Scope, name: str) -> Key:
    """The count of a domain's new episodes."""
    return part(scope, "N"), name


def ripe(number: int) -> str:
    """A bucket of the domains that have grown, in the index `work`."""
    return f"RIPE#{number}"


def moment(at: datetime) -> str:
    """An instant as it sorts: UTC, to the microsecond."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def of_type(scope: Scope, type_: str) -> str:
    """The scope's active semantic memories of a type in the index `list`."""
    return part(scope, "K", type_)


def review(tenant: str) -> str:
    """What waits for a reviewer of a tenant, in the index `list`."""
    return f"T#{tenant}#REVIEW"


def under_review(scope: Scope, memory_id: str) -> Key:
    """The row of an active memory that waits for a reviewer."""
    return part(scope, "Q"), memory_id


def reviewed_id(sk: str) -> str:
    """The memory of an entry of the review list: of a memory's own row, or of one beside it."""
    return sk.removeprefix("M#")


def user(scope: Scope) -> Key:
    """A user of a tenant."""
    return f"T#{scope.tenant}", f"U#{quoted(scope.user)}"


def user_of(key: Key) -> Scope:
    """Read the scope back from the key of a user."""
    pk, sk = key
    return Scope(tenant=pk.removeprefix("T#"), user=unquote(sk.removeprefix("U#")))


def look_bucket(number: int) -> str:
    """A bucket of the scopes by their next periodic review, in the index `work`."""
    return f"LOOK#{number}"


def audit_day(scope: Scope, at: datetime) -> str:
    """A day of a tenant's audit rows in the index `list`; one user's are all in one bucket."""
    return audit_bucket(scope.tenant, at.astimezone(UTC).date(), audit_shard(scope))


def audit_shard(scope: Scope) -> int:
    """In which of a day's buckets the audit rows of a user are."""
    return bucket(scope_pk(scope), AUDIT_BUCKETS)


def audit_bucket(tenant: str, day: date, number: int) -> str:
    """One bucket of a day of a tenant's audit rows in the index `list`."""
    return f"T#{tenant}#AUDIT#{day.isoformat()}#{number}"


def tenant_keys(tenant: str) -> str:
    """A tenant's API keys in the index `list`."""
    return f"T#{tenant}#KEYS"


def dependant(sk: str) -> str:
    """The dependant of a link's sort key."""
    return unquote(sk.split("#")[1])
