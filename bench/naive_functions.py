"""The fixed baseline for cold starts: each function's job as a small project first writes it.

Each is one `app.py` that makes its clients at module level, as `bench.baseline` has it: `naive` all
of them, `own_naive` those that its job needs. It takes the same events as ours and does its job on
a table of its own. It calls neither OpenAI nor OpenSearch, which do not run here, so it does not
embed and does not index; what it saves by that makes it faster.
"""

import compileall
import shutil
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

from bench.baseline import NEEDS, PARTS, naive

TABLE = "naive"
VENDORED = ("opensearch-py", "requests", "certifi", "charset-normalizer", "idna", "Events")
"""What the OpenSearch client loads; the rest comes from the SDK of the runtime."""
ROUTED = """
from pydantic import BaseModel
from boto3.dynamodb.conditions import Key
class Body(BaseModel):
    user_id: str
    content: str = ""
    query: str = ""
{routes}
def handler(event, context):
    return app.resolve(event, context)
"""
PLAIN = """
import hashlib, json
from boto3.dynamodb.conditions import Key
{code}
"""
JOBS = {
    "write": """
import uuid
@app.post("/v1/memories")
def write(body: Body) -> dict:
    item = {"pk": body.user_id, "sk": uuid.uuid4().hex, "content": body.content}
    table.put_item(Item=item)
    return item
""",
    "search": """
@app.post("/v1/search")
def search(body: Body) -> dict:
    items = table.query(KeyConditionExpression=Key("pk").eq(body.user_id))["Items"]
    words = set(body.query.lower().split())
    found = sorted(items, key=lambda item: -len(words & set(item["content"].lower().split())))
    return {"results": found[:5]}
""",
    "inspect": """
@app.get("/v1/memories")
def listed(user_id: str, limit: int = 10) -> dict:
    page = table.query(KeyConditionExpression=Key("pk").eq(user_id), Limit=limit)
    return {"results": page["Items"]}
""",
    "forget": """
@app.delete("/v1/memories/<id>")
def forget(id: str, user_id: str) -> dict:
    table.delete_item(Key={"pk": user_id, "sk": id})
    return {"id": id}
""",
    "authorize": """
def handler(event, context):
    digest = hashlib.sha256(event["identitySource"][0].split()[-1].encode()).hexdigest()
    found = table.get_item(Key={"pk": digest, "sk": "KEY"}).get("Item")
    return {"isAuthorized": True, "context": found} if found else {"isAuthorized": False}
""",
    "index": """
def handler(event, context):
    for record in event["Records"]:
        keys = record["dynamodb"]["Keys"]
        key = {"pk": keys["pk"]["S"].split("#")[3], "sk": keys["sk"]["S"].split("#")[-1]}
        item = table.get_item(Key=key)["Item"]
        table.put_item(Item=item | {"pk": "indexed"})
    return {"batchItemFailures": []}
""",
    "sweep": """
def handler(event, context):
    items = table.query(KeyConditionExpression=Key("pk").eq("pending"))["Items"]
    for item in items:
        table.put_item(Item=item | {"pk": "indexed"})
        table.delete_item(Key={"pk": "pending", "sk": item["sk"]})
    return {"projected": len(items)}
""",
    "reinforce": """
def handler(event, context):
    for record in event["Records"]:
        body = json.loads(record["body"])
        for memory_id, times, at in body["touches"]:
            table.update_item(Key={"pk": body["user"], "sk": memory_id},
                UpdateExpression="ADD access_count :n", ExpressionAttributeValues={":n": times})
    return {"batchItemFailures": []}
""",
    "extract": """
def handler(event, context):
    for record in event["Records"]:
        body = json.loads(record["body"])
        learnt = {"pk": body["user"], "sk": body["id"], "content": "what was said"}
        table.put_item(Item=learnt)
    return {"batchItemFailures": []}
""",
    "settle": """
def handler(event, context):
    for record in event["Records"]:
        body = json.loads(record["body"])
        items = table.query(KeyConditionExpression=Key("pk").eq(body["user"]))["Items"]
        known = {item["content"] for item in items}
        table.put_item(Item={"pk": "settled", "sk": body["id"], "alike": len(known)})
    return {"batchItemFailures": []}
""",
    "consolidate": """
def handler(event, context):
    for record in event["Records"]:
        body = json.loads(record["body"])
        items = table.query(KeyConditionExpression=Key("pk").eq(body["user"]))["Items"]
        shown = " ".join(item["content"] for item in items)
        table.put_item(Item={"pk": "patterns", "sk": body["id"], "content": shown})
    return {"batchItemFailures": []}
""",
    "fade": """
def handler(event, context):
    items = table.scan(Limit=100)["Items"]
    old = [item for item in items if item.get("last_access", "") < "2026"]
    table.put_item(Item={"pk": "faded", "sk": event["sweep"], "old": len(old)})
    return {"looked_at": len(items)}
""",
    "review": """
def handler(event, context):
    items = table.scan(Limit=100)["Items"]
    most = sorted(items, key=lambda item: -int(item.get("hits", 0)))[:20]
    table.put_item(Item={"pk": "reviews", "sk": event["sweep"], "waiting": len(most)})
    return {"flagged": len(most)}
""",
}


def source(function: str, parts: Sequence[str]) -> str:
    """The `app.py` of a function that makes these parts of `bench.baseline`."""
    made = naive(parts).replace("Table('t')", f"Table('{TABLE}')")
    if "resolver" in NEEDS[function]:
        return made + ROUTED.format(routes=JOBS[function])
    return made + PLAIN.format(code=JOBS[function])


def written(folder: Path) -> Path:
    """Write `VARIANT/FUNCTION/app.py` below `folder`; give the layer that they need beside ours."""
    shutil.rmtree(folder, ignore_errors=True)
    for function in JOBS:
        for variant, parts in (("naive", tuple(PARTS)), ("own_naive", NEEDS[function])):
            task = folder / variant / function
            task.mkdir(parents=True)
            (task / "app.py").write_text(source(function, parts))
    layer = folder / "layer"
    for name in VENDORED:
        for file in distribution(name).files or []:
            if not file.parts[0].startswith("..") and "__pycache__" not in file.parts:
                target = layer / "python" / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
    unchecked = PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(layer, quiet=1, invalidation_mode=unchecked)
    return layer


def create_table(client: Any) -> None:
    """Make the table of the naive functions."""
    keys = {"pk": "HASH", "sk": "RANGE"}
    client.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys.items()],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in keys],
    )
