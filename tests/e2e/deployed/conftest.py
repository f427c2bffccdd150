"""One deployed stack for all tests here, and people with keys to it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from infra.local.deployment.deployed import STAGE, Deployed, deployed
from infra.local.fake_llm import FakeLlm
from tests.e2e.deployed.person import Person

HINDWISE = (sys.executable, "-c", "from hindwise.cli.app import main; main()")
Enter = Callable[..., Person]


DOMAIN = "arn:aws:es:us-east-1:000000000000:domain/hindwise-ci"
"""The node is no domain, and asks nobody who they are: what the roles may do there is not shown."""


@pytest.fixture(scope="session")
def llm() -> Iterator[FakeLlm]:
    """A language model that finds nothing worth keeping, unless it is told otherwise."""
    with FakeLlm() as llm:
        llm.always("extract", {"memories": []})
        llm.always("judge", {"decisions": []})
        yield llm


@pytest.fixture(scope="session")
def stack(
    tmp_path_factory: pytest.TempPathFactory, opensearch: str, llm: FakeLlm
) -> Iterator[Deployed]:
    """The build output, deployed with a real node to search, on which the sweep made an index."""
    parameters = {
        "LlmModel": llm.models[0],
        "LlmBaseUrl": llm.url,
        "SearchBackend": "opensearch",
        "OpenSearchEndpoint": opensearch,
        "OpenSearchDomainArn": DOMAIN,
    }
    with deployed(tmp_path_factory.mktemp("deployed"), parameters) as stack:
        stack.invoke(stack.resources["SweepFunction"].name, {})
        yield stack


@pytest.fixture(scope="session")
def enter(stack: Deployed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enter]:
    """Makes a key as an operator would, `hindwise keys create`, and gives who holds it."""
    home = tmp_path_factory.mktemp("operator")
    people: list[Person] = []

    def enter(tenant: str, *options: str) -> Person:
        table = stack.outputs["MemoryTable"]
        done = subprocess.run(
            [*HINDWISE, "keys", "create", "someone", "--tenant", tenant, "--json", *options],
            env={
                "HOME": str(home),
                "PYTHONPATH": str(Path(__file__).parents[3] / "layers"),
                "STAGE": STAGE,
                "MEMORY_TABLE": table,
                **stack.account.variables(),
            },
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        people.append(Person(stack, json.loads(done.stdout)["key"]))
        return people[-1]

    yield enter
    for person in people:
        person.leaves()


@pytest.fixture
def nobody(stack: Deployed) -> Iterator[Person]:
    """Has no key."""
    person = Person(stack, None)
    yield person
    person.leaves()


@pytest.fixture(scope="session")
def ann(enter: Enter) -> Person:
    """May write."""
    return enter("acme")


@pytest.fixture(scope="session")
def foreigner(enter: Enter) -> Person:
    """May write, in another tenant."""
    return enter("globex")
