/** Answers to POST requests that carried an `Idempotency-Key`. */
export const idempotencyKeys = `
CREATE TABLE idempotency_keys (
  id INTEGER PRIMARY KEY,
  api_key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- Sealed. NULL until the request has an answer.
  answer BLOB,
  created_at TEXT NOT NULL,
  UNIQUE (api_key_id, key)
) STRICT;
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
`
