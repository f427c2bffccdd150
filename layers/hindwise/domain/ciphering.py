"""Encrypts a text with nothing but the stage's keyed hashes, so that no function ships a library.

So are kept the questions of recalls that are watched, and the positions of cursors.
Encrypt-then-MAC (Bellare and Namprempre 2000): the text is added to a stream of HMAC-SHA256 over a
fresh nonce and a counter (a pseudo-random function in counter mode, NIST SP 800-38A), then nonce,
context and cipher text are sealed with another key. Both keys are derived from the stage's secret,
each for its own purpose; the context (whose it is) cannot be exchanged.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from hindwise.domain.ports.around import Seal

STREAM = "audit-query-stream"
TAG = "audit-query-tag"
BLOCK = 32
NONCE = 16


def encrypted(text: str, *, nonce: bytes, context: str, seal: Seal) -> str:
    """The text as nobody reads it without the secret; `nonce` is 16 random bytes, never reused."""
    if len(nonce) != NONCE:
        raise ValueError(f"a nonce has {NONCE} bytes")
    cipher = _streamed(text.encode("utf-8", "surrogatepass"), nonce, seal)
    named = urlsafe_b64encode(nonce + cipher).decode().rstrip("=")
    return f"{seal.digest(TAG, f'{context}\x1f{named}')}.{named}"


def decrypted(given: str, *, context: str, seal: Seal) -> str | None:
    """The text; None where it was altered, belongs elsewhere, or is of another secret."""
    tag, _, named = given.partition(".")
    told = f"{context}\x1f{named}"
    if not seal.matches(TAG, told, tag):
        return None
    raw = urlsafe_b64decode(named + "=" * (-len(named) % 4))
    for version, known in enumerate(seal.digests(TAG, told)):
        if known == tag:
            plain = _streamed(raw[NONCE:], raw[:NONCE], seal, version=version)
            return plain.decode("utf-8", "surrogatepass")
    return None


def _streamed(data: bytes, nonce: bytes, seal: Seal, *, version: int = 0) -> bytes:
    """The data with the stream over them, under the secret now or one that was before it."""
    blocks = range(-(-len(data) // BLOCK))
    stream = b"".join(
        bytes.fromhex(seal.digests(STREAM, f"{nonce.hex()}\x1f{number}")[version])
        for number in blocks
    )
    return bytes(one ^ other for one, other in zip(data, stream, strict=False))
