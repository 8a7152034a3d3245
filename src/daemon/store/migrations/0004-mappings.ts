/** Subdomains that users mapped to one environment of a server. */
export const mappings = `
CREATE TABLE mappings (
  id TEXT PRIMARY KEY,
  server TEXT NOT NULL REFERENCES servers (name),
  environment TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX mappings_newest ON mappings (created_at, id);
CREATE INDEX mappings_of_server ON mappings (server);
`
