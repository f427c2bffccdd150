"""Long-term memory for LLM agents.

`domain` (pure rules), `usecases` (one verb each), `adapters` (the outside world), `runtime` (what a
Lambda needs), `cli` and `client` (what people and agents type or import).
"""
