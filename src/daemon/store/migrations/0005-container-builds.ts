export const containerBuilds = `
CREATE TABLE container_builds (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  storage_location TEXT NOT NULL,
  source_id TEXT,
  mcp_id TEXT NOT NULL DEFAULT '',
  image_repository TEXT NOT NULL DEFAULT '',
  image_uri TEXT NOT NULL DEFAULT '',
  image_digest TEXT NOT NULL DEFAULT '',
  error_message TEXT NOT NULL DEFAULT '',
  start_time TEXT NOT NULL DEFAULT '',
  end_time TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX container_builds_newest ON container_builds (created_at, id);
CREATE INDEX container_builds_of_project ON container_builds (project_id, created_at, id);
CREATE INDEX container_builds_by_status ON container_builds (status, created_at, id);
CREATE INDEX container_builds_of_project_by_status ON container_builds (project_id, status, created_at, id);
CREATE UNIQUE INDEX one_running_build ON container_builds (project_id) WHERE status IN ('pending', 'in_progress');
`
