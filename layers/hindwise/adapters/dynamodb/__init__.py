"""The one DynamoDB table: truth, projections, idempotency keys and API keys."""
