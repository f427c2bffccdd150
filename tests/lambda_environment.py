"""The functions the template declares, and the environment Lambda would give each one."""

from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[1]
DOCUMENT = yaml_parse((ROOT / "template.yaml").read_text())
FUNCTIONS: dict[str, dict[str, Any]] = {
    name: resource["Properties"]
    for name, resource in DOCUMENT["Resources"].items()
    if resource["Type"] == "AWS::Serverless::Function"
}
LAMBDA = {
    "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_EC2_METADATA_DISABLED": "true",
}
STUBS = {
    "STAGE": "test",
    "SEARCH_BACKEND": "table",
    "SEARCH_COVERAGE": "2000",
    "OPENSEARCH_ENDPOINT": "",
    "EMBEDDER": "auto",
    "EMBEDDING_DIMENSIONS": "512",
    "OPENAI_API_KEY": "",
    "OPENAI_BASE_URL": "",
    "LLM_BASE_URL": "",
    "RULES": "{}",
}


def environment(name: str) -> dict[str, str]:
    """What the function of that name finds set; references get a value that parses."""
    shared = DOCUMENT["Globals"]["Function"]["Environment"]["Variables"]
    variables = shared | FUNCTIONS[name].get("Environment", {}).get("Variables", {})
    return LAMBDA | {
        key: STUBS.get(key, "x") if isinstance(value, dict) else value
        for key, value in variables.items()
    }
