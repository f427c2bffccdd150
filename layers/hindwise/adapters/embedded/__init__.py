"""The search index in process: a dictionary of scopes, or a cached copy of the table's rows.

`index.EmbeddedIndex` is all there is on a laptop and in tests; `table.TableIndex` serves where no
search domain is paid for, or while it is down. Both search the same `scope_index.ScopeIndex`, which
is the only part that needs numpy and is imported when the first scope is searched.
"""
