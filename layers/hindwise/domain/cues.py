"""How much a turn seems to matter, by the words it is said in: the rules where no model reads it.

Three levels. What asks to be kept, or states a taste, a decision, a rule, a duty or who somebody
is, is the highest; what states something definite is in the middle; greetings, thanks and bare
questions are the lowest. A text is as important as its most important sentence, and a question
never asks to be kept. English and Chinese alike.
"""

import re
from functools import cache

from hindwise.domain.timewords.forms import asks, dated

CHARS = 4_000
"""Cues are looked for in this many characters; the rest is pasted text."""
_STRONG_ENGLISH = (
    r"\b(?:remember|(?:do not|don['’]t) forget|keep in mind|note that|from now on|important|"
    r"must|never|always|no longer|not any ?more|instead of|prefer\w*|favou?rites?|allerg\w+|"
    r"decid\w+|decision|agreed|(?:go|going|went) with|settled on|chose|"
    r"switch\w* (?:to|from)|moved? (?:to|from|in|out)|"
    r"deadline|due (?:on|by|date)|appointments?|birthdays?|anniversary|promis\w+|"
    r"my name is|call me|i(?: am|['’]m)? (?:now )?(?:liv(?:e|ing) in|work(?:ing)? (?:at|for|as))|"
    r"i (?:really |also |don['’]t |do not )?(?:like|love|hate|dislike|enjoy|can['’]?t stand))\b"
)
_STRONG_CHINESE = (
    r"记住|记得|别忘|不要忘|别再|不要再|以后|从现在起|从今|务必|必须|一定要|千万|重要|"
    r"总是|从不|从来不|再也不|一律|喜欢|讨厌|偏好|偏爱|爱吃|爱喝|最爱|受不了|过敏|忌口|"
    r"决定|定了|说好|约好|约定|答应|就(?:用|买|选|定|按)|改成|改用|改为|换成|换到|不再|"
    r"搬(?:家|到|去|完)|截止|到期|预约|生日|纪念日|我叫|叫我|我姓|我住|我家|我在.{1,12}(?:工作|上班)"
)
_STATED = (
    r"\d|[一二三四五六七八九十百千两]+[百千万亿个只名位条台间套张次点元块年月日天周层号成]|https?://|"
    r"(?i:\b(?:my|our|his|her|their)\s+\w+\s+(?:is|are|was|were|has|have)\b)|"
    r"(?i:\b(?:i|we|he|she|they)(?:['’]ve)?\s+(?:have|had|own|bought|booked|finished|sent|found|"
    r"fixed|deployed|use|used|started|signed|paid|got)\b)|"
    r"(?<=[\w,] )(?!I\b)[A-Z][A-Za-z]{2,}\b|"
    r"[我他她]们?(?:有|买|用|在|去|是|做|刚|已|的)|已经|完成|修好|查到|发现|批了"
)
_SMALL_TALK = (
    r"^\W*(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|sure|great|bye|"
    r"good (?:morning|evening|night)|"
    r"you['’]re welcome|welcome|sorry|yes|no|你好|您好|谢谢|好的?|嗯+|行|再见|早上好|早|晚安|没事|"
    r"不客气|哈+|是的|对)(?:\s+(?:you|there|again|so much|a lot))?\W*$"
)
_SENTENCES = r"[^。！？!?\n.]*(?:\.(?!\s)[^。！？!?\n.]*)*[。！？!?\n.]?"


@cache
def _compiled(pattern: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def level(text: str) -> int:
    """How much a turn seems to matter: 0 little, 1 something is stated, 2 it is meant to last."""
    sentences = _compiled(_SENTENCES).findall(text[:CHARS])
    return max((_of_sentence(sentence.strip()) for sentence in sentences), default=0)


def _of_sentence(sentence: str) -> int:
    if not sentence or _compiled(_SMALL_TALK).match(sentence):
        return 0
    if asks(sentence):
        return int(dated(sentence))
    strong = f"{_STRONG_ENGLISH}|{_STRONG_CHINESE}"
    if _compiled(strong).search(sentence):
        return 2
    stated = _compiled(_STATED, re.NOFLAG).search(sentence) is not None
    return int(stated or dated(sentence))
