"""What the client sends about what fades, and reads."""

from hindwise.client.fading import Faded, fade, restore


def test_a_sweep_is_asked_for_dry_unless_it_is_said_otherwise():
    call = fade("ann", "archive")
    assert (call.method, call.path) == ("POST", "/v1/fading")
    assert call.body == {"user_id": "ann", "sweep": "archive", "dry_run": True}
    on = fade("ann", "purge", dry_run=False, cursor="c")
    assert on.body == {"user_id": "ann", "sweep": "purge", "dry_run": False, "cursor": "c"}
    told = Faded.model_validate({"sweep": "purge", "dry_run": True, "counts": {"purged": 2}})
    assert (told.counts, told.next) == ({"purged": 2}, None)


def test_a_restore_names_the_memory_and_may_be_repeated():
    call = restore("ann", "a/b", key="k")
    assert (call.path, call.body, call.key) == (
        "/v1/memories/a%2Fb/restore",
        {"user_id": "ann"},
        "k",
    )
