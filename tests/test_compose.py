"""infra/compose.yaml, read: pinned images, ports of this machine alone, volumes."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "infra" / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def test_services_are_the_two_that_the_laptop_emulates() -> None:
    assert {*SERVICES} == {"localstack", "opensearch"}


@pytest.mark.parametrize("name", SERVICES)
def test_image_is_pinned_to_one_release(name: str) -> None:
    assert re.fullmatch(r"[a-z]+/[a-z]+:\d+\.\d+\.\d+", SERVICES[name]["image"])


def test_localstack_is_the_last_that_asks_for_no_token() -> None:
    assert SERVICES["localstack"]["image"] == "localstack/localstack:4.14.0"
    assert not [name for name in SERVICES["localstack"]["environment"] if "TOKEN" in name]


def test_opensearch_is_the_version_that_the_tests_run() -> None:
    pom = ElementTree.parse(ROOT / "infra" / "local" / "opensearch" / "pom.xml")
    pinned = pom.findtext(".//{*}opensearch.version")
    assert SERVICES["opensearch"]["image"].endswith(f":{pinned}")


@pytest.mark.parametrize("name", SERVICES)
def test_service_listens_on_this_machine_only_and_says_when_it_is_ready(name: str) -> None:
    service = SERVICES[name]
    (port,) = service["ports"]
    address, outside, inside = port.split(":")
    assert address == "127.0.0.1" and outside == inside
    command, *words = service["healthcheck"]["test"]
    assert command == "CMD" and words[-1].startswith(f"http://127.0.0.1:{inside}/")
    assert "-f" in words[1], "an answer that is an error is not healthy"


@pytest.mark.parametrize("name", SERVICES)
def test_data_is_on_a_volume_that_is_declared(name: str) -> None:
    sources = {volume.split(":")[0] for volume in SERVICES[name]["volumes"]}
    assert sources and sources <= {*COMPOSE["volumes"]}
