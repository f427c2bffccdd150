"""Conversations whose facts are known, and a model that says exactly these facts when asked.

A person talks twice: first five facts, later one that is new and two that contradict earlier
ones, one with a slot (`lives_in`) and one that only its words tell. Half of the people speak
English, half Chinese. What was said decides what is learnt, so that any system can be given the
same model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

POISONED = "Whatever is asked about this sentence cannot be answered."
BEGAN = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
LATER = timedelta(days=9)


@dataclass(frozen=True)
class Fact:
    """What somebody says, and the sentence that should be remembered of it.

    `slot` is subject, attribute and value of what has one value at a time; `ends` is the content of
    an earlier fact that no longer holds.
    """

    said: str
    content: str
    slot: tuple[str, str, str] | None = None
    ends: str | None = None

    def item(self, turn: int) -> dict[str, Any]:
        """The fact as the product's prompt wants it."""
        subject, attribute, value = self.slot or (None, None, None)
        return {
            "type": "fact",
            "content": self.content,
            "subject": subject,
            "attribute": attribute,
            "value": value,
            "cardinality": "one" if self.slot else None,
            "entities": [],
            "confidence": 0.9,
            "importance": 0.6,
            "event_time": None,
            "valid_from": None,
            "valid_until": None,
            "scene": None,
            "quote": self.said,
            "turns": [turn],
            "worth": "keep",
        }


@dataclass(frozen=True)
class Said:
    """One conversation of somebody, with the facts in it; every fact is a turn of the user's.

    Of what is `poison` no model ever says anything that can be used.
    """

    user: str
    id: str
    at: datetime
    facts: tuple[Fact, ...]
    asks: tuple[str, ...] = field(default=())
    poison: bool = False

    def messages(self) -> list[dict[str, str]]:
        """The messages with their times, the assistant's small talk between them."""
        told = [{"role": "user", "content": POISONED, "at": self.at.isoformat()}] * self.poison
        for number, fact in enumerate(self.facts):
            moment = self.at + timedelta(minutes=number)
            told.append({"role": "user", "content": fact.said, "at": moment.isoformat()})
            answer = self.asks[number % len(self.asks)]
            told.append({"role": "assistant", "content": answer, "at": moment.isoformat()})
        return told


CITIES = ("Oslo", "Rome", "Lima", "Quito", "Porto", "Turin", "Delft", "Ghent", "Cusco", "Bergen")
CITIES_ZH = ("北京", "上海", "成都", "广州", "杭州", "南京", "西安", "武汉", "厦门", "昆明")
FIRMS = ("Nordlys", "Arcadia", "Bluepeak", "Corvid", "Dunlin")
FIRMS_ZH = ("青山", "长风", "白鹭", "海棠", "远方")
PETS = (("Luna", "cat"), ("Rex", "dog"), ("Kiwi", "parrot"), ("Nemo", "goldfish"))
PETS_ZH = (("团子", "猫"), ("旺财", "狗"), ("小绿", "鹦鹉"), ("泡泡", "金鱼"))
DISHES = ("ramen", "risotto", "ceviche", "pierogi", "dal")
DISHES_ZH = ("火锅", "小笼包", "米线", "饺子", "烤鸭")
SMALL_TALK = ("I see.", "Thanks for telling me.", "Noted, anything else?")
SMALL_TALK_ZH = ("好的。", "谢谢你告诉我。", "明白了,还有别的吗?")


def people(number: int) -> Iterator[tuple[Said, Said]]:
    """The two conversations of each of so many people."""
    for n in range(number):
        first, second = _chinese(n) if n % 2 else _english(n)
        talk = SMALL_TALK_ZH if n % 2 else SMALL_TALK
        began, user = BEGAN + timedelta(minutes=17 * n), f"person-{n}"
        yield (
            Said(user, f"{user}-first", began, first, talk),
            Said(user, f"{user}-second", began + LATER, second, talk),
        )


def _english(n: int) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    old, new = CITIES[n % 10], CITIES[(n + 3) % 10]
    pet, kind = PETS[n % 4]
    firm, dish = FIRMS[n % 5], DISHES[(n // 2) % 5]
    tram = "The user takes the tram to work."
    lives = f"The user lives in {old}."
    first = (
        Fact(f"I live in {old}.", lives, ("user", "lives_in", old)),
        Fact(f"My {kind} is called {pet}.", f"The user has a {kind} called {pet}."),
        Fact("I take the tram to work every morning.", tram),
        Fact(f"My employer is {firm}.", f"The user works at {firm}.", ("user", "works_at", firm)),
        Fact(f"My favourite dish is {dish}.", f"The user's favourite dish is {dish}."),
    )
    second = (
        Fact(f"We moved, I live in {new} now.", f"The user moved and lives in {new}.",
             ("user", "lives_in", new), ends=lives),
        Fact("I gave up the tram and cycle to work now.",
             "The user cycles to work and no longer takes the tram.", ends=tram),
        Fact("I started to learn the cello.", "The user is learning the cello."),
    )  # fmt: skip
    return first, second


def _chinese(n: int) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    old, new = CITIES_ZH[n % 10], CITIES_ZH[(n + 3) % 10]
    pet, kind = PETS_ZH[n % 4]
    firm, dish = FIRMS_ZH[n % 5], DISHES_ZH[(n // 2) % 5]
    tram, lives = "用户坐地铁上班。", f"用户住在{old}。"
    first = (
        Fact(f"我住在{old}。", lives, ("user", "lives_in", old)),
        Fact(f"我家的{kind}叫{pet}。", f"用户养了一只叫{pet}的{kind}。"),
        Fact("我每天早上坐地铁上班。", tram),
        Fact(f"我在{firm}公司工作。", f"用户在{firm}公司工作。", ("user", "works_at", firm)),
        Fact(f"我最喜欢吃{dish}。", f"用户最喜欢吃{dish}。"),
    )
    second = (
        Fact(
            f"我搬家了,现在住在{new}。",
            f"用户搬到了{new}居住。",
            ("user", "lives_in", new),
            ends=lives,
        ),
        Fact("我不坐地铁了,现在骑车上班。", "用户改为骑车上班,不再坐地铁。", ends=tram),
        Fact("我开始学大提琴了。", "用户正在学大提琴。"),
    )
    return first, second


def contents(said: Sequence[Said]) -> set[str]:
    """The sentences that should be remembered of conversations."""
    return {fact.content for one in said for fact in one.facts}


def contradictions(said: Sequence[Said]) -> list[tuple[str, str]]:
    """Pairs of sentences (earlier, later) of which only the later still holds."""
    return [(fact.ends, fact.content) for one in said for fact in one.facts if fact.ends]
