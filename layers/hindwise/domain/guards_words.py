"""The words by which guards tell statements apart, English and Chinese, folded.

Lists, not grammar: a word that is missing here costs a doubt at worst, since any word of content
that only one of two texts has is a difference of its own (`guards.differences`).
"""

import re
from functools import cache


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEGATING = _set(
    "not no never cannot without none nobody nothing nowhere neither nor hardly rarely seldom "
    "stop stops stopped quit quits hate hates hated dislike dislikes disliked avoid avoids refuse "
    "refuses refused unable except unless former formerly previously ex against lack lacks "
    "isnt arent wasnt werent dont doesnt didnt cant couldnt wont wouldnt shouldnt hasnt havent "
    "hadnt mustnt aint cancel cancels cancelled canceled reject rejects rejected"
)
HARMLESS_ZH = (
    "不仅|不但|不过(?![敏来去问夜得])|不断|不久|不错|差不多|要不|不管|不论|不得不|非常|未来|别人|特别|分别"
    "|类别|级别|性别|别墅|无论|无线|无锡|莫非|没准"
)
"""A pattern of words in which a negating character negates nothing."""
NEGATING_ZH = (
    "讨厌", "拒绝", "避免", "取消", "禁止", "停止", "反对", "曾经", "以前", "从前", "除了", "除非",
    "不", "没", "无", "非", "未", "别", "勿", "莫", "戒", "免",
)  # fmt: skip
CONDITIONS = _set("if when only but though although until while")
CONDITIONS_ZH = ("如果", "只有", "只要", "只在", "只喝", "只吃", "但是", "但", "除", "才")

DROPPED = _set("a an the is am are it's its that really very also please")
"""Function words that change no statement; tense, modality and prepositions are not among them."""
DROPPED_ZH = ("的", "很", "也", "呢", "啊", "请", "是")
ALIKE = {
    "love": "like", "loves": "like", "likes": "like", "enjoy": "like", "enjoys": "like",
    "i": "user", "i'm": "user", "im": "user", "me": "user", "my": "user", "mine": "user",
    "user's": "user", "has": "have", "prefers": "prefer", "lives": "live",
    "works": "work", "uses": "use", "wants": "want", "speaks": "speak", "drinks": "drink",
}  # fmt: skip
ALIKE_ZH = (
    ("用户", "我"), ("喜爱", "喜欢"), ("喜欢", "爱"), ("闺女", "女儿"), ("太太", "妻子"),
    ("老婆", "妻子"), ("媳妇", "妻子"), ("老公", "丈夫"), ("先生", "丈夫"), ("爸爸", "父亲"),
    ("妈妈", "母亲"), ("位于", "在"),
)  # fmt: skip

