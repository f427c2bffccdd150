"""Has the deployed policies mean in the emulator what they mean on AWS.

`Ref` of a secret is its ARN on AWS; the emulator's CloudFormation gives the secret's name, and a
policy for a name allows nothing. `sqs:SendMessage` and `sqs:DeleteMessage` cover batches on AWS;
the emulator asks for `sqs:SendMessageBatch` and `sqs:DeleteMessageBatch`, which AWS does not have.
The emulator is spoken to without TLS, which the bucket's policy refuses.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from infra.local.deployment.account import Account

BATCHED = ("sqs:SendMessage", "sqs:DeleteMessage")
"""Actions that cover their batches."""


class Corrections:
    """Corrects roles, policies and environments; `secrets` are the names of the stack's secrets."""

    def __init__(self, account: Account, secrets: Iterable[str]) -> None:
        client = account.client("secretsmanager")
        self._arns = {name: client.describe_secret(SecretId=name)["ARN"] for name in secrets}
        self._iam = account.client("iam")
        self._s3 = account.client("s3")

    def in_role(self, role: str) -> None:
        """Correct the inline policies of a role."""
        for name in self._iam.list_role_policies(RoleName=role)["PolicyNames"]:
            found = self._iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
            self._iam.put_role_policy(
                RoleName=role, PolicyName=name, PolicyDocument=self._corrected(found)
            )

    def in_policy(self, arn: str) -> None:
        """Correct a managed policy, by a new version of it."""
        used = self._iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        found = self._iam.get_policy_version(PolicyArn=arn, VersionId=used)["PolicyVersion"]
        self._iam.create_policy_version(
            PolicyArn=arn, PolicyDocument=self._corrected(found["Document"]), SetAsDefault=True
        )

    def in_bucket(self, name: str) -> None:
        """Let a bucket be spoken to without TLS, by those whose own policies allow it."""
        self._s3.delete_bucket_policy(Bucket=name)

    def _corrected(self, found: Any) -> str:
        document = found if isinstance(found, dict) else json.loads(found)
        for statement in document["Statement"]:
            if "Resource" not in statement:
                continue
            statement["Resource"] = [
                self._arns.get(one, one) for one in _listed(statement["Resource"])
            ]
            statement["Action"] = _listed(statement["Action"])
            found = [f"{one}Batch" for one in BATCHED if one in statement["Action"]]
            statement["Action"] += found
        return json.dumps(document)

    def in_variables(self, variables: Mapping[str, str]) -> dict[str, str]:
        """A function's environment, corrected."""
        return {name: self._arns.get(value, value) for name, value in variables.items()}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
