/** Removals of servers that have begun. An empty environment stands for all environments. */
export const removals = `
CREATE TABLE removals (
  server TEXT NOT NULL,
  environment TEXT NOT NULL,
  data INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (server, environment)
) STRICT, WITHOUT ROWID;
`
