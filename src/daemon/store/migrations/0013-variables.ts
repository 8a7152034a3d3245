/** Environment variables of a server and environment. `deployments.variables`: names of those that a deployment uses. */
export const variables = `
CREATE TABLE variables (
  server TEXT NOT NULL,
  environment TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed BLOB NOT NULL,
  secret INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (server, environment, name)
) STRICT, WITHOUT ROWID;
ALTER TABLE deployments ADD COLUMN variables TEXT NOT NULL DEFAULT '[]';
`
