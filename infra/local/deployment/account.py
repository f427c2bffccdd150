"""The account's root user in an emulated AWS: it may do all, so it deploys and looks on."""

from dataclasses import dataclass
from typing import Any

import boto3

REGION = "us-east-1"
ROOT_KEY = "test"
"""The access key that the emulator takes for the root user's, and its secret."""


@dataclass(frozen=True)
class Account:
    """The emulated AWS at `endpoint`."""

    endpoint: str

    def client(self, service: str) -> Any:
        """The root user's client of a service."""
        session: Any = boto3.Session(
            aws_access_key_id=ROOT_KEY, aws_secret_access_key=ROOT_KEY, region_name=REGION
        )
        return session.client(service, endpoint_url=self.endpoint)

    def variables(self) -> dict[str, str]:
        """What a process needs in its environment to reach this account, and no real one."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": ROOT_KEY,
            "AWS_SECRET_ACCESS_KEY": ROOT_KEY,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
            "AWS_CONFIG_FILE": "/dev/null",
        }
