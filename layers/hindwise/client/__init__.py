"""What talks to the API over HTTP.

For now only what the command line needs: one synchronous call per operation, typed answers, safe
retries. It knows the wire and nothing of the server's code.
"""
