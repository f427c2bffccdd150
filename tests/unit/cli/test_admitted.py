"""What the terminal says of admission, and how a file is known again that was redacted."""

import pytest

from hindwise.cli.admitted import same_but_redacted, told
from hindwise.client.answers import Admission, Finding

MARK = "[redacted: aws access key]"


def decided(decision: str, *rules: str) -> Admission:
    found = tuple(Finding(rule=one, field="content") for one in rules)
    return Admission(decision=decision, rules=rules, findings=found)


def test_a_line_names_what_was_done_by_which_rule_and_where() -> None:
    said = [
        None,
        decided("redact", "secret.aws_access_key"),
        decided("quarantine", "instruction.override"),
        decided("admit", "personal.email"),
        decided("redact", "secret.aws_access_key"),
        decided("admit"),
    ]
    assert told(said) == [
        "redacted; found: secret.aws_access_key (content)",
        "held for review: instruction.override (content)",
        "noted: personal.email (content)",
    ]


@pytest.mark.parametrize(
    ("sent", "stored", "same"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("my AKIA1 key", f"my {MARK} key", True),
        ("AKIA1\nand AKIA2", f"{MARK}\nand {MARK}", True),
        ("your AKIA1 key", f"my {MARK} key", False),
        ("my AKIA1 key!", f"my {MARK} key", False),
        ("a+b", "aab", False),
    ],
)
def test_a_text_is_known_again_but_for_what_was_taken_out(
    sent: str, stored: str, same: bool
) -> None:
    assert same_but_redacted(sent, stored) is same