PEOPLE = {
    "wife": "wife", "spouse": "spouse", "husband": "husband", "partner": "partner",
    "mother": "mother", "mom": "mother", "mum": "mother", "father": "father", "dad": "father",
    "parents": "parents", "son": "son", "daughter": "daughter", "child": "child", "kid": "child",
    "children": "child", "kids": "child", "brother": "brother", "sister": "sister",
    "friend": "friend", "friends": "friend", "boss": "boss", "manager": "boss",
    "colleague": "colleague", "coworker": "colleague", "roommate": "roommate", "uncle": "uncle",
    "aunt": "aunt", "cousin": "cousin", "grandmother": "grandmother", "grandma": "grandmother",
    "grandfather": "grandfather", "grandpa": "grandfather", "girlfriend": "girlfriend",
    "boyfriend": "boyfriend", "neighbor": "neighbour", "neighbour": "neighbour",
    "he": "he", "his": "he", "him": "he", "she": "she", "her": "she", "they": "they",
    "their": "they", "them": "they",
}  # fmt: skip
PEOPLE_ZH = {
    "妻子": "wife", "爱人": "spouse", "丈夫": "husband", "母亲": "mother", "老妈": "mother",
    "父亲": "father", "老爸": "father", "父母": "parents", "儿子": "son", "女儿": "daughter",
    "孩子": "child", "哥哥": "brother", "弟弟": "brother", "姐姐": "sister", "妹妹": "sister",
    "朋友": "friend", "老板": "boss", "领导": "boss", "同事": "colleague", "室友": "roommate",
    "爷爷": "grandfather", "奶奶": "grandmother", "外公": "grandfather", "外婆": "grandmother",
    "女友": "girlfriend", "男友": "boyfriend", "邻居": "neighbour", "叔叔": "uncle",
    "阿姨": "aunt", "他": "he", "她": "she",
}  # fmt: skip

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MOMENTS = {
    "today": "day:0", "tonight": "day:0", "yesterday": "day:-1", "tomorrow": "day:1",
    "morning": "part:morning", "mornings": "part:morning", "noon": "part:noon",
    "afternoon": "part:afternoon", "evening": "part:evening", "night": "part:night",
    "weekday": "week:work", "weekdays": "week:work", "weekend": "week:end",
    "weekends": "week:end", "daily": "often:day", "weekly": "often:week",
    "monthly": "often:month", "yearly": "often:year",
}  # fmt: skip
MOMENTS_ZH = {
    "今天": "day:0", "昨天": "day:-1", "前天": "day:-2", "明天": "day:1", "后天": "day:2",
    "今年": "year:0", "去年": "year:-1", "前年": "year:-2", "明年": "year:1",
    "早上": "part:morning", "早晨": "part:morning", "上午": "part:morning", "中午": "part:noon",
    "下午": "part:afternoon", "晚上": "part:evening", "凌晨": "part:night",
    "工作日": "week:work", "平日": "week:work", "周末": "week:end",
    "上周": "week:-1", "下周": "week:1", "本周": "week:0", "上个月": "month:-1",
    "下个月": "month:1", "这个月": "month:0", "每天": "often:day", "每周": "often:week",
    "每月": "often:month", "每年": "often:year",
}  # fmt: skip
STEPS = {"last": "-1", "this": "0", "next": "1"}

_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"
NUMBERS = {name: str(value) for value, name in enumerate(_UP_TO_TWENTY.split())}
NUMBERS |= {name: str(10 * value) for value, name in enumerate(_TENS.split(), 1)}
UNITS = {
    "$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "美元": "usd", "刀": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur", "欧元": "eur", "£": "gbp",
    "gbp": "gbp", "pounds": "pound", "¥": "cny", "rmb": "cny", "cny": "cny", "yuan": "cny",
    "元": "cny", "块": "cny", "人民币": "cny", "%": "percent", "percent": "percent",
    "kg": "kg", "kilos": "kg", "公斤": "kg", "千克": "kg", "斤": "jin", "g": "g", "克": "g",
    "lb": "pound", "lbs": "pound", "磅": "pound", "km": "km", "公里": "km", "千米": "km",
    "mile": "mile", "miles": "mile", "英里": "mile", "m": "m", "米": "m", "cm": "cm",
    "厘米": "cm", "mm": "mm", "毫米": "mm", "feet": "foot", "foot": "foot", "inch": "inch",
    "inches": "inch", "second": "s", "seconds": "s", "s": "s", "秒": "s", "ms": "ms",
    "minute": "min", "minutes": "min", "min": "min", "分钟": "min", "hour": "h", "hours": "h",
    "h": "h", "小时": "h", "day": "day", "days": "day", "天": "day", "week": "week",
    "weeks": "week", "周": "week", "星期": "week", "month": "month", "months": "month",
    "个月": "month", "year": "year", "years": "year", "年": "year", "岁": "age",
    "gb": "gb", "mb": "mb", "kb": "kb", "tb": "tb", "celsius": "celsius",
    "fahrenheit": "fahrenheit",
}  # fmt: skip


@cache
def any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """One of these words, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
