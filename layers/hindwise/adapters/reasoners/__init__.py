"""Language models behind the `Reasoner` port."""
