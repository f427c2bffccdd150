"""Which sweep a schedule asks for, where one function has several."""

from collections.abc import Collection, Mapping

from hindwise.errors import Invalid


def sweep_in(event: Mapping[str, object], known: Collection[str]) -> str:
    """The name in `{"sweep": name}`; raises Invalid for one that is not known."""
    name = event.get("sweep")
    if not isinstance(name, str) or name not in known:
        raise Invalid(f"one of {', '.join(sorted(known))}", field="sweep")
    return name
