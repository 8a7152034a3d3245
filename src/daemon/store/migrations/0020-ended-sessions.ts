/** MCP sessions that were ended through the API. An empty `session` stands for all that started until `ended_at`. */
export const endedSessions = `
CREATE TABLE ended_sessions (
  server TEXT NOT NULL,
  environment TEXT NOT NULL,
  session TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (server, environment, session)
) STRICT, WITHOUT ROWID;
`
