"""Gives a deployed HTTP API the routes and authorizers that its template says.

SAM writes them as an OpenAPI body, which the emulator's CloudFormation does not read: it makes the
API and its stage only. On AWS nothing of this is needed.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from infra.local.deployment.account import REGION, Account

Node = Any
"""A piece of the processed template."""
_ARN = re.compile(r'\$\{(\w+)\.Arn\}|"Fn::GetAtt": \["(\w+)", "Arn"\]')
OPEN = "NONE"
"""SAM's word for a route without an authorizer."""


class Routes:
    """Makes the routes of the APIs of a stack; `physical` maps logical to physical names."""

    def __init__(self, account: Account, physical: Mapping[str, str]) -> None:
        self._gateway = account.client("apigatewayv2")
        self._lambda = account.client("lambda")
        self._physical = physical

    def make(self, template: Node) -> int:
        """Read a processed template and make all its routes; returns how many."""
        made = 0
        for name, resource in template["Resources"].items():
            body = resource.get("Properties", {}).get("Body")
            if resource["Type"] == "AWS::ApiGatewayV2::Api" and body:
                made += self._api(self._physical[name], body)
        return made

    def _api(self, api: str, body: Node) -> int:
        schemes = body.get("components", {}).get("securitySchemes", {})
        authorizers = {
            name: self._authorizer(api, name, scheme["x-amazon-apigateway-authorizer"])
            for name, scheme in schemes.items()
        }
        integrations: dict[str, str] = {}
        made = 0
        for key, operation in _operations(body):
            integration = operation["x-amazon-apigateway-integration"]
            function = self._function(integration["uri"])
            if function not in integrations:
                integrations[function] = self._integration(api, function, integration)
            guards = [name for each in operation.get("security", []) for name in each]
            guards = [name for name in guards if name != OPEN]
            guard = {"AuthorizationType": "NONE"}
            for name in guards:
                guard = {"AuthorizationType": "CUSTOM", "AuthorizerId": authorizers[name]}
            self._gateway.create_route(
                ApiId=api,
                RouteKey=key,
                Target=f"integrations/{integrations[function]}",
                **guard,
            )
            made += 1
        return made

    def _integration(self, api: str, function: str, integration: Node) -> str:
        made = self._gateway.create_integration(
            ApiId=api,
            IntegrationType="AWS_PROXY",
            IntegrationUri=function,
            PayloadFormatVersion=integration["payloadFormatVersion"],
        )
        return str(made["IntegrationId"])

    def _authorizer(self, api: str, name: str, scheme: Node) -> str:
        function = self._function(scheme["authorizerUri"])
        source = scheme.get("identitySource", "")
        made = self._gateway.create_authorizer(
            ApiId=api,
            Name=name,
            AuthorizerType="REQUEST",
            AuthorizerUri=f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/{function}"
            "/invocations",
            IdentitySource=source if isinstance(source, list) else re.split(r"\s*,\s*", source),
            AuthorizerPayloadFormatVersion=scheme["authorizerPayloadFormatVersion"],
            EnableSimpleResponses=scheme["enableSimpleResponses"],
            AuthorizerResultTtlInSeconds=scheme["authorizerResultTtlInSeconds"],
        )
        return str(made["AuthorizerId"])

    def _function(self, uri: Node) -> str:
        """The ARN of the function that an expression names."""
        found = _ARN.search(json.dumps(uri))
        if found is None:
            raise ValueError(f"no function is named in {uri}")
        function = self._lambda.get_function(FunctionName=self._physical[found[1] or found[2]])
        return str(function["Configuration"]["FunctionArn"])


def _operations(body: Node) -> Iterator[tuple[str, Node]]:
    for path, operations in body["paths"].items():
        for method, operation in operations.items():
            if "x-amazon-apigateway-integration" in operation:
                yield f"{method.upper()} {path}", operation
