"""The shapes by which the makers of keys mark them, and web addresses that let whoever has them in.

A prefix that is its maker's own convicts alone. Makers that mark theirs by a prefix only stand
together in one rule.
"""

EDGE = r"(?:^|[^A-Za-z0-9_-])"
_HOOKS = (
    r"hooks\.slack\.com/(?:services|workflows)/|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/"
    r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key="
    r"|oapi\.dingtalk\.com/robot/send\?access_token="
    r"|[a-z0-9-]+\.webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/"
)
_OTHERS = """
figd_ dckr_pat_ nfp_ oy2 sbp_ sb_secret_ sqp_ squ_ tskey- rubygems_ pscale_tkn_ pscale_pw_ xkeysib-
nvapi- lsv2_pt_ lsv2_sk_ sk-lf- pcsk_ tvly- jina_ e2b_ csk- waka_ tfp_ CFPAT- CCIPAT_ ATBB dt0c01\\.
fo1_ fm2_ FLWSECK rdme_ pnu_ phc_ phx_ hvb\\. rzp_live_ rzp_test_ pat-na1- EZAK EZTK AQVN"""
_PREFIXES = "|".join(_OTHERS.split())
MARKED: tuple[tuple[str, str], ...] = (
    ("aws_access_key", r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}\b"),
    ("github_token", r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("gitlab_token", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{18,}"),
    (
        "slack_token",
        (
            r"(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}|"
            r"xoxe\.xox[bp]-[A-Za-z0-9-]{20,})"
        ),
    ),
    ("webhook", r"https://(?:" + _HOOKS + r")[A-Za-z0-9@/_-]{20,}"),
    ("stripe_key", r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})"),
    ("anthropic_key", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai_key", r"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}"),
    (
        "google_key",
        r"(?:AIza[A-Za-z0-9_-]{30,40}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})",
    ),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("npm_token", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi_token", r"pypi-[A-Za-z0-9_-]{40,}"),
    ("sendgrid_key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio_key", r"SK[0-9a-f]{32}\b"),
    ("mailgun_key", r"key-[0-9a-f]{32}\b"),
    ("telegram_token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}\b"),
    ("huggingface_token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("digitalocean_token", r"do[opr]_v1_[0-9a-f]{64}"),
    ("shopify_token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("square_token", r"(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{56,})"),
    ("databricks_token", r"dapi[0-9a-f]{32}\b"),
    ("groq_key", r"gsk_[A-Za-z0-9]{40,}"),
    ("xai_key", r"xai-[A-Za-z0-9]{60,}"),
    ("perplexity_key", r"pplx-[A-Za-z0-9]{40,}"),
    ("replicate_token", r"r8_[A-Za-z0-9]{36,}"),
    ("linear_key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("notion_token", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})"),
    ("atlassian_token", r"ATATT3[A-Za-z0-9_=-]{50,}"),
    ("vault_token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("terraform_token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}"),
    ("new_relic_key", r"NRAK-[A-Z0-9]{27}\b"),
    ("grafana_token", r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    ("sentry_token", r"sntr[yu]s_[A-Za-z0-9+/=_-]{40,}"),
    ("postman_key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("doppler_token", r"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,}"),
    ("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("alibaba_key", r"LTAI[A-Za-z0-9]{12,24}\b"),
    ("tencent_key", r"AKID[A-Za-z0-9]{32}\b"),
    ("azure_key", r"AccountKey=[A-Za-z0-9+/]{40,}={0,2}"),
    ("azure_client_secret", r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}"),
    ("azure_sas", r"(?:sig|[Ss]ignature)=[A-Za-z0-9%+/=_-]{30,}"),
    ("volcengine_key", r"AKLT[A-Za-z0-9]{30,}"),
    ("baidu_key", r"bce-v3/ALTAK-[A-Za-z0-9]{16,}/[0-9a-f]{32,}"),
    ("mailchimp_key", r"[0-9a-f]{32}-us[0-9]{1,2}\b"),
    ("zhipu_key", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}\b"),
    ("discord_token", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ("hindwise_key", r"hw_[A-Za-z0-9]{4,}_[A-Za-z0-9_-]{20,}"),
)
SERVICES = (("service_token", r"(?:" + _PREFIXES + r")[A-Za-z0-9_.-]{16,}"),)
PREFIXED = (
    (
        "token",
        r"(?:[a-z0-9]{2,10}[_-])?(?:sk|key|apikey|api|pat|pt|tok|token|secret|auth)[_-]"
        r"(?:[a-z0-9]{1,6}[_-])?[A-Za-z0-9]{24,}",
    ),
)
"""What might be the prefix of something else: its value has to look drawn by chance."""
WRAPPED = (
    EDGE
    + r"((?:A[KS]IA|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]-|sk-|[rs]k_live_|AIza|hf_|npm_"
    r"|pypi-|SG\.|LTAI|AKID|AKLT|eyJ|dapi|dop_v1_|shpat_)[A-Za-z0-9_.-]*[ \t]*\n[ \t]*"
    r"([A-Za-z0-9_.-]{7,}[A-Za-z0-9]))"
)
"""A key of the usual makers that goes on in the next line."""
