/**
 * Releases of a server in an environment, numbered from 1. A release has the id of its deployment and outlives it. Existing
 * deployments are numbered by age.
 */
export const releases = `
CREATE TABLE releases (
  id TEXT PRIMARY KEY,
  server TEXT NOT NULL REFERENCES servers (name) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  version INTEGER NOT NULL,
  mcp_id TEXT NOT NULL,
  digest TEXT,
  author TEXT,
  message TEXT,
  git TEXT,
  test TEXT,
  changes TEXT,
  rollback_to INTEGER,
  requests INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  -- Last state of the deployment, NULL while its record exists.
  status TEXT,
  deployed_at TEXT,
  created_at TEXT NOT NULL,
  removed_at TEXT,
  UNIQUE (server, environment, version)
) STRICT;
CREATE INDEX releases_of_server ON releases (server, created_at, id);
CREATE INDEX releases_of_place ON releases (server, environment, created_at, id);
CREATE INDEX releases_by_removal ON releases (removed_at) WHERE removed_at IS NOT NULL;

INSERT INTO releases (id, server, environment, version, mcp_id, digest, requests, errors, created_at)
SELECT deployments.id, deployments.name, environment,
  row_number() OVER (PARTITION BY deployments.name, environment ORDER BY deployments.created_at, deployments.id),
  mcp_id, builds.digest,
  (SELECT coalesce(sum(requests), 0) FROM deployment_requests WHERE deployment_id = deployments.id),
  (SELECT coalesce(sum(errors), 0) FROM deployment_requests WHERE deployment_id = deployments.id),
  deployments.created_at
FROM deployments JOIN builds ON builds.id = mcp_id;
`
