"""The fixed baseline for imports: what a function costs that loads everything at module level.

`naive` is one module that builds a boto3 resource, an OpenAI client, an OpenSearch client and a
validating Powertools resolver, as small projects do, with its bytecode shipped. `own_naive` is the
part of it that the function would need for its job. Both are compared with importing our app.py,
and with what Lambda does in INIT (import, then the clients that the function warms).
Each figure is the median of several fresh interpreters, taken in turn so that a busy machine weighs
on all of them alike.
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "bench" / "import.json"
PARTS = {
    "table": "import boto3; table = boto3.resource('dynamodb').Table('t')",
    "resolver": "from aws_lambda_powertools.event_handler import APIGatewayHttpResolver\n"
    "app = APIGatewayHttpResolver(enable_validation=True)",
    "openai": "import openai; llm = openai.OpenAI(api_key='none')",
    "opensearch": "import opensearchpy; index = opensearchpy.OpenSearch('http://127.0.0.1:9')",
}
NEEDS = {
    "authorize": ("table",),
    "write": ("table", "resolver", "openai", "opensearch"),
    "search": ("table", "resolver", "openai", "opensearch"),
    "inspect": ("table", "resolver", "opensearch"),
    "forget": ("table", "resolver", "opensearch"),
    "index": ("table", "openai", "opensearch"),
    "sweep": ("table", "openai", "opensearch"),
    "reinforce": ("table",),
    "extract": ("table", "openai", "opensearch"),
    "settle": ("table", "openai", "opensearch"),
    "consolidate": ("table", "openai", "opensearch"),
    "fade": ("table", "opensearch"),
    "review": ("table", "opensearch"),
}
"""A naive write embeds and indexes before it answers; a naive reader of the index opens it."""
MEASURE = """
import json, sys, time
before, began = len(sys.modules), time.process_time()
{code}
print(json.dumps([1000 * (time.process_time() - began), len(sys.modules) - before]))
"""
Figure = tuple[float, int]
"""CPU milliseconds and modules of one import."""


def environment() -> dict[str, str]:
    """The same for all: no site hooks, bytecode from disk, no account to reach."""
    path = [ROOT, ROOT / "layers", sysconfig.get_path("purelib")]
    return {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_EC2_METADATA_DISABLED": "true",
        "POWERTOOLS_SERVICE_NAME": "hindwise",
        "POWERTOOLS_METRICS_NAMESPACE": "hindwise",
    }


def declared() -> dict[str, dict[str, str]]:
    """The variables that the template gives each function, with values that parse."""
    document = yaml_parse((ROOT / "template.yaml").read_text())
    shared = document["Globals"]["Function"]["Environment"]["Variables"]
    parsing = {"SEARCH_BACKEND": "table", "SEARCH_COVERAGE": "2000", "EMBEDDER": "auto"}
    parsing |= {"EMBEDDING_DIMENSIONS": "512", "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    parsing |= {"OPENSEARCH_ENDPOINT": "", "LLM_BASE_URL": "", "RULES": "{}"}
    return {
        Path(block["CodeUri"]).name: {
            name: parsing.get(name, "x") if isinstance(value, dict) else value
            for name, value in (shared | block.get("Environment", {}).get("Variables", {})).items()
        }
        for block in (
            resource["Properties"]
            for resource in document["Resources"].values()
            if resource["Type"] == "AWS::Serverless::Function"
        )
    }


def once(code: str, env: Mapping[str, str]) -> Figure:
    """Run code in a fresh interpreter and read what its imports cost."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", MEASURE.format(code=code)],
        cwd=ROOT,
        env={**environment(), **env},
        text=True,
        capture_output=True,
        check=True,
    )
    cpu, modules = json.loads(done.stdout.splitlines()[-1])
    return cpu, modules


def naive(parts: Sequence[str]) -> str:
    """The source of a naive module with these parts."""
    return "\n".join(PARTS[part] for part in parts)


def measured(runs: int) -> dict[tuple[str, str], Figure]:
    """Medians by (function, variant); one more run before them writes the bytecode."""
    variables = declared()
    init = {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}
    jobs = {("*", "naive"): (naive(tuple(PARTS)), {})}
    for function, parts in NEEDS.items():
        app = f"import functions.{function}.app"
        jobs[function, "import"] = (app, {})
        jobs[function, "init"] = (app, variables[function] | init)
        jobs[function, "own_naive"] = (naive(parts), {})
    taken: dict[tuple[str, str], list[Figure]] = {key: [] for key in jobs}
    for turn in range(runs + 1):
        for key, (code, env) in jobs.items():
            figure = once(code, env)
            if turn:
                taken[key].append(figure)
    return {
        key: (median(cpu for cpu, _ in figures), figures[0][1]) for key, figures in taken.items()
    }


def rows(runs: int = 5) -> list[dict[str, Any]]:
    """The `what: import` rows of bench-speed; times are milliseconds of CPU."""
    found = measured(runs)
    naive_cpu, naive_modules = found["*", "naive"]
    return [
        {
            "what": "import",
            "function": function,
            "cpu_ms": round(found[function, "import"][0], 1),
            "naive_cpu_ms": round(naive_cpu, 1),
            "ratio_to_naive": round(found[function, "import"][0] / naive_cpu, 3),
            "modules": found[function, "import"][1],
            "naive_modules": naive_modules,
            "init_cpu_ms": round(found[function, "init"][0], 1),
            "init_ratio_to_naive": round(found[function, "init"][0] / naive_cpu, 3),
            "own_naive_cpu_ms": round(found[function, "own_naive"][0], 1),
            "init_ratio_to_own_naive": round(
                found[function, "init"][0] / found[function, "own_naive"][0], 3
            ),
            "runs": runs,
            "python": sys.version.split()[0],
        }
        for function in NEEDS
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.baseline", description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    found = rows(parser.parse_args().runs)
    print(f"{'function':12}{'import':>9}{'init':>9}{'own naive':>11}{'naive':>9}{'ratio':>8}")
    for row in found:
        print(
            f"{row['function']:12}{row['cpu_ms']:9.0f}{row['init_cpu_ms']:9.0f}"
            f"{row['own_naive_cpu_ms']:11.0f}{row['naive_cpu_ms']:9.0f}{row['ratio_to_naive']:8.2f}"
        )
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
