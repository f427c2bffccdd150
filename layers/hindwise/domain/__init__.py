"""Pure rules and models: standard library and pydantic only, no clock, no randomness, no I/O."""
