"""What talks to the API over HTTP.

Typed answers, safe retries, blocking (`api.Api`) or not (`asynchronous.AsyncApi`): both take the
same calls. It knows the wire and nothing of the server's code.
"""
