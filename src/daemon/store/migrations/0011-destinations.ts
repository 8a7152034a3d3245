/** Hosts and ports that the code of a deployment connected to, or was denied access to. */
export const destinations = `
CREATE TABLE deployment_destinations (
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  connections INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  bytes_sent INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (deployment_id, host, port)
) STRICT, WITHOUT ROWID;
`
