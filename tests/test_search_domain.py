"""infra/search-domain.yaml: a domain that is encrypted and open to this account's roles alone."""

import json
import re

from tests.expanded import of_type, parsed

SOURCE = parsed("infra/search-domain.yaml")
DOMAIN = of_type(SOURCE, "AWS::OpenSearchService::Domain")["Domain"]
MAIN = parsed("template.yaml")


def test_every_parameter_has_a_default() -> None:
    assert [name for name, found in SOURCE["Parameters"].items() if "Default" not in found] == []
    assert SOURCE["Parameters"]["InstanceType"]["Default"] == "t3.small.search"
    assert SOURCE["Parameters"]["InstanceCount"]["Default"] == 1


def test_the_engine_is_pinned_and_upgraded_in_place() -> None:
    assert DOMAIN["EngineVersion"] == "OpenSearch_2.19"
    assert SOURCE["Resources"]["Domain"]["UpdatePolicy"] == {"EnableVersionUpgrade": True}


def test_everything_is_encrypted() -> None:
    edge = DOMAIN["DomainEndpointOptions"]
    assert edge["EnforceHTTPS"] is True and edge["TLSSecurityPolicy"].startswith(
        "Policy-Min-TLS-1-2"
    )
    assert DOMAIN["NodeToNodeEncryptionOptions"] == {"Enabled": True}
    assert DOMAIN["EncryptionAtRestOptions"]["Enabled"] is True
    assert DOMAIN["EBSOptions"]["VolumeType"] == "gp3"


def test_only_roles_of_this_account_come_in() -> None:
    (statement,) = DOMAIN["AccessPolicies"]["Statement"]
    account = "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"
    assert statement["Principal"] == {"AWS": {"Fn::Sub": account}}
    assert statement["Resource"]["Fn::Sub"].endswith(":domain/hindwise-${Stage}/*")
    assert all(
        action.startswith("es:ESHttp") and "*" not in action for action in statement["Action"]
    )
    assert DOMAIN["AdvancedSecurityOptions"] == {"Enabled": False}
    assert "VPCOptions" not in DOMAIN


def test_the_name_is_the_stages_and_short_enough() -> None:
    assert DOMAIN["DomainName"] == {"Fn::Sub": "hindwise-${Stage}"}
    pattern = SOURCE["Parameters"]["Stage"]["AllowedPattern"]
    assert pattern == MAIN["Parameters"]["Stage"]["AllowedPattern"]
    longest = "x" * 16
    assert re.fullmatch(pattern, longest) and len(f"hindwise-{longest}") <= 28


def test_zones_come_with_instances_in_pairs_or_threes() -> None:
    cluster = DOMAIN["ClusterConfig"]
    assert cluster["ZoneAwarenessEnabled"] == {"Fn::If": ["IsOneInstance", False, True]}
    zones = cluster["ZoneAwarenessConfig"]["Fn::If"][2]["AvailabilityZoneCount"]
    assert zones == {"Fn::If": ["IsInThrees", 3, 2]}
    threes = {int(each["Fn::Equals"][1]) for each in SOURCE["Conditions"]["IsInThrees"]["Fn::Or"]}
    allowed = set(SOURCE["Parameters"]["InstanceCount"]["AllowedValues"])
    assert {count for count in allowed if count % 3 == 0} == threes
    assert all(count % 2 == 0 for count in allowed - threes - {1})


def test_logs_are_kept_for_a_time_and_quote_nothing_unless_asked() -> None:
    groups = of_type(SOURCE, "AWS::Logs::LogGroup")
    assert all("RetentionInDays" in group for group in groups.values())
    published = DOMAIN["LogPublishingOptions"]
    assert published["ES_APPLICATION_LOGS"]["Enabled"] is True
    for kind in ("SEARCH_SLOW_LOGS", "INDEX_SLOW_LOGS"):
        condition, given, otherwise = published[kind]["Fn::If"]
        assert (condition, given["Enabled"]) == ("HasSlowLogs", True)
        assert otherwise == {"Ref": "AWS::NoValue"}
    assert SOURCE["Parameters"]["SlowLogs"]["Default"] == "false"


def test_the_domain_may_write_its_logs_and_waits_for_that() -> None:
    assert SOURCE["Resources"]["Domain"]["DependsOn"] == "LogsPolicy"
    (policy,) = of_type(SOURCE, "AWS::Logs::ResourcePolicy").values()
    (statement,) = json.loads(policy["PolicyDocument"]["Fn::Sub"])["Statement"]
    assert statement["Principal"] == {"Service": "es.amazonaws.com"}
    assert "aws:SourceAccount" in statement["Condition"]["StringEquals"]
    prefix = statement["Resource"].partition("log-group:")[2].removesuffix("*")
    for group in of_type(SOURCE, "AWS::Logs::LogGroup").values():
        assert group["LogGroupName"]["Fn::Sub"].startswith(prefix)


def test_outputs_fit_the_parameters_they_are_for() -> None:
    said = SOURCE["Outputs"]["Use"]["Value"]["Fn::Sub"]
    typed = said.replace("${Stage}", "dev").replace("${Domain.DomainEndpoint}", "search-x.aws")
    typed = typed.replace(
        "${Domain.Arn}", "arn:aws:es:eu-central-1:000000000000:domain/hindwise-dev"
    )
    given = dict(re.findall(r"(\w+)=([^\s']+)", typed.partition("'")[2]))
    for name, value in given.items():
        rule = MAIN["Parameters"][name]
        assert (
            re.fullmatch(rule["AllowedPattern"], value)
            if "AllowedPattern" in rule
            else (value in rule["AllowedValues"])
        ), name
    assert set(given) == {"SearchBackend", "OpenSearchEndpoint", "OpenSearchDomainArn"}
    assert SOURCE["Outputs"]["Endpoint"]["Value"]["Fn::Sub"] == "https://${Domain.DomainEndpoint}"
