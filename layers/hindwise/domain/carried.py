"""What an episode carries beside its text, so that a repeat of the text can be told from more news.

Fields that say where it happened are part of the text's key and not compared again.
"""

import json

from pydantic import JsonValue

from hindwise.domain.memory import Episode


def adds(new: Episode, old: Episode) -> bool:
    """Tell whether an episode carries what another one of the same text does not.

    What is left at its default carries nothing. A higher importance counts, a lower one would only
    let the same words fade sooner.
    """
    for mine, theirs in (
        (new.tags, old.tags),
        (new.entities, old.entities),
        (new.evidence_ids, old.evidence_ids),
        (_members(new.metadata), _members(old.metadata)),
    ):
        if not set(mine) <= set(theirs):
            return True
    for name in ("tool_results", "outcome", "alternatives", "expected_outcome", "scene", "domain"):
        said = getattr(new, name)
        if said != Episode.model_fields[name].default and repr(said) != repr(getattr(old, name)):
            return True
    usual: float = Episode.model_fields["importance"].default
    return max(usual, old.importance) < new.importance


def _members(metadata: dict[str, JsonValue]) -> list[str]:
    """The entries as JSON: 1 is not true there."""
    return [json.dumps([*item], sort_keys=True) for item in metadata.items()]
