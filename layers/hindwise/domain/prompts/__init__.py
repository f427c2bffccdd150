"""What a reasoner is asked, and how its answers are read.

One module a task: `extract`, `judge`, `consolidate`, `rewrite`. Each has a `question` and a `read`.
The wording lies in `*_words` beside it; `salvage` gets JSON out of what a model really says.
"""
