"""samconfig.toml: each stage deploys parameters that the template knows, and names no account."""

import re
import tomllib
from typing import Any

import pytest

from infra.local.stages import own
from tests.expanded import ROOT, parsed

TEXT = (ROOT / "samconfig.toml").read_text()
CONFIG = tomllib.loads(TEXT)
PARAMETERS = parsed("template.yaml")["Parameters"]
STAGES = ("dev", "prod")


def given(section: dict[str, Any]) -> dict[str, str]:
    """The parameters that a section hands to the template."""
    return dict(pair.split("=", 1) for pair in section["parameters"]["parameter_overrides"].split())


def test_the_environments_are_these() -> None:
    assert {name for name in CONFIG if name != "version"} == {"default", "local", *STAGES}
    assert CONFIG["default"]["validate"]["parameters"] == {"lint": True}
    assert "deploy" not in CONFIG["default"] and "deploy" not in CONFIG["local"]


@pytest.mark.parametrize("stage", ["local", *STAGES])
def test_parameters_are_the_templates(stage: str) -> None:
    for section in CONFIG[stage].values():
        values = given(section)
        assert values["Stage"] == stage
        for name, value in values.items():
            assert value in PARAMETERS[name].get("AllowedValues", [value]), name


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_can_be_deployed(stage: str) -> None:
    section = CONFIG[stage]["deploy"]["parameters"]
    assert section["stack_name"] == f"hindwise-{stage}"
    assert section["resolve_s3"] is True
    nested = {"CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"}
    assert set(section["capabilities"].split()) == nested


def test_parameters_that_are_typed_come_behind_a_stages_own() -> None:
    """`sam deploy` takes those that are typed or those of the file, not both."""
    assert own("dev") == "Stage=dev WithAlarms=false"
    assert "infra.local.stages $(STAGE)) $(PARAMETERS)" in (ROOT / "Makefile").read_text()
    with pytest.raises(LookupError, match=r"no stage qa in samconfig.toml; there are dev, prod"):
        own("qa")


def test_prod_asks_first_and_has_alarms() -> None:
    assert CONFIG["prod"]["deploy"]["parameters"]["confirm_changeset"] is True
    assert given(CONFIG["prod"]["deploy"])["WithAlarms"] == "true"


def test_no_account_is_named() -> None:
    for name in (
        "samconfig.toml",
        "template.yaml",
        "infra/alarms.yaml",
        "infra/search-domain.yaml",
    ):
        assert not re.search(r"\b\d{12}\b", (ROOT / name).read_text()), name
