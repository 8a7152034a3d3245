/**
 * Requests that deployments answered: totals by deployment, totals by server and environment (which outlive deployments), and
 * counts by minute. Minutes of a removed deployment are removed when they are old.
 */
export const requestHistory = `
CREATE TABLE deployment_requests (
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  tool TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  sum_ms REAL NOT NULL,
  latencies BLOB NOT NULL,
  PRIMARY KEY (deployment_id, method, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE server_requests (
  server TEXT NOT NULL REFERENCES servers (name) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  method TEXT NOT NULL,
  tool TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  sum_ms REAL NOT NULL,
  latencies BLOB NOT NULL,
  PRIMARY KEY (server, environment, method, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_minutes (
  deployment_id TEXT NOT NULL,
  minute INTEGER NOT NULL,
  method TEXT NOT NULL,
  tool TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  sum_ms REAL NOT NULL,
  latencies BLOB NOT NULL,
  PRIMARY KEY (deployment_id, minute, method, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_minutes_by_age ON request_minutes (minute);
`
