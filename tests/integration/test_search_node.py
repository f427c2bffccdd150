"""The OpenSearch node of the laptop: real processes on real data, started, killed and orphaned."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from infra.local import search_node
from infra.local.search_node import PORTS, NodeFailed, SearchNode, free
from tests.opensearch_node import call, started

pytestmark = pytest.mark.opensearch

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "infra" / "local" / "opensearch"
VECTOR = {"type": "knn_vector", "dimension": 3, "method": {"name": "hnsw", "engine": "lucene"}}
MAPPING = {
    "settings": {"index": {"knn": True, "number_of_replicas": 0}},
    "mappings": {"properties": {"vector": VECTOR, "words": {"type": "text", "analyzer": "cjk"}}},
}


@pytest.fixture(scope="module")
def node() -> Iterator[SearchNode]:
    """A node that the tests of this module may break."""
    with started("broken") as running_node:
        yield running_node


def fill(endpoint: str, index: str) -> None:
    call(endpoint, "PUT", index, MAPPING)
    for number, (words, vector) in enumerate((("上海的机票", [1, 0, 0]), ("keys", [0, 1, 0]))):
        path = f"{index}/_doc/{number}?refresh=true"
        call(endpoint, "PUT", path, {"words": words, "vector": vector})


def nearest(endpoint: str, index: str) -> list[str]:
    query = {"knn": {"vector": {"vector": [0, 0.9, 0.1], "k": 1}}}
    found = call(endpoint, "POST", f"{index}/_search", {"size": 1, "query": query})
    return [hit["_id"] for hit in found["hits"]["hits"]]


def test_session_node_is_the_version_that_is_pinned_and_finds_by_vector(opensearch: str) -> None:
    assert call(opensearch, "GET", "")["version"]["number"] == "2.19.1"
    (found,) = call(opensearch, "GET", "_nodes/plugins,process,jvm")["nodes"].values()
    classes = {plugin["classname"] for plugin in found["plugins"]}
    assert "org.opensearch.knn.plugin.KNNPlugin" in classes
    assert found["jvm"]["mem"]["heap_init_in_bytes"] == 512 * 2**20
    fill(opensearch, "node-test")
    assert nearest(opensearch, "node-test") == ["1"]
    query = {"query": {"match": {"words": "机票"}}}
    hits = call(opensearch, "POST", "node-test/_search", query)["hits"]["hits"]
    assert [hit["_id"] for hit in hits] == ["0"]
    call(opensearch, "DELETE", "node-test")


def test_two_nodes_know_nothing_of_each_other(opensearch: str, node: SearchNode) -> None:
    assert node.endpoint != opensearch and node.port in PORTS
    call(node.endpoint, "PUT", "only-here")
    assert httpx.get(f"{opensearch}/only-here").status_code == 404
    for endpoint in (opensearch, node.endpoint):
        assert call(endpoint, "GET", "_cluster/health")["number_of_nodes"] == 1


def test_killed_or_stopped_it_starts_again_on_its_data_and_port(node: SearchNode) -> None:
    fill(node.endpoint, "kept")
    endpoint, first = node.endpoint, node.pid
    node.kill()
    assert node.ended and node.pid is None
    with pytest.raises(httpx.ConnectError):
        httpx.get(endpoint)
    assert node.start() == endpoint and node.pid != first
    assert nearest(endpoint, "kept") == ["1"]
    assert node.pid is not None
    os.kill(node.pid, signal.SIGSTOP)
    assert node.stop(), "one that is frozen is woken to stop"
    assert not node.stop(), "it has ended already"
    assert node.start() == endpoint
    assert nearest(endpoint, "kept") == ["1"]


def test_a_home_belongs_to_one_process_which_is_named(node: SearchNode) -> None:
    with pytest.raises(NodeFailed, match=f"OPENSEARCH_ENDPOINT={node.endpoint}"):
        SearchNode(node.home).start()
    with pytest.raises(NodeFailed, match="runs already"):
        node.start()
    assert call(node.endpoint, "GET", "_cluster/health")["status"] in ("green", "yellow")


def test_what_a_killed_process_left_running_is_stopped_first(node: SearchNode) -> None:
    """A node whose starter is killed lives on; the next start of its home ends it."""
    node.stop()
    starter = [
        sys.executable,
        "-c",
        "import pathlib, sys, time; from infra.local.search_node import SearchNode; "
        "print(SearchNode(pathlib.Path(sys.argv[1])).start(), flush=True); time.sleep(600)",
        str(node.home),
    ]
    with subprocess.Popen(starter, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        endpoint = process.stdout.readline().strip()
        process.kill()
    orphan = int((node.home / "node.pid").read_text().split()[0])
    fill(endpoint, "orphaned")
    assert nearest(node.start(), "orphaned") == ["1"]
    assert node.pid != orphan and not search_node.running(orphan)


def test_a_process_that_is_not_the_node_is_left_alone(tmp_path: Path) -> None:
    """A number that the system has given to another process since then is no reason to kill it."""
    with subprocess.Popen(["sleep", "60"]) as other:
        (tmp_path / "node.pid").write_text(f"{other.pid} 9200")
        SearchNode(tmp_path).stop_left()
        assert other.poll() is None
        other.kill()


def test_port_that_is_taken_or_outside_the_range_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NodeFailed, match="of 9200 to 9299, not on 9300"):
        SearchNode(tmp_path, 9300).start()
    port = search_node.free_ports(1)[0]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert not free(port)
        with pytest.raises(NodeFailed, match=f"port {port} of 127.0.0.1 is taken"):
            SearchNode(tmp_path, port).start()
    assert free(port)


def test_data_that_cannot_be_read_is_said_with_the_log(tmp_path: Path) -> None:
    (tmp_path / "node_1").write_text("a file where the data folder should be")
    node = SearchNode(tmp_path)
    with pytest.raises(NodeFailed, match="does not start on") as failure:
        node.start()
    assert str(node.log) in str(failure.value) and node.pid is None


def with_only(folder: Path, *names: str, **programs: str) -> dict[str, str]:
    """An environment whose PATH holds the named tools and the given scripts, and nothing else."""
    folder.mkdir()
    for name in ("bash", "dirname", "mkdir", "cat", "rm", *names):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    for name, script in programs.items():
        (folder / name).write_text(f"#!/usr/bin/env -S bash\n{script}\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def refused(script: str, *arguments: str | Path, env: dict[str, str]) -> tuple[int, str]:
    run = ["bash", SCRIPTS / script, *arguments]
    ended = subprocess.run(run, env=env, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stderr


def test_missing_java_is_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = with_only(tmp_path / "none")
    code, said = refused("run.sh", tmp_path / "home", "9200", env=env)
    assert code == 2 and said.startswith("OpenSearch needs Java 11 or later: install a JRE")
    assert not (tmp_path / "home").exists()
    old = with_only(tmp_path / "old", "env", java="""echo 'openjdk version "1.8.0_292"' >&2""")
    assert "(found only 8)" in refused("run.sh", tmp_path / "home", "9200", env=old)[1]
    monkeypatch.setenv("PATH", env["PATH"])
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(NodeFailed, match="needs Java 11 or later"):
        SearchNode(tmp_path / "home").start()


def test_missing_maven_and_java_are_both_named(tmp_path: Path) -> None:
    code, said = refused("install.sh", tmp_path / "jars", env=with_only(tmp_path / "none"))
    assert code == 1 and "needs Java 11 or later" in said and "is installed by Maven" in said


def test_jars_with_other_bytes_are_not_installed(tmp_path: Path) -> None:
    """What Maven fetches here are the installed jars, one of them with a byte more."""
    jars = ROOT / ".opensearch"
    fetch = f"cp -R {jars}/lib {jars}/knn . && echo >> lib/opensearch-2.19.1.jar"
    tools = ("env", "cp", "diff", "sha256sum")
    java = """echo 'openjdk version "17.0.15"' >&2"""
    env = with_only(tmp_path / "bin", *tools, mvn=fetch, java=java)
    code, said = refused("install.sh", tmp_path / "jars", env=env)
    assert code == 1 and "was not installed" in said and "lib/opensearch-2.19.1.jar" in said
    assert not (tmp_path / "jars" / "lib").exists()
    fetch = f"cp -R {jars}/lib {jars}/knn ."
    (tmp_path / "bin" / "mvn").write_text(f"#!/usr/bin/env -S bash\n{fetch}\n")
    assert refused("install.sh", tmp_path / "jars", env=env) == (0, "")
