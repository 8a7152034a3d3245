/** Servers, their builds, deployments and addresses, API keys and their request counters. */
export const initial = `
CREATE TABLE servers (
  name TEXT PRIMARY KEY,
  preview_mcp_id TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE builds (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL REFERENCES servers (name),
  template TEXT NOT NULL,
  status TEXT NOT NULL,
  digest TEXT,
  tools TEXT NOT NULL,
  resources TEXT NOT NULL,
  prompts TEXT NOT NULL,
  env TEXT NOT NULL,
  project_id TEXT,
  build_ms INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX builds_newest ON builds (created_at, id);
CREATE INDEX builds_of_server ON builds (name, created_at, id);
CREATE INDEX builds_of_server_by_status ON builds (name, status, created_at, id);
CREATE INDEX builds_by_status ON builds (status, created_at, id);
CREATE INDEX builds_by_digest ON builds (digest) WHERE digest IS NOT NULL;

CREATE TABLE deployments (
  id TEXT PRIMARY KEY,
  mcp_id TEXT NOT NULL REFERENCES builds (id),
  name TEXT NOT NULL REFERENCES servers (name),
  environment TEXT NOT NULL,
  status TEXT NOT NULL,
  domain TEXT,
  config TEXT NOT NULL,
  env BLOB,
  deploy_ms INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deployed_at TEXT,
  stopped_at TEXT
) STRICT;
-- One index for each combination of filters: every page is read straight off, however many records there are.
CREATE UNIQUE INDEX one_live_deployment ON deployments (name, environment) WHERE status = 'deployed';
CREATE UNIQUE INDEX one_live_domain ON deployments (domain) WHERE status = 'deployed' AND domain IS NOT NULL;
CREATE INDEX deployments_newest ON deployments (created_at, id);
CREATE INDEX deployments_of_place ON deployments (name, environment, created_at, id);
CREATE INDEX deployments_of_server ON deployments (name, created_at, id);
CREATE INDEX deployments_of_environment ON deployments (environment, created_at, id);
CREATE INDEX deployments_by_status ON deployments (status, created_at, id);
CREATE INDEX deployments_of_place_by_status ON deployments (name, environment, status, created_at, id);
CREATE INDEX deployments_of_server_by_status ON deployments (name, status, created_at, id);
CREATE INDEX deployments_of_environment_by_status ON deployments (environment, status, created_at, id);
CREATE INDEX deployments_of_build ON deployments (mcp_id);

CREATE TABLE addresses (
  server TEXT NOT NULL REFERENCES servers (name),
  slot TEXT NOT NULL,
  port INTEGER NOT NULL UNIQUE,
  subdomain TEXT UNIQUE,
  PRIMARY KEY (server, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  plan TEXT NOT NULL,
  user_id TEXT NOT NULL,
  idp_uid TEXT NOT NULL,
  is_owner INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT
) STRICT;
CREATE INDEX api_keys_newest ON api_keys (created_at, id);

-- The columns that rate-limiter-flexible expects of its table.
CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL DEFAULT 0,
  expire INTEGER
);
`
