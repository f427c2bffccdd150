"""Reads the digests of a day: its head, its parts, its supplements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import ValidationError

from hindwise.domain import digests
from hindwise.domain.digests import DayDigest, Line, Part
from hindwise.domain.ports import Records, Seal
from hindwise.domain.ports.auditing import Row

MOST_SUPPLEMENTS = 100


@dataclass(frozen=True)
class Day:
    """One day of a tenant in the book."""

    tenant: str
    day: date
    book: Records
    seal: Seal

    @property
    def name(self) -> str:
        """The day as it is written."""
        return self.day.isoformat()

    def head(self) -> DayDigest | None:
        """The digest, None where there is none that can be read."""
        return self._digest(digests.head_name(self.name))

    def there(self) -> bool:
        """Tell whether there is a digest, readable or not."""
        return self.book.read(self.tenant, digests.head_name(self.name)) is not None

    def supplements(self) -> Iterator[DayDigest]:
        """The supplements in order; ends at the first that is not there or cannot be read."""
        for number in range(1, MOST_SUPPLEMENTS + 1):
            found = self._digest(digests.late_name(self.name, number))
            if found is None:
                return
            yield found

    def last(self) -> DayDigest | None:
        """The last of the day: its digest or the last supplement."""
        head = self.head()
        return None if head is None else [head, *self.supplements()][-1]

    def part(self, shard: int, number: int) -> tuple[Part | None, str]:
        """A part and its fingerprint; None and "" where it is not there."""
        data = self.book.read(self.tenant, digests.part_name(self.name, shard, number))
        if data is None:
            return None, ""
        try:
            return Part.model_validate_json(data), digests.fingerprint(data)
        except ValidationError:
            return None, digests.fingerprint(data)

    def lines(
        self,
        shard: int,
        head: DayDigest,
        supplements: Sequence[DayDigest],
        *,
        span: tuple[str | None, str | None] = (None, None),
    ) -> tuple[dict[str, Line], list[str]]:
        """What is written of a shard, by id, in a span (behind the first id, up to the last one).

        Also the names of parts that are not as they were written.
        """
        low, high = span
        said = head.shards[shard]
        found: dict[str, Line] = {}
        broken: list[str] = []
        begins: str | None = None
        for number, (hashed, last) in enumerate(zip(said.parts, said.lasts, strict=True)):
            before, begins = begins, last
            if (low is not None and last <= low) or (high and before and before >= high):
                continue
            part, fingerprint = self.part(shard, number)
            if fingerprint != hashed:
                broken.append(digests.part_name(self.name, shard, number))
            found |= {} if part is None else {line.id: line for line in part.lines}
        found |= {line.id: line for one in supplements for at, line in one.late if at == shard}
        within = {
            one: line
            for one, line in found.items()
            if (low is None or one > low) and (high is None or one <= high)
        }
        return within, broken

    def line(self, row: Row) -> Line:
        """How a row stands in a digest."""
        digest = "" if row.entry is None else row.entry.digest
        return Line(id=row.id, chain=row.chain, digest=digest)

    def _digest(self, name: str) -> DayDigest | None:
        data = self.book.read(self.tenant, name)
        try:
            return None if data is None else DayDigest.model_validate_json(data)
        except ValidationError:
            return None
