import pytest

from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import Type

RULES = LearningRules()


@pytest.mark.parametrize(
    ("embedder", "threshold"),
    [
        ("use-multilingual-v3:512", 0.80),
        ("multilingual-e5-small-q4:384", 0.95),
        ("text-embedding-3-small:1536", 0.92),
        ("hashed-ngrams-v1:1024", 0.92),
    ],
)
def test_each_family_of_embedders_has_its_threshold(embedder, threshold):
    assert RULES.threshold_for(embedder) == threshold


def test_the_longest_name_counts_and_the_others_stay():
    rules = LearningRules(dedup_thresholds={"use-multilingual-v3": 0.7})
    assert rules.threshold_for("use-multilingual-v3:512") == 0.7
    assert rules.threshold_for("use-large:512") == 0.80


def test_only_patterns_weaken_what_they_contradict():
    weakening = [type_ for type_ in Type if RULES.policy_for(type_) == "weaken"]
    assert weakening == [Type.PATTERN]
    assert {RULES.policy_for(type_) for type_ in Type} == {"weaken", "supersede"}


@pytest.mark.parametrize(
    ("waits", "asked", "seconds"),
    [(1, 0, 2), (2, 0, 6), (3, 0, 18), (6, 0, 486), (7, 0, 900), (1, 30, 30), (1, 5_000, 900),
     (0, 0, 2), (10**6, 0, 900)],
)  # fmt: skip
def test_waits_grow_threefold_up_to_a_quarter_of_an_hour(waits, asked, seconds):
    assert RULES.backoff(waits, asked) == seconds
