"""`hindwise doctor`: is everything as it should be, and what to do where it is not."""

from hindwise.cli.checks import Finding, Subject, findings
from hindwise.cli.config import connect
from hindwise.cli.options import DEGRADED, FAILED, OK, Asking, command
from hindwise.cli.words import line, print_json

STYLES = {"broken": "bold red", "degraded": "bold yellow", "note": "bold"}


@command
def doctor(asking: Asking) -> int:
    """Check server, key, projection, jobs, embedder; say what is wrong and what to do about it."""
    with connect() as api:
        found = [*findings(Subject(api, asking.whose))]
    levels = {one.level for one in found}
    code = FAILED if "broken" in levels else DEGRADED if "degraded" in levels else OK
    if asking.as_json:
        print_json({"ok": code == OK, "findings": [one.raw() for one in found]})
        return code
    for one in found:
        _print(one)
    if not found:
        line("Everything is as it should be.")
    return code


def _print(finding: Finding) -> None:
    line(f"{finding.level}: {finding.what}", STYLES[finding.level])
    line(f"  cause: {finding.cause}")
    line(f"  next:  {finding.next}")
