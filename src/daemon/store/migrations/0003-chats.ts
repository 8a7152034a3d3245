/** Conversations with the test agent, and the vendor keys that it may use. */
export const chats = `
CREATE TABLE chats (
  id TEXT PRIMARY KEY,
  mcp_id TEXT NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX chats_newest ON chats (created_at, id);
CREATE INDEX chats_of_server ON chats (name, created_at, id);
CREATE INDEX chats_of_build ON chats (mcp_id, created_at, id);

CREATE TABLE chat_messages (
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (chat_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_keys (
  vendor TEXT PRIMARY KEY,
  sealed BLOB NOT NULL,
  base_url TEXT,
  hint TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
`
