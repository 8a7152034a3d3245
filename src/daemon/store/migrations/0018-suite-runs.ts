/** Runs of test suites. Their cases are in another table, because lists do not read them. */
export const suiteRuns = `
CREATE TABLE suite_runs (
  id TEXT PRIMARY KEY,
  server TEXT NOT NULL,
  mcp_id TEXT NOT NULL,
  deployment_id TEXT,
  suite TEXT,
  models TEXT NOT NULL,
  status TEXT NOT NULL,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  success_rate REAL NOT NULL,
  threshold REAL NOT NULL,
  seconds REAL NOT NULL,
  total_tokens INTEGER NOT NULL,
  cost REAL,
  author TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX suite_runs_newest ON suite_runs (created_at, id);
CREATE INDEX suite_runs_of_server ON suite_runs (server, created_at, id);

CREATE TABLE suite_run_cases (
  run_id TEXT PRIMARY KEY REFERENCES suite_runs (id) ON DELETE CASCADE,
  cases TEXT NOT NULL
) STRICT;
`
