/**
 * MCP sessions that were ended through the API: an empty `session` stands for all that started until `ended_at`. Browsers
 * that are signed in to the console with the rights of a key: `hash` is the hash of their cookie.
 */
export const sessions = `
CREATE TABLE ended_sessions (
  server TEXT NOT NULL,
  environment TEXT NOT NULL,
  session TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (server, environment, session)
) STRICT, WITHOUT ROWID;
CREATE TABLE console_sessions (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  api_key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX console_sessions_by_key ON console_sessions (api_key_id);
`
