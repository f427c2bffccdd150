"""What poses as structure: delimiters of a prompt, a speaker's role, an entry of this memory."""

from hindwise.domain.admission.matching import compiled
from hindwise.domain.admission.reading import meant

_CHAT = (
    r"<\|(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|start_header_id"
    r"|end_header_id|begin_of_text)\|>|\[/?inst\]|<</?sys>>|</?(?:start|end)_of_turn>"
    r"|<(?:system|系统)[^>\n]{0,20}>|\[(?:system|系统|developer)(?: [a-z]{1,12})?\]|"
    r"\((?:system|developer)[_ ]message\)"
    r"|(?:^|\n) ?[-=#*]{2,} ?(?:end|begin|start)(?:ing)? of (?:the )?"
    r"(?:document|user input|user|input|context|text|page|file|prompt|data|conversation|memory)"
)
_CLOSING = (
    r"</ ?(untrusted|documents?|context|memory|memories|tool_result|tool_output|"
    r"user_input|data|记忆|上下文|文档)>"
)
_ENTRY = r"\( ?(?:importance|confidence|重要性|重要度|置信度) ?: ?[01](?:\.[0-9]+)? ?\)"
_ROLE = (
    r"(?:^|\n)[ #>*-]*(?:system|developer|系统|开发者)(?: (?:note|message|prompt|"
    r"update|notice|override|alert))?"
    r"(?:提示|消息|通知|更新|覆盖|指令|公告)? ?: ?[^\n]{1,300}"
    r"|\bsystem (?:note|notice|message|update|override|alert|prompt) ?: ?[^\n]{1,300}"
)
_SPOKEN = r"(?:^|\n) ?(?:assistant|助手) ?: ?[^\n]{1,200}"
_LEAK = (
    r"!\[[^\]\n]*\]\((?:https?:)?//[^)\s]*[?&=/][^)\s]*[{<$][^)\n]*\)|"
    r"<img[^>\n]+src=[^>\n]+[{$][^>\n]*>"
)
_ORDERED = "^[^:]{0,3}:[^.]{0,8}[irmdasVbjJkPy]"
_GIVEN = "^[^:]{0,2}:[^.]{0,5}[CS]"


def posing(text: str) -> tuple[str, ...]:
    """The ids of the rules that a folded text breaks by posing as structure."""
    found: list[str] = []
    text = text.replace("<!--", "\n")
    if compiled(_CHAT).search(text) or _closes(text):
        found.append("instruction.delimiter")
    if compiled(_ENTRY).search(text):
        found.append("instruction.forged_entry")
    if _says(text, _ROLE, _ORDERED) or _says(text, _SPOKEN, _GIVEN):
        found.append("instruction.role")
    if compiled(_LEAK).search(text):
        found.append("instruction.exfiltrate")
    return tuple(found)


def _closes(text: str) -> bool:
    """Tell whether an element is closed that was never opened."""
    if "</" not in text:
        return False
    found = compiled(_CLOSING).search(text)
    return found is not None and f"<{found.group(1)}" not in text[: found.span()[0]]


def _says(text: str, role: str, shape: str) -> bool:
    spoken = (found.group().strip() for found in compiled(role).finditer(text))
    return any(compiled(shape).search(meant(line)) for line in spoken)
